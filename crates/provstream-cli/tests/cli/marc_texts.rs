//! The texts that `provstream marc project` takes for the user, and those that it has no use for.

use serde_json::{Value, json};

use crate::common::Files;
use crate::marc_messages::{assert_refused, corpus, marc, refused};

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
fn texts_that_are_not_utf8_are_refused() {
    let files = Files::new();
    for (texts, place) in [
        (
            &b"{\"decision_id\":\"example-decision-001\",\"question\":\"\xff\"}"[..],
            "line 1, column 51",
        ),
        (
            b"\n{\"decision_id\":\"\xc3\xa9\",\"answer\":\"\xe2\x82\"}",
            "line 2, column 30",
        ),
    ] {
        let file = files.write("texts", texts);
        let byte = if place.starts_with("line 1") {
            "FF"
        } else {
            "E2"
        };
        let message = format!("{file}: {place}: expected UTF-8, found the byte 0x{byte}");
        assert_refused(&format!("project --texts {file}"), &message);
    }
    let situation = b"{\"pre_capability\":0.5,\"recommended_next_step\":\"\xff\"}";
    let decide = marc(
        &format!("decide --deployment {}", corpus("deployment.toml")),
        situation,
    );
    let message = "expected UTF-8, found the byte 0xFF at column 48";
    assert_eq!(refused(&decide), [(1, message.to_owned())]);
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
            "line 2: no record has decision_id \"nobody\"",
        ),
        (
            format!("\n{nobody}{known}{other}"),
            "line 2: no record has decision_id \"nobody\", and so for 1 more of its lines",
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
fn texts_without_content_are_refused_before_anything_is_read() {
    for option in ["answer", "question", "message", "next-step"] {
        let message = format!("--{option}: expected a text, found a blank one");
        assert_refused(&format!("project --{option}="), &message);
        assert_refused(&format!("project --{option}=\t"), &message);
    }
    let files = Files::new();
    for (line, message) in [
        (
            "{\"decision_id\":\"a\"}",
            "line 1: expected at least one of answer, question, message, next_step, found none",
        ),
        (
            "{\"decision_id\":\"a\",\"next_step\":\" \"}",
            "line 1: `next_step`: expected a string with content, found a blank one",
        ),
        (
            "{\"decision_id\":\"a\",\"answer\":\"x\"}\n\n{\"decision_id\":\"a\",\"answer\":\"x\"}",
            "line 3: expected each decision_id once, found \"a\" again, as in line 1",
        ),
    ] {
        let file = files.write("texts", line);
        assert_refused(
            &format!("project --texts {file}"),
            &format!("{file}: {message}"),
        );
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
