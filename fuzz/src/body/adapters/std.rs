//! `RewriteWriter`.

use std::io::{self, ErrorKind, Write};

use provstream::io::RewriteWriter;
use testkit::script::{Keeper, rewritten};

use super::super::super::case::Case;
use super::super::super::reference::engine::Cuts;
use super::super::same_bytes;
use super::{Input, MOST_CALLS};

/// Most bytes that an adapter takes of one write.
const PIECE: usize = 8 << 10;

/// A writer that takes all, some, nothing, or fails.
struct Stubborn {
    taken: Vec<u8>,
    choices: Cuts,
    calm: bool,
}

impl Stubborn {
    /// An error now and then.
    fn fails(&mut self) -> io::Result<()> {
        if self.calm {
            return Ok(());
        }
        match self.choices.below(12) {
            0 => Err(ErrorKind::Interrupted.into()),
            1 => Err(ErrorKind::WouldBlock.into()),
            2 => Err(ErrorKind::ConnectionReset.into()),
            _ => Ok(()),
        }
    }
}

impl Write for Stubborn {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(!bytes.is_empty(), "nothing is not written");
        self.fails()?;
        let most = match self.choices.below(if self.calm { 2 } else { 5 }) {
            0 => 3,
            1 => usize::MAX,
            2 => 0,
            _ => 40,
        };
        let taken = bytes.len().min(most);
        self.taken.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.fails()
    }
}

/// Checks that a [`RewriteWriter`] writes what a rewriter gives, and that one that is dropped gives its handler all events.
pub(in super::super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let input = Input::new(&case);
    check_writer(&case, &input);
    check_dropped_writer(&case, &input);
}

fn check_writer(case: &Case, input: &Input) {
    let (text, keeper) = rewritten(case.parser(), &input.bytes);
    let mut choices = Cuts(input.seed ^ 0xB5AD);
    let inner = Stubborn {
        taken: Vec::new(),
        calm: choices.below(3) == 0,
        choices: Cuts(input.seed),
    };
    let mut writer = RewriteWriter::new(inner, case.used_parser(), Keeper::default());
    // The same with nothing in the way, for what is certain after each flush.
    let mut smooth = RewriteWriter::new(Vec::new(), case.parser(), Keeper::default());
    let mut calls = 0;
    for chunk in input.chunks() {
        let mut rest = chunk;
        while !rest.is_empty() {
            calls += 1;
            assert!(calls < MOST_CALLS, "no end in sight");
            let before = writer.parser().position();
            match writer.write(rest) {
                Ok(taken) => {
                    assert!(taken > 0 && taken <= rest.len().min(PIECE), "{taken} taken");
                    assert_eq!(writer.parser().position(), before + taken as u64);
                    smooth
                        .write_all(&rest[..taken])
                        .expect("a vector takes all");
                    rest = &rest[taken..];
                }
                Err(error) => {
                    assert_ne!(error.kind(), ErrorKind::Interrupted, "it is repeated");
                    assert_eq!(writer.parser().position(), before, "an error takes nothing");
                }
            }
            if choices.below(6) == 0 && writer.flush().is_ok() {
                assert_eq!(&writer.get_ref().taken, smooth.get_ref(), "after a flush");
            }
        }
    }
    while writer.try_finish().is_err() {
        calls += 1;
        assert!(calls < MOST_CALLS, "no end in sight");
    }
    let refused = writer.write(b"x").map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::InvalidInput), "after the end");
    assert_eq!(writer.handler(), &keeper, "events of a writer");
    same_bytes(&writer.get_ref().taken, &text, "text of a writer");
}

/// A handler gets all events of what was taken when the adapter is dropped, at any place.
fn check_dropped_writer(case: &Case, input: &Input) {
    let mut choices = Cuts(input.seed ^ 0xD20B);
    let inner = Stubborn {
        taken: Vec::new(),
        calm: choices.below(3) == 0,
        choices: Cuts(input.seed),
    };
    let mut keeper = Keeper::default();
    let mut writer = RewriteWriter::new(inner, case.used_parser(), &mut keeper);
    let calls = choices.below(input.lengths.len() + 1);
    for chunk in input.chunks().take(calls) {
        // What follows a chunk that one call does not take would leave a gap.
        if !writer.write(chunk).is_ok_and(|taken| taken == chunk.len()) {
            break;
        }
    }
    let taken = writer.parser().position() as usize;
    drop(writer);
    let expected = rewritten(case.parser(), &input.bytes[..taken]).1;
    assert_eq!(keeper, expected, "events of a dropped writer");
}
