//! Inputs read by several threads, with the output of one.
//!
//! Each worker finds its own work: it locks the [`Finder`], reads the next piece (a file, or a part of one that ends with a
//! line), unlocks it, and works on the piece while others read theirs. Pieces are numbered in the order of the inputs, and
//! what a worker writes waits in a bounded buffer until all earlier pieces are [written](crate::turns). The earliest piece
//! never waits for another, so that somebody always makes progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{thread, vec};

use crate::books::{Books, name};
use crate::failure::Failure;
use crate::files::Files;
use crate::findings::Outcome;
use crate::input::Input;
use crate::output::Output;
use crate::progress::Progress;
use crate::reading::Reading;
use crate::report::Report;
use crate::turns::{Turn, Turns};

/// Bytes of a part of an input, unless a chunk size is asked for.
const PART: usize = 1 << 19;

/// The same of an input that may pause, whose lines are wanted at once.
const PIECE: usize = 1 << 16;

/// How reading an input ended.
type End = Result<(), Failure>;

/// What is known of a piece that was read, and the output that its lines went to.
type Ended = (End, Outcome, Output);

/// Reads all inputs with that many workers.
pub(crate) fn run(
    reading: &Reading,
    files: Files,
    jobs: usize,
    output: Output,
    books: &mut Books<'_>,
) -> Result<Output, Failure> {
    let are_named = files.are_named;
    let finder = Mutex::new(Finder::new(reading, files));
    let turns = Turns::new(output);
    let ledger = Mutex::new(Ledger {
        books,
        outcome: Outcome::default(),
    });
    let worker = Worker {
        reading,
        finder: &finder,
        turns: &turns,
        ledger: &ledger,
        are_named,
    };
    let results = thread::scope(|scope| {
        let start = |_| scope.spawn(|| worker.run());
        let workers: Vec<_> = (0..jobs).map(start).collect();
        let results = workers.into_iter().map(thread::ScopedJoinHandle::join);
        results.collect::<Vec<_>>()
    });
    for result in results {
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    // All workers have ended well, so the output is back.
    Ok(turns.into_output().unwrap_or_else(Output::nowhere))
}

/// What came of the input whose pieces are being entered, in the order of the inputs.
struct Ledger<'b, 'r> {
    books: &'b mut Books<'r>,
    outcome: Outcome,
}

impl Ledger<'_, '_> {
    /// Enters a piece, and its input if that is complete or cannot be read or written further.
    fn enter(&mut self, done: Done, output: &mut Output) -> Result<(), Failure> {
        self.outcome.add(done.outcome);
        if done.is_last || done.end.is_err() {
            let outcome = std::mem::take(&mut self.outcome);
            return self.books.enter(&done.path, done.end, outcome, output);
        }
        Ok(())
    }
}

/// What came of a piece.
struct Done {
    end: End,
    outcome: Outcome,
    /// The input that it is of.
    path: PathBuf,
    /// Whether it was the last one of that.
    is_last: bool,
}

impl Done {
    fn new(path: PathBuf, is_last: bool, (end, outcome, mut output): Ended) -> Self {
        Self {
            end: end.and_then(|()| output.flush()),
            outcome,
            path,
            is_last,
        }
    }
}

/// What all workers share.
struct Worker<'w, 'b, 'r> {
    reading: &'w Reading,
    finder: &'w Mutex<Finder<'w>>,
    turns: &'w Arc<Turns>,
    ledger: &'w Mutex<Ledger<'b, 'r>>,
    are_named: bool,
}

