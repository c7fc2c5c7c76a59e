//! `[bands]`: thresholds and the regime behind them.

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::{one_of, optional, score, set, text};
use super::words::FACTORS;
use crate::bands::{Bands, Calibration};
use provstream::settings::{Table, Value};

/// What is said of confidence bands. Source: MARC-02 8.5, 20.2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BandsPart {
    pub(super) profile: Option<String>,
    pub(super) bands: Bands,
    /// By name.
    pub(super) families: Vec<(String, Bands)>,
    pub(super) varies_by: Option<Vec<&'static str>>,
    pub(super) variation: Option<String>,
    pub(super) regime: Option<String>,
}

impl BandsPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&[
            "calibration_profile",
            "medium_from",
            "high_from",
            "family",
            "varies_by",
            "variation",
            "regime",
        ])?;
        let mut families = Vec::new();
        if let Some(by_family) = table.get("family") {
            for (key, value) in by_family.free_table()?.entries() {
                if key.name().trim().is_empty() {
                    return Err(DeploymentError::at(
                        Kind::Empty,
                        key.place(),
                        "a task family",
                    ));
                }
                let family = value.table(&["medium_from", "high_from"])?;
                families.push((key.name().to_owned(), bands(&family)?));
            }
        }
        Ok(Self {
            profile: optional(&table, "calibration_profile", text)?,
            bands: bands(&table)?,
            families,
            varies_by: optional(&table, "varies_by", factors)?,
            variation: optional(&table, "variation", text)?,
            regime: optional(&table, "regime", text)?,
        })
    }

    /// What a controller takes; none without a profile's name.
    pub(super) fn calibration(&self) -> Option<Calibration> {
        let calibration = Calibration::new(self.profile.as_deref()?, self.bands).ok()?;
        let families = self.families.iter().cloned();
        Some(families.fold(calibration, |all, (family, bands)| {
            all.with_family(family, bands)
        }))
    }
}

fn factors(value: Value<'_>) -> Result<Vec<&'static str>, DeploymentError> {
    set(value, |item| one_of(item, "factor", FACTORS))
}

fn bands(table: &Table<'_>) -> Result<Bands, DeploymentError> {
    let (medium, high) = (table.need("medium_from")?, table.need("high_from")?);
    Bands::new(score(medium)?, score(high)?)
        .map_err(|error| DeploymentError::of(Kind::BadBands, &high, error))
}
