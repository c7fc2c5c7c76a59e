//! Adapters give what the parser and the rewriter give, whatever fails, blocks or is short inside them.

pub(super) mod futures;
pub(super) mod std;
pub(super) mod tokio;

use ::std::io::ErrorKind;

use testkit::script::{Script, Step};

use super::super::case::Case;
use super::super::reference::engine::Cuts;

/// More than two of the pieces, of 8 KiB, in which adapters take what they are given.
const LONG: usize = 20_500;

/// Interval of the streams that are repeated until they are [`LONG`].
const LONG_ONE_IN: u64 = 32;

/// Every adapter ends within so many calls, or it goes round in a circle.
const MOST_CALLS: usize = 1_000_000;

/// The stream of a case, all of it own text, in the chunks of the case.
struct Input {
    bytes: Vec<u8>,
    /// Lengths of the chunks. None is 0.
    lengths: Vec<usize>,
    seed: u64,
}

impl Input {
    fn new(case: &Case) -> Self {
        let mut bytes = case.bytes();
        let seed = case.seed();
        if seed.is_multiple_of(LONG_ONE_IN) && !bytes.is_empty() {
            bytes = bytes.repeat(LONG / bytes.len() + 1);
            bytes.truncate(LONG + 1_000);
            // Mostly in one piece.
            let first = bytes.len() - seed as usize / 32 % 3;
            let lengths = [first, bytes.len() - first];
            let lengths = lengths.into_iter().filter(|&length| length > 0).collect();
            return Self {
                bytes,
                lengths,
                seed,
            };
        }
        // More of a long stream shows nothing else.
        let mut taken = 0;
        let chunks = case.chunks().into_iter().map(|(_, chunk)| chunk.len());
        let lengths: Vec<usize> = chunks
            .filter(|&length| length > 0)
            .take_while(|&length| {
                taken += length;
                taken <= LONG
            })
            .collect();
        bytes.truncate(lengths.iter().sum());
        Self {
            bytes,
            lengths,
            seed,
        }
    }

    fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..];
        self.lengths.iter().map(move |&length| {
            let (chunk, later) = rest.split_at(length);
            rest = later;
            chunk
        })
    }

    /// Builds the steps of the reader or stream inside an adapter: in one case out of four only the
    /// chunks, otherwise with waits and errors before some chunks and before the end. A reader has
    /// interrupted reads; a stream has empty chunks, which would be the end of a reader.
    fn script(&self, of_stream: bool) -> Script {
        let mut choices = Cuts(self.seed ^ 0x5DEE_CE66);
        let calm = choices.below(4) == 0;
        let mut steps = Vec::new();
        for chunk in self.chunks().map(Some).chain([None]) {
            while !calm && choices.below(3) == 0 {
                // What ends it is rare, so that most of the stream is read.
                steps.push(match choices.below(16) {
                    0 => Step::Fail(ErrorKind::ConnectionReset),
                    1..=4 if of_stream => Step::Give(Vec::new()),
                    1..=4 => Step::Fail(ErrorKind::Interrupted),
                    _ => Step::Wait,
                });
            }
            steps.extend(chunk.map(|chunk| Step::Give(chunk.to_vec())));
        }
        Script::new(steps)
    }
}

/// Extent of a script up to its first fatal error, or to its end.
struct Reach {
    /// Bytes that it gives.
    bytes: usize,
    /// Steps, the last one included.
    steps: usize,
    /// Of these steps, those that say that nothing is there yet.
    waits: usize,
    /// Of these steps, those that say that a read was interrupted.
    interrupted: usize,
    /// The script ends with an error.
    fails: bool,
}

impl Reach {
    fn of(script: &Script) -> Self {
        let mut reach = Self {
            bytes: 0,
            steps: 0,
            waits: 0,
            interrupted: 0,
            fails: false,
        };
        for step in script.steps() {
            reach.steps += 1;
            match step {
                Step::Give(bytes) => reach.bytes += bytes.len(),
                Step::Wait => reach.waits += 1,
                Step::Fail(ErrorKind::Interrupted) => reach.interrupted += 1,
                Step::Fail(_) => {
                    reach.fails = true;
                    return reach;
                }
            }
        }
        reach.steps += 1;
        reach
    }
}
