//! Checks of a deployment description. A check returns `None` if the description has nothing to
//! judge.

use super::ConformanceBasis;
use super::verdict::RequirementVerdict;
use crate::decide::RiskTier;
use crate::deployment::keys::{ACTION_TYPE, BUDGETS, CONTROLS, LOOPS, TASK_FAMILY};
use crate::deployment::mapping::{Mapping, OwnMapping};
use crate::deployment::{Deployment, Implementation};
use crate::draft::Draft;
use crate::members::{WITH_ANSWER, is_private, members};
use crate::terms::Source;
use crate::trust::{Domain, Permission, Use};
use provstream::MarcKind;
use provstream::settings::quoted_piece;

type DeploymentCheck = fn(&Deployment) -> Option<RequirementVerdict>;

const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// Looks up the check with a name of the requirement table.
pub(super) fn named(name: &str) -> Option<DeploymentCheck> {
    Some(match name {
        "bounds" => |it| bounds(it, it.decisions == Implementation::Provstream),
        "budgets" => |it| bounds(it, true),
        "labels" => labels,
        "ranges" => ranges,
        "prefix" => prefix,
        "meanings" => meanings,
        "extensions" => extensions,
        "travels" => travels,
        "end_users" => end_users,
        "caution" => caution,
        "unknown" => unknown,
        "attestation" => attestation,
        "controls" => controls,
        "purposes" => purposes,
        _ => return None,
    })
}

/// A judgement of a deployment's own mapping; returns its fault.
type MappingCheck = fn(&Deployment, &Mapping, &OwnMapping) -> Option<RequirementVerdict>;

/// Looks up the judgement of mappings with a name of the requirement table.
pub(super) fn part(name: &str) -> Option<MappingCheck> {
    Some(match name {
        "lost" => lost,
        "confused" => confused,
        "described" => |_, _, own| described(own),
        "kept" => |_, _, own| kept(own),
        "told-apart" => |_, mapping, own| told_apart(mapping, own),
        _ => return None,
    })
}

fn missing(text: impl Into<String>) -> RequirementVerdict {
    RequirementVerdict::missing(text)
}

/// Judges a key that must have the value `right`, which the deployer declares. `what` completes the
/// sentence "say whether …".
pub(super) fn flag(it: &Deployment, key: &str, right: bool, what: &str) -> RequirementVerdict {
    match it.said.flag(key) {
        Some(said) if said == right => RequirementVerdict::declared(key),
        Some(_) if right => RequirementVerdict::not_met(format!("`{key}` says that they do not")),
        Some(_) => RequirementVerdict::not_met(format!("`{key}` says that {what}")),
        None => missing(format!("say in `{key}` whether {what}")),
    }
}

/// Checks that each loop has a bound and, with `needs_budgets`, a count, time and cost. Source:
/// MARC-02 7.3, 9.4, 16.
fn bounds(it: &Deployment, needs_budgets: bool) -> Option<RequirementVerdict> {
    let parts: &[&str] = if needs_budgets { &BUDGETS } else { &[] };
    let gap = |key: &&str| {
        let lacks = |key: &String| !it.said.has(key);
        let keys = parts.iter().map(|part| format!("{key}.{part}"));
        [key.to_string()].into_iter().chain(keys).find(lacks)
    };
    let gaps: Vec<_> = LOOPS
        .iter()
        .filter_map(gap)
        .map(|key| format!("`{key}`"))
        .collect();
    (!gaps.is_empty()).then(|| missing(format!("say in {} what ends the loop", gaps.join(", "))))
}

/// Checks that labels keep the order of the bands. Labels that the library can rank are checked
/// when the file is read; for others the deployer declares the order. Source: MARC-02 8.5.
fn labels(it: &Deployment) -> Option<RequirementVerdict> {
    let key = "wording.labels_keep_order";
    Some(if it.said.has("wording") {
        flag(it, key, true, "the labels keep their order")
    } else {
        RequirementVerdict::met(ConformanceBasis::Types, "by `Wording`")
    })
}

/// Checks that `bands.varies_by` describes the bands. Sessions of this library cap the bands of all
/// actions but `ANSWER`, so a description that uses them must list the action type. Source: MARC-02
/// 8.5.
fn ranges(it: &Deployment) -> Option<RequirementVerdict> {
    let factors = it.said.texts("bands.varies_by").unwrap_or_default();
    let varies_by_action = factors.iter().any(|factor| factor == ACTION_TYPE);
    if it.decisions == Implementation::Provstream && !varies_by_action {
        return Some(missing(
            "list `action type` in `bands.varies_by`: sessions give no action but ANSWER a band above medium, and none above \
             low where safety governs",
        ));
    }
    let (by_family, others): (Vec<&str>, Vec<&str>) = factors
        .iter()
        .map(String::as_str)
        .filter(|factor| *factor != ACTION_TYPE || it.decisions == Implementation::Own)
        .partition(|factor| *factor == TASK_FAMILY);
    match (by_family.is_empty(), it.calibration()?.families().next()) {
        (false, None) => Some(missing(
            "give the ranges of each task family in `bands.family`",
        )),
        (true, Some(_)) => {
            let reason = "`bands.family` has ranges that `bands.varies_by` does not allow";
            Some(RequirementVerdict::not_met(reason))
        }
        _ if others.is_empty() => None,
        _ if it.said.has("bands.variation") => {
            Some(RequirementVerdict::declared("bands.variation"))
        }
        _ => {
            let others = others.join(", ");
            let hint = format!("say in `bands.variation` how the ranges vary with {others}");
            Some(missing(hint))
        }
    }
}

