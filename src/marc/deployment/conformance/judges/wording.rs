//! Wording. Source: MARC-02 8.5, 10.3, 14, 18, 20.2.

use crate::marc::deployment::Deployment;
use crate::marc::deployment::conformance::verdict::Verdict;
use crate::marc::wording::WordingKind as Kind;

/// M2-40
pub(in super::super) fn labels(deployment: &Deployment) -> Option<Verdict> {
    let words = deployment.words.as_ref()?;
    Some(match words.clashes.first() {
        Some(clash) => Verdict::NotMet(format!("`wording`: {clash}")),
        None => Verdict::described("wording"),
    })
}

/// What is described has no finding of some kinds. Without a description there is nothing to be found.
fn free_of(deployment: &Deployment, kinds: &[Kind]) -> Option<Verdict> {
    let words = deployment.words.as_ref()?;
    let all = words.wording.check();
    let found = all
        .iter()
        .find(|(_, finding)| kinds.contains(&finding.kind()));
    Some(match found {
        Some((part, finding)) => Verdict::NotMet(format!("`wording`, {part}: {finding}")),
        None => Verdict::described("wording"),
    })
}

/// M2-129
pub(in super::super) fn task_terms(deployment: &Deployment) -> Option<Verdict> {
    free_of(deployment, &[Kind::Anthropomorphic])
}

/// M2-130
pub(in super::super) fn precision(deployment: &Deployment) -> Option<Verdict> {
    free_of(deployment, &[Kind::FalsePrecision])
}

/// M2-131
pub(in super::super) fn strong_cues(deployment: &Deployment) -> Option<Verdict> {
    free_of(deployment, &[Kind::CertaintyCue, Kind::FalsePrecision])
}

/// M2-150
pub(in super::super) fn reliance(deployment: &Deployment) -> Option<Verdict> {
    free_of(deployment, &[Kind::Bonding])
}

/// M2-175
pub(in super::super) fn cues(deployment: &Deployment) -> Option<Verdict> {
    free_of(deployment, &[Kind::Anthropomorphic, Kind::Bonding])
}

/// M2-184.7
pub(in super::super) fn documented(deployment: &Deployment) -> Verdict {
    Verdict::needs(
        deployment.words.as_ref(),
        "wording",
        "what differs from the library's wording; the table may be empty",
    )
}
