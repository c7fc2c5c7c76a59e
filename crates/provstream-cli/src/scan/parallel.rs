//! Reading of files by several threads, with output in the order of the files.
//!
//! A splitter thread opens files in order and cuts NDJSON into parts that end with a line. Workers scan the parts. The main
//! thread writes the output of the parts in order. All queues are bounded. Parts are handed out in order and the main thread
//! drains the oldest one, so that its worker never waits for another. If the main thread ends, every send fails and all
//! threads end.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::event_printer::EventPrinter;
use super::totals::PartSummary;
use super::{ScanConfig, ScanTotals, Scanned};
use crate::files::InputFiles;
use crate::input::{BUFFER, Input};
use crate::output::Output;

/// Bytes of a part, unless a chunk size is given.
const PART: usize = 1 << 17;

/// Messages of a part that wait to be written.
const MAX_MESSAGES: usize = 16;

/// Part of a file, or a whole file, to be scanned.
struct Part {
    source: Source,
    file: Option<Arc<str>>,
    messages: SyncSender<Message>,
}

enum Source {
    File(Input),
    Lines {
        /// Offset of the first byte.
        start: u64,
        /// Number of the first line.
        line: u64,
        /// Bytes; several blocks of a line that is longer than one.
        blocks: Receiver<anyhow::Result<Vec<u8>>>,
    },
}

/// Entry of the queue of the main thread.
enum Ordered {
    Part(Receiver<Message>),
    EndOfFile(PathBuf),
    Unreadable(anyhow::Error),
}

/// Message of a worker.
enum Message {
    Output(Vec<u8>),
    Done(anyhow::Result<()>, Box<PartSummary>),
}

/// A queue whose receiver is gone.
struct Closed;

/// Reads all files.
pub(super) fn scan(
    config: &ScanConfig<'_>,
    files: InputFiles,
    output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    let jobs = config.options.jobs;
    thread::scope(|scope| {
        let (order, ordered) = sync_channel(jobs);
        let (work, parts) = sync_channel(0);
        let splitter = Splitter {
            config,
            order,
            work,
        };
        scope.spawn(move || splitter.run(files));
        let parts = Arc::new(Mutex::new(parts));
        for _ in 0..jobs {
            let parts = Arc::clone(&parts);
            let next = move || parts.lock().unwrap_or_else(PoisonError::into_inner).recv();
            scope.spawn(move || {
                while let Ok(part) = next() {
                    scan_part(config, part);
                }
            });
        }
        drop(parts);
        write_in_order(ordered, output, totals)
    })
}

