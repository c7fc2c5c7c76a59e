//! Distribution of rows over threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_schema::ArrowError;

use super::columns::{Built, Columns, RowTooLarge};
use super::row::RowReader;
use super::settings::ColumnSettings;
use super::texts::{BadOffset, TextColumn};

/// Parts per thread, so that all threads end at about the same time.
const PARTS: usize = 4;

/// Minimum size of a part in bytes.
const MIN_PART: usize = 1 << 16;

/// Result columns for some rows of one chunk.
pub(super) struct PieceColumns {
    /// Index of the chunk.
    pub(super) chunk: usize,
    pub(super) rows: Range<usize>,
    pub(super) built: Built,
}

/// Reason why a column cannot be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// A row has an offset outside of the column: index of its chunk, and its index in the chunk.
    BadOffset(usize, usize),
    /// The results of a row exceed the range of offsets: index of its chunk, and its index in the
    /// chunk.
    RowTooLarge(usize, usize),
    Arrow(ArrowError),
}

/// Some rows of one chunk, read by one thread.
struct RowRange {
    chunk: usize,
    rows: Range<usize>,
}

/// Reads all rows of the chunks with `threads` threads. Returns pieces in the order of the rows.
///
/// # Errors
/// The first of the pieces that failed.
pub(super) fn run(
    settings: &ColumnSettings,
    chunks: &[TextColumn],
    threads: usize,
) -> Result<Vec<PieceColumns>, Failure> {
    let parts = parts(chunks, threads);
    if threads == 1 {
        let mut reader = RowReader::new(settings);
        let read = parts
            .iter()
            .map(|part| read(&mut reader, part, &chunks[part.chunk]));
        return Ok(read
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect());
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut reader = RowReader::new(settings);
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(number) else {
                return done;
            };
            let pieces = read(&mut reader, part, &chunks[part.chunk]);
            if pieces.is_err() {
                // Nobody begins another part. Earlier ones have begun, so that the first failure is found.
                next.store(parts.len(), Ordering::Relaxed);
            }
            done.push((number, pieces));
        }
    };
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(parts.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    let pieces: Result<Vec<_>, _> = all.into_iter().map(|(_, pieces)| pieces).collect();
    Ok(pieces?.into_iter().flatten().collect())
}

/// Divides the chunks into parts of similar size in bytes.
fn parts(chunks: &[TextColumn], threads: usize) -> Vec<RowRange> {
    let mut parts = Vec::new();
    let most = if threads == 1 {
        usize::MAX
    } else {
        let sizes = chunks.iter().map(|texts| texts.size_of(0..texts.len()));
        (sizes.sum::<usize>() / (threads * PARTS)).max(MIN_PART)
    };
    for (chunk, texts) in chunks.iter().enumerate() {
        let (mut start, mut bytes) = (0, 0);
        for row in 0..texts.len() {
            if most == usize::MAX {
                break;
            }
            bytes += texts.size(row);
            if bytes >= most {
                parts.push(RowRange {
                    chunk,
                    rows: start..row + 1,
                });
                (start, bytes) = (row + 1, 0);
            }
        }
        // An empty chunk is a part too, so that its columns have types.
        if start < texts.len() || texts.len() == 0 {
            parts.push(RowRange {
                chunk,
                rows: start..texts.len(),
            });
        }
    }
    parts
}

/// Reads a part into one piece, or into several if the results are too large for one.
fn read(
    reader: &mut RowReader<'_>,
    part: &RowRange,
    texts: &TextColumn,
) -> Result<Vec<PieceColumns>, Failure> {
    let chunk = part.chunk;
    let mut pieces = Vec::new();
    let bytes = texts.size_of(part.rows.clone());
    let mut columns = Columns::new(bytes);
    let mut end = |columns: Columns, end| -> Result<(), Failure> {
        let rows = end - columns.rows()..end;
        let built = columns.finish().map_err(Failure::Arrow)?;
        pieces.push(PieceColumns { chunk, rows, built });
        Ok(())
    };
    for row in part.rows.clone() {
        let text = texts.get(row);
        let text = text.map_err(|BadOffset| Failure::BadOffset(chunk, row))?;
        if let Some(text) = text {
            reader.read(text, texts.kind(), &mut columns);
        }
        columns.end_row(text.is_some());
        let is_full = columns.is_full();
        if is_full.map_err(|RowTooLarge| Failure::RowTooLarge(chunk, row))? {
            end(
                std::mem::replace(&mut columns, Columns::new(bytes)),
                row + 1,
            )?;
        }
    }
    if columns.rows() > 0 || part.rows.is_empty() {
        end(columns, part.rows.end)?;
    }
    Ok(pieces)
}
