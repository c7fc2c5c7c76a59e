//! The table of conformance is complete, and what it names exists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The series of numbers, and how many there are of each.
const SERIES: [(&str, usize); 4] = [("PA", 64), ("M1", 39), ("M2", 189), ("OP", 111)];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn table() -> String {
    fs::read_to_string(root().join("docs/conformance.md")).expect("the table is readable")
}

/// The cells of each row that begins with a number of a series.
fn rows(table: &str) -> Vec<Vec<&str>> {
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").collect::<Vec<_>>())
        .filter(|cells| series_of(cells[0]).is_some())
        .collect()
}

fn series_of(id: &str) -> Option<&str> {
    let (series, number) = id.split_once('-')?;
    let known = SERIES.iter().any(|(name, _)| *name == series);
    (known && number.parse::<usize>().is_ok()).then_some(series)
}

/// The code spans of a text.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns `true` if a source file has a test with this name: a function after `#[test]`, with
/// other attributes or comments between them.
fn has_test(source: &str, name: &str) -> bool {
    let mut test = false;
    for line in source.lines().map(str::trim) {
        if ["#[test]", "#[tokio::test]"].contains(&line) {
            test = true;
        } else if let Some(function) = line.trim_start_matches("async ").strip_prefix("fn ") {
            if test
                && function
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('('))
            {
                return true;
            }
            test = false;
        }
    }
    false
}

#[test]
fn every_number_has_one_row() {
    let table = table();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for cells in rows(&table) {
        *count.entry(cells[0]).or_default() += 1;
    }
    for (series, most) in SERIES {
        for number in 1..=most {
            let id = format!("{series}-{number}");
            assert_eq!(count.remove(&*id), Some(1), "rows of {id}");
        }
    }
    assert!(count.is_empty(), "numbers there are not: {count:?}");
}

#[test]
fn every_row_says_something() {
    let table = table();
    for cells in rows(&table) {
        let wanted = match (cells[0], series_of(cells[0])) {
            (_, Some("OP")) => 3..=3,
            (_, Some("PA")) => 3..=5,
            _ => 3..=6,
        };
        assert!(wanted.contains(&cells.len()), "cells of {}", cells[0]);
        assert!(cells.len() != 4, "cells of {}", cells[0]);
        assert!(
            cells.iter().all(|cell| !cell.trim().is_empty()),
            "{}",
            cells[0]
        );
    }
}

#[test]
fn every_file_and_test_exists() {
    let table = table();
    let mut tests = 0;
    for name in code(&table) {
        let (file, test) = match name.split_once("::") {
            Some((file, test)) if file.ends_with(".rs") => (file, Some(test)),
            _ => (name, None),
        };
        let is_file = file.contains('/') && !file.contains(|c: char| c.is_whitespace() || c == '[');
        if !is_file && !file.ends_with(".md") {
            continue;
        }
        let path = root().join(file);
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        if let Some(test) = test {
            assert!(has_test(&source, test), "{file} has no test {test}");
            tests += 1;
        }
    }
    assert!(tests >= 60, "{tests} tests are named");
}

#[test]
fn what_is_done_has_a_place_in_the_code() {
    let table = table();
    for cells in rows(&table) {
        if let [id, .., place, _, status] = cells[..]
            && cells.len() > 3
        {
            let done = status.starts_with("done");
            assert!(!done || place.contains(".rs"), "{id} is done, but where?");
        }
    }
}

/// A requirement on code has a test; a requirement on documentation or presentation has three cells
/// and none.
#[test]
fn what_binds_code_has_a_test() {
    let table = table();
    let mut tests = 0;
    for cells in rows(&table) {
        let [id, _, binds, _, test, status] = cells[..] else {
            continue;
        };
        let of_code = ["parser", "emitter", "controller"];
        let bound = binds.split(", ").any(|who| of_code.contains(&who));
        let shown = code(test).any(|name| name.contains("::"));
        if bound && !status.starts_with("definition") {
            assert!(shown, "{id} binds {binds}; which test shows it?");
        }
        let known = ["done", "definition", "the caller's"];
        assert!(known.iter().any(|word| status.starts_with(word)), "{id}");
        tests += usize::from(shown);
    }
    assert!(tests >= 160, "{tests} rows of MARC name a test");
}

#[test]
fn numbers_in_code_and_tests_are_in_the_table() {
    let table = table();
    let known: Vec<&str> = rows(&table).iter().map(|cells| cells[0]).collect();
    let mut folders = ["src", "tests", "crates"]
        .map(|name| root().join(name))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|end| end != "rs") {
                continue;
            }
            let source = fs::read_to_string(&path).expect("a readable source");
            let words = source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            for word in words.filter(|word| series_of(word).is_some()) {
                assert!(known.contains(&word), "{word} in {}", path.display());
            }
        }
    }
}
