//! `provstream gate`: what is released, the audit log, and the exit status.

use std::fs;

use crate::common::{Files, provstream, run, sh};

const POLICY: &str = r#"
version = "p1"
preset = "own-state"
default_window = "1h"
language = "en"

[inadmissible]
action = "replace"
text = { en = "(withheld)", de = "(entfernt)" }

[terminal]
action = "suspend"

[malformed]
action = "refuse"
text = "stop"
"#;

const NOW: &str = "2026-05-28T12:00:00Z";

const GOOD: &str =
    "[substrate.grep; ts=2026-05-28T11:40:00Z] [substrate.git.log; ts=2026-05-28T11:40:00Z]";

fn policy(files: &Files) -> String {
    files.write("policy.toml", POLICY)
}

#[test]
fn a_ready_policy_needs_no_file() {
    let text = "It runs. [substrate.grep] So.";
    let found = run(&["gate", "--policy", "own-state", "--now", NOW], text);
    assert_eq!(found.stdout, "(not corroborated) So.");
}

#[test]
fn text_is_released_replaced_or_ends() {
    let files = Files::new();
    let policy = policy(&files);
    let base = ["gate", "--policy", &policy, "--now", NOW];
    for (input, more, output, status, note) in [
        (
            format!("It runs. {GOOD} So."),
            &["--fail"][..],
            "It runs. So.",
            0,
            "",
        ),
        (
            "It runs. [substrate.grep] So.".into(),
            &[],
            "(withheld) So.",
            0,
            "",
        ),
        (
            "It runs. [substrate.grep] So.".into(),
            &["--fail"],
            "(withheld) So.",
            3,
            "withheld: 1 of 1 assertions (at byte ",
        ),
        (
            "It runs. [substrate.grep] So.".into(),
            &["--language", "de"],
            "(entfernt) So.",
            0,
            "",
        ),
        (
            "One. Two. [unverified-inference] C.".into(),
            &["--fail"],
            "One. ",
            3,
            "the policy suspended the stream at byte 5 (terminal)",
        ),
        (
            "One. Two. [substrate.grep; x] C.".into(),
            &["--fail"],
            "One. stop",
            3,
            "the policy refused the rest of the stream at byte 5 (malformed)\n",
        ),
        (
            "{\"assertion\":\"A.\"}".into(),
            &["--mode", "json"],
            "{\"assertion\":\"(withheld)\"}",
            0,
            "",
        ),
    ] {
        let found = run(&[&base[..], more].concat(), &input);
        assert_eq!(found.stdout, output, "{input}");
        assert_eq!(found.status, status, "{input}: {}", found.stderr);
        assert!(found.stderr.contains(note) && found.stderr.is_empty() == note.is_empty());
    }
}

