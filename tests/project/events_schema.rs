//! The lines of the corpus, and what the feature `serde` writes, follow the published schema.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
#[cfg(feature = "serde")]
use provstream::provenance::{Discipline, Timestamp};
#[cfg(feature = "serde")]
use provstream::{Event, Parser};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema() -> Validator {
    let text = fs::read_to_string(root().join("docs/events.schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// All expected outputs of the corpus.
fn expected() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["json", "text", "transcripts"] {
        for entry in fs::read_dir(root().join("corpus").join(folder)).expect("a corpus folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.display().to_string();
            if name.ends_with(".events.ndjson") {
                found.push((name, fs::read_to_string(path).expect("lines")));
            }
        }
    }
    assert!(found.len() > 150, "{} files", found.len());
    found
}

#[test]
fn every_line_of_the_corpus_follows_the_schema() {
    let schema = schema();
    for (name, lines) in expected() {
        for line in lines.lines() {
            let value: Value = serde_json::from_str(line).expect("JSON");
            let errors: Vec<_> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{name}: {line}\n{}", errors.join("\n"));
        }
    }
}

#[test]
fn the_schema_refuses_other_lines() {
    let schema = schema();
    for line in [
        r#"{}"#,
        r#"{"event":"assertion"}"#,
        r#"{"event":"diagnostic","code":"json-syntax"}"#,
        r#"{"event":"diagnostic","code":"JSON syntax","span":{"start":0,"end":1}}"#,
        r#"{"event":"diagnostic","code":"json-syntax","span":{"start":-1,"end":1}}"#,
        r#"{"event":"text","text":"A.","span":0}"#,
        r#"{"event":"other"}"#,
    ] {
        let value: Value = serde_json::from_str(line).expect("JSON");
        assert!(!schema.is_valid(&value), "{line}");
    }
}

/// A file of the corpus whose lines the library alone can write.
#[test]
#[cfg(feature = "serde")]
fn the_library_writes_the_lines_of_the_corpus() {
    let mut compared = 0;
    for (name, lines) in expected() {
        let (input, mode) = ["txt", "json", "lines"]
            .iter()
            .find_map(|end| {
                let path = name.replace("events.ndjson", end);
                let mode = match *end {
                    "json" => provstream::Mode::Json,
                    "lines" => provstream::Mode::Ndjson,
                    _ if name.contains("/json/") => provstream::Mode::Auto,
                    _ => provstream::Mode::Text,
                };
                Some((fs::read(path).ok()?, mode))
            })
            .expect("an input");
        let mut written = String::new();
        let mut sink = |event: Event<'_>| {
            if matches!(event, Event::Assertion(_) | Event::Diagnostic(_)) {
                written += &serde_json::to_string(&event).expect("it can be written");
                written.push('\n');
            }
        };
        let mut parser = Parser::builder().mode(mode).build();
        parser.push(&input, &mut sink);
        parser.finish(&mut sink);
        let is_ours = |line: &&str| {
            line.starts_with(r#"{"event":"assertion""#)
                || line.starts_with(r#"{"event":"diagnostic""#)
        };
        let lines: String = lines
            .lines()
            .filter(is_ours)
            .flat_map(|line| [line, "\n"])
            .collect();
        assert_eq!(written, lines, "{name}");
        compared += lines.lines().count();
    }
    assert!(compared > 300, "{compared} lines");
}

#[test]
#[cfg(feature = "serde")]
fn every_kind_of_event_follows_the_schema() {
    let schema = schema();
    let mut kinds = std::collections::BTreeSet::new();
    let mut sink = |event: Event<'_>| {
        let value = serde_json::to_value(&event).expect("it can be written");
        assert!(schema.is_valid(&value), "{value}");
        assert_eq!(
            serde_json::to_value(event.into_owned()).expect("the same"),
            value
        );
        kinds.insert(value["event"].as_str().expect("a kind").to_owned());
    };
    let mut parser = Parser::builder().hold_records(true).build();
    let stream =
        br#"It is so. [substrate.grep; ts=x] {"assertion": "It runs."} {"marc_version": "1"}"#;
    parser.push(stream, &mut sink);
    parser.finish(&mut sink);
    let all = [
        "annotation",
        "assertion",
        "diagnostic",
        "marc",
        "record",
        "text",
    ];
    assert!(kinds.iter().eq(all), "{kinds:?}");
}

#[test]
#[cfg(feature = "serde")]
fn a_verdict_is_written_as_admit_prints_it() {
    let discipline = Discipline::own_state().build().expect("a discipline");
    let now = Timestamp::UNIX_EPOCH;
    for event in provstream::parse(b"It is so. [substrate.grep]") {
        if let Event::Assertion(assertion) = event {
            let verdict = discipline.judge(&assertion, now);
            assert_eq!(
                serde_json::to_string(&verdict).expect("it can be written"),
                r#"{"admitted":false,"reason":"below-floor","classes":[],"floor":2}"#
            );
            assert_eq!(
                verdict.to_string(),
                "not admitted (below-floor): 0 of 2 classes"
            );
        }
    }
}
