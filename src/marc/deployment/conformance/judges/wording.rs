//! Wording. Source: MARC-02 8.5, 10.3, 14, 18, 20.2.

use crate::marc::deployment::Deployment;
use crate::marc::deployment::conformance::verdict::Verdict;

/// M2-40
pub(in super::super) fn labels(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-129
pub(in super::super) fn task_terms(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-130
pub(in super::super) fn precision(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-131
pub(in super::super) fn strong_cues(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-150
pub(in super::super) fn reliance(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-175
pub(in super::super) fn cues(_: &Deployment) -> Option<Verdict> {
    None
}

/// M2-184.7
pub(in super::super) fn documented(_: &Deployment) -> Verdict {
    Verdict::described("wording")
}
