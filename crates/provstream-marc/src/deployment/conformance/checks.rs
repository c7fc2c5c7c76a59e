//! What of a description can be checked. A check returns `None` where it has nothing to judge.

use super::verdict::Verdict;
use crate::decide::RiskTier;
use crate::deployment::mapping::{Mapping, OwnMapping};
use crate::deployment::parts::TASK_FAMILY;
use crate::deployment::{Deployment, Implementation};
use crate::draft::Draft;
use crate::members::{WITH_ANSWER, members};
use crate::terms::Source;
use crate::trust::{Domain, Permission, Use};
use crate::wording::WordingKind as Kind;
use provstream::MarcKind;
use provstream::settings::quoted_piece;

type Check = fn(&Deployment) -> Option<Verdict>;

const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// All checks by their names in the table.
static CHECKS: &[(&str, Check)] = &[
    ("bounds", |it| {
        Some(bounds(it, it.decisions == Implementation::Provstream))
    }),
    ("budgets", |it| Some(bounds(it, true))),
    ("labels", labels),
    ("thresholds", |it| Some(thresholds(it))),
    ("ranges", |it| Some(ranges(it))),
    ("nothing_received", nothing_received),
    ("sub_actions", |it| {
        it.sub_actions
            .as_ref()
            .map(|_| Verdict::checked("sub_actions"))
    }),
    ("deviations", |it| Some(deviations(it))),
    ("task_terms", |it| free_of(it, &[Kind::Anthropomorphic])),
    ("precision", |it| free_of(it, &[Kind::FalsePrecision])),
    ("certainty", |it| {
        free_of(it, &[Kind::CertaintyCue, Kind::FalsePrecision])
    }),
    ("reliance", |it| free_of(it, &[Kind::Bonding])),
    ("cues", |it| {
        free_of(it, &[Kind::Anthropomorphic, Kind::Bonding])
    }),
    ("wording", |it| Some(wording(it))),
    ("prefix", |it| Some(prefix(it))),
    ("meanings", |it| Some(meanings(it))),
    ("extensions", |it| Some(extensions(it))),
    ("carried", |it| {
        Some(each(it, |mapping, own| {
            lost(it, mapping, own).or_else(|| kept(own))
        }))
    }),
    ("renaming", |it| {
        Some(each(it, |mapping, own| {
            confused(it, mapping, own).or_else(|| described(own))
        }))
    }),
    ("told_apart", |it| Some(each(it, told_apart))),
    ("end_users", |it| Some(end_users(it))),
    ("place", |it| Some(each(it, |_, own| described(own)))),
    ("values", |it| Some(each(it, |_, own| kept(own)))),
    ("mapped", |it| {
        Some(each(it, |mapping, own| {
            lost(it, mapping, own)
                .or_else(|| confused(it, mapping, own))
                .or_else(|| described(own))
        }))
    }),
    ("caution", |it| Some(caution(it))),
    ("unknown", unknown),
    ("contexts", |it| Some(contexts(it))),
    ("between_domains", |it| Some(between_domains(it))),
    ("influence", |it| Some(influence(it))),
    ("purposes", |it| Some(purposes(it))),
];

/// The check of a name.
pub(super) fn named(name: &str) -> Option<Check> {
    let found = CHECKS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, check)| check)
}

fn missing(text: impl Into<String>) -> Verdict {
    Verdict::Missing(text.into())
}

/// What ends loops. Source: MARC-02 7.3, 9.4, 16.
fn bounds(it: &Deployment, needs_budgets: bool) -> Verdict {
    let missing_keys: Vec<String> = it
        .bounds
        .limits()
        .filter_map(|(key, limit)| match limit {
            None => Some(format!("`bounds.{key}`")),
            Some(limit) if needs_budgets => {
                limit.missing().map(|part| format!("`bounds.{key}.{part}`"))
            }
            Some(_) => None,
        })
        .collect();
    if missing_keys.is_empty() {
        Verdict::checked("bounds")
    } else {
        missing(format!(
            "say in {} what ends the loop",
            missing_keys.join(", ")
        ))
    }
}

