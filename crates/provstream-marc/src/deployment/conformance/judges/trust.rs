//! Contexts of trust. Source: MARC-02 8.5, 15.

use crate::deployment::Deployment;
use crate::deployment::conformance::verdict::Verdict;
use crate::trust::{Domain, Permission, Use};

/// M2-43: where no records are received, none is mistaken.
pub(in super::super) fn nothing_received(deployment: &Deployment) -> Option<Verdict> {
    let received = deployment.trust.received.as_ref()?;
    received
        .is_empty()
        .then(|| Verdict::described("trust.received"))
}

/// M2-154: a record of another domain whose emitter nobody knows is kept for audit at most.
pub(in super::super) fn unknown(deployment: &Deployment) -> Option<Verdict> {
    let policy = &deployment.trust.policy;
    let uses = [Use::Route, Use::Disclose, Use::Automate];
    let trusting = uses
        .into_iter()
        .find(|&usage| policy.get(Domain::CrossDomain, usage) == Permission::Always);
    match trusting {
        Some(usage) => Some(Verdict::NotMet(format!(
            "`trust.permit.cross-domain.{usage}` lets records be used whose emitter is not known"
        ))),
        None => nothing_received(deployment),
    }
}

/// M2-155
pub(in super::super) fn contexts(deployment: &Deployment) -> Verdict {
    let part = &deployment.trust;
    if part.emitted.is_none() {
        Verdict::Missing("say in `trust.emitted` where records go, or `[]` if nowhere".into())
    } else if part.received.is_none() {
        Verdict::Missing(
            "say in `trust.received` where records come from, or `[]` if from nowhere".into(),
        )
    } else if part.contexts().any(|context| context.attested) && part.attestation.is_none() {
        Verdict::Missing("say in `trust.attestation` what binds a record to its emitter".into())
    } else {
        Verdict::described("trust")
    }
}

/// M2-156
pub(in super::super) fn between_domains(deployment: &Deployment) -> Verdict {
    let part = &deployment.trust;
    if part.emitted.is_none() || part.received.is_none() {
        return Verdict::Missing("say in `trust` whether records cross domains".into());
    }
    let crosses = part
        .contexts()
        .any(|context| context.domain == Domain::CrossDomain);
    let missing: Vec<String> = part
        .controls
        .missing()
        .map(|key| format!("`trust.controls.{key}`"))
        .collect();
    if !crosses {
        Verdict::described("trust")
    } else if missing.is_empty() {
        Verdict::described("trust.controls")
    } else {
        Verdict::Missing(format!(
            "say in {} what protects records",
            missing.join(", ")
        ))
    }
}

/// M2-157
pub(in super::super) fn protection(deployment: &Deployment) -> Verdict {
    let said = deployment.trust.protection.as_ref();
    Verdict::needs(
        said,
        "trust.protection",
        "how records are protected where something follows from them",
    )
}
