//! Messages about which file, channel or line is meant.

use std::fs;

use crate::common::{Files, run, sh};

/// A text that the policy `own-state` withholds, and that has an annotation that is not closed.
const WITHHELD: &str = "It is so [unverified-inference]. And [substrate.grep; ts=";

#[test]
fn gate_and_report_name_the_file_of_several() {
    let files = Files::new();
    let (one, two) = (
        files.write("a.txt", "So.\n"),
        files.write("b.txt", WITHHELD),
    );
    let pages = files.path("pages");
    let pages = pages.to_str().expect("the path is UTF-8");
    let rest = ["--policy", "own-state", "--fail", &one, &two];
    for (command, withheld) in [
        (&["gate"][..], "withheld: 1 of 1 assertions (at byte 0: "),
        (
            &["report", "-o", pages],
            "the gate withholds 1 of 1 assertions; ",
        ),
    ] {
        let named = run(&[command, &rest].concat(), "");
        assert_eq!(named.status, 3, "{}", named.stderr);
        let prefix = format!("provstream: {two}: ");
        for message in ["not all was judged: 1 unterminated ", withheld] {
            let message = format!("{prefix}{message}");
            assert!(named.stderr.contains(&message), "{}", named.stderr);
        }
        assert!(named.stderr.lines().all(|line| line.starts_with(&prefix)));
    }
    let single = run(&["gate", "--policy", "own-state", "--fail", &two], "");
    assert!(single.stderr.contains("provstream: withheld: "));
}

#[test]
fn several_files_in_one_output_are_noted() {
    let files = Files::new();
    let (one, two) = (files.write("a.txt", "A.\n"), files.write("b.txt", "B.\n"));
    let joined = files.path("joined");
    let name = joined.to_str().expect("the path is UTF-8");
    for command in [&["strip"][..], &["gate", "--policy", "own-state"]] {
        let written = run(&[command, &["-o", name, &one, &two]].concat(), "");
        let note = format!(
            "provstream: all 2 files are written to {name}, one after the other; -o {name}/ writes a file for each in that directory\n"
        );
        assert_eq!((written.status, written.stderr), (0, note));
        let text = fs::read_to_string(&joined).expect("the output is written");
        assert_eq!(text, "A.\nB.\n");
    }
    let folder = format!("{}/", files.path("folder").display());
    for args in [
        &["strip", "-o", name, &one][..],
        &["strip", &one, &two],
        &["strip", "-o", "-", &one, &two],
        &["strip", "-o", &folder, &one, &two],
    ] {
        assert_eq!(run(args, "").stderr, "", "{args:?}");
    }
}

#[test]
fn channels_that_text_only_leaves_out_are_noted() {
    let delta = |index: u8, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let end = "data: [DONE]\n\n";
    let one = format!("{}{}{end}", delta(0, "A. "), delta(0, "B."));
    // Indices that only count up would be those of a server that numbers its events.
    let two = [(0, "A. "), (1, "B. "), (0, "C.")].map(|(index, text)| delta(index, text));
    let two = two.concat() + end;
    let command = "strip --input openai-chat --text-only";
    assert_eq!(sh(command, &one).stderr, "");
    let chosen = sh(&format!("{command} --channel 1"), &two);
    assert_eq!((&*chosen.stdout, &*chosen.stderr), ("B. ", ""));
    let first = sh(command, &two);
    let note =
        "provstream: only the text of channel 0 was written, not of 1; --channel chooses another\n";
    assert_eq!((&*first.stdout, &*first.stderr), ("A. C.", note));
}

#[test]
fn json_of_several_lines_is_not_taken_for_text() {
    let note = "a JSON value goes over several lines, expected one value a line; `jq -c '.[]'` writes the elements of an array so, `jq -c .` other values";
    for (input, is_spread) in [
        ("[\n  {\n    \"text\": \"It is so.\"\n  }\n]\n", true),
        (
            "[\n{\"text\":\"It is so.\"},\n{\"text\":\"It was.\"}\n]\n",
            true,
        ),
        (
            "[{\"text\":\"It is so.\"},\n{\"text\":\"It was.\"}]\n",
            true,
        ),
        ("{\n  \"text\": \"It is so.\"\n}\n", true),
        ("{\"text\":\"It is\n", false),
        ("It is so. [\n", false),
        ("[substrate.grep] {\"text\"\n", false),
    ] {
        for command in ["extract", "strip", "gate --policy own-state"] {
            let found = sh(&format!("{command} --field /text"), input).stderr;
            assert_eq!(
                found.contains(note),
                is_spread,
                "{command} {input}: {found}"
            );
            assert!(!is_spread || !found.contains("without --field"), "{found}");
        }
    }
}

#[test]
fn a_policy_that_is_not_found_names_those_that_need_no_file() {
    for (options, message) in [
        (
            "--policy strict",
            "--policy: expected a file, `own-state` or `external`: cannot read strict: ",
        ),
        (
            "--policy -",
            "--policy: expected the path of a file, found -",
        ),
        (
            "--policy own-state --language de",
            "--language: expected a policy with texts in several languages, found one",
        ),
    ] {
        let refused = sh(&format!("gate {options}"), "So.");
        let message = format!("provstream: {message}");
        assert!(refused.stderr.starts_with(&message), "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
    }
}

#[test]
fn annotations_in_json_strings_of_a_response_are_reported() {
    let json = r#"{\"answer\":\"It is so. [unverified-inference]\"}"#;
    let delta = |index: u32, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let alone = delta(0, json) + "data: [DONE]\n\n";
    let after = delta(0, "It is good. [substrate.grep]")
        + &delta(1, json)
        + &delta(0, "")
        + "data: [DONE]\n\n";
    for stream in [alone, after] {
        for (command, done) in [
            ("strip", "removed"),
            ("extract", "read"),
            ("gate --policy own-state", "read"),
        ] {
            let found = sh(&format!("{command} --input openai-chat --fail"), &stream);
            let message = format!(
                "annotations in brackets within JSON strings of the response were not {done}"
            );
            assert!(
                found.stderr.contains(&message),
                "{command}: {}",
                found.stderr
            );
            assert_eq!(found.status, 3, "{command}");
        }
    }
}

#[test]
fn messages_say_what_to_give_instead() {
    let files = Files::new();
    let folder = files.path("");
    let folder = folder.to_str().expect("the path is UTF-8");
    let hidden = "{\"text\":\"It rains. [unverified-inference]\"}\n";
    for (command, message) in [
        (
            "summary".to_owned(),
            "standard input: annotations in brackets within JSON strings were not read",
        ),
        (
            "summary --field /nope".to_owned(),
            "standard input: no line has a string at /nope (--field)",
        ),
        (
            format!("strip -o {folder}none/x"),
            &format!("cannot write {folder}none/x: there is no directory {folder}none"),
        ),
        (
            format!("strip {folder}"),
            &format!("it is a directory; give the files in it, such as {folder}*"),
        ),
        (
            "gate --policy own-state --now 2026-11-28".to_owned(),
            "expected a time such as 2026-05-28T12:00:00Z: the date-time is cut short",
        ),
        (
            "strip --field $.messages[*].content".to_owned(),
            "such as /messages/*/content",
        ),
    ] {
        let found = sh(&command, hidden).stderr;
        assert!(found.contains(message), "{command}: {found}");
    }
    for quiet in ["summary --field /text", "summary --mode text"] {
        assert_eq!(sh(quiet, hidden).stderr, "", "{quiet}");
    }
}
