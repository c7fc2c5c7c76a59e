//! Carrying. Source: MARC-02 12, 20.1.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::{ConformanceBasis, Verdict};
use crate::deployment::mapping::{Mapping, OwnMapping};
use crate::members::WITH_ANSWER;
use provstream::MarcKind;

const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// Judges all mappings: the first contradiction, else the first gap. What the library carries is met by its carriers.
fn each(
    deployment: &Deployment,
    judge: impl Fn(&Mapping, &OwnMapping) -> Option<Verdict>,
) -> Verdict {
    let mappings = deployment.mappings();
    if mappings.is_empty() {
        return Verdict::Missing("say in `mapping` where records and disclosures travel".into());
    }
    let mut gap = None;
    for mapping in mappings {
        match mapping.own().and_then(|own| judge(mapping, own)) {
            Some(contradiction @ Verdict::NotMet(_)) => return contradiction,
            found => gap = gap.or(found),
        }
    }
    gap.unwrap_or_else(|| {
        if mappings.iter().any(|mapping| mapping.own().is_some()) {
            Verdict::described("mapping")
        } else {
            Verdict::Met(
                ConformanceBasis::Types,
                "by the carriers of this library".into(),
            )
        }
    })
}

fn carried(mapping: &Mapping) -> impl Iterator<Item = MarcKind> {
    KINDS.into_iter().filter(|&kind| mapping.carries(kind))
}

/// A member that does not arrive, without which what arrives would not be valid.
fn lost(deployment: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let name = carried(mapping).find_map(|kind| own.lost(kind, deployment.draft))?;
    let when = if name == WITH_ANSWER {
        "required with ANSWER"
    } else {
        "required"
    };
    Some(Verdict::NotMet(format!(
        "`{name}` is {when} and left out by a mapping"
    )))
}

/// Two members that arrive under one name.
fn confused(deployment: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let extensions: Vec<&str> = deployment
        .extensions()
        .iter()
        .map(|one| one.name())
        .collect();
    let (one, other) =
        carried(mapping).find_map(|kind| own.collision(kind, deployment.draft, &extensions))?;
    Some(Verdict::NotMet(format!(
        "a mapping gives {one:?} and {other:?} the same name, so they are not recovered"
    )))
}

fn undescribed(own: &OwnMapping, what: &str) -> Option<Verdict> {
    own.description
        .is_none()
        .then(|| Verdict::Missing(format!("say in `mapping.description` {what}")))
}

/// M2-140
pub(in super::super) fn meaning(deployment: &Deployment) -> Verdict {
    each(deployment, |mapping, own| {
        lost(deployment, mapping, own).or_else(|| kept(own))
    })
}

/// M2-141
pub(in super::super) fn renaming(deployment: &Deployment) -> Verdict {
    each(deployment, |mapping, own| {
        if own.renamed.is_empty() {
            return None;
        }
        confused(deployment, mapping, own)
            .or_else(|| undescribed(own, "what the names of the carrier are"))
    })
}

/// M2-142
pub(in super::super) fn told_apart(deployment: &Deployment) -> Verdict {
    each(deployment, |mapping, own| {
        let both = carried(mapping).count() > 1;
        (both && own.told_apart.is_none()).then(|| {
            Verdict::Missing(
                "say in `mapping.told_apart` how records and disclosures are told apart".into(),
            )
        })
    })
}

/// M2-143
pub(in super::super) fn end_users(deployment: &Deployment) -> Verdict {
    let with_scores = || {
        deployment
            .mappings()
            .iter()
            .filter(|mapping| mapping.carries(MarcKind::Core))
    };
    if deployment.mappings().is_empty() {
        place(deployment)
    } else if with_scores().any(|mapping| mapping.end_users == Some(true)) {
        Verdict::NotMet("a mapping that end users see carries records".into())
    } else if with_scores().any(|mapping| mapping.end_users.is_none()) {
        Verdict::Missing("say in `mapping.end_users` whether end users see what is carried".into())
    } else {
        Verdict::described("mapping.end_users")
    }
}

/// M2-144
pub(in super::super) fn place(deployment: &Deployment) -> Verdict {
    each(deployment, |_, own| {
        undescribed(own, "where in the carrier they are")
    })
}

fn kept(own: &OwnMapping) -> Option<Verdict> {
    match own.keeps_values {
        Some(true) => None,
        Some(false) => Some(Verdict::NotMet(
            "`mapping.keeps_values` says that values change".into(),
        )),
        None => Some(Verdict::Missing(
            "say in `mapping.keeps_values` whether values stay as they are".into(),
        )),
    }
}

/// M2-145
pub(in super::super) fn values(deployment: &Deployment) -> Verdict {
    each(deployment, |_, own| kept(own))
}

/// M2-181
pub(in super::super) fn documented(deployment: &Deployment) -> Verdict {
    each(deployment, |mapping, own| {
        lost(deployment, mapping, own)
            .or_else(|| confused(deployment, mapping, own))
            .or_else(|| undescribed(own, "how the members are recovered"))
    })
}
