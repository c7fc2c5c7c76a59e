//! What concerns people. Source: MARC-02 10.3, 14, 17, 18.

use super::wording;
use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::draft::Draft;

/// M2-47
pub(in super::super) fn target(deployment: &Deployment) -> Verdict {
    let said = deployment.presentation.target.as_ref();
    Verdict::needs(
        said,
        "presentation.target",
        "how it is shown what a band is about",
    )
}

/// M2-149
pub(in super::super) fn unit(deployment: &Deployment) -> Verdict {
    let said = deployment.presentation.unit.as_ref();
    Verdict::needs(
        said,
        "presentation.unit",
        "how band, source and next step are shown together",
    )
}

/// M2-125
pub(in super::super) fn shown_scores(deployment: &Deployment) -> Option<Verdict> {
    let scores = deployment.presentation.scores.as_ref()?;
    Some(if scores.calibrated_for.is_none() {
        Verdict::Missing(
            "scores are shown: say in `presentation.scores.calibrated_for` for which task family they are calibrated".into(),
        )
    } else {
        Verdict::needs(
            scores.tested.as_ref(),
            "presentation.scores.tested",
            "how showing scores was tested for misuse and overreliance",
        )
    })
}

/// M2-131
pub(in super::super) fn strong_cues(deployment: &Deployment) -> Option<Verdict> {
    shown_scores(deployment)
        .filter(|verdict| !matches!(verdict, Verdict::Met(..)))
        .or_else(|| wording::strong_cues(deployment))
}

macro_rules! privacy {
    ($($(#[$doc:meta])* $name:ident: $key:literal, $what:literal;)+) => {
        $($(#[$doc])*
        pub(in super::super) fn $name(deployment: &Deployment) -> Verdict {
            Verdict::needs(deployment.privacy.$name.as_ref(), $key, $what)
        })+
    };
}

privacy! {
    /// M2-168
    retention: "privacy.retention", "how long records are kept and where they go";
    /// M2-169
    prompts: "privacy.prompts", "how raw prompts are kept out of records, or what needs them";
    /// M2-170
    sensitivity: "privacy.sensitivity", "how sensitive records are treated";
    /// M2-171
    explanations: "privacy.explanations", "how raw explanations by users are kept out of records";
    /// M2-172
    distress: "privacy.distress", "what is kept of signs of distress, and why";
}

/// M2-173
pub(in super::super) fn influence(deployment: &Deployment) -> Verdict {
    match deployment.usage.infers_psychology {
        Some(false) => Verdict::described("use.infers_psychology"),
        Some(true) => Verdict::NotMet("`use.infers_psychology` says that they are".into()),
        None => Verdict::Missing("say in `use.infers_psychology` whether they are".into()),
    }
}

/// M2-174
pub(in super::super) fn purposes(deployment: &Deployment) -> Verdict {
    let allowed: &[&str] = match deployment.draft {
        Draft::Draft01 => &["reliability", "accessibility", "safety"],
        Draft::Draft02 => &[
            "reliability",
            "accessibility",
            "safety",
            "auditability",
            "operational routing",
        ],
    };
    let Some(purposes) = &deployment.usage.purposes else {
        return Verdict::Missing("say in `use.purposes` what behaviour is adapted for".into());
    };
    match purposes
        .iter()
        .find(|purpose| !allowed.contains(&purpose.as_str()))
    {
        Some(purpose) => Verdict::NotMet(format!(
            "{:?} is none of {}",
            provstream::settings::quoted_piece(purpose, 60),
            allowed.join(", ")
        )),
        None => Verdict::described("use.purposes"),
    }
}
