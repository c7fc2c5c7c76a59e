//! What of a description can be checked. A check returns `None` where it has nothing to judge.

use super::ConformanceBasis;
use super::verdict::Verdict;
use crate::decide::RiskTier;
use crate::deployment::keys::{BUDGETS, CONTROLS, LOOPS, TASK_FAMILY};
use crate::deployment::mapping::{Mapping, OwnMapping};
use crate::deployment::{Deployment, Implementation};
use crate::draft::Draft;
use crate::members::{WITH_ANSWER, members};
use crate::terms::Source;
use crate::trust::{Domain, Permission, Use};
use provstream::MarcKind;
use provstream::settings::quoted_piece;

type Check = fn(&Deployment) -> Option<Verdict>;

const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// The check of a name in the table.
pub(super) fn named(name: &str) -> Option<Check> {
    Some(match name {
        "bounds" => |it| Some(bounds(it, it.decisions == Implementation::Provstream)),
        "budgets" => |it| Some(bounds(it, true)),
        "labels" => |it| Some(labels(it)),
        "ranges" => |it| Some(ranges(it)),
        "nothing_received" => nothing_received,
        "prefix" => |it| Some(prefix(it)),
        "meanings" => |it| Some(meanings(it)),
        "extensions" => |it| Some(extensions(it)),
        "end_users" => |it| Some(end_users(it)),
        "caution" => |it| Some(caution(it)),
        "unknown" => unknown,
        "contexts" => |it| Some(contexts(it)),
        "between_domains" => |it| Some(between_domains(it)),
        "influence" => |it| Some(flag(it, "use.infers_psychology", false, "they are")),
        "purposes" => |it| Some(purposes(it)),
        _ => return None,
    })
}

/// A judgement of a deployment's own mapping: what is wrong with it.
type Part = fn(&Deployment, &Mapping, &OwnMapping) -> Option<Verdict>;

/// The judgement of a name in the table.
pub(super) fn part(name: &str) -> Option<Part> {
    Some(match name {
        "lost" => lost,
        "confused" => confused,
        "described" => |_, _, own| described(own),
        "kept" => |_, _, own| kept(own),
        "told-apart" => |_, mapping, own| told_apart(mapping, own),
        _ => return None,
    })
}

fn missing(text: impl Into<String>) -> Verdict {
    Verdict::missing(text)
}

/// What the deployer declares with yes or no, of which one is right.
fn flag(it: &Deployment, key: &str, right: bool, what: &str) -> Verdict {
    match it.said.flag(key) {
        Some(said) if said == right => Verdict::declared(key),
        Some(_) if right => Verdict::not_met(format!("`{key}` says that they do not")),
        Some(_) => Verdict::not_met(format!("`{key}` says that {what}")),
        None => missing(format!("say in `{key}` whether {what}")),
    }
}

/// What ends loops. Source: MARC-02 7.3, 9.4, 16.
fn bounds(it: &Deployment, needs_budgets: bool) -> Verdict {
    let missing_keys = LOOPS.iter().filter_map(|key| {
        let part = |part: &&str| !it.said.has(&format!("{key}.{part}"));
        if !it.said.has(key) {
            Some(format!("`{key}`"))
        } else if needs_budgets {
            let part = BUDGETS.iter().find(|one| part(one))?;
            Some(format!("`{key}.{part}`"))
        } else {
            None
        }
    });
    let keys: Vec<_> = missing_keys.collect();
    if keys.is_empty() {
        Verdict::checked("bounds")
    } else {
        missing(format!("say in {} what ends the loop", keys.join(", ")))
    }
}

/// Labels that the library can rank are checked when the file is read; that any others keep their order is the deployer's
/// word. Source: MARC-02 8.5.
fn labels(it: &Deployment) -> Verdict {
    let key = "wording.labels_keep_order";
    if it.said.has("wording") || it.said.has(key) {
        flag(it, key, true, "the labels keep their order")
    } else {
        Verdict::met(ConformanceBasis::Types, "by `Wording`")
    }
}

/// Source: MARC-02 8.5.
fn ranges(it: &Deployment) -> Verdict {
    let Some(calibration) = &it.calibration else {
        return missing("say in `bands` where the medium and the high band begin");
    };
    let Some(factors) = it.said.texts("bands.varies_by") else {
        return missing("say in `bands.varies_by` what the ranges vary with, or `[]`");
    };
    let (by_family, others): (Vec<&str>, Vec<&str>) = factors
        .iter()
        .map(String::as_str)
        .partition(|factor| *factor == TASK_FAMILY);
    match (by_family.is_empty(), calibration.families().next()) {
        (false, None) => missing("give the ranges of each task family in `bands.family`"),
        (true, Some(_)) => {
            Verdict::not_met("`bands.family` has ranges that `bands.varies_by` does not allow")
        }
        _ if others.is_empty() => Verdict::checked("bands.varies_by"),
        _ if it.said.has("bands.variation") => Verdict::declared("bands.variation"),
        _ => missing(format!(
            "say in `bands.variation` how the ranges vary with {}",
            others.join(", ")
        )),
    }
}