/// Writes the output of the parts in order.
fn write_in_order(
    ordered: Receiver<Ordered>,
    mut output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    let mut file = (Ok(()), PartSummary::default());
    for entry in ordered {
        match entry {
            Ordered::Part(messages) => write_part(&messages, &mut output, &mut file)?,
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

/// Writes the output of a part. It is flushed whenever the worker is slower than the output.
fn write_part(
    messages: &Receiver<Message>,
    output: &mut Output,
    file: &mut (anyhow::Result<()>, PartSummary),
) -> anyhow::Result<()> {
    loop {
        let message = match messages.try_recv() {
            Err(TryRecvError::Empty) => {
                output.flush()?;
                messages.recv().ok()
            }
            message => message.ok(),
        };
        match message {
            Some(Message::Output(bytes)) => {
                output.write_bytes(&bytes);
                output.check(false)?;
            }
            Some(Message::Done(result, summary)) => {
                file.1.merge(*summary);
                if result.is_err() {
                    file.0 = result;
                }
                return Ok(());
            }
            // A worker that panics; the scope passes the panic on.
            None => return Ok(()),
        }
    }
}

fn scan_part(config: &ScanConfig<'_>, part: Part) {
    let writer = ChannelWriter(part.messages.clone());
    let output = Output::new(Box::new(writer), "the output".to_owned());
    let mut scanned = match part.source {
        Source::File(input) => config.scan_input(input, output, part.file),
        Source::Lines {
            start,
            line,
            blocks,
        } => {
            let printer = EventPrinter::new(config, output, part.file);
            scan_lines(config, (start, line), blocks, printer)
        }
    };
    // Output before an error is written, too.
    let flushed = scanned.output.flush();
    let result = scanned.result.and(flushed);
    // The main thread may have ended.
    let _ = part
        .messages
        .send(Message::Done(result, Box::new(scanned.summary)));
}

fn scan_lines(
    config: &ScanConfig<'_>,
    (start, line): (u64, u64),
    blocks: Receiver<anyhow::Result<Vec<u8>>>,
    mut printer: EventPrinter<'_>,
) -> Scanned {
    let mut parser = config.parser.clone();
    // A part of a text begins with the line feed before it: only the first bytes of a file can be a byte order mark.
    let before = start.checked_sub(1).filter(|_| !config.has_fields());
    if let Some(before) = before
        // Files are shorter than the largest offset.
        && let Ok(started) = parser.clone().start_offset(before)
    {
        parser = started;
    }
    printer.start_at(before.unwrap_or(0), line - u64::from(before.is_some()));
    let mut reader = config.reader(parser.build(), line);
    let mut read = Ok(true);
    if before.is_some() {
        read = printer.suppress_text(|printer| reader.push(b"\n", printer));
    }
    let chunk_size = config.options.input.chunk_size.unwrap_or(BUFFER);
    for block in blocks {
        read = read.and_then(|_| {
            let block = block?;
            let mut chunks = block.chunks(chunk_size);
            chunks.try_fold(true, |_, chunk| reader.push(chunk, &mut printer))
        });
    }
    let end = read.and_then(|_| reader.finish(&mut printer));
    let end = end.map(|mut end| {
        end.bytes -= u64::from(before.is_some());
        end
    });
    printer.finish(end)
}

/// Writer to the main thread.
struct ChannelWriter(SyncSender<Message>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.send(Message::Output(bytes.to_vec()));
        sent.map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens files and cuts them into parts.
struct Splitter<'c> {
    config: &'c ScanConfig<'c>,
    order: SyncSender<Ordered>,
    work: SyncSender<Part>,
}

impl Splitter<'_> {
    /// Sends all files, unless the main thread ends before.
    fn run(&self, mut files: InputFiles) {
        let _ = std::mem::take(&mut files.paths)
            .into_iter()
            .try_for_each(|path| self.send_file(path, &files));
    }

    fn send_file(&self, path: anyhow::Result<PathBuf>, files: &InputFiles) -> Result<(), Closed> {
        let opened = path.and_then(|path| Ok((self.config.open(&path, files)?, path)));
        let (input, path) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.send_ordered(Ordered::Unreadable(error)),
        };
        let name = || path.to_string_lossy().into_owned().into();
        let file = files.are_named.then(name);
        match self.config.is_line_delimited() {
            true => self.send_parts(input, file)?,
            false => self.send_part(Source::File(input), file)?,
        }
        self.send_ordered(Ordered::EndOfFile(path))
    }

    fn send_ordered(&self, entry: Ordered) -> Result<(), Closed> {
        self.order.send(entry).map_err(|_| Closed)
    }

    fn send_part(&self, source: Source, file: Option<Arc<str>>) -> Result<(), Closed> {
        let (messages, receiver) = sync_channel(MAX_MESSAGES);
        self.send_ordered(Ordered::Part(receiver))?;
        let part = Part {
            source,
            file,
            messages,
        };
        self.work.send(part).map_err(|_| Closed)
    }

    fn send_parts(&self, input: Input, file: Option<Arc<str>>) -> Result<(), Closed> {
        let config = self.config;
        let counts_lines = config.has_fields() || config.is_pretty;
        let most = if input.is_interactive() { BUFFER } else { PART };
        let mut blocks = Blocks {
            input,
            size: config.options.input.chunk_size.unwrap_or(most),
            rest: Vec::new(),
        };
        let (mut start, mut line) = (0, 1);
        loop {
            let (sender, receiver) = sync_channel(1);
            let mut source = Some(Source::Lines {
                start,
                line,
                blocks: receiver,
            });
            let end = loop {
                let (block, end) = blocks.read();
                start += block.len() as u64;
                if counts_lines {
                    line += memchr::memchr_iter(b'\n', &block).count() as u64;
                }
                sender.send(Ok(block)).map_err(|_| Closed)?;
                if let Some(source) = source.take() {
                    self.send_part(source, file.clone())?;
                }
                match end {
                    Ok(BlockEnd::WithinLine) => {}
                    end => break end,
                }
            };
            match end {
                Ok(BlockEnd::Line) => {}
                Ok(_) => return Ok(()),
                Err(error) => return sender.send(Err(error)).map_err(|_| Closed),
            }
        }
    }
}

/// End of a block.
enum BlockEnd {
    Line,
    WithinLine,
    File,
}

/// Reads a file in blocks that end with a line, if that is not longer.
struct Blocks {
    input: Input,
    size: usize,
    /// Bytes after the last block.
    rest: Vec<u8>,
}

impl Blocks {
    /// Reads a block. An error comes with the bytes before it.
    fn read(&mut self) -> (Vec<u8>, anyhow::Result<BlockEnd>) {
        loop {
            let mut block = std::mem::take(&mut self.rest);
            match self.fill(&mut block) {
                Ok(true) => {}
                Ok(false) => return (block, Ok(BlockEnd::File)),
                Err(error) => return (block, Err(error)),
            }
            if let Some(at) = memchr::memrchr(b'\n', &block) {
                self.rest = block.split_off(at + 1);
                return (block, Ok(BlockEnd::Line));
            }
            if block.len() >= self.size {
                return (block, Ok(BlockEnd::WithinLine));
            }
            self.rest = block;
        }
    }

    /// Reads until a block is full, or what comes at once if the input may pause; `false` at the end.
    fn fill(&mut self, block: &mut Vec<u8>) -> anyhow::Result<bool> {
        let mut length = block.len();
        block.resize(length + self.size, 0);
        loop {
            let read = self.input.read(&mut block[length..]);
            if let Ok(count) = read {
                length += count;
                if count > 0 && length < self.size && !self.input.is_interactive() {
                    continue;
                }
            }
            block.truncate(length);
            return Ok(read? > 0);
        }
    }
}
