//! Comparison of a deployment description with its draft.

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
use table::{RuleStep, SectionRequirement, TABLE, requirement};
use verdict::RequirementVerdict;

/// Most characters that a report quotes of a text of the description.
const SHOWN: usize = 160;

/// Returns `true` if a description may state, under `stated`, how the deployment's own code meets
/// the requirement `id`.
pub(super) fn can_be_stated(id: &str, draft: Draft) -> bool {
    requirement(id).is_some_and(|row| {
        let has_types = row.rule.iter().any(|step| step.word == "types");
        has_types && row.section(draft).is_some()
    })
}

/// Builds the report on a description. Requirements of classes outside `claimed` are `NotClaimed`.
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
                RequirementVerdict::new(ConformanceOutcome::NotClaimed, "")
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

/// Applies the rule of a requirement; its first step with a result gives the verdict.
fn verdict(it: &Deployment, row: &'static SectionRequirement) -> RequirementVerdict {
    let step = |&RuleStep { word, key, words }: &RuleStep| match word {
        "need" => (!it.said.has(key)).then(|| say(key, words)),
        "text" => Some(match key.split(',').find(|key| !it.said.has(key)) {
            Some(key) => say(key, words),
            None => RequirementVerdict::declared(&key.replace(',', "`, `")),
        }),
        "flag" => {
            let (key, right) = key.split_once(' ')?;
            Some(checks::flag(it, key, right == "yes", words))
        }
        "given" => it.said.has(key).then(|| RequirementVerdict::checked(key)),
        "empty" => it.said.texts(key)?.is_empty().then(|| match words {
            "declared" => RequirementVerdict::declared(key),
            _ => RequirementVerdict::checked(key),
        }),
        "free" => checks::free_of(it, key),
        "mapping" => Some(checks::mappings(it, key)),
        "check" => checks::named(key)?(it),
        "all" => Some(all(it, key)),
        "class" => {
            let core = ConformanceClass::Core;
            let conforms = judge(it, &[core].into()).conforms(core);
            let (basis, reason) = (ConformanceBasis::Description, "see MARC-Core");
            Some(match conforms {
                true => RequirementVerdict::met(basis, reason),
                false => RequirementVerdict::not_met(reason),
            })
        }
        "types" => {
            let (part, name) = key.split_once(' ')?;
            Some(by_types(it, row.id, part, name))
        }
        "checked" => Some(RequirementVerdict::checked(key)),
        "declared" => Some(RequirementVerdict::declared(key)),
        _ => None,
    };
    let found = row.rule.iter().find_map(step);
    found.unwrap_or_else(|| RequirementVerdict::missing("nothing is described"))
}

fn say(key: &str, hint: &str) -> RequirementVerdict {
    RequirementVerdict::missing(format!("say in `{key}` {hint}"))
}

/// Returns "met" if the deployment uses the types of the library, otherwise "declared" if it states
/// how the requirement is met.
fn by_types(it: &Deployment, id: &str, part: &str, name: &str) -> RequirementVerdict {
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
        return RequirementVerdict::met(ConformanceBasis::Types, format!("by {name}"));
    }
    match it.said.text(&format!("stated.{id}")) {
        Some(text) => RequirementVerdict::new(
            ConformanceOutcome::Declared,
            format!("stated: {}", quoted_piece(text, SHOWN)),
        ),
        None => RequirementVerdict::missing(format!(
            "{} are not this library's: say in `stated.{id}` how this is met",
            own.join(" and ")
        )),
    }
}

/// Returns the worst verdict of several requirements.
fn all(it: &Deployment, ids: &str) -> RequirementVerdict {
    let see = |ids: &str| format!("see {}", ids.replace(',', ", "));
    let mut worst = RequirementVerdict::met(ConformanceBasis::Types, see(ids));
    let rows = ids.split(',').filter_map(requirement);
    for row in rows.filter(|row| row.section(it.draft).is_some()) {
        let found = verdict(it, row);
        if (found.outcome, found.basis) > (worst.outcome, worst.basis) {
            let reason = see(row.id);
            worst = RequirementVerdict { reason, ..found };
        }
    }
    worst
}