/// What is described has no finding of some kinds. Source: MARC-02 10.3, 14.
pub(super) fn free_of(it: &Deployment, kinds: &str) -> Option<Verdict> {
    if !it.said.has("wording") {
        return None;
    }
    let found = it.wording.check();
    let found = found.iter().find(|(_, finding)| {
        let kind = finding.kind().as_str();
        kinds.split(',').any(|one| one == kind)
    });
    Some(match found {
        Some((part, finding)) => Verdict::not_met(format!("`wording`, {part}: {finding}")),
        None => Verdict::checked("wording"),
    })
}

const NO_EXTENSIONS: &str = "list private members in `extension`, or say `extension = []`";

fn prefix(it: &Deployment) -> Verdict {
    let lacks_prefix = |name: &&str| !name.starts_with("x_");
    match it
        .extensions
        .iter()
        .map(|one| one.name())
        .find(lacks_prefix)
    {
        Some(name) => Verdict::not_met(format!("{name:?} does not begin with `x_`")),
        None if it.said.has("extension") => Verdict::checked("extension"),
        None => missing(NO_EXTENSIONS),
    }
}

/// A private member named like one of the draft takes its place; that the others leave the draft's members alone is the
/// deployer's word. Source: MARC-02 11.
fn meanings(it: &Deployment) -> Verdict {
    if !it.said.has("extension") {
        return missing(NO_EXTENSIONS);
    }
    let is_defined = |name: &&str| {
        let mut all = KINDS.into_iter().flat_map(|kind| members(kind, it.draft));
        all.any(|member| member.name == name.strip_prefix("x_").unwrap_or(name))
    };
    match it.extensions.iter().map(|one| one.name()).find(is_defined) {
        Some(name) => Verdict::not_met(format!("{name:?} takes the name of a member")),
        None if it.extensions.is_empty() => Verdict::checked("extension"),
        None => flag(
            it,
            "extensions.keep_meaning",
            true,
            "extensions keep the meaning of members",
        ),
    }
}

fn extensions(it: &Deployment) -> Verdict {
    if !it.said.has("extension") {
        return missing(NO_EXTENSIONS);
    }
    let all = it.extensions();
    if let Some(one) = all.iter().find(|one| one.meaning().is_none()) {
        let name = one.name();
        return missing(format!("say in `extension.meaning` what {name:?} means"));
    }
    let is_listed = all.iter().any(|one| one.name() == "x_sub_action");
    if it.sub_actions.iter().next().is_some() && !is_listed {
        return missing("list `x_sub_action` in `extension`: sessions write it");
    }
    Verdict::declared("extension")
}

const NO_MAPPINGS: &str = "say in `mapping` where records and disclosures travel";

/// Judges all mappings by some parts: the first contradiction, else the first gap. What the library carries is met by its
/// carriers.
pub(super) fn mappings(it: &Deployment, parts: &str) -> Verdict {
    if it.mappings.is_empty() {
        return missing(NO_MAPPINGS);
    }
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
            Verdict::met(ConformanceBasis::Types, "by the carriers of this library")
        } else {
            Verdict::declared("mapping")
        }
    })
}

fn carried(mapping: &Mapping) -> impl Iterator<Item = MarcKind> {
    KINDS.into_iter().filter(|&kind| mapping.carries(kind))
}

/// A member that does not arrive, without which what arrives would not be valid.
fn lost(it: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let name = carried(mapping).find_map(|kind| own.lost(kind, it.draft))?;
    let when = if name == WITH_ANSWER {
        "required with ANSWER"
    } else {
        "required"
    };
    Some(Verdict::not_met(format!(
        "`{name}` is {when}, and a mapping omits it"
    )))
}

/// Two members that arrive under one name.
fn confused(it: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let mut found = carried(mapping);
    let (one, other) = found.find_map(|kind| own.collision(kind, it.draft, &it.extensions))?;
    Some(Verdict::not_met(format!(
        "a mapping gives {one:?} and {other:?} the same name, which is not reversible"
    )))
}

fn described(own: &OwnMapping) -> Option<Verdict> {
    let hint = "say in `mapping.description` where members are and how they are recovered";
    (!own.is_described).then(|| missing(hint))
}

fn kept(own: &OwnMapping) -> Option<Verdict> {
    let key = "mapping.keeps_values";
    match own.keeps_values {
        Some(true) => None,
        Some(false) => Some(Verdict::not_met(format!("`{key}` says that values change"))),
        None => Some(missing(format!(
            "say in `{key}` whether values stay as they are"
        ))),
    }
}

