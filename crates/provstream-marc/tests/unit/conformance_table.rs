//! The table of requirements refers to what exists.

use std::collections::BTreeSet;

use super::*;
use crate::deployment::conformance::checks;
use crate::wording::WordingKind;

#[test]
fn every_row_is_read_and_refers_to_what_exists() {
    let rows = include_str!("../../src/deployment/conformance/requirements.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    assert_eq!(TABLE.len(), rows.count());
    let ids: BTreeSet<_> = TABLE.iter().map(|row| row.id).collect();
    assert_eq!(ids.len(), TABLE.len(), "ids are unique");
    for step in TABLE.iter().flat_map(|row| &row.rule) {
        match step.word {
            "all" => {
                for id in step.key.split(',') {
                    let other = requirement(id).expect(id);
                    assert_ne!(other.rule[0].word, "class", "{id}");
                }
            }
            "check" => assert!(checks::named(step.key).is_some(), "{}", step.key),
            "free" => {
                for kind in step.key.split(',') {
                    assert!(WordingKind::NAMES.contains(&kind), "{kind}");
                }
            }
            "mapping" => {
                for part in step.key.split(',') {
                    assert!(checks::part(part).is_some(), "{part}");
                }
            }
            "flag" | "types" => assert!(step.key.contains(' '), "{step:?}"),
            word => {
                let known = [
                    "need", "text", "given", "empty", "class", "checked", "declared",
                ];
                assert!(known.contains(&word), "{word}");
            }
        }
    }
}

/// Every MUST and MUST NOT of MARC-02, by its number in docs/conformance.md.
#[test]
fn every_must_has_a_row_of_its_own() {
    let numbers: BTreeSet<_> = include_str!("../../src/deployment/conformance/requirements.tsv")
        .lines()
        .filter_map(|line| line.split('\t').nth(1))
        .collect();
    let musts = [
        19, 20, 22, 23, 25, 26, 27, 29, 30, 31, 34, 35, 36, 40, 41, 42, 44, 45, 48, 49, 51, 52, 53,
        68, 75, 76, 82, 83, 84, 86, 87, 89, 90, 91, 96, 97, 98, 99, 100, 102, 103, 106, 113, 116,
        117, 118, 119, 120, 121, 137, 145, 154, 173, 179, 180, 181,
    ];
    for number in musts {
        assert!(numbers.contains(&*format!("M2-{number}")), "M2-{number}");
    }
    for item in 1..=12 {
        assert!(numbers.contains(&*format!("M2-178.{item}")), "item {item}");
    }
}
