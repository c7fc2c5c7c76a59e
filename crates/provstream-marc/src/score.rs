//! Scores, and the five scores of an uncertainty attribution.

use core::fmt;
use core::str::FromStr;

use serde_json::value::RawValue;

use super::declare::errors;
use super::number::JsonNumber;
use super::terms::Source;

/// An estimate in [0.0, 1.0], ends included. Source: MARC-02 8.1, 8.2, 8.4.
///
/// It has the bits of the number: of numbers that are not negative these are in the same order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(u64);

impl Score {
    /// 0.0.
    pub const ZERO: Self = Self::of(0.0);
    /// 1.0.
    pub const ONE: Self = Self::of(1.0);
    pub(crate) const HALF: Self = Self::of(0.5);
    pub(crate) const THREE_TENTHS: Self = Self::of(0.3);

    /// Creates a score.
    ///
    /// # Errors
    ///
    /// If the value is not a number, below 0.0 or above 1.0.
    pub fn new(value: f64) -> Result<Self, ScoreError> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self::of(value))
        } else {
            Err(outside(value))
        }
    }

    /// Creates the score of a value in range. Negative zero becomes zero, so that equal scores have
    /// equal text.
    const fn of(value: f64) -> Self {
        Self((value + 0.0).to_bits())
    }

    /// Returns the value, from 0.0 to 1.0.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Converts a JSON number to a score; `None` if it is outside the range.
    pub(crate) fn of_number(number: JsonNumber<'_>) -> Option<Self> {
        (0.0..=1.0)
            .contains(&number.value())
            .then(|| Self::of(number.value()))
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

/// Writes the score as a JSON number, the shortest that reads back as the same.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Reads a JSON number. A number outside the range is refused.
impl FromStr for Score {
    type Err = ScoreError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = text.parse().unwrap_or(f64::NAN);
        let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
        let number = JsonNumber::of(text).filter(|_| is_json);
        number
            .and_then(Self::of_number)
            .ok_or_else(|| outside(value))
    }
}

errors! {
    /// A value is not a score.
    ScoreError,
    /// Reason why a value is not a score.
    ScoreErrorKind {
        /// The value is not a number.
        NotANumber => "expected a number from 0.0 to 1.0";
        /// The number is less than 0.0 or greater than 1.0. The text is the number; its last digits
        /// may be rounded.
        OutOfRange(number: String) => "expected a number from 0.0 to 1.0, found {number}";
    }
}

fn outside(value: f64) -> ScoreError {
    if value.is_nan() {
        ScoreErrorKind::NotANumber.into()
    } else {
        ScoreErrorKind::OutOfRange(format!("{value:?}")).into()
    }
}

/// A score for each source of uncertainty. They are estimates of salience or severity and need not sum to 1.0.
///
/// Source: MARC-02 8.2, 9.3.
///
/// ```
/// use provstream_marc::{Score, Scores, Source};
///
/// let scores = Scores::all(Score::ZERO).with(Source::Ambiguity, Score::new(0.78)?);
/// assert_eq!(scores.get(Source::Ambiguity).get(), 0.78);
/// assert_eq!(scores.get(Source::Safety), Score::ZERO);
/// # Ok::<(), provstream_marc::ScoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scores([Score; 5]);

impl Scores {
    /// Creates the scores of all sources, in the order of the draft: ambiguity, missing evidence,
    /// capability limit, evidence conflict, safety. Every class has a score; an emitter that does
    /// not use a class sets 0.0. Source: MARC-02 9.3.
    #[must_use]
    pub const fn new(scores: [Score; 5]) -> Self {
        Self(scores)
    }

    /// Creates scores that are equal for all sources.
    #[must_use]
    pub const fn all(score: Score) -> Self {
        Self([score; 5])
    }

    /// Sets the score of one source.
    #[must_use]
    pub const fn with(mut self, source: Source, score: Score) -> Self {
        self.0[source as usize] = score;
        self
    }

    /// Returns the score of a source.
    #[must_use]
    pub const fn get(&self, source: Source) -> Score {
        self.0[source as usize]
    }

    /// Iterates over all sources with their scores, in the order of the draft.
    pub fn iter(&self) -> impl Iterator<Item = (Source, Score)> + '_ {
        Source::ALL.iter().copied().zip(self.0)
    }
}

/// Writes the JSON object that a record has.
impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (source, score)) in self.iter().enumerate() {
            let before = if index == 0 { "{" } else { "," };
            write!(f, "{before}\"{source}\":{score}")?;
        }
        f.write_str("}")
    }
}
