//! Reading of files by several threads, with output in the order of the files.
//!
//! Workers take turns to read a part of the input, scan it, and send its output to the main thread, which writes the output of
//! the parts in order. NDJSON is cut into parts that end with a line; any other file is one part. All queues are bounded. The
//! main thread drains the oldest part, whose worker never waits for another one. If the main thread ends, every send fails and
//! all threads end.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{thread, vec};

use super::event_printer::EventPrinter;
use super::totals::PartSummary;
use super::{ScanConfig, ScanTotals, Scanned};
use crate::files::InputFiles;
use crate::input::{BUFFER, InputSource};
use crate::output::{BufferWriter, Output};

/// Bytes of a part, unless a chunk size is given.
const PART: usize = 1 << 17;

/// Length of output from which a worker sends it before the part ends.
const OUTPUT: usize = 1 << 18;

/// Messages of a part that wait to be written.
const MAX_MESSAGES: usize = 4;

/// Entry of the queue of the main thread.
enum Ordered {
    Part(Receiver<WorkerMessage>),
    EndOfFile(PathBuf),
    Unreadable(anyhow::Error),
}

/// Message of a worker.
enum WorkerMessage {
    Output(Vec<u8>),
    /// Last output and result.
    Done(Vec<u8>, Box<Done>),
}

/// Result of a part.
struct Done {
    result: anyhow::Result<()>,
    summary: PartSummary,
}

/// A queue whose receiver is gone.
struct Closed;

/// Reads all files.
pub(super) fn scan(
    config: &ScanConfig<'_>,
    mut files: InputFiles,
    output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    let jobs = config.options.jobs;
    thread::scope(|scope| {
        let (order, ordered) = sync_channel(jobs);
        let (used, unused) = sync_channel(jobs * MAX_MESSAGES);
        let source = WorkSource {
            config,
            paths: std::mem::take(&mut files.paths).into_iter(),
            files,
            order,
            unused,
            open: None,
        };
        let source = Arc::new(Mutex::new(source));
        for _ in 0..jobs {
            let worker = Worker {
                config,
                source: Arc::clone(&source),
                block: BlockBuffer::default(),
            };
            scope.spawn(move || worker.run());
        }
        drop(source);
        write_in_order(ordered, &used, output, totals)
    })
}

/// Writes the output of the parts in order.
fn write_in_order(
    ordered: Receiver<Ordered>,
    used: &SyncSender<Vec<u8>>,
    mut output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    let mut file = (Ok(()), PartSummary::default());
    for entry in ordered {
        match entry {
            Ordered::Part(messages) => {
                let done = write_part(&messages, used, &mut output)?;
                // A worker that panics has none; the scope passes the panic on.
                let Some(done) = done else { continue };
                file.1.merge(done.summary);
                if done.result.is_err() {
                    file.0 = done.result;
                }
            }
            Ordered::EndOfFile(path) => {
                let new = (Ok(()), PartSummary::default());
                let (result, summary) = std::mem::replace(&mut file, new);
                totals.add_input(&path, result, summary, &mut output)?;
            }
            Ordered::Unreadable(error) => totals.tolerate(Err(error))?,
        }
    }
    Ok(output)
}

/// Writes the output of a part, and flushes it before it waits. Sends its buffers back.
fn write_part(
    messages: &Receiver<WorkerMessage>,
    used: &SyncSender<Vec<u8>>,
    output: &mut Output,
) -> anyhow::Result<Option<Done>> {
    loop {
        let message = match messages.try_recv() {
            Err(TryRecvError::Empty) => {
                output.flush()?;
                messages.recv().ok()
            }
            message => message.ok(),
        };
        let (mut buffer, done) = match message {
            Some(WorkerMessage::Output(buffer)) => (buffer, None),
            Some(WorkerMessage::Done(buffer, done)) => (buffer, Some(*done)),
            None => return Ok(None),
        };
        output.write_buffer(&mut buffer)?;
        if buffer.capacity() <= 2 * OUTPUT {
            // A part takes one buffer and may give back several. Those that nobody takes, now or after the last part, are dropped.
            let _ = used.try_send(buffer);
        }
        if done.is_some() {
            return Ok(done);
        }
    }
}

/// Thread that reads and scans parts.
struct Worker<'c> {
    config: &'c ScanConfig<'c>,
    source: Arc<Mutex<WorkSource<'c>>>,
    block: BlockBuffer,
}

