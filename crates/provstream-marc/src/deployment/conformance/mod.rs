//! Holding a description against its draft.

mod judges;
mod report;
mod requirement;
mod table;
mod verdict;

pub use report::{ConformanceFinding, ConformanceReport};
pub use verdict::{ConformanceBasis, ConformanceOutcome};

use super::Deployment;
use super::policy::Departure;
use super::words::{ConformanceClass, Implementation};
use crate::draft::Draft;
use crate::violation::Level;
use provstream::settings::quoted_piece;
use requirement::{Number, Requirement, Rule};
use table::TABLE;
use verdict::Verdict;

/// Most characters of a text of the description that a report quotes.
const SHOWN: usize = 160;

/// The rules of selection, from which a local policy may depart where they are should-level. Source: MARC-02 8.8.
const OF_SELECTION: &[&str] = &[
    "M2-53", "M2-54", "M2-55", "M2-56", "M2-57", "M2-58", "M2-59", "M2-60", "M2-61", "M2-62",
    "M2-64", "M2-65", "M2-66", "M2-67", "M2-68",
];

/// The same of the rules between members, which -01 does not have. Source: MARC-02 9.4.
const BETWEEN_MEMBERS: &[&str] = &[
    "M2-106", "M2-107", "M2-108", "M2-109", "M2-110", "M2-111", "M2-112", "M2-113",
];

/// The row of a number as the draft has it.
fn row_of(number: &str, draft: Draft) -> Option<&'static Requirement> {
    TABLE
        .iter()
        .find(|row| row.number(draft).is_some_and(|own| own.is(number)))
}

/// Whether a deployment can state in words how a requirement is met.
pub(super) fn can_be_stated(number: &str, draft: Draft) -> bool {
    row_of(number, draft).is_some_and(|row| row.rule.can_be_stated())
}

/// Whether a description can name a requirement as one that is departed from.
pub(super) fn can_be_departed_from(number: &str, draft: Draft) -> bool {
    OF_SELECTION.contains(&number) || draft == Draft::Draft02 && BETWEEN_MEMBERS.contains(&number)
}

/// The report on a description.
pub(super) fn judge(deployment: &Deployment) -> ConformanceReport {
    let draft = deployment.draft;
    let mut findings = Vec::new();
    for &class in ConformanceClass::ALL {
        for row in TABLE.iter().filter(|row| row.classes.contains(&class)) {
            let Some(number) = row.number(draft) else {
                continue;
            };
            let (outcome, basis, reason) = if deployment.claims(class) {
                let verdict = verdict(deployment, row, number, row.level);
                let outcome = verdict.outcome();
                match verdict {
                    Verdict::Met(basis, reason) => (outcome, Some(basis), reason),
                    Verdict::NotMet(reason) | Verdict::Missing(reason) => (outcome, None, reason),
                }
            } else {
                (ConformanceOutcome::NotClaimed, None, String::new())
            };
            findings.push(ConformanceFinding {
                class,
                requirement: number.requirement,
                item: number.item,
                level: row.level,
                title: row.title,
                outcome,
                basis,
                reason,
            });
        }
    }
    ConformanceReport {
        name: deployment.name.clone(),
        draft,
        findings,
    }
}

/// How a requirement fares, deviations included. It may be asked for by another one with a level of its own: what should be
/// and is departed from is not there for what must be.
fn verdict(deployment: &Deployment, row: &Requirement, number: Number, asked: Level) -> Verdict {
    let departure = deployment
        .policy
        .departures
        .iter()
        .flatten()
        .find(|departure| number.is(&departure.requirement));
    match (departure, row.level) {
        (Some(_), Level::Should) if asked == Level::Must => {
            apply(deployment, row.rule, number, asked)
        }
        (Some(Departure { condition, .. }), Level::Should) => {
            let condition = quoted_piece(condition, SHOWN);
            Verdict::Met(
                ConformanceBasis::Description,
                format!("documented deviation: {condition}"),
            )
        }
        (Some(_), _) => Verdict::NotMet("there is no deviation from what must be".into()),
        (None, _) => apply(deployment, row.rule, number, asked),
    }
}

/// How a rule judges, for a requirement of a level.
fn apply(deployment: &Deployment, rule: Rule, number: Number, level: Level) -> Verdict {
    let records = (deployment.records, "records");
    let decisions = (deployment.decisions, "decisions");
    match rule {
        Rule::Records(by) => by_types(deployment, &[records], by, number),
        Rule::Decisions(by) => by_types(deployment, &[decisions], by, number),
        Rule::Sessions(by) => by_types(deployment, &[records, decisions], by, number),
        Rule::Described(judge) => judge(deployment),
        Rule::First(judge, rest) => {
            judge(deployment).unwrap_or_else(|| apply(deployment, *rest, number, level))
        }
        Rule::All(numbers) => all(deployment, numbers, level),
        Rule::Class(class) => {
            let claim = Deployment {
                classes: [class].into(),
                ..deployment.clone()
            };
            if judge(&claim).conforms(class) {
                Verdict::Met(
                    ConformanceBasis::Description,
                    format!("see {}", class.title()),
                )
            } else {
                Verdict::NotMet(format!("see {}", class.title()))
            }
        }
    }
}

