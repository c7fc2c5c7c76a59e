//! Judgements taken from scores, where a deployment wants that.

use core::fmt;
use std::error::Error;

use super::situation::{Judgement, Judgements, RiskTier};
use crate::score::{Score, Scores};
use crate::terms::Source;

/// From which score on uncertainty of one source matters, in each risk tier. In the high tier it never takes more than in
/// the standard one. Source: MARC-02 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threshold {
    standard: Score,
    /// At most `standard`.
    high_risk: Score,
}

impl Threshold {
    /// A threshold for the standard and one for the high risk tier; a score that reaches it matters.
    ///
    /// # Errors
    ///
    /// If the one for high risk is above the other.
    pub fn new(standard: Score, high_risk: Score) -> Result<Self, ThresholdError> {
        if high_risk > standard {
            return Err(ThresholdError {
                standard,
                high_risk,
            });
        }
        Ok(Self {
            standard,
            high_risk,
        })
    }

    /// The least score that matters in a tier.
    #[must_use]
    pub const fn get(self, tier: RiskTier) -> Score {
        match tier {
            RiskTier::Standard => self.standard,
            RiskTier::High => self.high_risk,
        }
    }
}

/// Writes the threshold as a deployment documents it.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            standard,
            high_risk,
        } = self;
        write!(f, "from {standard}, high risk from {high_risk}")
    }
}

/// A threshold for high risk would be less cautious than the standard one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdError {
    standard: Score,
    high_risk: Score,
}

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            standard,
            high_risk,
        } = self;
        write!(
            f,
            "the threshold {high_risk} for high risk is above the standard one, {standard}"
        )
    }
}

impl Error for ThresholdError {}

/// A deployment's thresholds from scores to judgements. Nothing uses them unless it is asked to: what a selection rests on
/// is what the [situation](super::situation::Situation) states. Source: MARC-02 8.8, 14; open point 86.
///
/// ```
/// use provstream_marc::{Judgement, Materiality, RiskTier, Score, Scores, Source, Threshold};
///
/// let materiality = Materiality::new(Threshold::new(Score::new(0.6)?, Score::new(0.3)?)?);
/// let scores = Scores::default().with(Source::CapabilityLimit, Score::new(0.4)?);
/// assert!(materiality.judgements(&scores, RiskTier::High).contains(Judgement::MaterialCapabilityLimit));
/// assert!(!materiality.judgements(&scores, RiskTier::Standard).contains(Judgement::MaterialCapabilityLimit));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Materiality([Threshold; 5]);

impl Materiality {
    /// The same threshold for all sources.
    #[must_use]
    pub const fn new(threshold: Threshold) -> Self {
        Self([threshold; 5])
    }

    /// The same with another threshold for one source.
    #[must_use]
    pub const fn with(mut self, source: Source, threshold: Threshold) -> Self {
        self.0[source as usize] = threshold;
        self
    }

    /// The threshold of a source.
    #[must_use]
    pub const fn get(&self, source: Source) -> Threshold {
        self.0[source as usize]
    }

    /// The judgements that the scores give: for each source that reaches its threshold, that its uncertainty blocks, is
    /// material, or controls.
    #[must_use]
    pub fn judgements(&self, scores: &Scores, tier: RiskTier) -> Judgements {
        scores
            .iter()
            .filter(|&(source, score)| score >= self.get(source).get(tier))
            .map(|(source, _)| Judgement::about(source))
            .collect()
    }
}

/// Writes the thresholds as a deployment documents them.
impl fmt::Display for Materiality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, &source) in Source::ALL.iter().enumerate() {
            let before = if index == 0 { "" } else { "; " };
            write!(f, "{before}{source} {}", self.get(source))?;
        }
        Ok(())
    }
}
