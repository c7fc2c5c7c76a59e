//! The tables of a description that configure something.

use std::collections::BTreeMap;

use super::error::DeploymentError;
use super::read::{
    Result, boolean, checked, count, duration, one_of, optional, score, set, term, text,
};
use crate::bands::{Bands, Calibration};
use crate::decide::{Bound, Bounds, Deviation, Policy, RiskTier, SubActions, Thresholds};
use crate::terms::{Action, Remediability, Source, TermError, TermErrorKind};
use crate::trust::{Domain, Permission, TrustPolicy, Use};
use crate::wording::{Language, Wording, texts};
use provstream::settings::{Table, Value};

/// What the thresholds of bands may vary with. Source: MARC-02 8.5.
const FACTORS: &[&str] = &[
    TASK_FAMILY,
    "domain",
    "action type",
    "deployment context",
    "risk tier",
];

/// One of [`FACTORS`].
pub(super) const TASK_FAMILY: &str = "task family";

/// Domains in which little is left to automation. Source: MARC-02 14.
const RISK_DOMAINS: &[&str] = &["health", "legal", "financial", "safety", "mental health"];

/// `[bands]`: thresholds and their regime. Source: MARC-02 8.5.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BandsPart {
    pub(super) calibration: Calibration,
    pub(super) has_families: bool,
    pub(super) varies_by: Option<Vec<&'static str>>,
}

pub(super) const BANDS: &[&str] = &[
    "calibration_profile",
    "medium_from",
    "high_from",
    "family",
    "varies_by",
    "variation",
    "regime",
];

impl BandsPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self> {
        let table = value.table(BANDS)?;
        let profile = table.need("calibration_profile")?;
        let mut calibration = checked(&profile, Calibration::new(text(profile)?, bands(&table)?))?;
        let families = table
            .get("family")
            .map(|value| value.free_table())
            .transpose()?;
        for (key, value) in families.iter().flat_map(Table::entries) {
            if key.name().trim().is_empty() {
                return Err(DeploymentError::at(
                    key.place(),
                    "expected the name of a task family",
                ));
            }
            let family = value.table(&["medium_from", "high_from"])?;
            calibration = calibration.with_family(key.name(), bands(&family)?);
        }
        let has_families = calibration.families().next().is_some();
        Ok(Self {
            calibration,
            has_families,
            varies_by: optional(&table, "varies_by", |value| {
                set(value, |item| one_of(item, "factor", FACTORS))
            })?,
        })
    }
}

fn bands(table: &Table<'_>) -> Result<Bands> {
    let (medium, high) = (table.need("medium_from")?, table.need("high_from")?);
    checked(&high, Bands::new(score(medium)?, score(high)?))
}

/// `[bounds]`: what ends loops. Source: MARC-02 7.3.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BoundsPart {
    limits: [Option<Limit>; 3],
    clarifications: Option<u32>,
}

/// What ends the loop of one action; at least one part is described.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    bound: core::result::Result<Bound, &'static str>,
}

pub(super) const LOOPS: [&str; 3] = ["retrieve", "tool", "deliberate"];

impl BoundsPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self> {
        let [retrieve, tool, deliberate] = LOOPS;
        let table = value.table(&[retrieve, tool, deliberate, "clarifications"])?;
        let [first, second, third] = LOOPS.map(|key| optional(&table, key, Limit::read));
        Ok(Self {
            limits: [first?, second?, third?],
            clarifications: optional(&table, "clarifications", count)?,
        })
    }

    /// The keys with what ends each loop.
    pub(super) fn limits(&self) -> impl Iterator<Item = (&'static str, Option<&Limit>)> {
        LOOPS
            .into_iter()
            .zip(self.limits.iter().map(Option::as_ref))
    }

    /// What a session takes; `None` unless each loop has count, time and cost.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let [retrieve, tool, deliberate] = &self.limits;
        let bound = |limit: &Option<Limit>| limit.as_ref()?.bound.ok();
        let bounds = Bounds::new(bound(retrieve)?, bound(tool)?, bound(deliberate)?);
        Some(match self.clarifications {
            Some(count) => bounds.with_clarifications(count),
            None => bounds,
        })
    }
}

impl Limit {
    fn read(value: Value<'_>) -> Result<Self> {
        let table = value.table(&["count", "time", "cost", "criterion"])?;
        let rounds = optional(&table, "count", count)?;
        let time = optional(&table, "time", duration)?;
        let cost = optional(&table, "cost", |value| Ok(value.unsigned()?))?;
        let criterion = optional(&table, "criterion", text)?;
        if rounds.is_none() && time.is_none() && cost.is_none() && criterion.is_none() {
            let detail = "expected one of count, time, cost, criterion; found none";
            return Err(DeploymentError::value(&value, detail));
        }
        let bound = match (rounds, time, cost) {
            (Some(count), Some(time), Some(cost)) => Ok(Bound::new(count, time, cost)),
            (None, ..) => Err("count"),
            (_, None, _) => Err("time"),
            (.., None) => Err("cost"),
        };
        Ok(Self { bound })
    }