/// Met where all parts are implemented with the library, else as far as it is stated. A part has the key that says so.
fn by_types(
    deployment: &Deployment,
    parts: &[(Implementation, &str)],
    by: &str,
    number: Number,
) -> Verdict {
    let own: Vec<&str> = parts
        .iter()
        .filter(|(part, _)| *part != Implementation::Provstream)
        .map(|(_, key)| *key)
        .collect();
    if own.is_empty() {
        return Verdict::Met(ConformanceBasis::Types, format!("by {by}"));
    }
    let number = number.to_string();
    match deployment.stated.get(&number) {
        Some(text) => {
            let text = quoted_piece(text, SHOWN);
            Verdict::Met(ConformanceBasis::Statement, format!("stated: {text}"))
        }
        None => Verdict::Missing(format!(
            "{} are not this library's: say in `stated.\"{number}\"` how this is met",
            own.join(" and ")
        )),
    }
}

/// The worst of some requirements, which names them by the draft, for one of a level.
fn all(deployment: &Deployment, numbers: &[Number], level: Level) -> Verdict {
    let draft = deployment.draft;
    let mut bases = Vec::new();
    let (mut met, mut not_met, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for number in numbers {
        let row = TABLE
            .iter()
            .find(|row| row.number(Draft::Draft02) == Some(*number));
        let Some((row, number)) = row.and_then(|row| Some((row, row.number(draft)?))) else {
            continue;
        };
        match verdict(deployment, row, number, level) {
            Verdict::Met(basis, _) => {
                bases.push(basis);
                met.push(number.to_string());
            }
            Verdict::NotMet(_) => not_met.push(number.to_string()),
            Verdict::Missing(_) => missing.push(number.to_string()),
        }
    }
    let see = |numbers: Vec<String>| format!("see {}", numbers.join(", "));
    if !not_met.is_empty() {
        Verdict::NotMet(see(not_met))
    } else if !missing.is_empty() {
        Verdict::Missing(see(missing))
    } else {
        // The weakest of what they rest on.
        Verdict::Met(
            bases.into_iter().max().unwrap_or(ConformanceBasis::Types),
            see(met),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M2-178, M1-16: what should be and is departed from is not there for an item that must be.
    #[test]
    fn a_deviation_from_what_should_be_does_not_meet_what_must_be() {
        for (draft, asking) in [("02", "M2-178.10"), ("01", "M1-16.9")] {
            let file = format!(
                "name = \"a\"\nclasses = [\"core\"]\ndraft = \"{draft}\"\ndecisions = \"provstream\"\n"
            );
            let mut deployment = Deployment::from_toml(file.as_bytes()).expect("a description");
            deployment.policy.departures = Some(vec![Departure {
                requirement: "M2-16".into(),
                condition: "loops are not bounded here".into(),
            }]);
            let report = deployment.conformance();
            let outcome = |number: &str| {
                let mut findings = report.of(ConformanceClass::Core);
                findings
                    .find(|one| one.number() == number)
                    .map(ConformanceFinding::outcome)
            };
            assert_eq!(outcome("M2-16"), Some(ConformanceOutcome::Met));
            assert_eq!(
                outcome(asking),
                Some(ConformanceOutcome::DocumentationMissing),
                "{asking}"
            );
        }
    }

    #[test]
    fn every_number_has_one_row() {
        for draft in Draft::ALL {
            let numbers: Vec<String> = TABLE
                .iter()
                .filter_map(|row| row.number(draft))
                .map(|number| number.to_string())
                .collect();
            for number in &numbers {
                let same = numbers.iter().filter(|other| *other == number);
                assert_eq!(same.count(), 1, "{number} in {draft}");
                assert!(row_of(number, draft).is_some());
            }
        }
    }

    #[test]
    fn what_a_requirement_refers_to_has_a_row_that_refers_to_no_other() {
        for row in TABLE {
            if let Rule::All(numbers) = row.rule {
                for number in numbers {
                    let other = TABLE
                        .iter()
                        .find(|row| row.number(Draft::Draft02) == Some(*number))
                        .expect("a row");
                    assert!(
                        !matches!(other.rule, Rule::All(_) | Rule::Class(_)),
                        "{number}"
                    );
                }
            }
        }
    }
}