impl Worker<'_, '_, '_> {
    /// Works until there is no more to do, or it cannot be written.
    fn run(&self) -> Result<(), Failure> {
        let mut block = Block::default();
        loop {
            let mut finder = lock(self.finder);
            if self.turns.are_over() {
                return Ok(());
            }
            let Some(work) = finder.find(&mut block) else {
                return Ok(());
            };
            let mut turn = self.turns.turn(finder.count);
            finder.count += 1;
            let done = match work {
                Work::Failed(failure) => {
                    drop(finder);
                    let Some(_) = turn.take() else { return Ok(()) };
                    lock(self.ledger).books.fail(failure)?;
                    turn.end();
                    continue;
                }
                Work::Whole(input, path) => {
                    drop(finder);
                    let name = name(&path, self.are_named);
                    let ended = self.reading.read_whole(input, output_of(&turn), name);
                    Done::new(path, true, ended)
                }
                Work::Part(part) => self.read_part(part, finder, &mut block, output_of(&turn)),
            };
            let Some(output) = turn.take() else {
                return Ok(());
            };
            lock(self.ledger).enter(done, output)?;
            turn.end();
        }
    }

    /// Reads a part whose first block is there; the others of a line that is longer than one are read as they are wanted,
    /// before anybody else finds work.
    fn read_part(
        &self,
        part: Part,
        finder: MutexGuard<'_, Finder<'_>>,
        block: &mut Block,
        output: Output,
    ) -> Done {
        let reading = self.reading;
        let mut report = Report::new(output, reading.is_pretty, name(&part.path, self.are_named));
        let mut parser = reading.parser.clone();
        // The part begins with the line feed before it, which is a blank line: only the first bytes of an input can be a byte
        // order mark.
        let before = part.start.checked_sub(1);
        let is_text = reading.fields.is_empty();
        if let (true, Some(before)) = (is_text, before) {
            match parser.start_offset(before) {
                Ok(started) => parser = started,
                Err(error) => {
                    let end = Err(Failure::Usage(error.to_string()));
                    let ended = (end, Outcome::default(), report.into_output());
                    return Done::new(part.path, true, ended);
                }
            }
        }
        report.start_at(before.unwrap_or(0), part.line - u64::from(before.is_some()));
        let mut reader = reading.reader(parser.build(), part.line);
        let mut findings = reading.findings_of(report);
        if is_text && before.is_some() {
            findings.without_text(|findings| reader.push(b"\n", findings));
        }
        let mut bytes = 0;
        let mut read = part.read;
        let mut finder = matches!(read, Read::Open).then_some(finder);
        loop {
            let filled = block.bytes();
            bytes += filled.len() as u64;
            for chunk in filled.chunks(reading.chunk.unwrap_or(PIECE)) {
                reader.push(chunk, &mut findings);
            }
            let Some(more) = &mut finder else { break };
            read = more.read_on(block);
            if !matches!(read, Read::Open) {
                finder = None;
            }
        }
        if let Read::Last(Err(failure)) = read {
            let (outcome, output) = findings.broken();
            return Done::new(part.path, true, (Err(failure), outcome, output));
        }
        let mut fed = reader.finish(&mut findings);
        fed.bytes = bytes;
        let (outcome, output) = findings.end(fed);
        let is_last = matches!(read, Read::Last(_));
        Done::new(part.path, is_last, (Ok(()), outcome, output))
    }
}

/// A mutex is only poisoned by a panic, which is passed on when its thread is joined.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An output that is written when its turn has come.
fn output_of(turn: &Turn) -> Output {
    Output::new(Box::new(turn.writer()))
}

/// Finds the work.
struct Finder<'r> {
    reading: &'r Reading,
    paths: vec::IntoIter<Result<PathBuf, Failure>>,
    progress: Progress,
    /// The input that is being cut into parts.
    open: Option<Open>,
    /// Pieces found so far.
    count: u64,
    /// Whether lines are counted.
    counts_lines: bool,
}

/// A piece of work.
enum Work {
    /// A file, from its start to its end.
    Whole(Input, PathBuf),
    /// A part of one.
    Part(Part),
    /// An input that cannot be opened.
    Failed(Failure),
}

/// A part of an input that ends with a line feed, or with the input.
struct Part {
    path: PathBuf,
    /// Offset of its first byte.
    start: u64,
    /// Number of its first line.
    line: u64,
    /// What follows the first block.
    read: Read,
}

