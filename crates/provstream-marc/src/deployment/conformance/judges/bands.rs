//! Confidence bands. Source: MARC-02 8.5, 9.1, 20.2.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::deployment::words::TASK_FAMILY;

const NO_BANDS: &str = "say in `bands` where the medium and the high band begin";

/// M2-41: what is described as bands is monotonic and does not overlap.
pub(in super::super) fn thresholds(deployment: &Deployment) -> Verdict {
    match &deployment.bands {
        Some(_) => Verdict::described("bands"),
        None => Verdict::Missing(NO_BANDS.into()),
    }
}

/// M2-42: it is said with what ranges vary, and what they are then.
pub(in super::super) fn ranges(deployment: &Deployment) -> Verdict {
    let Some(part) = &deployment.bands else {
        return Verdict::Missing(NO_BANDS.into());
    };
    let Some(factors) = &part.varies_by else {
        return Verdict::Missing(
            "say in `bands.varies_by` with what the ranges vary, or `[]` if with nothing".into(),
        );
    };
    let by_family = factors.contains(&TASK_FAMILY);
    let others: Vec<_> = factors
        .iter()
        .filter(|factor| **factor != TASK_FAMILY)
        .copied()
        .collect();
    if by_family && part.families.is_empty() {
        Verdict::Missing("give the ranges of each task family in `bands.family`".into())
    } else if !by_family && !part.families.is_empty() {
        Verdict::NotMet(
            "`bands.family` has ranges of task families, with which they do not vary by `bands.varies_by`".into(),
        )
    } else if !others.is_empty() && part.variation.is_none() {
        let others = others.join(", ");
        Verdict::Missing(format!(
            "say in `bands.variation` how the ranges vary with {others}"
        ))
    } else {
        Verdict::described("bands.varies_by")
    }
}

/// M2-94
pub(in super::super) fn profile(deployment: &Deployment) -> Verdict {
    let profile = deployment
        .bands
        .as_ref()
        .and_then(|part| part.profile.as_ref());
    Verdict::needs(
        profile,
        "bands.calibration_profile",
        "what the calibration is called",
    )
}

/// M2-184.4
pub(in super::super) fn regime(deployment: &Deployment) -> Verdict {
    let regime = deployment
        .bands
        .as_ref()
        .and_then(|part| part.regime.as_ref());
    Verdict::needs(
        regime,
        "bands.regime",
        "how scores were calibrated, for which task families",
    )
}