#[test]
fn the_audit_log_has_a_line_for_each_decision_and_grows() {
    let files = Files::new();
    let policy = policy(&files);
    let log = files.path("audit.ndjson");
    let path = log.to_str().expect("a path");
    let base = [
        "gate",
        "--policy",
        &policy,
        "--now",
        NOW,
        "--audit",
        path,
        "--audit-sync",
    ];
    run(
        &base,
        format!("It runs. {GOOD} So it is. [substrate.grep; ts=2026-05-28T10:59:00Z] So."),
    );
    let lines = fs::read_to_string(&log).expect("a log");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 2);
    let first: serde_json::Value = serde_json::from_str(lines[0]).expect("JSON");
    let second: serde_json::Value = serde_json::from_str(lines[1]).expect("JSON");
    assert_eq!(first["stream"], "standard input");
    assert_eq!(first["policy"], "p1");
    assert_eq!(
        (&first["disposition"], &first["action"]),
        (&"admitted".into(), &"release".into())
    );
    // printf 'It runs.' | sha256sum
    let hash = "6ea75a9c0abcb83c0010019c7ad88b92c6dba13009c4a27a1a6428587c5d7240";
    assert_eq!(first["sha256"], hash);
    assert_eq!(
        second["clean_span"],
        serde_json::json!({"start": 9, "end": 18})
    );
    assert_eq!(
        second["counting"],
        serde_json::json!([{"why": "stale", "by_seconds": 60.0}])
    );
    assert_eq!(second["time"], "2026-05-28T12:00:00Z");
    assert_eq!(first["policy_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(second["verdict"]["reason"], "below-floor");
    assert_eq!(
        (&second["disposition"], &second["action"]),
        (&"below-floor".into(), &"replace".into())
    );
    assert!(!lines[1].contains("So it is"));

    let unannotated = format!("{POLICY}\n[unannotated]\naction = \"discard\"\n");
    let policy = files.write("strict.toml", unannotated);
    let base = [
        "gate",
        "--policy",
        &policy,
        "--audit",
        path,
        "--stream-id",
        "s7",
    ];
    assert_eq!(
        run(&base, "Nobody says so. [unverified-inference]").stdout,
        ""
    );
    assert_eq!(run(&base, "Nobody says so.").stdout, "");
    let lines = fs::read_to_string(&log).expect("a log");
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .skip(2)
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let decisions: Vec<_> = lines.iter().map(|line| line["decision"].as_str()).collect();
    assert_eq!(
        decisions,
        [Some("assertion"), Some("end"), Some("unannotated")]
    );
    assert!(lines.iter().all(|line| line["stream"] == "s7"));
    assert_eq!(
        lines[2]["clean_span"],
        serde_json::json!({"start": 0, "end": 15})
    );
    assert_eq!(lines[2]["action"], "discard");
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_released_after_a_line_that_could_not_be_written() {
    let files = Files::new();
    let policy = policy(&files);
    let base = [
        "gate",
        "--policy",
        &policy,
        "--now",
        NOW,
        "--audit",
        "/dev/full",
    ];
    let found = run(&base, format!("A. B. {GOOD} C."));
    assert_eq!(found.stdout, "");
    assert_eq!(found.status, 1);
    assert!(
        found
            .stderr
            .contains("cannot write the audit log /dev/full: "),
        "{}",
        found.stderr
    );
}

#[test]
fn the_text_of_a_provider_goes_through_the_gate() {
    let files = Files::new();
    let policy = policy(&files);
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let input = format!(
        "{}{}data: [DONE]\n\n",
        event("A. B. [sub"),
        event("strate.grep] C.")
    );
    for format in ["openai-chat", "auto"] {
        let base = ["gate", "--policy", &policy, "--input", format];
        let found = run(&base, &input);
        let expected = format!(
            "{}{}{}data: [DONE]\n\n",
            event("A. "),
            event("(withheld) "),
            event("C.")
        );
        let joined = found.stdout.replace(&event(""), "");
        assert!(
            joined.contains("(withheld)") && !joined.contains("B."),
            "{joined}"
        );
        assert!(joined.ends_with("data: [DONE]\n\n"), "{joined}\n{expected}");
    }
    let found = sh(&format!("gate --policy {policy} --input anthropic"), &input);
    assert_eq!(found.status, 1);
    assert!(!found.stdout.contains("A."), "{}", found.stdout);
    assert!(
        found.stderr.contains("found one of openai-chat"),
        "{}",
        found.stderr
    );
}

/// A policy that discards what is not admitted.
const DISCARD: &str = r#"
preset = "own-state"
default_window = "1h"

[inadmissible]
action = "discard"
"#;

#[test]
fn what_admit_cannot_judge_does_not_pass_a_gate() {
    let files = Files::new();
    let policy = files.write("policy.toml", DISCARD);
    let object = "{\"assertion\":\"It runs.\",\"provenance\":{\"substrate_class\":\"unverified-inference\"}}";
    let open = &object[..object.len() - 1];
    let long = format!(
        "It runs. [observation; observation-id={}; x]",
        "a".repeat(2_000)
    );
    let nested = format!("{{\"a\":{object}}}");
    let after = format!("{object} It is so. [unverified-inference]");
    let empty = object.replace("It runs.", "");
    for (input, options, output, note) in [
        (
            "It is so. [unverified-inference]",
            &["--mode", "json"][..],
            "",
            "1 json-syntax",
        ),
        (
            "x [unverified-inference]\n{}",
            &["--mode", "ndjson"],
            "",
            "1 json-syntax",
        ),
        (
            &after,
            &["--mode", "json"],
            &format!("{empty} "),
            "1 json-syntax",
        ),
        (
            open,
            &["--mode", "json"],
            "{\"assertion\":\"",
            "1 unterminated",
        ),
        (
            &nested,
            &["--mode", "json", "--max-depth", "1"],
            "{\"a\":",
            "1 limit-depth",
        ),
        (open, &[], open, "1 unterminated"),
        (&nested, &["--max-depth", "1"], &nested, "1 limit-depth"),
        (&long, &[], &long, "1 limit-annotation"),
        (
            "It runs. [substrate.grep;",
            &[],
            "It runs. [substrate.grep;",
            "1 unterminated",
        ),
        (
            "It runs. {\"text\":\"It runs. [unverified-inference]\"}",
            &[],
            "It runs. {\"text\":\"It runs. [unverified-inference]\"}",
            "annotations in brackets within JSON strings were not read",
        ),
    ] {
        let gate = ["gate", "--policy", &policy, "--fail"];
        let found = run(&[&gate[..], options].concat(), input);
        assert_eq!(found.stdout, output, "{input}");
        assert_eq!(found.status, 3, "{input}");
        assert!(found.stderr.contains(note), "{input}: {}", found.stderr);
        let admit = ["admit", "--floor", "2", "--window", "1h", "--fail"];
        let judged = run(&[&admit[..], options].concat(), input);
        assert_eq!(judged.status, 3, "{input}");
        assert!(judged.stderr.contains(note), "{input}: {}", judged.stderr);
    }
    let release = format!("{DISCARD}\n[limit]\naction = \"release\"\n");
    let release = files.write("release.toml", release);
    let gate = ["gate", "--policy", &release, "--fail", "--mode", "json"];
    let found = run(&gate, "It is so. {}");
    assert_eq!((found.stdout.as_str(), found.status), ("It is so. {}", 3));
    assert!(found.stderr.contains("1 json-syntax"), "{}", found.stderr);
}

#[test]
#[cfg(unix)]
fn a_reader_that_has_gone_away_gets_no_status_0_with_fail() {
    use std::process::Stdio;

    let files = Files::new();
    let discard = files.write("discard.toml", DISCARD);
    let mark = DISCARD.replace("\"discard\"", "\"mark\"\nbefore = \"<\"");
    let mark = files.write("mark.toml", mark);
    let line = "It runs. [substrate.grep; ts=2026-05-28T11:40:00Z]\n";
    let input = files.write("big.txt", line.repeat(20_000));
    for (policy, fail, status) in [
        (&discard, "--fail", 3),
        (&mark, "--fail", 1),
        (&discard, "--quiet", 0),
    ] {
        let mut child = provstream(&["gate", "--policy", policy, fail, &input])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let ended = child.wait().expect("the program ends");
        assert_eq!(ended.code(), Some(status), "{policy} {fail}");
    }
}

#[test]
fn reasoning_is_left_gated_or_dropped() {
    let files = Files::new();
    let policy = policy(&files);
    let log = files.path("audit.ndjson");
    let path = log.to_str().expect("a path");
    let body =
        r#"{"message":{"content":"Yes.","thinking":"It runs. [substrate.grep] So."},"done":true}"#;
    for (mode, thinking) in [
        ("leave", "It runs. [substrate.grep] So."),
        ("gate", "(withheld) So."),
        ("drop", ""),
    ] {
        let args = [
            "gate",
            "--policy",
            &policy,
            "--input",
            "ollama",
            "--reasoning",
            mode,
            "--audit",
            path,
        ];
        let found = run(&args, format!("{body}\n"));
        let expected = body.replace("It runs. [substrate.grep] So.", thinking);
        assert_eq!(found.stdout, expected + "\n", "{mode}");
    }
    let lines = fs::read_to_string(&log).expect("a log");
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["channel"], "0 reasoning");
    assert_eq!(lines[0]["action"], "replace");
}

#[test]
fn the_audit_log_hashes_the_text_of_each_channel_alone() {
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1d\"\n[inadmissible]\naction = \"discard\"\n[unannotated]\naction = \"discard\"\n",
    );
    let log = files.path("audit.ndjson");
    let path = log.to_str().expect("a path");
    let delta = |index: u32, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let pieces = [
        (0, "It "),
        (0, "runs. "),
        (1, "It walks. "),
        (0, "It stops."),
        (1, "It sits."),
    ];
    let input: String = pieces.map(|(index, text)| delta(index, text)).concat();
    let args = [
        "gate",
        "--policy",
        &policy,
        "--input",
        "openai-chat",
        "--audit",
        path,
    ];
    let found = run(&args, input + "data: [DONE]\n\n");
    assert_eq!(found.status, 0, "{}", found.stderr);
    let lines = fs::read_to_string(&log).expect("a log");
    let hashes: Vec<(String, String)> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let member = |name: &str| line[name].as_str().expect("a string").to_owned();
            (member("channel"), member("sha256"))
        })
        .collect();
    // printf 'It runs. It stops.' | sha256sum, and the same of the other one
    let expected = [
        (
            "0",
            "1515a56464482fff40ce892b50ebffc946f766255f1053ad0841b4fb7ff96d8e",
        ),
        (
            "1",
            "09e1ab0d1cc5710221f0b55c5c8033685bfbfba07929ec32dfcc1b3ce7d92745",
        ),
    ];
    let expected = expected.map(|(channel, hash)| (channel.to_owned(), hash.to_owned()));
    assert_eq!(hashes, expected);
}
