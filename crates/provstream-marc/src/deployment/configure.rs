//! Tables of a deployment description that configure a controller or a wording.

use std::collections::BTreeMap;

use super::error::DeploymentError;
use super::keys::{BEFORE_ANSWER, BUDGETS, Description, LOOPS, table_at};
use super::read::{Result, checked, count, duration, optional, score, set, some, term, text};
use crate::bands::{Bands, BandsErrorKind, Calibration};
use crate::decide::{Bound, Bounds, Deviation, Policy, RiskTier, Thresholds};
use crate::declare::values;
use crate::terms::{Action, Remediability, Source};
use crate::trust::{Domain, TrustPolicy, Use};
use crate::wording::{Language, Wording, texts};
use provstream::settings::{Table, Value};

/// Reads `[bands]`: thresholds and their regime. Source: MARC-02 8.5.
pub(super) fn calibration(root: &Table<'_>) -> Result<Option<Calibration>> {
    let Some(table) = table_at(root, "bands")? else {
        return Ok(None);
    };
    let profile = table.need("calibration_profile")?;
    let mut calibration = checked(&profile, Calibration::new(text(profile)?, bands(&table)?))?;
    let families = table_at(&table, "family")?;
    for (key, value) in families.iter().flat_map(Table::entries) {
        if key.name().trim().is_empty() {
            let detail = "expected the name of a task family";
            return Err(DeploymentError::at(key.place(), detail));
        }
        let family = value.table(&["medium_from", "high_from"])?;
        calibration = calibration.with_family(key.name(), bands(&family)?);
    }
    Ok(Some(calibration))
}

fn bands(table: &Table<'_>) -> Result<Bands> {
    let (medium, high) = (table.need("medium_from")?, table.need("high_from")?);
    let bands = Bands::new(score(medium)?, score(high)?);
    let is_medium = matches!(&bands, Err(error) if error.kind() == BandsErrorKind::NoLow);
    checked(if is_medium { &medium } else { &high }, bands)
}

/// Reads `[bounds]`: the bounds of a session; `None` unless each loop has count, time and cost.
/// Source: MARC-02 7.3.
pub(super) fn bounds(root: &Table<'_>) -> Result<Option<Bounds>> {
    let [retrieve, tool, deliberate] = LOOPS.map(|path| bound(root, path));
    let (retrieve, tool, deliberate) = (retrieve?, tool?, deliberate?);
    let clarifications = match root.get("bounds") {
        Some(value) => optional(&value.free_table()?, "clarifications", count)?,
        None => None,
    };
    let (Some(retrieve), Some(tool), Some(deliberate)) = (retrieve, tool, deliberate) else {
        return Ok(None);
    };
    let bounds = Bounds::new(retrieve, tool, deliberate);
    Ok(Some(match clarifications {
        Some(count) => bounds.with_clarifications(count),
        None => bounds,
    }))
}

fn bound(root: &Table<'_>, path: &'static str) -> Result<Option<Bound>> {
    let Some(table) = table_at(root, path)? else {
        return Ok(None);
    };
    if table.entries().next().is_none() {
        let detail = "expected one of count, time, cost, criterion; found none";
        return Err(DeploymentError::at(table.place(), detail));
    }
    let [rounds, time, cost] = BUDGETS;
    let rounds = optional(&table, rounds, count)?;
    let time = optional(&table, time, duration)?;
    let cost = optional(&table, cost, |value| Ok(value.unsigned()?))?;
    Ok((|| Some(Bound::new(rounds?, time?, cost?)))())
}

/// Reads `[risk]`: thresholds for single sources require one for the others. Source: MARC-02 14.
pub(super) fn thresholds(root: &Table<'_>, said: &Description) -> Result<Option<Thresholds>> {
    let keys = ["risk.standard", "risk.high_risk", "risk.source"];
    let Some(table) = table_at(root, "risk")?.filter(|_| keys.iter().any(|key| said.has(key)))
    else {
        return Ok(None);
    };
    let pair = |table: &Table<'_>| -> Result<_> {
        let (standard, high) = (table.need("standard")?, table.need("high_risk")?);
        Ok((score(standard)?, score(high)?, high.place()))
    };
    let (standard, high, place) = pair(&table)?;
    let at = |place| move |error| DeploymentError::at(place, error);
    let mut all = Thresholds::new(standard, high).map_err(at(place))?;
    if let Some(value) = table.get("source") {
        let by_source = value.table(Source::NAMES)?;
        for &source in Source::ALL {
            if let Some(value) = by_source.get(source.as_str()) {
                let (standard, high, place) = pair(&value.table(&["standard", "high_risk"])?)?;
                all = all.with(source, standard, high).map_err(at(place))?;
            }
        }
    }
    Ok(Some(all))
}

