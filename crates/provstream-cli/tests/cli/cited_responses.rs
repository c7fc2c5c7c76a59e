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
