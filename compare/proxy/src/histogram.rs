//! How long something took, many times.

/// Buckets of a doubling: values are kept within 0.1 %.
const FINE: u32 = 10;

/// Buckets of a doubling in what is written down.
const COARSE: u32 = 4;

/// Nanoseconds, counted in buckets.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    all: u64,
}

/// The bucket of a value, when a doubling has `1 << bits`.
const fn bucket(value: u64, bits: u32) -> usize {
    let high = 64 - value.leading_zeros();
    if high <= bits + 1 {
        return value as usize;
    }
    let shift = high - bits - 1;
    ((shift as usize) << bits) + (value >> shift) as usize
}

/// The largest value of a bucket.
const fn last_of(bucket: usize, bits: u32) -> u64 {
    let shift = (bucket >> bits).saturating_sub(1);
    let mantissa = bucket - (shift << bits);
    ((mantissa as u64 + 1) << shift) - 1
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, nanoseconds: u64) {
        let at = bucket(nanoseconds, FINE);
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.all += 1;
    }

    /// Counts what another has counted.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own += more;
        }
        self.all += other.all;
    }

    /// How many values were counted.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.all
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all == 0
    }

    /// The least bound, in nanoseconds, that so great a part of all values does not exceed, 0 to 1; `None` of nothing.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<u64> {
        if self.all == 0 {
            return None;
        }
        let rank = ((self.all as f64 * part).ceil() as u64).max(1);
        let mut below = 0;
        let found = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        });
        found.map(|at| last_of(at, FINE))
    }

    /// Coarse buckets that are not empty: the largest value of each in nanoseconds, and how many there are.
    #[must_use]
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let mut buckets: Vec<(u64, u64)> = Vec::new();
        for (at, &count) in self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let bound = last_of(bucket(last_of(at, FINE), COARSE), COARSE);
            match buckets.last_mut() {
                Some((last, counted)) if *last == bound => *counted += count,
                _ => buckets.push((bound, count)),
            }
        }
        buckets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_values_in_order() {
        for bits in [COARSE, FINE] {
            let mut next = 0;
            for at in 0..20 << bits {
                let last = last_of(at, bits);
                assert!(last >= next, "{at}");
                assert_eq!((bucket(next, bits), bucket(last, bits)), (at, at));
                next = last + 1;
            }
        }
        assert!(bucket(u64::MAX, FINE) < 1 << 17);
    }

    #[test]
    fn quantiles_are_within_a_thousandth() {
        let mut values = Histogram::default();
        (1..=1_000u64).for_each(|value| values.add(value * 20_000));
        for (part, expected) in [
            (0.5, 10_000_000.0),
            (0.99, 19_800_000.0),
            (1.0, 20_000_000.0),
        ] {
            let found = values.quantile(part).expect("values") as f64;
            assert!((found / expected - 1.0).abs() < 0.001, "{found}");
        }
        assert_eq!(
            values.buckets().iter().map(|(_, count)| count).sum::<u64>(),
            1_000
        );
    }
}