/// Labels that the library can rank are checked when the file is read; that any others keep their order is the deployer's
/// word. Source: MARC-02 8.5.
fn labels(it: &Deployment) -> Option<Verdict> {
    const KEY: &str = "wording.labels_keep_order";
    Some(match (it.wording.is_some(), it.declared.get(KEY)) {
        (_, Some(false)) => Verdict::NotMet(format!("`{KEY}` says that they do not")),
        (_, Some(true)) => Verdict::declared(KEY),
        (true, None) => missing(format!(
            "say in `{KEY}` whether the labels keep their order"
        )),
        (false, None) => Verdict::Met(super::ConformanceBasis::Types, "by `Wording`".into()),
    })
}

const NO_BANDS: &str = "say in `bands` where the medium and the high band begin";

fn thresholds(it: &Deployment) -> Verdict {
    match &it.bands {
        Some(_) => Verdict::checked("bands"),
        None => missing(NO_BANDS),
    }
}

/// Source: MARC-02 8.5.
fn ranges(it: &Deployment) -> Verdict {
    let Some(part) = &it.bands else {
        return missing(NO_BANDS);
    };
    let Some(factors) = &part.varies_by else {
        return missing("say in `bands.varies_by` what the ranges vary with, or `[]`");
    };
    let by_family = factors.contains(&TASK_FAMILY);
    let others: Vec<_> = factors
        .iter()
        .copied()
        .filter(|&factor| factor != TASK_FAMILY)
        .collect();
    if by_family && !part.has_families {
        missing("give the ranges of each task family in `bands.family`")
    } else if !by_family && part.has_families {
        Verdict::NotMet("`bands.family` has ranges that `bands.varies_by` does not allow".into())
    } else if !others.is_empty() && !it.documented.contains_key("bands.variation") {
        missing(format!(
            "say in `bands.variation` how the ranges vary with {}",
            others.join(", ")
        ))
    } else if others.is_empty() {
        Verdict::checked("bands.varies_by")
    } else {
        Verdict::declared("bands.variation")
    }
}

fn deviations(it: &Deployment) -> Verdict {
    if it.policy.has_deviations {
        Verdict::checked("policy.deviation")
    } else {
        missing("list deviations and their conditions in `policy.deviation`, or `[]`")
    }
}

/// What is described has no finding of some kinds. Source: MARC-02 10.3, 14.
fn free_of(it: &Deployment, kinds: &[Kind]) -> Option<Verdict> {
    let found = it.wording.as_ref()?.check();
    let found = found
        .iter()
        .find(|(_, finding)| kinds.contains(&finding.kind()));
    Some(match found {
        Some((part, finding)) => Verdict::NotMet(format!("`wording`, {part}: {finding}")),
        None => Verdict::checked("wording"),
    })
}

fn wording(it: &Deployment) -> Verdict {
    match it.wording {
        Some(_) => Verdict::checked("wording"),
        None => missing("say in `wording` what differs from the library's; the table may be empty"),
    }
}

const NO_EXTENSIONS: &str = "list private members in `extension`, or say `extension = []`";

fn prefix(it: &Deployment) -> Verdict {
    let Some(extensions) = &it.extensions else {
        return missing(NO_EXTENSIONS);
    };
    match extensions.iter().find(|one| !one.name().starts_with("x_")) {
        Some(one) => Verdict::NotMet(format!("{:?} does not begin with `x_`", one.name())),
        None => Verdict::checked("extension"),
    }
}

/// A private member named like one of the draft takes its place; that the others leave the draft's members alone is the
/// deployer's word. Source: MARC-02 11.
fn meanings(it: &Deployment) -> Verdict {
    const KEY: &str = "extensions.keep_meaning";
    let Some(extensions) = &it.extensions else {
        return missing(NO_EXTENSIONS);
    };
    let is_defined = |name: &str| {
        KINDS
            .into_iter()
            .flat_map(|kind| members(kind, it.draft))
            .any(|member| member.name == name.strip_prefix("x_").unwrap_or(name))
    };
    if let Some(one) = extensions.iter().find(|one| is_defined(one.name())) {
        return Verdict::NotMet(format!("{:?} takes the name of a member", one.name()));
    }
    match it.declared.get(KEY) {
        _ if extensions.is_empty() => Verdict::checked("extension"),
        Some(true) => Verdict::declared(KEY),
        Some(false) => Verdict::NotMet(format!("`{KEY}` says that they do not")),
        None => missing(format!(
            "say in `{KEY}` whether extensions keep the meaning of members"
        )),
    }
}

