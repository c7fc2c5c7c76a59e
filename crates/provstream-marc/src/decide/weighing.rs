//! Whether an intervention is worth its price.

use core::fmt;

use super::remedy::Remedy;
use crate::score::Score;

/// What an intervention is expected to bring and to take, each from 0.0 (nothing) to 1.0 (as much as can be).
///
/// Source: MARC-02 8.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Appraisal {
    gain: Score,
    cost: Score,
    latency: Score,
    burden: Score,
}

impl Appraisal {
    /// An intervention with an expected gain in reliability, and no price.
    #[must_use]
    pub const fn new(gain: Score) -> Self {
        Self {
            gain,
            cost: Score::ZERO,
            latency: Score::ZERO,
            burden: Score::ZERO,
        }
    }

    /// The same with a cost.
    #[must_use]
    pub const fn with_cost(self, cost: Score) -> Self {
        Self { cost, ..self }
    }

    /// The same with a latency.
    #[must_use]
    pub const fn with_latency(self, latency: Score) -> Self {
        Self { latency, ..self }
    }

    /// The same with a burden on the user.
    #[must_use]
    pub const fn with_burden(self, burden: Score) -> Self {
        Self { burden, ..self }
    }
}

/// How much each part of the price counts against the gain: one way to judge what is worthwhile.
///
/// An intervention is worthwhile if its gain is above the sum of cost, latency and burden, each times its weight. So one
/// without gain never is. Source: MARC-02 8.3; open point 91.
///
/// ```
/// use provstream_marc::{Appraisal, Remedy, Score, Weights};
///
/// let weights = Weights::new(Score::new(0.5)?, Score::new(0.5)?, Score::ONE);
/// let search = Appraisal::new(Score::new(0.6)?).with_latency(Score::new(0.4)?);
/// let reachable = Remedy::default().with_available(true).with_permitted(true);
/// assert!(weights.weigh(reachable, search).is_usable()); // 0.6 > 0.5 * 0.4
/// assert!(!weights.weigh(reachable, search.with_burden(Score::new(0.4)?)).is_usable()); // 0.6 = 0.5 * 0.4 + 0.4
/// # Ok::<(), provstream_marc::ScoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weights {
    cost: Score,
    latency: Score,
    burden: Score,
}

impl Weights {
    /// Weights of cost, latency and burden on the user.
    #[must_use]
    pub const fn new(cost: Score, latency: Score, burden: Score) -> Self {
        Self {
            cost,
            latency,
            burden,
        }
    }

    /// Whether the gain is above the weighted price.
    #[must_use]
    pub fn is_worthwhile(&self, appraisal: Appraisal) -> bool {
        let price = self.cost.get() * appraisal.cost.get()
            + self.latency.get() * appraisal.latency.get()
            + self.burden.get() * appraisal.burden.get();
        appraisal.gain.get() > price
    }

    /// The remedy with its worth set by the appraisal; availability and permission stay as they are.
    #[must_use]
    pub fn weigh(&self, remedy: Remedy, appraisal: Appraisal) -> Remedy {
        remedy.with_worthwhile(self.is_worthwhile(appraisal))
    }
}

/// Writes the formula as a deployment documents it.
impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cost,
            latency,
            burden,
        } = self;
        write!(
            f,
            "worthwhile if gain > {cost} * cost + {latency} * latency + {burden} * burden"
        )
    }
}