    /// The key that a session needs and that is missing.
    pub(super) fn missing(&self) -> Option<&'static str> {
        self.bound.err()
    }
}

/// `[risk]`: what is done with care. Source: MARC-02 14.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RiskPart {
    pub(super) domains: Option<Vec<&'static str>>,
    pub(super) thresholds: Option<Thresholds>,
}

pub(super) const RISK: &[&str] = &[
    "domains",
    "caution",
    "limits",
    "standard",
    "high_risk",
    "source",
];

impl RiskPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self> {
        let table = value.table(RISK)?;
        Ok(Self {
            domains: optional(&table, "domains", |value| {
                set(value, |item| one_of(item, "high-risk domain", RISK_DOMAINS))
            })?,
            thresholds: thresholds(&table)?,
        })
    }
}

/// Thresholds for single sources need one for the others.
fn thresholds(table: &Table<'_>) -> Result<Option<Thresholds>> {
    if ["standard", "high_risk", "source"]
        .iter()
        .all(|key| table.get(key).is_none())
    {
        return Ok(None);
    }
    let (standard, high) = (table.need("standard")?, table.need("high_risk")?);
    let mut all = checked(&high, Thresholds::new(score(standard)?, score(high)?))?;
    if let Some(by_source) = table.get("source") {
        let by_source = by_source.table(Source::NAMES)?;
        for &source in Source::ALL {
            if let Some(value) = by_source.get(source.as_str()) {
                let one = value.table(&["standard", "high_risk"])?;
                let (standard, high) = (one.need("standard")?, one.need("high_risk")?);
                all = checked(&high, all.with(source, score(standard)?, score(high)?))?;
            }
        }
    }
    Ok(Some(all))
}

/// `[policy]`: local rules, executed by selection. Source: MARC-02 8.6, 8.8, 9.4.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PolicyPart {
    pub(super) policy: Policy,
    /// Whether deviations are described, be it as none.
    pub(super) has_deviations: bool,
}

pub(super) const POLICY: &[&str] = &[
    "abstain",
    "escalate",
    "safety",
    "deliberation",
    "action_suitability",
    "deviation",
];

const DELIBERATION: &[&str] = &["before externalization", "before an answer"];

impl PolicyPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self> {
        let table = value.table(POLICY)?;
        let mut policy = Policy::default();
        if let Some(value) = table.get("safety") {
            let actions = super::read::some(value, term)?;
            policy = checked(&value, policy.with_safety(&actions))?;
        }
        let last = |value| one_of(value, "place of deliberation", DELIBERATION);
        if optional(&table, "deliberation", last)? == Some(DELIBERATION[1]) {
            policy = policy.deliberating_last();
        }
        if let Some(value) = table.get("action_suitability") {
            for action in set(value, term)? {
                if action == Action::Answer {
                    let detail = "expected an action without an answer, found ANSWER (MARC-02 8.6)";
                    return Err(DeploymentError::value(&value, detail));
                }
                policy = policy.with_action_suitability(action);
            }
        }
        let deviations = table.get("deviation");
        const KEYS: &[&str] = &[
            "condition",
            "action",
            "instead_of",
            "source",
            "tier",
            "remediability",
        ];
        for one in deviations
            .map(|value| value.tables(KEYS))
            .transpose()?
            .into_iter()
            .flatten()
        {
            policy = policy.with_deviation(deviation(&one)?);
        }
        Ok(Self {
            policy,
            has_deviations: deviations.is_some(),
        })
    }
}

fn deviation(table: &Table<'_>) -> Result<Deviation> {
    let condition = text(table.need("condition")?)?;
    let value = table.need("action")?;
    let action: Action = term(value)?;
    if let Some(class) = optional(table, "remediability", term::<Remediability>)? {
        let known = ["condition", "action", "remediability"];
        table.clone().closed(&known)?;
        return checked(&value, Deviation::from_pairing(condition, action, class));
    }
    let instead_of = term(table.need("instead_of")?)?;
    let mut deviation = checked(&value, Deviation::from_order(condition, instead_of, action))?;
    if let Some(source) = optional(table, "source", term::<Source>)? {
        deviation = deviation.for_source(source);
    }
    if let Some(tier) = optional(table, "tier", term::<RiskTier>)? {
        deviation = deviation.for_tier(tier);
    }
    Ok(deviation)
}

/// A private member of records or disclosures. Source: MARC-02 11.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    name: String,
    meaning: Option<String>,
}

impl Extension {
    pub(super) fn read_all(value: Value<'_>) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for table in value.tables(&["name", "meaning"])? {
            let value = table.need("name")?;
            let name = text(value)?;
            if all.iter().any(|one| one.name == name) {
                return Err(DeploymentError::value(
                    &value,
                    format!("found {name:?} again"),
                ));
            }
            let meaning = optional(&table, "meaning", text)?;
            all.push(Self { name, meaning });
        }
        Ok(all)
    }

    /// The name of the member.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it means, if that is described.
    #[must_use]
    pub fn meaning(&self) -> Option<&str> {
        self.meaning.as_deref()
    }
}

