//! What ends loops. Source: MARC-02 7.3, 9.4, 16.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::deployment::words::Implementation;
use crate::terms::Action;

/// What is missing of a bound: all of it, or a part that a session needs.
fn missing(deployment: &Deployment, of: impl Fn(Action) -> bool) -> Vec<String> {
    let by_session = deployment.decisions == Implementation::Provstream;
    deployment
        .limits
        .iter()
        .filter(|(action, ..)| of(*action))
        .filter_map(|(_, key, limit)| match limit.map(|limit| limit.bound()) {
            None => Some(format!("`bounds.{key}`")),
            Some(Err(part)) if by_session => Some(format!("`bounds.{key}.{part}`")),
            Some(_) => None,
        })
        .collect()
}

fn judged(missing: &[String], what: &str) -> Verdict {
    if missing.is_empty() {
        Verdict::described("bounds")
    } else {
        Verdict::Missing(format!("say in {} {what}", missing.join(", ")))
    }
}

/// M2-16, M2-17
pub(in super::super) fn bounded(deployment: &Deployment) -> Verdict {
    judged(&missing(deployment, |_| true), "what ends the loop")
}

/// M2-112
pub(in super::super) fn deliberation(deployment: &Deployment) -> Verdict {
    let missing = missing(deployment, |action| action == Action::Deliberate);
    judged(&missing, "what ends deliberation")
}

/// M2-161
pub(in super::super) fn budgets(deployment: &Deployment) -> Verdict {
    let missing: Vec<String> = deployment
        .limits
        .iter()
        .filter_map(|(_, key, limit)| match limit.map(|limit| limit.bound()) {
            None => Some(format!("`bounds.{key}`")),
            Some(Err(part)) => Some(format!("`bounds.{key}.{part}`")),
            Some(Ok(_)) => None,
        })
        .collect();
    judged(&missing, "how much may be spent")
}