/// Reads `[policy]`: local rules of the selection. Source: MARC-02 8.6, 8.8, 9.4.
pub(super) fn policy(root: &Table<'_>, said: &Description) -> Result<Policy> {
    let mut policy = Policy::default();
    if let Some(thresholds) = thresholds(root, said)? {
        policy = policy.with_thresholds(thresholds);
    }
    let Some(table) = table_at(root, "policy")? else {
        return Ok(policy);
    };
    if let Some(value) = table.get("safety") {
        policy = checked(&value, policy.with_safety(&some(value, term)?))?;
    }
    if said.text("policy.deliberation") == Some(BEFORE_ANSWER) {
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
    if let Some(value) = table.get("deviation") {
        const ORDER: [&str; 5] = ["condition", "action", "instead_of", "source", "tier"];
        for one in value.tables(&[&ORDER[..], &["remediability"]].concat())? {
            policy = policy.with_deviation(deviation(&one)?);
        }
    }
    Ok(policy)
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

values! {
    /// A private member of records or disclosures. Source: MARC-02 11.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Extension {
        /// The name of the member.
        text name: String,
        /// Meaning of the member, if the file describes one.
        maybe_text meaning: Option<String>,
    }
}

/// Reads `[[extension]]`.
pub(super) fn extensions(value: Value<'_>) -> Result<Vec<Extension>> {
    let mut all: Vec<Extension> = Vec::new();
    for table in value.tables(&["name", "meaning"])? {
        let value = table.need("name")?;
        let name = text(value)?;
        if all.iter().any(|one| one.name == name) {
            let detail = format!("expected each name once, found {name:?} again");
            return Err(DeploymentError::value(&value, detail));
        }
        let meaning = optional(&table, "meaning", text)?;
        all.push(Extension { name, meaning });
    }
    Ok(all)
}

/// Reads `[sub_actions]`: the names that the controller defines. Source: MARC-02 8.7.
pub(super) fn sub_actions(value: Value<'_>) -> Result<BTreeMap<String, Action>> {
    let mut all = BTreeMap::new();
    for (key, value) in value.free_table()?.entries() {
        if key.name().trim().is_empty() {
            let detail = "expected the name of a sub-action, found a blank one";
            return Err(DeploymentError::at(key.place(), detail));
        }
        all.insert(key.name().to_owned(), term(value)?);
    }
    Ok(all)
}

/// Reads `[wording]`: a language, and the texts that differ from it.
pub(super) fn wording(value: Value<'_>) -> Result<Wording> {
    let table = value.free_table()?;
    let language = optional(&table, "language", term)?.unwrap_or(Language::English);
    let texts = texts(&table)?;
    let replaced: Vec<_> = texts
        .iter()
        .map(|(part, text)| Ok((*part, text.string()?)))
        .collect::<Result<_>>()?;
    let wording = Wording::in_language(language).with_all(replaced);
    wording.map_err(|error| {
        let wrong = texts.iter().find(|(part, _)| *part == error.part());
        DeploymentError::value(wrong.map_or(&value, |(_, text)| text), error)
    })
}

/// Reads `[trust.permit]`: the default policy with replacements. Source: MARC-02 15.
pub(super) fn trust(root: &Table<'_>) -> Result<TrustPolicy> {
    let mut policy = TrustPolicy::default();
    let Some(by_domain) = table_at(root, "trust.permit")? else {
        return Ok(policy);
    };
    let by_domain = by_domain.closed(Domain::NAMES)?;
    for &domain in Domain::ALL {
        let Some(value) = by_domain.get(domain.as_str()) else {
            continue;
        };
        let by_use = value.table(Use::NAMES)?;
        for &usage in Use::ALL {
            if let Some(permission) = optional(&by_use, usage.as_str(), term)? {
                policy = policy.with(domain, usage, permission);
            }
        }
    }
    Ok(policy)
}