fn told_apart(mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let hint = "say in `mapping.told_apart` how records and disclosures are distinguished";
    (carried(mapping).count() > 1 && !own.is_told_apart).then(|| missing(hint))
}

/// Source: MARC-02 12.
fn end_users(it: &Deployment) -> Verdict {
    let with_scores = it.mappings.iter().filter(|one| one.carries(MarcKind::Core));
    let seen: Vec<_> = with_scores.map(|one| one.end_users).collect();
    if it.mappings.is_empty() {
        missing(NO_MAPPINGS)
    } else if seen.contains(&Some(true)) {
        Verdict::not_met("a mapping that end users see carries records")
    } else if seen.contains(&None) {
        missing("say in `mapping.end_users` whether end users see what is carried")
    } else {
        Verdict::declared("mapping.end_users")
    }
}

/// Source: MARC-02 14.
fn caution(it: &Deployment) -> Verdict {
    let Some(domains) = it.said.texts("risk.domains") else {
        return missing("say in `risk.domains` which high-risk domains are served, or `[]`");
    };
    let thresholds = it.policy.thresholds();
    let is_stricter = |&source: &Source| {
        thresholds.get(source, RiskTier::High) < thresholds.get(source, RiskTier::Standard)
    };
    if domains.is_empty() {
        Verdict::checked("risk.domains")
    } else if !it.said.has("risk.limits") {
        missing("say in `risk.limits` how disclosures make the limits of automation clear")
    } else if it.said.has("risk.standard") && Source::ALL.iter().any(is_stricter) {
        Verdict::checked("risk")
    } else if it.said.has("risk.caution") {
        Verdict::declared("risk.caution")
    } else {
        missing(
            "give lower thresholds as `risk.high_risk`, or say in `risk.caution` what is done instead",
        )
    }
}

/// Where no records are received, none is mistaken. Source: MARC-02 8.5.
fn nothing_received(it: &Deployment) -> Option<Verdict> {
    let received = it.said.texts("trust.received")?;
    received
        .is_empty()
        .then(|| Verdict::declared("trust.received"))
}

/// A record of another domain whose emitter is unknown is kept for audit at most. Source: MARC-02 15.
fn unknown(it: &Deployment) -> Option<Verdict> {
    let permission = |usage| it.trust_policy.get(Domain::CrossDomain, usage);
    let mut uses = [Use::Route, Use::Disclose, Use::Automate].into_iter();
    match uses.find(|&usage| permission(usage) == Permission::Always) {
        Some(usage) => Some(Verdict::not_met(format!(
            "`trust.permit.cross-domain.{usage}` permits records of unknown emitters"
        ))),
        None => nothing_received(it),
    }
}

/// Whether some context that is named is like this.
fn some_context(it: &Deployment, is: impl Fn(&str) -> bool) -> bool {
    let named = ["trust.emitted", "trust.received"].map(|key| it.said.texts(key));
    named.into_iter().flatten().flatten().any(|one| is(one))
}

fn contexts(it: &Deployment) -> Verdict {
    let is_attested = some_context(it, |one| one.starts_with("attested "));
    if !it.said.has("trust.emitted") {
        missing("say in `trust.emitted` where records go, or `[]`")
    } else if !it.said.has("trust.received") {
        missing("say in `trust.received` where records come from, or `[]`")
    } else if is_attested && !it.said.has("trust.attestation") {
        missing("say in `trust.attestation` what binds a record to its emitter")
    } else {
        Verdict::declared("trust")
    }
}

fn between_domains(it: &Deployment) -> Verdict {
    if !it.said.has("trust.emitted") || !it.said.has("trust.received") {
        return missing("say in `trust` whether records cross domains");
    }
    if !some_context(it, |one| one.ends_with(Domain::CrossDomain.as_str())) {
        return Verdict::declared("trust");
    }
    let mut keys = CONTROLS.iter().map(|key| format!("trust.controls.{key}"));
    match keys.find(|key| !it.said.has(key)) {
        Some(key) => missing(format!("say in `{key}` what protects records")),
        None => Verdict::declared("trust.controls"),
    }
}

/// Source: MARC-02 18; MARC-01 17.
fn purposes(it: &Deployment) -> Verdict {
    #[rustfmt::skip]
    let all = ["reliability", "accessibility", "safety", "auditability", "operational routing"];
    let allowed = match it.draft {
        Draft::Draft01 => &all[..3],
        Draft::Draft02 => &all[..],
    };
    let Some(purposes) = it.said.texts("use.purposes") else {
        return missing("say in `use.purposes` what behaviour is adapted for");
    };
    match purposes.iter().find(|one| !allowed.contains(&one.as_str())) {
        Some(purpose) => {
            let found = quoted_piece(purpose, 60);
            let expected = allowed.join(", ");
            Verdict::not_met(format!("found {found:?}, expected {expected}"))
        }
        None => Verdict::declared("use.purposes"),
    }
}