impl Worker<'_> {
    /// Scans parts until there are no more, or the main thread has ended.
    fn run(mut self) {
        let source = Arc::clone(&self.source);
        loop {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok(Some(part)) = source.next_part(&mut self.block) else {
                return;
            };
            let messages = part.messages;
            let queue = Box::new(MessageQueue(messages.clone()));
            let buffer = source.unused.try_recv().unwrap_or_default();
            let output = Output::with_buffer(buffer, OUTPUT, queue);
            let mut scanned = match part.content {
                PartContent::File(input) => {
                    drop(source);
                    self.config.scan_input(input, output, part.file)
                }
                PartContent::Lines(lines) => {
                    let printer = EventPrinter::new(self.config, output, part.file);
                    // The others wait until it is known where the next line begins.
                    let is_open = matches!(lines.end, Ok(BlockEnd::WithinLine));
                    let source = is_open.then_some(source);
                    self.scan_lines(lines, source, printer)
                }
            };
            // Output before an error is written, too.
            let checked = scanned.output.check(false);
            let done = Box::new(Done {
                result: scanned.result.and(checked),
                summary: scanned.summary,
            });
            // The main thread may have ended.
            let _ = messages.send(WorkerMessage::Done(scanned.output.take_buffer(), done));
        }
    }

    /// Scans lines that begin in the block, and end there or in further blocks of the source.
    fn scan_lines(
        &mut self,
        lines: BlockLines,
        mut source: Option<MutexGuard<'_, WorkSource<'_>>>,
        mut printer: EventPrinter<'_>,
    ) -> Scanned {
        let config = self.config;
        let mut parser = config.parser.clone();
        // A part of a text begins with the line feed before it: only the first bytes of a file can be a byte order mark.
        let before = lines.start.checked_sub(1).filter(|_| !config.has_fields());
        if let Some(before) = before
            // Files are shorter than the largest offset.
            && let Ok(started) = parser.clone().start_offset(before)
        {
            parser = started;
        }
        let line = lines.line;
        printer.start_at(before.unwrap_or(0), line - u64::from(before.is_some()));
        let mut reader = config.reader(parser.build(), line);
        let mut read = Ok(true);
        if before.is_some() {
            read = printer.suppress_text(|printer| reader.push(b"\n", printer));
        }
        let chunk_size = config.options.input.chunk_size.unwrap_or(BUFFER);
        let mut end = lines.end;
        loop {
            read = read.and_then(|_| {
                let mut chunks = self.block.filled().chunks(chunk_size);
                chunks.try_fold(true, |_, chunk| reader.push(chunk, &mut printer))
            });
            match (end, &mut source) {
                (Ok(BlockEnd::WithinLine), Some(source)) => {
                    end = source.next_block(&mut self.block);
                }
                (Ok(_), _) => break,
                (Err(error), _) => {
                    read = read.and(Err(error));
                    break;
                }
            }
        }
        drop(source);
        let end = read.and_then(|_| reader.finish(&mut printer));
        let end = end.map(|mut end| {
            end.bytes -= u64::from(before.is_some());
            end
        });
        printer.finish(end)
    }
}

/// Queue of buffers to the main thread.
struct MessageQueue(SyncSender<WorkerMessage>);

impl BufferWriter for MessageQueue {
    fn write_buffer(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let sent = self.0.send(WorkerMessage::Output(std::mem::take(buffer)));
        sent.map_err(|_| io::Error::from(ErrorKind::BrokenPipe))
    }
}

/// Part of a file, or a whole file, to be scanned.
struct WorkPart {
    content: PartContent,
    file: Option<Arc<str>>,
    messages: SyncSender<WorkerMessage>,
}

enum PartContent {
    File(InputSource),
    Lines(BlockLines),
}

/// Lines in a block.
struct BlockLines {
    /// Offset of the first byte.
    start: u64,
    /// Number of the first line.
    line: u64,
    end: anyhow::Result<BlockEnd>,
}

/// Files that are cut into parts.
struct WorkSource<'c> {
    config: &'c ScanConfig<'c>,
    paths: vec::IntoIter<anyhow::Result<PathBuf>>,
    files: InputFiles,
    order: SyncSender<Ordered>,
    /// Buffers that were written.
    unused: Receiver<Vec<u8>>,
    open: Option<OpenFile>,
}

