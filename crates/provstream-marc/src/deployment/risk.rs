//! `[risk]`: what is done with care.

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::{one_of, optional, score, set, text};
use super::words::RISK_DOMAINS;
use crate::decide::{Materiality, Threshold};
use crate::terms::Source;
use provstream::settings::{Table, Value};

/// What is said of high-risk domains. Source: MARC-02 14.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RiskPart {
    pub(super) domains: Option<Vec<&'static str>>,
    pub(super) caution: Option<String>,
    pub(super) limits: Option<String>,
    pub(super) materiality: Option<Materiality>,
}

impl RiskPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&[
            "domains",
            "caution",
            "limits",
            "standard",
            "high_risk",
            "source",
        ])?;
        // Thresholds for single sources need one for the others.
        let thresholds = ["standard", "high_risk", "source"];
        let materiality = if thresholds.iter().any(|key| table.get(key).is_some()) {
            let mut all = Materiality::new(threshold(&table)?);
            if let Some(by_source) = table.get("source") {
                let by_source = by_source.table(Source::NAMES)?;
                for source in Source::ALL {
                    if let Some(value) = by_source.get(source.as_str()) {
                        let one = value.table(&["standard", "high_risk"])?;
                        all = all.with(*source, threshold(&one)?);
                    }
                }
            }
            Some(all)
        } else {
            None
        };
        Ok(Self {
            domains: optional(&table, "domains", domains)?,
            caution: optional(&table, "caution", text)?,
            limits: optional(&table, "limits", text)?,
            materiality,
        })
    }
}

fn domains(value: Value<'_>) -> Result<Vec<&'static str>, DeploymentError> {
    set(value, |item| one_of(item, "high-risk domain", RISK_DOMAINS))
}

fn threshold(table: &Table<'_>) -> Result<Threshold, DeploymentError> {
    let (standard, high_risk) = (table.need("standard")?, table.need("high_risk")?);
    Threshold::new(score(standard)?, score(high_risk)?)
        .map_err(|error| DeploymentError::of(Kind::BadThreshold, &high_risk, error))
}
