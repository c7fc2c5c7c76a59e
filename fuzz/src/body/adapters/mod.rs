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

/// One stream in so many is repeated until it is [`LONG`].
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
        let chunks = case.chunks().into_iter().map(|(_, chunk)| chunk.len());
        let lengths = chunks.filter(|&length| length > 0).collect();
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

    /// What happens inside an adapter that reads the chunks: in one case out of four nothing else, else waits and errors before
    /// some of them and before the end. Empty chunks, which a reader takes for the end, are `allowed` or not.
    fn script(&self, empty_allowed: bool) -> Script {
        let mut choices = Cuts(self.seed ^ 0x5DEE_CE66);
        let calm = choices.below(4) == 0;
        let mut steps = Vec::new();
        for chunk in self.chunks().map(Some).chain([None]) {
            while !calm && choices.below(3) == 0 {
                steps.push(match choices.below(4) {
                    0 => Step::Fail(ErrorKind::ConnectionReset),
                    1 => Step::Fail(ErrorKind::Interrupted),
                    2 if empty_allowed => Step::Give(Vec::new()),
                    _ => Step::Wait,
                });
            }
            steps.extend(chunk.map(|chunk| Step::Give(chunk.to_vec())));
        }
        Script::new(steps)
    }
}

/// How many of the steps of a script fail in a way that an adapter passes on.
fn failing(script: &Script, passes_on: impl Fn(&Step) -> bool) -> usize {
    script.steps().filter(|step| passes_on(step)).count()
}