/// A file of lines.
struct OpenFile {
    path: PathBuf,
    file: Option<Arc<str>>,
    blocks: BlockReader,
    /// Offset of the next block.
    start: u64,
    /// Number of its first line, if lines are counted.
    line: u64,
}

impl WorkSource<'_> {
    /// Returns the next part, of which lines are in the block; `None` without any.
    fn next_part(&mut self, block: &mut BlockBuffer) -> Result<Option<WorkPart>, Closed> {
        while self.open.is_none() {
            let Some(path) = self.paths.next() else {
                return Ok(None);
            };
            let opened = path.and_then(|path| Ok((self.config.open(&path, &self.files)?, path)));
            let (input, path) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    self.send(Ordered::Unreadable(error))?;
                    continue;
                }
            };
            let name = || path.to_string_lossy().into_owned().into();
            let file = self.files.are_named.then(name);
            if !self.config.is_line_delimited() {
                let messages = self.send_part()?;
                self.send(Ordered::EndOfFile(path))?;
                return Ok(Some(WorkPart {
                    content: PartContent::File(input),
                    file,
                    messages,
                }));
            }
            let size = if input.is_interactive() { BUFFER } else { PART };
            self.open = Some(OpenFile {
                path,
                file,
                blocks: BlockReader {
                    input,
                    size: self.config.options.input.chunk_size.unwrap_or(size),
                    rest: Vec::new(),
                },
                start: 0,
                line: 1,
            });
        }
        // The main thread flushes its output when it waits for this part.
        let messages = self.send_part()?;
        let next = self.open.as_ref();
        let next = next.map(|open| (open.start, open.line, open.file.clone()));
        let (start, line, file) = next.unwrap_or_default();
        let end = self.next_block(block);
        Ok(Some(WorkPart {
            content: PartContent::Lines(BlockLines { start, line, end }),
            file,
            messages,
        }))
    }

    /// Reads the next block of the open file.
    fn next_block(&mut self, block: &mut BlockBuffer) -> anyhow::Result<BlockEnd> {
        let counts_lines = self.config.has_fields() || self.config.is_pretty;
        let Some(mut open) = self.open.take() else {
            return Ok(BlockEnd::File);
        };
        let end = open.blocks.read(block);
        open.start += block.filled().len() as u64;
        if counts_lines {
            open.line += memchr::memchr_iter(b'\n', block.filled()).count() as u64;
        }
        match end {
            Ok(BlockEnd::Line | BlockEnd::WithinLine) => self.open = Some(open),
            // If the main thread has ended, the next send fails.
            _ => drop(self.send(Ordered::EndOfFile(open.path))),
        }
        end
    }

    fn send_part(&self) -> Result<SyncSender<WorkerMessage>, Closed> {
        let (messages, receiver) = sync_channel(MAX_MESSAGES);
        self.send(Ordered::Part(receiver))?;
        Ok(messages)
    }

    fn send(&self, entry: Ordered) -> Result<(), Closed> {
        self.order.send(entry).map_err(|_| Closed)
    }
}

/// Buffer of a block.
#[derive(Default)]
struct BlockBuffer {
    bytes: Vec<u8>,
    length: usize,
}

impl BlockBuffer {
    fn filled(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// End of a block.
enum BlockEnd {
    Line,
    WithinLine,
    File,
}

/// Reads a file in blocks that end with a line, if that is not longer.
struct BlockReader {
    input: InputSource,
    size: usize,
    /// Bytes after the last block, fewer than `size`.
    rest: Vec<u8>,
}

impl BlockReader {
    /// Reads a block. If there is an error, the block has the bytes before it.
    fn read(&mut self, block: &mut BlockBuffer) -> anyhow::Result<BlockEnd> {
        block.bytes.resize(self.size, 0);
        block.length = self.rest.len();
        block.bytes[..block.length].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            let count = self.input.read(&mut block.bytes[block.length..])?;
            block.length += count;
            if count == 0 {
                return Ok(BlockEnd::File);
            }
            let is_full = block.length == self.size;
            if !is_full && !self.input.is_interactive() {
                continue;
            }
            if let Some(at) = memchr::memrchr(b'\n', block.filled()) {
                self.rest.extend_from_slice(&block.filled()[at + 1..]);
                block.length = at + 1;
                return Ok(BlockEnd::Line);
            }
            if is_full {
                return Ok(BlockEnd::WithinLine);
            }
        }
    }
}
