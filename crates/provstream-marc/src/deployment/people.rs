//! `[presentation]`, `[privacy]` and `[use]`: what concerns people.

use super::error::DeploymentError;
use super::read::{boolean, optional, text, texts};
use provstream::settings::{Table, Value};

/// What is said of scores that are shown. Source: MARC-02 10.2, 10.3.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShownScores {
    pub(super) calibrated_for: Option<String>,
    pub(super) tested: Option<String>,
}

impl ShownScores {
    fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&["calibrated_for", "tested"])?;
        Ok(Self {
            calibrated_for: optional(&table, "calibrated_for", text)?,
            tested: optional(&table, "tested", text)?,
        })
    }
}

/// What is said of how disclosures look. Source: MARC-02 10.3, 14, 20.2.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PresentationPart {
    pub(super) target: Option<String>,
    pub(super) unit: Option<String>,
    /// None if scores are not shown.
    pub(super) scores: Option<ShownScores>,
}

impl PresentationPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&["target", "unit", "scores"])?;
        Ok(Self {
            target: optional(&table, "target", text)?,
            unit: optional(&table, "unit", text)?,
            scores: optional(&table, "scores", ShownScores::read)?,
        })
    }
}

/// What is said of keeping records. Source: MARC-02 17.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PrivacyPart {
    pub(super) retention: Option<String>,
    pub(super) prompts: Option<String>,
    pub(super) sensitivity: Option<String>,
    pub(super) explanations: Option<String>,
    pub(super) distress: Option<String>,
}

impl PrivacyPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&[
            "retention",
            "prompts",
            "sensitivity",
            "explanations",
            "distress",
        ])?;
        let said = |key| optional(&table, key, text);
        Ok(Self {
            retention: said("retention")?,
            prompts: said("prompts")?,
            sensitivity: said("sensitivity")?,
            explanations: said("explanations")?,
            distress: said("distress")?,
        })
    }
}

/// What is said of what records are used for. Source: MARC-02 18.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UsePart {
    pub(super) purposes: Option<Vec<String>>,
    pub(super) infers_psychology: Option<bool>,
}

impl UsePart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table: Table<'_> = value.table(&["purposes", "infers_psychology"])?;
        Ok(Self {
            purposes: optional(&table, "purposes", texts)?,
            infers_psychology: optional(&table, "infers_psychology", boolean)?,
        })
    }
}
