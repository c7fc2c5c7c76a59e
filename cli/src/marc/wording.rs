//! The wording of disclosures.

use provstream::marc::{ConformanceOutcome, Deployment, Wording};

use crate::failure::Failure;

/// The requirement that bands keep their meaning, which texts that cannot be told apart do not meet.
const BANDS_KEEP_THEIR_MEANING: &str = "M2-40";

/// The wording that a deployment describes, else that of the library.
pub(crate) fn of(deployment: &Deployment) -> Result<Wording, Failure> {
    if let Some(wording) = deployment.wording() {
        return Ok(wording.clone());
    }
    let report = deployment.conformance();
    let clash = report.findings().iter().find(|finding| {
        finding.requirement() == BANDS_KEEP_THEIR_MEANING
            && finding.outcome() == ConformanceOutcome::NotMet
    });
    match clash {
        Some(finding) => Err(Failure::Usage(format!(
            "--deployment: {}",
            finding.reason()
        ))),
        None => Ok(Wording::default()),
    }
}
