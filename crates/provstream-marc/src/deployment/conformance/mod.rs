//! Holding a description against its draft.

mod checks;
mod report;
mod table;
mod verdict;

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
    requirement(id).is_some_and(|row| row.can_be_stated() && row.section(draft).is_some())
}

/// The report on a description.
pub(super) fn judge(deployment: &Deployment) -> ConformanceReport {
    let mut findings = Vec::new();
    for &class in ConformanceClass::ALL {
        for row in TABLE.iter().filter(|row| row.is_of(class)) {
            let Some(section) = row.section(deployment.draft) else {
                continue;
            };
            let verdict = if deployment.claims(class) {
                verdict(deployment, row)
            } else {
                Verdict::NotClaimed
            };
            findings.push(ConformanceFinding::new(class, row, section, verdict));
        }
    }
    ConformanceReport {
        name: deployment.name.clone(),
        draft: deployment.draft,
        findings,
    }
}

fn verdict(deployment: &Deployment, row: &'static Requirement) -> Verdict {
    match row.rule {
        Rule::Types(part, name) => by_types(deployment, row.id, part, name),
        Rule::Text(keys, hint) => by_texts(deployment, keys, hint),
        Rule::Check(name, other) => {
            let found = checks::named(name).and_then(|check| check(deployment));
            match (found, other) {
                (Some(verdict), _) => verdict,
                (None, Some((part, name))) => by_types(deployment, row.id, part, name),
                (None, None) => Verdict::Missing("nothing is described".into()),
            }
        }
        Rule::All(ids) => all(deployment, ids),
        Rule::Core => {
            let claim = Deployment {
                classes: [ConformanceClass::Core].into(),
                ..deployment.clone()
            };
            let reason = "see MARC-Core".to_owned();
            if judge(&claim).conforms(ConformanceClass::Core) {
                Verdict::Met(ConformanceBasis::Description, reason)
            } else {
                Verdict::NotMet(reason)
            }
        }
    }
}

/// Met where the library's types are used, else declared as far as it is stated.
fn by_types(deployment: &Deployment, id: &str, part: &str, name: &str) -> Verdict {
    let parts = [
        ("records", deployment.records, part != "decisions"),
        ("decisions", deployment.decisions, part != "records"),
    ];
    let own: Vec<_> = parts
        .into_iter()
        .filter(|&(_, used, needed)| needed && used == Implementation::Own)
        .map(|(key, ..)| key)
        .collect();
    if own.is_empty() {
        return Verdict::Met(ConformanceBasis::Types, format!("by {name}"));
    }
    match deployment.stated.get(id) {
        Some(text) => Verdict::Declared(format!("stated: {}", quoted_piece(text, SHOWN))),
        None => Verdict::Missing(format!(
            "{} are not this library's: say in `stated.{id}` how this is met",
            own.join(" and ")
        )),
    }
}

/// Declared by texts.
fn by_texts(deployment: &Deployment, keys: &str, hint: &str) -> Verdict {
    let missing = keys
        .split(',')
        .find(|&key| !deployment.documented.contains_key(key));
    match missing {
        Some(key) => Verdict::Missing(format!("say in `{key}` {hint}")),
        None => Verdict::Declared(format!("described in `{}`", keys.replace(',', "`, `"))),
    }
}

/// The worst of some requirements.
fn all(deployment: &Deployment, ids: &str) -> Verdict {
    let mut worst = Verdict::Met(
        ConformanceBasis::Types,
        format!("see {}", ids.replace(',', ", ")),
    );
    for id in ids.split(',') {
        let Some(row) = requirement(id).filter(|row| row.section(deployment.draft).is_some())
        else {
            continue;
        };
        let found = verdict(deployment, row);
        if found.rank() > worst.rank() {
            worst = found.because(format!("see {id}"));
        }
    }
    worst
}
