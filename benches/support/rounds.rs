//! Both sides in one run: work is timed in rounds, one piece after the other in each.

use std::hint::black_box;
use std::time::Instant;

/// Something whose speed is compared.
pub(crate) struct Work<'a> {
    bytes: usize,
    run: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Work<'a> {
    /// Work over so many bytes; what it gives is only there so that the compiler leaves nothing out.
    #[must_use]
    pub(crate) fn new(bytes: usize, run: impl FnMut() -> usize + 'a) -> Self {
        Self {
            bytes,
            run: Box::new(run),
        }
    }

    /// Seconds a byte of one run.
    fn time(&mut self) -> f64 {
        let start = Instant::now();
        black_box((self.run)());
        start.elapsed().as_secs_f64() / self.bytes as f64
    }
}

/// Time of one piece of work, in seconds per byte, for each round.
#[derive(Clone, Debug)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// The median rate, in 1,000,000 bytes a second.
    #[must_use]
    pub(crate) fn rate(&self) -> f64 {
        1e-6 / median(self.0.clone())
    }

    /// Computes the ratio of the speed to that of `other`: least, median and greatest over the
    /// rounds.
    #[must_use]
    pub(crate) fn times_as_fast_as(&self, other: &Self) -> [f64; 3] {
        let ratios = other.0.iter().zip(&self.0).map(|(other, own)| other / own);
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        [
            ratios[0],
            ratios[ratios.len() / 2],
            ratios[ratios.len() - 1],
        ]
    }
}

/// The times of all works in `rounds` rounds behind one that does not count. Each round begins with another of them.
#[must_use]
pub(crate) fn interleaved(rounds: usize, works: &mut [Work<'_>]) -> Vec<Times> {
    for work in works.iter_mut() {
        work.time();
    }
    let count = works.len();
    let mut times = vec![Times(Vec::with_capacity(rounds)); count];
    for round in 0..rounds {
        for turn in 0..count {
            let at = (round + turn) % count;
            times[at].0.push(works[at].time());
        }
    }
    times
}

/// The median of at least one value.
#[must_use]
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
