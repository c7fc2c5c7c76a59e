//! Holding a description against its draft.

mod checks;
mod report;
mod table;
mod verdict;

use std::collections::BTreeSet;

pub use report::{ConformanceFinding, ConformanceReport};
pub use verdict::{ConformanceBasis, ConformanceOutcome};

use super::{ConformanceClass, Deployment, Implementation};
use crate::draft::Draft;
use provstream::settings::quoted_piece;
use table::{Requirement, Rule, TABLE, requirement};
use verdict::Verdict;

/// Most characters of a text of the description that a report quotes.
const SHOWN: usize = 160;

/// Whether a deployment can state in words how its own code meets a requirement.
pub(super) fn can_be_stated(id: &str, draft: Draft) -> bool {
    requirement(id).is_some_and(|row| row.types.is_some() && row.section(draft).is_some())
}

/// The report on a description, for the classes that are claimed.
pub(super) fn judge(it: &Deployment, claimed: &BTreeSet<ConformanceClass>) -> ConformanceReport {
    let mut findings = Vec::new();
    for &class in ConformanceClass::ALL {
        for row in TABLE.iter().filter(|row| row.is_of(class)) {
            let Some(section) = row.section(it.draft) else {
                continue;
            };
            let verdict = if claimed.contains(&class) {
                verdict(it, row)
            } else {
                Verdict::new(ConformanceOutcome::NotClaimed, "")
            };
            findings.push(ConformanceFinding {
                class,
                id: row.id,
                section: section.to_owned(),
                level: row.level,
                title: row.title,
                outcome: verdict.outcome,
                basis: verdict.basis,
                reason: verdict.reason,
            });
        }
    }
    ConformanceReport {
        name: it.name.clone(),
        draft: it.draft,
        findings,
    }
}

/// By the rule of the row, else by types.
fn verdict(it: &Deployment, row: &'static Requirement) -> Verdict {
    let found = match row.rule {
        Rule::Types => None,
        Rule::Text(keys, hint) => Some(by_texts(it, keys, hint)),
        Rule::Given(key, _) if it.said.has(key) => Some(Verdict::checked(key)),
        Rule::Given(_, hint) => (!hint.is_empty()).then(|| Verdict::missing(hint)),
        Rule::Free(kinds) => checks::free_of(it, kinds),
        Rule::Mapping(parts) => Some(checks::mappings(it, parts)),
        Rule::Check(name) => checks::named(name).and_then(|check| check(it)),
        Rule::All(ids) => Some(all(it, ids)),
        Rule::Core => {
            let reason = "see MARC-Core";
            let claimed = [ConformanceClass::Core].into();
            Some(if judge(it, &claimed).conforms(ConformanceClass::Core) {
                Verdict::met(ConformanceBasis::Description, reason)
            } else {
                Verdict::not_met(reason)
            })
        }
    };
    let types = || {
        row.types
            .map(|(part, name)| by_types(it, row.id, part, name))
    };
    let nothing = || Verdict::missing("nothing is described");
    found.or_else(types).unwrap_or_else(nothing)
}

/// Met where the library's types are used, else declared as far as it is stated.
fn by_types(it: &Deployment, id: &str, part: &str, name: &str) -> Verdict {
    let parts = [
        ("records", it.records, part != "decisions"),
        ("decisions", it.decisions, part != "records"),
    ];
    let own: Vec<_> = parts
        .into_iter()
        .filter(|&(_, used, needed)| needed && used == Implementation::Own)
        .map(|(key, ..)| key)
        .collect();
    if own.is_empty() {
        return Verdict::met(ConformanceBasis::Types, format!("by {name}"));
    }
    match it.said.text(&format!("stated.{id}")) {
        Some(text) => Verdict::new(
            ConformanceOutcome::Declared,
            format!("stated: {}", quoted_piece(text, SHOWN)),
        ),
        None => Verdict::missing(format!(
            "{} are not this library's: say in `stated.{id}` how this is met",
            own.join(" and ")
        )),
    }
}

/// Declared by texts.
fn by_texts(it: &Deployment, keys: &str, hint: &str) -> Verdict {
    match keys.split(',').find(|key| !it.said.has(key)) {
        Some(key) => Verdict::missing(format!("say in `{key}` {hint}")),
        None => Verdict::declared(&keys.replace(',', "`, `")),
    }
}

/// The worst of some requirements.
fn all(it: &Deployment, ids: &str) -> Verdict {
    let see = |ids: &str| format!("see {}", ids.replace(',', ", "));
    let mut worst = Verdict::met(ConformanceBasis::Types, see(ids));
    let rows = ids.split(',').filter_map(requirement);
    for row in rows.filter(|row| row.section(it.draft).is_some()) {
        let found = verdict(it, row);
        if (found.outcome, found.basis) > (worst.outcome, worst.basis) {
            let reason = see(row.id);
            worst = Verdict { reason, ..found };
        }
    }
    worst
}
