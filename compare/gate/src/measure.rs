//! Results over many streams.

use crate::delivery::{Delivery, Outcome, Time};
use crate::filters::New;
use crate::streams::Stream;

/// Runs a filter over a stream.
pub fn run(new: New, stream: &Stream) -> (Delivery, bool) {
    let (mut filter, mut to) = (new(), Delivery::default());
    for token in stream.tokens() {
        to.now.tokens += 1;
        to.now.bytes += token.len();
        filter.push(token, &mut to);
    }
    filter.finish(&mut to);
    (to, filter.is_clean())
}

/// Sums and sorted times of a filter.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Streams.
    pub streams: usize,
    /// Streams of which something inadmissible was delivered.
    pub leaking: usize,
    /// Bytes of inadmissible sentences.
    pub planted: usize,
    /// Bytes of inadmissible sentences that were delivered.
    pub leaked: usize,
    /// Bytes of admissible sentences.
    pub admissible: usize,
    /// Bytes of admissible sentences that were not delivered.
    pub lost: usize,
    /// When the first admissible byte of each stream was delivered, in order.
    pub firsts: Vec<Time>,
    /// Delays of the admissible sentences, in order.
    pub delays: Vec<Time>,
}

impl Totals {
    /// Measures a filter on the streams of these seeds.
    #[must_use]
    pub fn of(new: New, seeds: std::ops::Range<u64>) -> Self {
        let mut totals = Self::default();
        for seed in seeds {
            let stream = Stream::generate(seed);
            let (delivery, is_clean) = run(new, &stream);
            totals.add(delivery.outcome(&stream, is_clean));
        }
        totals.firsts.sort_unstable();
        totals.delays.sort_unstable();
        totals
    }

    fn add(&mut self, outcome: Outcome) {
        self.streams += 1;
        self.leaking += usize::from(outcome.leaked > 0);
        self.planted += outcome.planted;
        self.leaked += outcome.leaked;
        self.admissible += outcome.admissible;
        self.lost += outcome.lost;
        self.firsts.extend(outcome.first);
        self.delays.extend(outcome.delays);
    }
}

/// Returns the value that a share `part` of 100 is below, of times in order.
#[must_use]
pub fn percentile(times: &[Time], part: usize) -> Time {
    let index = times.len().saturating_sub(1) * part / 100;
    times.get(index).copied().unwrap_or_default()
}
