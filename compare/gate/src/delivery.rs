//! Deliveries to a client, and their times.

use std::ops::Range;

use crate::streams::Stream;

/// Place in a stream: how much of it has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Tokens.
    pub tokens: usize,
    /// Bytes, with annotations.
    pub bytes: usize,
}

/// Pieces of a stream that were delivered, each with the time.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Bytes that have arrived.
    pub now: Time,
    pieces: Vec<(Range<usize>, Time)>,
}

impl Delivery {
    /// Delivers a range of bytes.
    pub fn deliver(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.pieces.push((range, self.now));
        }
    }

    /// Delivers a range without those parts of it that are withheld, which are in order.
    pub fn deliver_without(&mut self, range: Range<usize>, withheld: &[Range<usize>]) {
        let mut start = range.start;
        for part in withheld {
            let end = part.start.clamp(start, range.end);
            self.deliver(start..end);
            start = part.end.clamp(start, range.end);
        }
        self.deliver(start..range.end);
    }
}

/// Result for one stream.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Bytes of inadmissible sentences.
    pub planted: usize,
    /// Bytes of inadmissible sentences that were delivered.
    pub leaked: usize,
    /// Bytes of admissible sentences.
    pub admissible: usize,
    /// Bytes of admissible sentences that were not delivered.
    pub lost: usize,
    /// When the first byte of an admissible sentence was delivered.
    pub first: Option<Time>,
    /// For each admissible sentence, the time from the arrival of its last byte to its delivery.
    pub delays: Vec<Time>,
}

impl Delivery {
    /// Compares what was delivered with the sentences of the stream. Ranges count in the text without annotations if `is_clean`
    /// is set.
    #[must_use]
    pub fn outcome(&self, stream: &Stream, is_clean: bool) -> Outcome {
        let mut outcome = Outcome::default();
        let arrivals = arrivals(stream);
        for sentence in &stream.sentences {
            let range = if is_clean {
                &sentence.clean
            } else {
                &sentence.raw
            };
            let shared =
                |piece: &Range<usize>| piece.end.min(range.end) - piece.start.max(range.start);
            let from = self
                .pieces
                .partition_point(|(piece, _)| piece.end <= range.start);
            let pieces = self.pieces[from..].iter();
            let pieces: Vec<_> = pieces
                .take_while(|(piece, _)| piece.start < range.end)
                .collect();
            let len: usize = pieces.iter().map(|(piece, _)| shared(piece)).sum();
            if sentence.inadmissible {
                outcome.planted += range.len();
                outcome.leaked += len;
                continue;
            }
            outcome.admissible += range.len();
            outcome.lost += range.len() - len;
            outcome.first = outcome.first.or(pieces.first().map(|(_, time)| *time));
            if let Some((_, time)) = pieces.last().filter(|_| len == range.len()) {
                let arrived =
                    arrivals[arrivals.partition_point(|time| time.bytes < sentence.raw.end)];
                outcome.delays.push(Time {
                    tokens: time.tokens - arrived.tokens,
                    bytes: time.bytes - arrived.bytes,
                });
            }
        }
        outcome
    }
}

/// Returns the time after each token.
fn arrivals(stream: &Stream) -> Vec<Time> {
    let mut now = Time::default();
    let tokens = stream.tokens().map(|token| {
        now.tokens += 1;
        now.bytes += token.len();
        now
    });
    tokens.collect()
}