/// Checks that the described wording has no findings of `kinds`, a list separated by commas.
/// Source: MARC-02 10.3, 14.
pub(super) fn free_of(it: &Deployment, kinds: &str) -> Option<RequirementVerdict> {
    if !it.said.has("wording") {
        return None;
    }
    let found = it.wording.check();
    let found = found.iter().find(|(_, finding)| {
        let kind = finding.kind().as_str();
        kinds.split(',').any(|one| one == kind)
    });
    Some(match found {
        Some((part, finding)) => {
            RequirementVerdict::not_met(format!("`wording`, {part}: {finding}"))
        }
        None if it.wording.language().is_checked() => RequirementVerdict::checked("wording"),
        None => RequirementVerdict::declared("wording"),
    })
}

fn prefix(it: &Deployment) -> Option<RequirementVerdict> {
    let mut names = it.extensions.iter().map(|one| one.name());
    let name = names.find(|name| !is_private(name))?;
    Some(RequirementVerdict::not_met(format!(
        "{name:?} has no prefix such as `x_`"
    )))
}

/// Checks that no private member takes the name of a member of the draft. Whether private members
/// change the meaning of others is left to the deployer's statement. Source: MARC-02 11.
fn meanings(it: &Deployment) -> Option<RequirementVerdict> {
    let is_defined = |name: &&str| {
        let mut all = KINDS.into_iter().flat_map(|kind| members(kind, it.draft));
        all.any(|member| member.name == name.strip_prefix("x_").unwrap_or(name))
    };
    let mut names = it.extensions.iter().map(|one| one.name());
    match names.find(is_defined) {
        Some(name) => Some(RequirementVerdict::not_met(format!(
            "{name:?} takes the name of a member"
        ))),
        None => it
            .extensions
            .is_empty()
            .then(|| RequirementVerdict::checked("extension")),
    }
}

fn extensions(it: &Deployment) -> Option<RequirementVerdict> {
    let all = it.extensions();
    if let Some(one) = all.iter().find(|one| one.meaning().is_none()) {
        let name = one.name();
        return Some(missing(format!(
            "say in `extension.meaning` what {name:?} means"
        )));
    }
    let is_listed = all.iter().any(|one| one.name() == "x_sub_action");
    let hint = "list `x_sub_action` in `extension`: sessions write it";
    (!it.sub_actions.is_empty() && !is_listed).then(|| missing(hint))
}

fn travels(it: &Deployment) -> Option<RequirementVerdict> {
    let hint = "say in `mapping` where records and disclosures travel";
    it.mappings.is_empty().then(|| missing(hint))
}

/// Judges all mappings by some parts: returns the first contradiction, otherwise the first gap. The
/// library's carriers meet the requirements for what they carry.
pub(super) fn mappings(it: &Deployment, parts: &str) -> RequirementVerdict {
    let own = it.mappings.iter();
    let own: Vec<_> = own
        .filter_map(|mapping| Some((mapping, mapping.own.as_ref()?)))
        .collect();
    let first = |&(mapping, own): &(&Mapping, &OwnMapping)| {
        let mut parts = parts.split(',').filter_map(part);
        parts.find_map(|part| part(it, mapping, own))
    };
    // A contradiction is worse than a gap, and of equals the first counts.
    let worst = own
        .iter()
        .filter_map(first)
        .rev()
        .max_by_key(|found| found.outcome);
    worst.unwrap_or_else(|| {
        if own.is_empty() {
            RequirementVerdict::met(ConformanceBasis::Types, "by the carriers of this library")
        } else {
            RequirementVerdict::declared("mapping")
        }
    })
}

fn carried(mapping: &Mapping) -> impl Iterator<Item = MarcKind> {
    KINDS.into_iter().filter(|&kind| mapping.carries(kind))
}

