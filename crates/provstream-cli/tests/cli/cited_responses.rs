//! Markers of citations in the responses of providers (`--dialect` with `--input`).

use serde_json::{Value, json};

use crate::common::{Files, run, sh};

/// A stream of chat completions with these deltas.
fn chat(deltas: &[&str]) -> String {
    let event = |text: &&str| {
        let event = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        format!("data: {event}\n\n")
    };
    deltas.iter().map(event).collect::<String>() + "data: [DONE]\n\n"
}

#[test]
fn strip_removes_markers_from_the_texts_of_a_response() {
    let input = chat(&["Paris", " [", "1", "] is big [7", "]. So"]);
    let expected = chat(&["Paris", "", "", " is big", ". So"]);
    for input_option in ["auto", "openai-chat"] {
        let stripped = sh(
            &format!("strip --input {input_option} --dialect numeric --fail"),
            &input,
        );
        assert_eq!((&*stripped.stdout, stripped.status), (&*expected, 0));
        let text = sh(
            &format!("strip --input {input_option} --dialect numeric --text-only"),
            &input,
        );
        assert_eq!(text.stdout, "Paris is big. So");
    }
    let untouched = sh("strip --input auto --text-only", &input);
    assert_eq!(untouched.stdout, "Paris [1] is big [7]. So");
}

#[test]
fn extract_and_summary_read_the_citations_of_a_response() {
    let files = Files::new();
    let sources = files.write("sources.json", "[{\"id\":\"1\"},{\"id\":\"2\"}]");
    let input = chat(&["Paris [1", "] is big [7].", " So"]);
    let args = ["extract", "--input", "auto", "--dialect", "numeric"];
    let extracted = run(&[&args[..], &["--sources", &sources]].concat(), &input);
    let lines: Vec<Value> = extracted
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{}", extracted.stdout);
    let [citation, end] = &lines[..] else {
        return;
    };
    assert_eq!(
        (&citation["event"], &citation["text"], &citation["channel"]),
        (&json!("citation"), &json!("Paris is big."), &json!("0"))
    );
    let ids = citation["ids"].as_array().expect("identifiers");
    let ids: Vec<_> = ids.iter().map(|id| (&id["id"], &id["reason"])).collect();
    assert_eq!(
        ids,
        [
            (&json!("1"), &Value::Null),
            (&json!("7"), &json!("unknown-source"))
        ]
    );
    assert_eq!(end["citations"], 1);
    let summary = sh("summary --input auto --dialect numeric --json", &input);
    assert_eq!(summary.status, 0, "{}", summary.stderr);
}

/// A policy that withholds what cites an unknown source.
const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n\
    [unknown_source]\naction = \"replace\"\ntext = \"(withheld)\"\n";

#[test]
fn gate_withholds_invented_citations_of_a_response() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let sources = files.write("sources.json", "[{\"id\":\"1\"},{\"id\":\"2\"}]");
    let audit = files.path("audit.ndjson");
    let audit = audit.to_str().expect("UTF-8");
    let input = chat(&["Paris is big [1", "]. Rome", " is bigger [2][", "7]. So"]);
    for format in ["auto", "openai-chat"] {
        let args = ["gate", "--fail", "--policy", &policy, "--input", format];
        let cites = [
            "--dialect",
            "numeric",
            "--sources",
            &sources,
            "--audit",
            audit,
        ];
        let gated = run(&[&args[..], &cites[..]].concat(), &input);
        assert_eq!(gated.status, 3, "{}", gated.stderr);
        assert!(!gated.stdout.contains("bigger"), "{}", gated.stdout);
        let text = sh("strip --input auto --text-only", &gated.stdout).stdout;
        assert_eq!(text, "Paris is big. (withheld) So");
        let reason = "unknown-source, `7` is not in the list of sources";
        assert!(gated.stderr.contains(reason), "{}", gated.stderr);
        let log = std::fs::read_to_string(audit).expect("a log");
        std::fs::remove_file(audit).expect("a log");
        let decisions: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let of = |name: &str| {
            decisions
                .iter()
                .map(|line| line[name].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of("disposition"),
            ["listed-source", "unknown-source"],
            "{log}"
        );
        assert_eq!(of("channel"), ["0", "0"], "{log}");
    }
    let unread = sh(&format!("gate --policy {policy} --input auto"), &input);
    assert_eq!(unread.status, 2, "a policy about sources needs a list");
}