/// `[sub_actions]`: the controller's own names. Source: MARC-02 8.7.
pub(super) fn sub_actions(value: Value<'_>) -> Result<SubActions> {
    let mut all = SubActions::default();
    for (key, value) in value.free_table()?.entries() {
        all = checked(&value, all.with(key.name(), term(value)?))?;
    }
    Ok(all)
}

/// `[wording]`: a language, and what differs from it.
pub(super) fn wording(value: Value<'_>) -> Result<Wording> {
    const KEYS: &[&str] = &[
        "language",
        "message",
        "next_step",
        "source",
        "band",
        "target",
        "no_target",
        "unit",
        "labels_keep_order",
    ];
    let table = value.table(KEYS)?;
    let language = optional(&table, "language", term)?.unwrap_or(Language::English);
    let replaced = texts(&table)?
        .into_iter()
        .map(|(part, text)| (part, text.to_owned()));
    checked(&value, Wording::in_language(language).with_all(replaced))
}

/// A context of trust as a description names it. Source: MARC-02 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) domain: Domain,
    pub(super) attested: bool,
}

/// `[trust]`: where records come from and go to. Source: MARC-02 15.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TrustPart {
    pub(super) emitted: Option<Vec<Context>>,
    pub(super) received: Option<Vec<Context>>,
    pub(super) policy: TrustPolicy,
}

pub(super) const TRUST: &[&str] = &[
    "emitted",
    "received",
    "attestation",
    "protection",
    "controls",
    "permit",
];

const CONTEXTS: &[&str] = &[
    "local",
    "delegated",
    "cross-domain",
    "attested local",
    "attested delegated",
    "attested cross-domain",
];

impl TrustPart {
    pub(super) fn read(value: Value<'_>) -> Result<Self> {
        let table = value.table(TRUST)?;
        let contexts = |value| set(value, context);
        Ok(Self {
            emitted: optional(&table, "emitted", contexts)?,
            received: optional(&table, "received", contexts)?,
            policy: optional(&table, "permit", permissions)?.unwrap_or_default(),
        })
    }

    /// All contexts that are named.
    pub(super) fn contexts(&self) -> impl Iterator<Item = &Context> {
        self.emitted.iter().chain(&self.received).flatten()
    }
}

fn context(value: Value<'_>) -> Result<Context> {
    let text = value.string()?;
    let bare = text.strip_prefix("attested ");
    let domain = bare.unwrap_or(text).parse();
    let domain = domain.map_err(|_| {
        TermError::from(TermErrorKind::Unknown(
            "context of trust",
            CONTEXTS,
            text.into(),
        ))
    });
    Ok(Context {
        domain: checked(&value, domain)?,
        attested: bare.is_some(),
    })
}

/// The default policy with what a table replaces of it.
fn permissions(value: Value<'_>) -> Result<TrustPolicy> {
    const ALWAYS: &str = "always";
    const IF_ATTESTED: &str = "if attested";
    let by_domain = value.table(Domain::NAMES)?;
    let mut policy = TrustPolicy::default();
    for &domain in Domain::ALL {
        let Some(value) = by_domain.get(domain.as_str()) else {
            continue;
        };
        let by_use = value.table(Use::NAMES)?;
        for &usage in Use::ALL {
            if let Some(value) = by_use.get(usage.as_str()) {
                let permission = match one_of(value, "permission", &[ALWAYS, IF_ATTESTED, "never"])?
                {
                    ALWAYS => Permission::Always,
                    IF_ATTESTED => Permission::IfAttested,
                    _ => Permission::Never,
                };
                policy = policy.with(domain, usage, permission);
            }
        }
    }
    Ok(policy)
}

/// What is only documented: texts by their dotted keys.
pub(super) type Documented = BTreeMap<String, String>;

/// What is only declared: yes or no by dotted keys.
pub(super) type Declared = BTreeMap<String, bool>;

/// The texts of a table.
pub(super) fn document(
    documented: &mut Documented,
    name: &str,
    table: &Table<'_>,
    keys: &[&'static str],
) -> Result<()> {
    for &key in keys {
        if let Some(value) = table.get(key) {
            let key = if name.is_empty() {
                key.to_owned()
            } else {
                format!("{name}.{key}")
            };
            documented.insert(key, text(value)?);
        }
    }
    Ok(())
}

/// One declaration.
pub(super) fn declare(
    declared: &mut Declared,
    name: &str,
    table: &Table<'_>,
    key: &'static str,
) -> Result<()> {
    if let Some(said) = optional(table, key, boolean)? {
        declared.insert(format!("{name}.{key}"), said);
    }
    Ok(())
}
