//! Confidence bands: from a score to low, medium or high.

use core::fmt;
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Bound;

use super::score::Score;
use super::terms::Band;

/// The thresholds of the three bands: low is below `medium_from`, high is `high_from` and above, medium lies between.
///
/// The bands are half-open upwards but for the last one, which has 1.0. So they cover all scores, do not overlap, grow with
/// the score, and none is empty. Source: MARC-02 8.5; open point 70.
///
/// ```
/// use provstream_marc::{Band, Bands, Score};
///
/// let bands = Bands::new(Score::new(0.5)?, Score::new(0.8)?)?;
/// assert_eq!(bands.band(Score::new(0.5)?), Band::Medium);
/// assert_eq!(bands.to_string(), "low [0.0, 0.5), medium [0.5, 0.8), high [0.8, 1.0]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bands {
    /// Above 0.0, and below `high_from`.
    medium_from: Score,
    high_from: Score,
}

impl Bands {
    /// Bands with the least score of the medium and of the high one.
    ///
    /// # Errors
    ///
    /// If a band would be empty: unless 0.0 < `medium_from` < `high_from`.
    pub fn new(medium_from: Score, high_from: Score) -> Result<Self, BandsError> {
        if medium_from == Score::ZERO {
            Err(BandsError::NoLow)
        } else if medium_from >= high_from {
            Err(BandsError::NoMedium {
                medium_from,
                high_from,
            })
        } else {
            Ok(Self {
                medium_from,
                high_from,
            })
        }
    }

    /// The band of a score.
    #[must_use]
    pub fn band(&self, score: Score) -> Band {
        if score < self.medium_from {
            Band::Low
        } else if score < self.high_from {
            Band::Medium
        } else {
            Band::High
        }
    }

    /// The scores of a band.
    #[must_use]
    pub const fn range(&self, band: Band) -> (Bound<Score>, Bound<Score>) {
        match band {
            Band::Low => (
                Bound::Included(Score::ZERO),
                Bound::Excluded(self.medium_from),
            ),
            Band::Medium => (
                Bound::Included(self.medium_from),
                Bound::Excluded(self.high_from),
            ),
            Band::High => (Bound::Included(self.high_from), Bound::Included(Score::ONE)),
        }
    }

    /// The least score of the medium band.
    #[must_use]
    pub const fn medium_from(&self) -> Score {
        self.medium_from
    }

    /// The least score of the high band.
    #[must_use]
    pub const fn high_from(&self) -> Score {
        self.high_from
    }
}

/// Writes the ranges as a deployment documents them: `low [0.0, 0.5), medium [0.5, 0.8), high [0.8, 1.0]`.
impl fmt::Display for Bands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            medium_from,
            high_from,
        } = self;
        write!(
            f,
            "low [{zero}, {medium_from}), medium [{medium_from}, {high_from}), high [{high_from}, {one}]",
            zero = Score::ZERO,
            one = Score::ONE,
        )
    }
}

/// Two thresholds leave a band empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BandsError {
    /// The medium band begins at 0.0.
    NoLow,
    /// The high band does not begin above the medium one.
    NoMedium {
        /// The least score of the medium band.
        medium_from: Score,
        /// The least score of the high band.
        high_from: Score,
    },
}

impl fmt::Display for BandsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLow => f.write_str("the low band is empty: the medium one begins at 0.0"),
            Self::NoMedium {
                medium_from,
                high_from,
            } => write!(
                f,
                "the medium band is empty: it begins at {medium_from}, the high one at {high_from}"
            ),
        }
    }
}

impl Error for BandsError {}

/// A calibration regime: the bands of a deployment under the name that its records state, by task family if wanted.
///
/// Bands vary only with the task family, and a family with bands of its own has a profile of its own, so that the same
/// identifier never names two sets of thresholds. Source: MARC-02 8.5, 9.1.
///
/// ```
/// use provstream_marc::{Band, Bands, Calibration, Score};
///
/// let calibration = Calibration::new("gateway-2026-05", Bands::new(Score::new(0.5)?, Score::new(0.8)?)?)?
///     .with_family("tax", Bands::new(Score::new(0.7)?, Score::new(0.95)?)?);
/// let score = Score::new(0.9)?;
/// assert_eq!(calibration.bands(None).unwrap().band(score), Band::High);
/// assert_eq!(calibration.bands(Some("tax")).unwrap().band(score), Band::Medium);
/// assert!(calibration.bands(Some("taxes")).is_none());
/// assert_eq!(calibration.profile_of(Some("tax")), "gateway-2026-05/tax");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// Has content.
    profile: String,
    bands: Bands,
    by_family: BTreeMap<String, Bands>,
}

impl Calibration {
    /// A regime with the same bands for all task families. `profile` becomes the `calibration_profile` of records.
    ///
    /// # Errors
    ///
    /// If the profile's name has no content.
    pub fn new(profile: impl Into<String>, bands: Bands) -> Result<Self, CalibrationError> {
        let profile = profile.into();
        if profile.trim().is_empty() {
            return Err(CalibrationError);
        }
        Ok(Self {
            profile,
            bands,
            by_family: BTreeMap::new(),
        })
    }

    /// The same with bands of its own for a task family, instead of any it had.
    #[must_use]
    pub fn with_family(mut self, family: impl Into<String>, bands: Bands) -> Self {
        self.by_family.insert(family.into(), bands);
        self
    }

    /// The name of the regime.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// The bands of a task family, or those of all tasks if none is given. If no family has bands of its own, a family is
    /// only a label and has the common ones; otherwise a family that is not described has none. Source: MARC-02 8.5.
    #[must_use]
    pub fn bands(&self, family: Option<&str>) -> Option<&Bands> {
        match family {
            Some(family) if !self.by_family.is_empty() => self.by_family.get(family),
            _ => Some(&self.bands),
        }
    }

    /// The `calibration_profile` of records of a task family: `PROFILE/FAMILY` for a family with bands that differ from the
    /// common ones, else the regime's own name.
    #[must_use]
    pub fn profile_of(&self, family: Option<&str>) -> String {
        match family.and_then(|family| Some((family, self.by_family.get(family)?))) {
            Some((family, bands)) if *bands != self.bands => format!("{}/{family}", self.profile),
            _ => self.profile.clone(),
        }
    }

    /// The task families with bands of their own, by name.
    pub fn families(&self) -> impl Iterator<Item = (&str, &Bands)> {
        self.by_family
            .iter()
            .map(|(family, bands)| (family.as_str(), bands))
    }

    /// Whether some task family has other thresholds than the rest.
    #[must_use]
    pub fn varies(&self) -> bool {
        self.by_family.values().any(|bands| *bands != self.bands)
    }
}

/// Writes what a deployment documents: the profile, the ranges, and those of each task family.
impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.profile, self.bands)?;
        for (family, bands) in self.families() {
            write!(f, "; {family}: {bands}")?;
        }
        Ok(())
    }
}

/// The name of a calibration profile has no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationError;

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a calibration profile needs a name")
    }
}

impl Error for CalibrationError {}