/// What follows a block.
enum Read {
    /// More of the same line.
    Open,
    /// Another part.
    Whole,
    /// Nothing: the input has ended.
    Last(End),
}

/// An input that is being cut into parts.
struct Open {
    input: Input,
    path: PathBuf,
    position: u64,
    line: u64,
    /// What of the last line was read already.
    rest: Vec<u8>,
}

/// Room for a part, kept from one to the next.
#[derive(Default)]
struct Block {
    room: Vec<u8>,
    length: usize,
}

impl Block {
    fn bytes(&self) -> &[u8] {
        &self.room[..self.length]
    }

    /// Begins with some bytes, and has room for so many more.
    fn begin(&mut self, bytes: &[u8], more: usize) {
        let needed = bytes.len() + more;
        if self.room.len() < needed {
            self.room.resize(needed, 0);
        }
        self.room[..bytes.len()].copy_from_slice(bytes);
        self.length = bytes.len();
    }

    /// Reads until there are `size` bytes, or only what comes at once if the input may pause; false at the end.
    fn fill(&mut self, input: &mut Input, size: usize) -> Result<bool, Failure> {
        loop {
            let count = input.read(&mut self.room[self.length..])?;
            self.length += count;
            if count == 0 || self.length >= size || input.may_wait() {
                return Ok(count > 0);
            }
        }
    }
}

impl<'r> Finder<'r> {
    fn new(reading: &'r Reading, files: Files) -> Self {
        Self {
            reading,
            paths: files.paths.into_iter(),
            progress: files.progress,
            open: None,
            count: 0,
            counts_lines: !reading.fields.is_empty() || reading.is_pretty,
        }
    }

    /// The next piece; the first block of a part is put into `block`.
    fn find(&mut self, block: &mut Block) -> Option<Work> {
        if self.open.is_none() {
            let opened = self.paths.next()?.and_then(|path| {
                let input = Input::open_with(&path, self.progress.clone())?;
                Ok((input.expecting(self.reading.input), path))
            });
            let (input, path) = match opened {
                Ok(opened) => opened,
                Err(failure) => return Some(Work::Failed(failure)),
            };
            if !self.reading.is_by_line() {
                return Some(Work::Whole(input, path));
            }
            self.open = Some(Open {
                input,
                path,
                position: 0,
                line: 1,
                rest: Vec::new(),
            });
        }
        let open = self.open.as_ref()?;
        let (path, start, line) = (open.path.clone(), open.position, open.line);
        let read = self.read_on(block);
        Some(Work::Part(Part {
            path,
            start,
            line,
            read,
        }))
    }

    /// Reads the next block of the open input: whole lines, or a piece of one that is longer than what is read at once.
    fn read_on(&mut self, block: &mut Block) -> Read {
        let Some(open) = &mut self.open else {
            return Read::Last(Ok(()));
        };
        let most = if open.input.may_wait() { PIECE } else { PART };
        let size = self.reading.chunk.unwrap_or(most);
        let (end, cut) = loop {
            block.begin(&open.rest, size);
            open.rest.clear();
            let end = block.fill(&mut open.input, size);
            let bytes = block.bytes();
            match memchr::memrchr(b'\n', bytes) {
                _ if !matches!(end, Ok(true)) => break (end, bytes.len()),
                Some(at) => break (end, at + 1),
                None if bytes.len() >= size => break (end, bytes.len()),
                None => open.rest.extend_from_slice(bytes),
            }
        };
        open.rest.extend_from_slice(&block.bytes()[cut..]);
        block.length = cut;
        open.position += cut as u64;
        let bytes = block.bytes();
        if self.counts_lines {
            open.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        }
        match end {
            Ok(true) if bytes.ends_with(b"\n") => Read::Whole,
            Ok(true) => Read::Open,
            end => {
                self.open = None;
                Read::Last(end.map(|_| ()))
            }
        }
    }
}
