//! A small answer gives exactly the pages that are in the folder `golden`.

use std::fs;
use std::path::PathBuf;

use provstream::provenance::Vocabulary;
use provstream::{Parser, Rules};
use provstream_report::{Report, page};

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/golden", name]
        .iter()
        .collect()
}

#[test]
fn the_pages_are_those_of_the_folder() {
    let answer = fs::read(file("answer.txt")).expect("an answer");
    let now = "2026-05-28T12:00:00Z".parse().expect("a time");
    for (policy, golden) in [
        ("policy.toml", "answer.html"),
        ("strict.toml", "answer-strict.html"),
    ] {
        let rules = fs::read(file(policy)).expect("a policy");
        let rules = Rules::from_toml(&rules, &Vocabulary::memo()).expect("rules");
        let found = page(
            "answer.txt",
            &answer,
            Parser::new(),
            Report::new(rules, now),
        );
        let expected = fs::read_to_string(file(golden)).unwrap_or_default();
        assert!(
            found == expected,
            "{golden} differs; if that is meant, write it anew and look at it: provstream report answer.txt --policy {policy} \
             --now {now} -o {golden}"
        );
    }
}
