//! Wording. Source: MARC-02 8.5, 10.3, 14, 18, 20.2.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::wording::{WordingKind as Kind, WordingPart};

/// A text that cannot be told from others, of the labels of bands or of the rest.
fn clash(deployment: &Deployment, of_bands: bool) -> Option<Verdict> {
    let words = deployment.words.as_ref()?;
    let is_label = |part| matches!(part, WordingPart::Band(_));
    let mut clashes = words.clashes.iter();
    clashes
        .find(|clash| is_label(clash.part()) == of_bands)
        .map(|clash| Verdict::NotMet(format!("`wording`: {clash}")))
}

/// M2-40
pub(in super::super) fn labels(deployment: &Deployment) -> Option<Verdict> {
    deployment.words.as_ref()?;
    clash(deployment, true).or_else(|| Some(Verdict::described("wording")))
}

/// M2-116: two sources or two targets that read alike are not what the fields say.
pub(in super::super) fn phrases(deployment: &Deployment) -> Option<Verdict> {
    clash(deployment, false)
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
