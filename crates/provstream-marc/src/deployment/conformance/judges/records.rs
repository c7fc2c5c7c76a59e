//! What records have beside what the draft defines. Source: MARC-02 9.5, 11.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::members::members;
use provstream::MarcKind;

const NOT_SAID: &str =
    "list the private members in `extension`, or say `extension = []` if there are none";

/// Where a session puts the name of a sub-action.
const SUB_ACTION: &str = "x_sub_action";

/// M2-115
pub(in super::super) fn normalization(deployment: &Deployment) -> Verdict {
    let said = deployment.score_normalization.as_ref();
    Verdict::needs(
        said,
        "score_normalization",
        "how scores are brought to the range from 0 to 1",
    )
}

/// M2-135
pub(in super::super) fn prefix(deployment: &Deployment) -> Verdict {
    let Some(extensions) = &deployment.extensions else {
        return Verdict::Missing(NOT_SAID.into());
    };
    match extensions.iter().find(|one| !one.name().starts_with("x_")) {
        Some(one) => Verdict::NotMet(format!(
            "the private member {:?} has another name",
            one.name()
        )),
        None => Verdict::described("extension"),
    }
}

/// M2-137
pub(in super::super) fn meanings(deployment: &Deployment) -> Verdict {
    let Some(extensions) = &deployment.extensions else {
        return Verdict::Missing(NOT_SAID.into());
    };
    let is_defined = |name: &str| {
        [MarcKind::Core, MarcKind::Disclosure]
            .into_iter()
            .flat_map(|kind| members(kind, deployment.draft))
            .any(|member| member.name == name)
    };
    match extensions.iter().find(|one| is_defined(one.name())) {
        Some(one) => Verdict::NotMet(format!("{:?} is a member of the draft", one.name())),
        None => Verdict::described("extension"),
    }
}

/// M2-184.6
pub(in super::super) fn extensions(deployment: &Deployment) -> Verdict {
    let Some(extensions) = &deployment.extensions else {
        return Verdict::Missing(NOT_SAID.into());
    };
    if let Some(one) = extensions.iter().find(|one| one.meaning().is_none()) {
        return Verdict::Missing(format!(
            "say in `extension.meaning` what {:?} means",
            one.name()
        ));
    }
    // What sessions and projections add of their own accord.
    let mut added = Vec::new();
    if deployment
        .sub_actions
        .as_ref()
        .is_some_and(|all| all.iter().next().is_some())
    {
        added.push(SUB_ACTION);
    }
    if deployment.presentation.scores.is_some() {
        added.extend(["x_pre_capability", "x_post_answer_confidence"]);
    }
    match added
        .iter()
        .find(|name| extensions.iter().all(|one| one.name() != **name))
    {
        Some(name) => Verdict::Missing(format!("`{name}` is written too: list it in `extension`")),
        None => Verdict::described("extension"),
    }
}