/// Checks that a mapping omits no member that a valid object requires.
fn lost(it: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<RequirementVerdict> {
    let name = carried(mapping).find_map(|kind| own.lost(kind, it.draft))?;
    let when = if name == WITH_ANSWER {
        "required with ANSWER"
    } else {
        "required"
    };
    Some(RequirementVerdict::not_met(format!(
        "`{name}` is {when}, and a mapping omits it"
    )))
}

/// Checks that a mapping does not give two members one name.
fn confused(it: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<RequirementVerdict> {
    let mut found = carried(mapping);
    let (one, other) = found.find_map(|kind| own.collision(kind, it.draft, &it.extensions))?;
    Some(RequirementVerdict::not_met(format!(
        "a mapping gives {one:?} and {other:?} the same name, which is not reversible"
    )))
}

fn described(own: &OwnMapping) -> Option<RequirementVerdict> {
    let hint = "say in `mapping.description` where members are and how they are recovered";
    (!own.is_described).then(|| missing(hint))
}

fn kept(own: &OwnMapping) -> Option<RequirementVerdict> {
    let key = "mapping.keeps_values";
    match own.keeps_values {
        Some(true) => None,
        Some(false) => Some(RequirementVerdict::not_met(format!(
            "`{key}` says that values change"
        ))),
        None => Some(missing(format!(
            "say in `{key}` whether values stay as they are"
        ))),
    }
}

fn told_apart(mapping: &Mapping, own: &OwnMapping) -> Option<RequirementVerdict> {
    let hint = "say in `mapping.told_apart` how records and disclosures are distinguished";
    (carried(mapping).count() > 1 && !own.is_told_apart).then(|| missing(hint))
}

/// Checks that end users do not see what carries records. Source: MARC-02 12.
fn end_users(it: &Deployment) -> Option<RequirementVerdict> {
    let with_scores = it.mappings.iter().filter(|one| one.carries(MarcKind::Core));
    let seen: Vec<_> = with_scores.map(|one| one.end_users).collect();
    let hint = "say in `mapping.end_users` whether end users see what is carried";
    if seen.contains(&Some(true)) {
        let reason = "a mapping that end users see carries records";
        return Some(RequirementVerdict::not_met(reason));
    }
    seen.contains(&None).then(|| missing(hint))
}

/// Checks that high risk has lower thresholds or a described precaution. Source: MARC-02 14.
fn caution(it: &Deployment) -> Option<RequirementVerdict> {
    let thresholds = it.policy.thresholds();
    let is_stricter = |&source: &Source| {
        thresholds.get(source, RiskTier::High) < thresholds.get(source, RiskTier::Standard)
    };
    let hint =
        "give lower thresholds as `risk.high_risk`, or say in `risk.caution` what is done instead";
    Some(
        if it.said.has("risk.standard") && Source::ALL.iter().any(is_stricter) {
            RequirementVerdict::checked("risk")
        } else if it.said.has("risk.caution") {
            RequirementVerdict::declared("risk.caution")
        } else {
            missing(hint)
        },
    )
}

/// Checks that records of another domain with an unknown emitter are at most kept for audit.
/// Source: MARC-02 15.
fn unknown(it: &Deployment) -> Option<RequirementVerdict> {
    let permission = |usage| it.trust_policy.get(Domain::CrossDomain, usage);
    let mut uses = [Use::Route, Use::Disclose, Use::Automate].into_iter();
    let usage = uses.find(|&usage| permission(usage) == Permission::Always)?;
    let key = format!("trust.permit.cross-domain.{usage}");
    Some(RequirementVerdict::not_met(format!(
        "`{key}` permits records of unknown emitters"
    )))
}

/// Returns `true` if `is` holds for one of the contexts in `trust.emitted` and `trust.received`.
fn some_context(it: &Deployment, is: impl Fn(&str) -> bool) -> bool {
    let named = ["trust.emitted", "trust.received"].map(|key| it.said.texts(key));
    named.into_iter().flatten().flatten().any(|one| is(one))
}

fn attestation(it: &Deployment) -> Option<RequirementVerdict> {
    let is_attested = some_context(it, |one| one.starts_with("attested "));
    let hint = "say in `trust.attestation` what binds a record to its emitter";
    (is_attested && !it.said.has("trust.attestation")).then(|| missing(hint))
}

/// Checks the description of controls that protect records between domains, if any cross domains.
fn controls(it: &Deployment) -> Option<RequirementVerdict> {
    if !some_context(it, |one| one.ends_with(Domain::CrossDomain.as_str())) {
        return None;
    }
    let mut keys = CONTROLS.iter().map(|key| format!("trust.controls.{key}"));
    Some(match keys.find(|key| !it.said.has(key)) {
        Some(key) => missing(format!("say in `{key}` what protects records")),
        None => RequirementVerdict::declared("trust.controls"),
    })
}

/// Checks that the purposes of use are those that the draft allows. Source: MARC-02 18; MARC-01 17.
fn purposes(it: &Deployment) -> Option<RequirementVerdict> {
    #[rustfmt::skip]
    let all = ["reliability", "accessibility", "safety", "auditability", "operational routing"];
    let allowed = match it.draft {
        Draft::Draft01 => &all[..3],
        Draft::Draft02 => &all[..],
    };
    let mut purposes = it.said.texts("use.purposes")?.iter();
    let purpose = purposes.find(|one| !allowed.contains(&one.as_str()))?;
    let (found, expected) = (quoted_piece(purpose, 60), allowed.join(", "));
    Some(RequirementVerdict::not_met(format!(
        "found {found:?}, expected {expected}"
    )))
}
