//! `--input`: the event streams of providers.

use std::fs;
use std::path::Path;

use crate::common::run;

/// A stream of the corpus.
fn stream(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/wire");
    fs::read(folder.join(name)).expect("a stream")
}

const GREP: &str = r#"{"event":"assertion","encoding":"bracket","text":"The build is green.","span":{"start":0,"end":19},"clean_span":{"start":0,"end":19},"annotations":[{"class":"substrate.grep","declared":"substrate.grep","ts":"2026-05-28T11:40:00Z","span":{"start":20,"end":61}}]"#;

#[test]
fn lines_name_their_channel_and_offsets_count_within_its_text() {
    let input = stream("openai-chat.annotated.sse");
    for args in [
        &["extract", "--input", "auto"][..],
        &["extract", "--input", "openai-chat"],
        &["extract", "--input", "auto", "--chunk-size", "1"],
    ] {
        let run = run(args, &input);
        let lines: Vec<_> = run.stdout.lines().collect();
        assert_eq!(lines.len(), 5, "{}", run.stderr);
        assert_eq!(lines[0], format!("{GREP},\"channel\":\"0\"}}"));
        assert!(lines[3].contains(r#""text":"The change is in.","span":{"start":0,"end":17}"#));
        assert!(lines[3].ends_with(r#","channel":"1"}"#));
        let end = format!(
            r#"{{"event":"end","bytes":{},"assertions":4,"annotations":5,"marc":0,"diagnostics":0}}"#,
            input.len()
        );
        assert_eq!(lines[4], end);
    }
    let responses = stream("openai-responses.annotated.sse");
    let run = run(&["extract", "--input", "auto", "--text"], responses);
    assert!(
        run.stdout
            .contains(r#"{"event":"text","text":" It is tagged.","channel":"1/0"}"#)
    );
    assert!(run.stdout.contains(r#""assertions":3,"annotations":3,"#));
}

#[test]
fn verdicts_name_their_channel() {
    let args = [
        "admit",
        "--input",
        "gemini",
        "--floor",
        "1",
        "--window",
        "1d",
        "--now",
        "2026-05-28T12:00:00Z",
    ];
    let run = run(&args, stream("gemini.array.json"));
    let first = run.stdout.lines().next().expect("a line");
    let verdict =
        r#""verdict":{"admitted":true,"reason":"admitted","classes":["substrate.grep"],"floor":1}"#;
    assert_eq!(first, format!("{GREP},{verdict},\"channel\":\"0\"}}"));
}

#[test]
fn strip_writes_the_event_stream_or_the_text_of_one_channel() {
    let input = stream("openai-chat.annotated.sse");
    let stripped = run(&["strip", "--input", "auto"], &input).stdout;
    assert!(!stripped.contains("substrate."));
    assert!(stripped.ends_with("data: [DONE]\r\n\r\n"));
    let one = "The change is in. [unverified] [x";
    let zero = "The build is green. It is tagged.\n\nDone 😀. Call it. And [1]. ";
    for input in [&input, stripped.as_bytes()] {
        let text = |args: &[&str]| {
            run(
                &[&["strip", "--input", "auto", "--text-only"], args].concat(),
                input,
            )
            .stdout
        };
        assert_eq!(text(&["--channel", "0"]), zero);
        assert_eq!(text(&["--channel", "1"]), one);
        assert_eq!(text(&["--channel", "2"]), "");
        // The first that has text.
        assert_eq!(text(&[]), one);
    }
}

#[test]
fn a_stream_without_annotations_is_written_as_it_is() {
    for name in [
        "anthropic.plain.sse",
        "cohere.plain.sse",
        "gemini.plain.sse",
        "ollama.plain.ndjson",
        "openai-chat.plain.sse",
        "openai-responses.plain.sse",
    ] {
        let input = stream(name);
        assert_eq!(
            run(&["strip", "--input", "auto"], &input).stdout.as_bytes(),
            input,
            "{name}"
        );
    }
}

#[test]
fn odd_events_and_errors_of_the_provider_are_told_without_a_channel() {
    let run = run(
        &["extract", "--input", "auto"],
        stream("anthropic.error.sse"),
    );
    assert_eq!(
        run.stdout.lines().nth(1),
        Some(r#"{"event":"error","message":"Overloaded"}"#)
    );
    let input = "data: {\"choices\":[]}\n\ndata: {\n\ndata: x";
    let run = crate::common::run(&["extract", "--input", "openai-chat"], input);
    assert_eq!(
        run.stdout,
        concat!(
            r#"{"event":"diagnostic","code":"malformed-event","span":{"start":22,"end":31}}"#,
            "\n",
            r#"{"event":"diagnostic","code":"unterminated-event","span":{"start":31,"end":38}}"#,
            "\n",
            r#"{"event":"end","bytes":38,"assertions":0,"annotations":0,"marc":0,"diagnostics":2}"#,
            "\n",
        )
    );
}

#[test]
fn wrong_inputs_and_channels_are_wrong_arguments() {
    for args in [
        &["extract", "--input", "openai"][..],
        &["strip", "--text-only"],
        &["strip", "--channel", "0"],
        &["strip", "--input", "auto", "--text-only", "--channel", "x"],
        &["extract", "--text-only"],
    ] {
        let run = run(args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
    }
}
