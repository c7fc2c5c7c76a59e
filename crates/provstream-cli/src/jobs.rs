//! Inputs read by several threads, with the output of one.
//!
//! A thread finds the work: files, or parts of one that end with a line. Workers take it in order, and each writes what it
//! finds into a channel of its own. The main thread empties these channels in order. All channels are bounded: a worker
//! whose turn has not come waits when its channel is full, and no more work is found than the channels have room for. The
//! piece of work whose turn it is has always been taken, since workers take it in order, so that somebody always makes
//! progress.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::books::{Books, name};
use crate::failure::Failure;
use crate::files::Files;
use crate::findings::Outcome;
use crate::input::Input;
use crate::output::Output;
use crate::progress::Progress;
use crate::reading::Reading;
use crate::report::Report;

/// Bytes of a part of an input, unless a chunk size is asked for.
const PART: usize = 1 << 19;

/// The same of an input that may pause, whose lines are wanted at once.
const PIECE: usize = 1 << 16;

/// Most blocks of output that wait to be written, for each piece of work; a block has at most 64 KiB.
const BLOCKS: usize = 32;

/// Most blocks of input that wait for a worker, of a line that is longer than a part.
const AHEAD: usize = 2;

/// What a worker gives back.
enum Written {
    /// Lines.
    Block(Vec<u8>),
    /// The work is done.
    Done(Box<(Result<(), Failure>, Outcome)>),
}

/// A piece of work, and where its output goes.
struct Job {
    work: Work,
    out: SyncSender<Written>,
}

enum Work {
    /// A file, from its start to its end.
    Whole(Input, PathBuf),
    /// A part of one.
    Part(Part, PathBuf),
}

/// A part of an input that ends with a line feed, or with the input.
struct Part {
    /// Offset of its first byte.
    start: u64,
    /// Number of its first line.
    line: u64,
    /// Its bytes: one block, and more where a line is longer than that.
    blocks: Receiver<Vec<u8>>,
}

/// What the main thread is to write next.
enum Next {
    /// The output of a piece of work, at once if the input may pause.
    Output(Receiver<Written>, bool),
    /// An input is complete, or could not be read further.
    End(PathBuf, Result<(), Failure>),
    /// An input could not be opened.
    Failed(Failure),
}

/// The main thread has gone, so there is nothing left to do.
struct Gone;

/// Reads all inputs with that many workers.
pub(crate) fn run(
    reading: &Reading,
    files: Files,
    jobs: usize,
    mut output: Output,
    books: &mut Books<'_>,
) -> Result<Output, Failure> {
    let (send_job, receive_job) = sync_channel::<Job>(jobs);
    let (send_next, receive_next) = sync_channel::<Next>(jobs);
    let receive_job = Mutex::new(receive_job);
    let are_named = files.are_named;
    thread::scope(|scope| {
        // Dropped with this closure, so that the workers and the finder see that the main thread has gone.
        let receive_next = receive_next;
        let receive_job = &receive_job;
        scope.spawn(move || {
            let finder = Finder {
                reading,
                jobs: send_job,
                next: send_next,
            };
            // If the main thread has gone, it knows why.
            let _ = finder.find(files);
        });
        for _ in 0..jobs {
            scope.spawn(move || {
                loop {
                    let job = receive_job
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv();
                    let Ok(job) = job else { return };
                    work(reading, job, are_named);
                }
            });
        }
        let mut outcome = Outcome::default();
        let mut end = Ok(());
        for next in receive_next {
            match next {
                Next::Output(written, at_once) => {
                    let (part_end, part) = copy(&written, &mut output)?;
                    outcome.add(part);
                    end = end.and(part_end);
                    if at_once {
                        output.flush()?;
                    }
                }
                Next::End(path, read) => {
                    let outcome = std::mem::take(&mut outcome);
                    let end = std::mem::replace(&mut end, Ok(())).and(read);
                    books.enter(&path, end, outcome, &mut output)?;
                }
                Next::Failed(failure) => books.fail(failure)?,
            }
        }
        Ok(output)
    })
}

/// Writes the output of a piece of work.
fn copy(
    written: &Receiver<Written>,
    output: &mut Output,
) -> Result<(Result<(), Failure>, Outcome), Failure> {
    loop {
        match written.recv() {
            Ok(Written::Block(block)) => {
                output.bytes(&block);
                output.check()?;
            }
            Ok(Written::Done(done)) => return Ok(*done),
            // The worker has panicked, which the scope passes on.
            Err(_) => return Ok((Ok(()), Outcome::default())),
        }
    }
}

/// Finds the work.
struct Finder<'r> {
    reading: &'r Reading,
    jobs: SyncSender<Job>,
    next: SyncSender<Next>,
}

