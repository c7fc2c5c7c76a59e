//! The texts that `provstream marc project` takes for the user, and those that it has no use for.

use serde_json::{Value, json};

use crate::common::Files;
use crate::marc_messages::{corpus, marc};

/// The first line of output for a `CLARIFY` whose decision id is `example-decision-001`.
fn project(options: &str) -> (Value, String) {
    let record = corpus("tv-m2-1.json");
    let run = marc(
        &format!("project --trust local --fail {options} {record}"),
        "",
    );
    assert_eq!(run.status, 0, "{options}: {}{}", run.stdout, run.stderr);
    let line = run.stdout.lines().next().expect("a line");
    let line = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    (line, run.stderr)
}

#[test]
fn texts_for_another_action_are_listed() {
    let files = Files::new();
    let texts = files.write(
        "texts",
        "{\"decision_id\":\"example-decision-001\",\"question\":\"Which?\",\"message\":\"m\"}",
    );
    for (options, answer, unused) in [
        ("--question Which?".to_owned(), "Which?", json!(null)),
        (
            "--question Which? --answer x".to_owned(),
            "Which?",
            json!(["answer"]),
        ),
        (
            "--question Which? --message x --answer y".to_owned(),
            "Which?",
            json!(["answer", "message"]),
        ),
        (
            format!("--texts {texts} --answer x"),
            "Which?",
            json!(["answer", "message"]),
        ),
        // The texts of a decision come before those of all.
        (
            format!("--texts {texts} --question Else?"),
            "Which?",
            json!(["message"]),
        ),
    ] {
        let (line, stderr) = project(&options);
        assert_eq!(line["disclosure"]["answer"], answer, "{options}");
        assert_eq!(
            line.get("unused").cloned().unwrap_or_default(),
            unused,
            "{options}"
        );
        assert_eq!(stderr, "", "{options}");
    }
}

#[test]
fn a_line_of_texts_without_a_record_is_noted() {
    let files = Files::new();
    let known = "{\"decision_id\":\"example-decision-001\",\"question\":\"x\"}\n";
    let nobody = "{\"decision_id\":\"nobody\",\"question\":\"x\"}\n";
    let other = "{\"decision_id\":\"other\",\"question\":\"x\"}\n";
    for (lines, note) in [
        (known.to_owned(), ""),
        (
            format!("{known}{nobody}"),
            "lines without a record: 1, the first in line 2: \"nobody\"",
        ),
        (
            format!("\n{nobody}{known}{other}"),
            "lines without a record: 2, the first in line 2: \"nobody\"",
        ),
    ] {
        let file = files.write("texts", lines);
        let (_, stderr) = project(&format!("--texts {file}"));
        let expected = match note {
            "" => String::new(),
            note => format!("provstream: {file}: {note}\n"),
        };
        assert_eq!(stderr, expected);
        assert_eq!(project(&format!("--quiet --texts {file}")).1, "");
    }
}

#[test]
fn a_line_names_the_action_of_a_disclosure_that_hides_it() {
    for (record, action, unused) in [
        ("tv-m2-1.json", "CLARIFY", json!(["message"])),
        ("tv-m2-7.json", "ESCALATE", json!(null)),
        // An interim disclosure takes no text.
        ("tv-m2-5.json", "RETRIEVE", json!(["message"])),
        ("tv-m2-6.json", "TOOL", json!(["message"])),
    ] {
        let record = corpus(record);
        let run = marc(
            &format!("project --trust local --interim --hide-action --message m {record}"),
            "",
        );
        let line = run.stdout.lines().next().expect("a line");
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(line["action"], action, "{line}");
        assert_eq!(line["unused"], unused, "{line}");
        assert_eq!(line["disclosure"]["selected_action"], json!(null), "{line}");
    }
}
