//! Local rules. Source: MARC-02 8.6, 8.7, 9.4, 14, 20.2.

use crate::decide::{Materiality, RiskTier};
use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::terms::{Action, Source};

/// M2-45
pub(in super::super) fn answer_target(deployment: &Deployment) -> Option<Verdict> {
    deployment
        .policy
        .action_suitability
        .contains(&Action::Answer)
        .then(|| Verdict::NotMet("`policy.action_suitability` has ANSWER".into()))
}

/// M2-51
pub(in super::super) fn sub_actions(deployment: &Deployment) -> Option<Verdict> {
    // A name stands for one primary action, or the file is none.
    deployment
        .sub_actions
        .is_some()
        .then(|| Verdict::described("sub_actions"))
}

/// M2-114
pub(in super::super) fn departures(deployment: &Deployment) -> Verdict {
    Verdict::needs(
        deployment.policy.departures.as_ref(),
        "policy.deviation",
        "what is departed from and when, or `[]` if nothing is",
    )
}

/// M2-152
pub(in super::super) fn caution(deployment: &Deployment) -> Verdict {
    const NOT_SAID: &str =
        "say in `risk.domains` which high-risk domains there are, or `[]` if there are none";
    let Some(part) = &deployment.risk else {
        return Verdict::Missing(NOT_SAID.into());
    };
    // Thresholds say it if those of the high risk tier ask for less.
    let is_lower = |all: &Materiality| {
        let tiers = |source: &Source| {
            [RiskTier::High, RiskTier::Standard].map(|tier| all.get(*source).get(tier))
        };
        Source::ALL
            .iter()
            .map(tiers)
            .any(|[high, standard]| high < standard)
    };
    match &part.domains {
        None => Verdict::Missing(NOT_SAID.into()),
        Some(domains) if domains.is_empty() => Verdict::described("risk.domains"),
        Some(_) if part.caution.is_none() && !part.materiality.as_ref().is_some_and(is_lower) => {
            Verdict::Missing(
                "say in `risk.caution`, or with lower thresholds as `high_risk`, from when on nothing is answered".into(),
            )
        }
        Some(_) => Verdict::needs(
            part.limits.as_ref(),
            "risk.limits",
            "how disclosures make the limits of automation clear",
        ),
    }
}

/// M2-184.10
pub(in super::super) fn constraints(deployment: &Deployment) -> Verdict {
    match (&deployment.policy.abstain, &deployment.policy.escalate) {
        (Some(_), Some(_)) => Verdict::described("policy"),
        (None, _) => Verdict::Missing("say in `policy.abstain` when nothing is answered".into()),
        (_, None) => {
            Verdict::Missing("say in `policy.escalate` when and to whom a case goes".into())
        }
    }
}
