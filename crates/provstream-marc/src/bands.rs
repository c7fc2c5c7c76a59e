//! Confidence bands: from a score to low, medium or high.

use core::fmt;
use std::collections::BTreeMap;

use super::declare::{errors, values};
use super::score::Score;
use super::terms::Band;

values! {
    /// Thresholds of the three confidence bands: low below `medium_from`, medium from there up to
    /// `high_from`, high from `high_from` on.
    ///
    /// The bands are half-open, except that the last one includes 1.0. They cover all scores, do
    /// not overlap, and are not empty. Source: MARC-02 8.5; open point 70.
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
        /// The least score of the medium band: above 0.0, and below `high_from`.
        copy medium_from: Score,
        /// The least score of the high band.
        copy high_from: Score,
    }
}

impl Bands {
    /// Creates bands from the least score of the medium and of the high one.
    ///
    /// # Errors
    ///
    /// If a band would be empty: unless 0.0 < `medium_from` < `high_from`.
    pub fn new(medium_from: Score, high_from: Score) -> Result<Self, BandsError> {
        if medium_from == Score::ZERO {
            Err(BandsErrorKind::NoLow.into())
        } else if medium_from >= high_from {
            Err(BandsErrorKind::NoMedium(medium_from, high_from).into())
        } else {
            Ok(Self {
                medium_from,
                high_from,
            })
        }
    }

    /// Returns the band of a score.
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
}

/// Writes the ranges as a deployment documents them: `low [0.0, 0.5), medium [0.5, 0.8), high [0.8, 1.0]`.
impl fmt::Display for Bands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (medium, high) = (self.medium_from, self.high_from);
        write!(
            f,
            "low [0.0, {medium}), medium [{medium}, {high}), high [{high}, 1.0]"
        )
    }
}

values! {
    /// A calibration regime: the confidence bands of a deployment under the name that its records
    /// state, optionally by task family.
    ///
    /// Bands depend only on the task family, and a family with bands of its own has a profile name
    /// of its own, so that one identifier never names two sets of thresholds. Source: MARC-02 8.5,
    /// 9.1.
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
    #[must_use]
    pub struct Calibration {
        /// The name of the regime; not blank.
        text profile: String,
        own bands: Bands,
        own by_family: BTreeMap<String, Bands>,
    }
}

impl Calibration {
    /// Creates a regime with equal bands for all task families. `profile` becomes the
    /// `calibration_profile` of records.
    ///
    /// # Errors
    ///
    /// If the profile's name has no content.
    pub fn new(profile: impl Into<String>, bands: Bands) -> Result<Self, CalibrationError> {
        let profile = profile.into();
        if profile.trim().is_empty() {
            return Err(CalibrationErrorKind::NoProfile.into());
        }
        Ok(Self {
            profile,
            bands,
            by_family: BTreeMap::new(),
        })
    }

    /// Adds bands for one task family, or replaces them.
    pub fn with_family(mut self, family: impl Into<String>, bands: Bands) -> Self {
        self.by_family.insert(family.into(), bands);
        self
    }

    /// Returns the bands of a task family, or the common bands if `family` is `None`. If no family
    /// has bands of its own, every family has the common ones; otherwise an unknown family returns
    /// `None`. Source: MARC-02 8.5.
    #[must_use]
    pub fn bands(&self, family: Option<&str>) -> Option<&Bands> {
        match family {
            Some(family) if !self.by_family.is_empty() => self.by_family.get(family),
            _ => Some(&self.bands),
        }
    }

    /// Returns the `calibration_profile` of records of a task family: `PROFILE/FAMILY` for a family
    /// with bands that differ from the common ones, otherwise the name of the regime.
    #[must_use]
    pub fn profile_of(&self, family: Option<&str>) -> String {
        match family.and_then(|family| Some((family, self.by_family.get(family)?))) {
            Some((family, bands)) if *bands != self.bands => format!("{}/{family}", self.profile),
            _ => self.profile.clone(),
        }
    }

    /// Iterates over the task families with bands of their own, by name.
    pub fn families(&self) -> impl Iterator<Item = (&str, &Bands)> {
        self.by_family
            .iter()
            .map(|(family, bands)| (family.as_str(), bands))
    }

    /// Returns `true` if at least one task family has thresholds other than the common ones.
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

errors! {
    /// Two thresholds leave a band empty.
    BandsError: Copy,
    /// Band that a pair of thresholds leaves empty.
    BandsErrorKind {
        /// The medium band begins at 0.0.
        NoLow => "expected a medium band that begins above 0.0, found one that begins at 0.0, so that the low band is empty";
        /// The high band, which begins at the second score, does not begin above the medium one,
        /// which begins at the first.
        NoMedium(medium_from: Score, high_from: Score) => "expected a high band that begins above the medium one, at {medium_from}, found one that begins at {high_from}";
    }

    /// A calibration cannot have its name.
    CalibrationError: Copy,
    /// Reason why the name of a calibration is invalid.
    CalibrationErrorKind {
        /// The name has no visible character.
        NoProfile => "expected the name of a calibration profile, found a blank text";
    }
}
