//! The wording of disclosures.

use provstream_marc::{Deployment, Wording};

use crate::failure::Failure;

/// The wording that a deployment describes, else that of the library.
pub(crate) fn of(deployment: &Deployment) -> Result<Wording, Failure> {
    match deployment.wording() {
        Ok(wording) => Ok(wording.cloned().unwrap_or_default()),
        Err(clash) => Err(Failure::Usage(format!("--deployment: `wording`: {clash}"))),
    }
}