fn extensions(it: &Deployment) -> Verdict {
    let Some(extensions) = &it.extensions else {
        return missing(NO_EXTENSIONS);
    };
    if let Some(one) = extensions.iter().find(|one| one.meaning().is_none()) {
        return missing(format!(
            "say in `extension.meaning` what {:?} means",
            one.name()
        ));
    }
    let has_sub_actions = it
        .sub_actions
        .as_ref()
        .is_some_and(|all| all.iter().next().is_some());
    if has_sub_actions && extensions.iter().all(|one| one.name() != "x_sub_action") {
        return missing("list `x_sub_action` in `extension`: sessions write it");
    }
    Verdict::declared("extension")
}

/// Judges all mappings: the first contradiction, else the first gap. What the library carries is met by its carriers.
fn each(it: &Deployment, judge: impl Fn(&Mapping, &OwnMapping) -> Option<Verdict>) -> Verdict {
    let mappings = it.mappings();
    if mappings.is_empty() {
        return missing("say in `mapping` where records and disclosures travel");
    }
    let own = || {
        mappings
            .iter()
            .filter_map(|mapping| Some((mapping, mapping.own.as_ref()?)))
    };
    let mut gap = None;
    for (mapping, own) in own() {
        match judge(mapping, own) {
            Some(contradiction @ Verdict::NotMet(_)) => return contradiction,
            found => gap = gap.or(found),
        }
    }
    gap.unwrap_or_else(|| match own().next() {
        Some(_) => Verdict::declared("mapping"),
        None => Verdict::Met(
            super::ConformanceBasis::Types,
            "by the carriers of this library".into(),
        ),
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
    Some(Verdict::NotMet(format!(
        "`{name}` is {when}, and a mapping omits it"
    )))
}

/// Two members that arrive under one name.
fn confused(it: &Deployment, mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    let extensions: Vec<&str> = it.extensions().iter().map(|one| one.name()).collect();
    let (one, other) =
        carried(mapping).find_map(|kind| own.collision(kind, it.draft, &extensions))?;
    Some(Verdict::NotMet(format!(
        "a mapping gives {one:?} and {other:?} the same name, which is not reversible"
    )))
}

fn described(own: &OwnMapping) -> Option<Verdict> {
    own.description.is_none().then(|| {
        missing("say in `mapping.description` where members are and how they are recovered")
    })
}

fn kept(own: &OwnMapping) -> Option<Verdict> {
    match own.keeps_values {
        Some(true) => None,
        Some(false) => Some(Verdict::NotMet(
            "`mapping.keeps_values` says that values change".into(),
        )),
        None => Some(missing(
            "say in `mapping.keeps_values` whether values stay as they are",
        )),
    }
}

fn told_apart(mapping: &Mapping, own: &OwnMapping) -> Option<Verdict> {
    (carried(mapping).count() > 1 && own.told_apart.is_none()).then(|| {
        missing("say in `mapping.told_apart` how records and disclosures are distinguished")
    })
}

/// Source: MARC-02 12.
fn end_users(it: &Deployment) -> Verdict {
    let mut with_scores = it
        .mappings()
        .iter()
        .filter(|mapping| mapping.carries(MarcKind::Core))
        .map(|mapping| mapping.end_users)
        .peekable();
    if with_scores.peek().is_none() && it.mappings().is_empty() {
        return missing("say in `mapping` where records and disclosures travel");
    }
    match with_scores.max_by_key(|seen| match seen {
        Some(true) => 2,
        None => 1,
        Some(false) => 0,
    }) {
        Some(Some(true)) => Verdict::NotMet("a mapping that end users see carries records".into()),
        Some(None) => missing("say in `mapping.end_users` whether end users see what is carried"),
        _ => Verdict::declared("mapping.end_users"),
    }
}

/// Source: MARC-02 14.
fn caution(it: &Deployment) -> Verdict {
    let Some(domains) = &it.risk.domains else {
        return missing("say in `risk.domains` which high-risk domains are served, or `[]`");
    };
    let is_stricter = |source: &Source| {
        it.risk.thresholds.is_some_and(|all| {
            all.get(*source, RiskTier::High) < all.get(*source, RiskTier::Standard)
        })
    };
    if domains.is_empty() {
        Verdict::checked("risk.domains")
    } else if !it.documented.contains_key("risk.limits") {
        missing("say in `risk.limits` how disclosures make the limits of automation clear")
    } else if Source::ALL.iter().any(is_stricter) {
        Verdict::checked("risk")
    } else if it.documented.contains_key("risk.caution") {
        Verdict::declared("risk.caution")
    } else {
        missing(
            "give lower thresholds as `risk.high_risk`, or say in `risk.caution` what is done instead",
        )
    }
}

/// Where no records are received, none is mistaken. Source: MARC-02 8.5.
fn nothing_received(it: &Deployment) -> Option<Verdict> {
    let received = it.trust.received.as_ref()?;
    received
        .is_empty()
        .then(|| Verdict::declared("trust.received"))
}

/// A record of another domain whose emitter is unknown is kept for audit at most. Source: MARC-02 15.
fn unknown(it: &Deployment) -> Option<Verdict> {
    let policy = &it.trust.policy;
    let trusting = [Use::Route, Use::Disclose, Use::Automate]
        .into_iter()
        .find(|&usage| policy.get(Domain::CrossDomain, usage) == Permission::Always);
    match trusting {
        Some(usage) => Some(Verdict::NotMet(format!(
            "`trust.permit.cross-domain.{usage}` permits records of unknown emitters"
        ))),
        None => nothing_received(it),
    }
}

fn contexts(it: &Deployment) -> Verdict {
    let attested = it.trust.contexts().any(|context| context.attested);
    if it.trust.emitted.is_none() {
        missing("say in `trust.emitted` where records go, or `[]`")
    } else if it.trust.received.is_none() {
        missing("say in `trust.received` where records come from, or `[]`")
    } else if attested && !it.documented.contains_key("trust.attestation") {
        missing("say in `trust.attestation` what binds a record to its emitter")
    } else {
        Verdict::declared("trust")
    }
}

fn between_domains(it: &Deployment) -> Verdict {
    if it.trust.emitted.is_none() || it.trust.received.is_none() {
        return missing("say in `trust` whether records cross domains");
    }
    let crosses = it
        .trust
        .contexts()
        .any(|context| context.domain == Domain::CrossDomain);
    let gap = ["authentication", "integrity", "replay", "binding"]
        .into_iter()
        .map(|key| format!("trust.controls.{key}"))
        .find(|key| !it.documented.contains_key(key));
    match gap {
        Some(key) if crosses => missing(format!("say in `{key}` what protects records")),
        _ if crosses => Verdict::declared("trust.controls"),
        _ => Verdict::declared("trust"),
    }
}

/// Source: MARC-02 18.
fn influence(it: &Deployment) -> Verdict {
    const KEY: &str = "use.infers_psychology";
    match it.declared.get(KEY) {
        Some(false) => Verdict::declared(KEY),
        Some(true) => Verdict::NotMet(format!("`{KEY}` says that they are")),
        None => missing(format!("say in `{KEY}` whether they are")),
    }
}

/// Source: MARC-02 18; MARC-01 17.
fn purposes(it: &Deployment) -> Verdict {
    let all = [
        "reliability",
        "accessibility",
        "safety",
        "auditability",
        "operational routing",
    ];
    let allowed = match it.draft {
        Draft::Draft01 => &all[..3],
        Draft::Draft02 => &all[..],
    };
    let Some(purposes) = &it.purposes else {
        return missing("say in `use.purposes` what behaviour is adapted for");
    };
    match purposes
        .iter()
        .find(|purpose| !allowed.contains(&purpose.as_str()))
    {
        Some(purpose) => Verdict::NotMet(format!(
            "found {:?}, expected {}",
            quoted_piece(purpose, 60),
            allowed.join(", ")
        )),
        None => Verdict::declared("use.purposes"),
    }
}