impl Finder<'_> {
    fn find(&self, files: Files) -> Result<(), Gone> {
        let progress = files.progress.clone();
        for path in files.paths {
            let opened = path.and_then(|path| Ok((open(&path, &progress)?, path)));
            match opened {
                Err(failure) => self.say(Next::Failed(failure))?,
                Ok((input, path)) if self.reading.is_by_line() => {
                    let end = self.split(input, &path)?;
                    self.say(Next::End(path, end))?;
                }
                Ok((input, path)) => {
                    self.start(Work::Whole(input, path.clone()), false)?;
                    self.say(Next::End(path, Ok(())))?;
                }
            }
        }
        Ok(())
    }

    fn say(&self, next: Next) -> Result<(), Gone> {
        self.next.send(next).map_err(|_| Gone)
    }

    fn start(&self, work: Work, at_once: bool) -> Result<(), Gone> {
        let (out, written) = sync_channel(BLOCKS);
        // In this order: what is to be written next has always been given to the workers, or will be without waiting for
        // the main thread.
        self.say(Next::Output(written, at_once))?;
        self.jobs.send(Job { work, out }).map_err(|_| Gone)
    }

    /// Cuts an input into parts; gives how reading it ended.
    fn split(&self, mut input: Input, path: &Path) -> Result<Result<(), Failure>, Gone> {
        let counts_lines = !self.reading.fields.is_empty() || self.reading.is_pretty;
        let at_once = input.may_wait();
        let most = if at_once { PIECE } else { PART };
        let size = self.reading.chunk.unwrap_or(most);
        let (mut position, mut line) = (0, 1);
        // What of the last line came already, and where the further bytes of a long line go.
        let mut rest: Vec<u8> = Vec::new();
        let mut long: Option<SyncSender<Vec<u8>>> = None;
        loop {
            let mut block = std::mem::take(&mut rest);
            let end = fill(&mut input, &mut block, size);
            let is_last = matches!(end, Ok(false));
            let cut = match memchr::memrchr(b'\n', &block) {
                _ if is_last => block.len(),
                Some(at) => at + 1,
                // A line that is longer than what is read at once.
                None if block.len() >= size => block.len(),
                None => 0,
            };
            if cut == 0 && !is_last && end.is_ok() {
                rest = block;
                continue;
            }
            rest.extend_from_slice(&block[cut..]);
            block.truncate(cut);
            let start = (position, line);
            position += cut as u64;
            if counts_lines {
                line += memchr::memchr_iter(b'\n', &block).count() as u64;
            }
            let is_open = !block.ends_with(b"\n") && !is_last;
            if !block.is_empty() {
                let blocks = match long.take() {
                    Some(blocks) => blocks,
                    None => {
                        let (blocks, receiver) = sync_channel(AHEAD);
                        let (start, line) = start;
                        let part = Part {
                            start,
                            line,
                            blocks: receiver,
                        };
                        self.start(Work::Part(part, path.to_owned()), at_once)?;
                        blocks
                    }
                };
                blocks.send(block).map_err(|_| Gone)?;
                long = is_open.then_some(blocks);
            }
            match end {
                Ok(true) => {}
                end => return Ok(end.map(|_| ())),
            }
        }
    }
}

fn open(path: &Path, progress: &Progress) -> Result<Input, Failure> {
    Input::open_with(path, progress.clone())
}

/// Reads until there are `size` bytes, or only what comes at once if the input may pause; false at the end.
fn fill(input: &mut Input, block: &mut Vec<u8>, size: usize) -> Result<bool, Failure> {
    let mut length = block.len();
    block.resize(length.max(size) + size.min(1 << 16), 0);
    let most = block.len();
    let end = loop {
        match input.read(&mut block[length..most]) {
            Ok(0) => break Ok(false),
            Ok(count) => length += count,
            Err(failure) => break Err(failure),
        }
        if length >= size || input.may_wait() {
            break Ok(true);
        }
    };
    block.truncate(length);
    end
}

/// Does a piece of work.
fn work(reading: &Reading, Job { work, out }: Job, are_named: bool) {
    let output = Output::new(Box::new(Blocks(out.clone())) as Box<dyn Write + Send>);
    let (end, outcome, mut output) = match work {
        Work::Whole(input, path) => reading.read_whole(input, output, name(&path, are_named)),
        Work::Part(part, path) => {
            let report = Report::new(output, reading.is_pretty, name(&path, are_named));
            read_part(reading, &part, report)
        }
    };
    let end = end.and_then(|()| output.flush());
    // If the main thread has gone, nobody wants to know.
    let _ = out.send(Written::Done(Box::new((end, outcome))));
}

fn read_part(
    reading: &Reading,
    part: &Part,
    mut report: Report,
) -> (Result<(), Failure>, Outcome, Output) {
    let mut parser = reading.parser.clone();
    // The part begins with the line feed before it, which is a blank line: only the first bytes of an input can be a byte
    // order mark.
    let before = part.start.checked_sub(1);
    let is_text = reading.fields.is_empty();
    if let (true, Some(before)) = (is_text, before) {
        match parser.start_offset(before) {
            Ok(started) => parser = started,
            Err(error) => {
                let failure = Failure::Usage(error.to_string());
                return (Err(failure), Outcome::default(), report.into_output());
            }
        }
    }
    report.start_at(before.unwrap_or(0), part.line - u64::from(before.is_some()));
    let mut reader = reading.reader(parser.build(), part.line);
    let mut findings = reading.findings_of(report);
    if is_text && before.is_some() {
        reader.push(b"\n", &mut findings);
    }
    let mut bytes = 0;
    for block in &part.blocks {
        bytes += block.len() as u64;
        for chunk in block.chunks(reading.chunk.unwrap_or(PART)) {
            reader.push(chunk, &mut findings);
        }
    }
    let mut fed = reader.finish(&mut findings);
    fed.bytes = bytes;
    let (outcome, output) = findings.end(fed);
    (Ok(()), outcome, output)
}

/// Blocks of output for the main thread.
struct Blocks(SyncSender<Written>);

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .send(Written::Block(bytes.to_vec()))
            .map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
