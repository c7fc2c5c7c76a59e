//! `--input`: the event streams of providers.

use std::fs;
use std::path::Path;

use crate::common::{Run, run, sh};

/// A stream of the corpus.
fn stream(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/wire");
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
        // The one whose text is certain first: that of channel 0 may still be before an annotation.
        assert_eq!(text(&[]), one);
    }
}

#[test]
fn odd_events_and_errors_of_the_provider_are_told_without_a_channel() {
    let run = sh("extract --input auto", stream("anthropic.error.sse"));
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

/// `admit --fail`, with further arguments.
fn gate(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let gate = ["admit", "--floor", "1", "--window", "1d", "--fail"];
    run(&[&gate[..], args].concat(), input)
}

const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"}}]}\n\n";

/// Streams of OpenAI chat that were not read in full, and what of them.
fn unread() -> Vec<(String, &'static str)> {
    let oversized = format!(
        "{HELLO}data: {{\"choices\":[],\"x\":\"{}\"}}\n\n",
        "x".repeat(32 << 20)
    );
    // Numbers that do not just count deltas.
    let channels = (0..=256).map(|index| HELLO.replace(":0,", &format!(":{},", 2 * index)));
    vec![
        (format!("{HELLO}data: {{\n\n"), "1 malformed-event"),
        (
            format!("{HELLO}data: {{\n\ndata: [\n\n"),
            "2 malformed-event",
        ),
        (oversized, "1 oversized-event"),
        (channels.collect(), "1 limit-channels"),
        (format!("{HELLO}data: x"), "1 unterminated-event"),
    ]
}

const ERROR: &str = "data: {\"error\":{\"message\":\"gone\"}}\n\n";

/// The input, what was asked for, and what is said of it.
const UNKNOWN: [(&str, &str, &str); 4] = [
    (
        "It is so. [substrate.grep]\n\n",
        "auto",
        "format of the response is not known",
    ),
    (
        "data: {\"x\":1}\n\n",
        "auto",
        "format of the response is not known",
    ),
    (
        HELLO,
        "anthropic",
        "of anthropic; it looks like openai-chat, so give --input openai-chat",
    ),
    (
        "data: {\"choices\":[]}\n\ndata: [DONE]\n\n",
        "anthropic",
        "of anthropic; it looks like openai-chat, so give --input openai-chat",
    ),
];

/// A response that is not streamed.
const WHOLE: &str = "{\"choices\":[{\"message\":{\"content\":\"So. [substrate.grep]\"},\"finish_reason\":\"stop\"}]}\n";

#[test]
fn nothing_unread_passes_the_gate() {
    for input in ["auto", "openai-chat"] {
        for (stream, what) in unread() {
            let run = gate(&["--input", input], stream);
            assert_eq!(run.status, 3, "{what}");
            assert!(!run.stderr.is_empty(), "{what}");
        }
        let run = gate(&["--input", input], format!("{HELLO}{ERROR}"));
        assert_eq!(run.status, 3);
        assert!(run.stderr.contains("1 error of the provider"));
    }
    for (stream, input, _) in UNKNOWN {
        let run = gate(&["--input", input], stream);
        assert_eq!(run.status, 3, "{stream}");
        assert!(run.stderr.contains("not all was read"), "{}", run.stderr);
    }
}

#[test]
fn what_was_read_in_full_passes_the_gate() {
    let tool = r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#;
    let tool = format!("{tool}\n\ndata: [DONE]\n\n");
    for stream in [HELLO, tool.as_str(), &WHOLE.replace("substrate.grep", "x")] {
        for input in ["auto", "openai-chat"] {
            let run = gate(&["--input", input], stream);
            assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{stream}");
        }
    }
}

#[test]
fn strip_of_an_unknown_format_fails() {
    for (stream, input, _) in UNKNOWN {
        let events = run(&["strip", "--input", input], stream);
        assert_eq!((events.status, events.stdout.as_str()), (1, stream));
        assert!(events.stderr.contains("written as it is"));
        let text = run(&["strip", "--input", input, "--text-only"], stream);
        assert_eq!((text.status, text.stdout.as_str()), (1, ""));
        assert!(text.stderr.contains("nothing was written"));
    }
    // A response that is not streamed is read.
    let events = run(&["strip", "--input", "auto"], WHOLE);
    assert_eq!(events.stdout, WHOLE.replace(" [substrate.grep]", ""));
    assert_eq!((events.status, events.stderr.as_str()), (0, ""));
    let text = run(&["strip", "--input", "auto", "--text-only"], WHOLE);
    assert_eq!((text.status, text.stdout.as_str()), (0, "So."));
}

#[test]
fn extract_tells_of_an_unknown_format() {
    for (stream, input, _) in UNKNOWN {
        let run = run(&["extract", "--input", input], stream);
        let length = stream.len();
        let line = format!(
            r#"{{"event":"diagnostic","code":"unknown-format","span":{{"start":0,"end":{length}}}}}"#
        );
        assert!(
            run.stdout.lines().any(|found| found == line),
            "{}",
            run.stdout
        );
        assert_eq!(run.status, 0);
    }
}

#[test]
fn a_channel_that_never_comes_is_an_error() {
    let strip = ["strip", "--input", "auto", "--text-only", "--channel"];
    let run = |channel| run(&[&strip[..], &[channel]].concat(), HELLO);
    assert_eq!((run("0").status, run("0").stderr.as_str()), (0, ""));
    assert_eq!(run("5").status, 1);
    let message = "--channel: expected a channel of the response (0), found `5`";
    assert!(run("5").stderr.contains(message), "{}", run("5").stderr);
}

#[test]
fn strip_with_fail_reports_text_that_was_not_read_by_its_status() {
    let delta =
        |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{text}}}}}]}}\n\n");
    let good = delta("\"It is so. [substrate.grep]\"");
    let many: String = (0..600)
        .map(|index| {
            format!(
                "data: {{\"choices\":[{{\"index\":{},\"delta\":{{\"content\":\"x\"}}}}]}}\n\n",
                2 * index
            )
        })
        .collect();
    let long = delta(&format!("\"{}\"", "x".repeat(33 << 20)));
    let cases = [
        ("nothing", String::new(), 3),
        ("all read", format!("{good}data: [DONE]\n\n"), 0),
        ("an odd number", good.replace("[{", "[{\"index\":-1,"), 3),
        ("malformed", format!("{good}data: {{x\n\n"), 3),
        ("unterminated", format!("{good}data: {{\"choices\":[{{"), 3),
        ("oversized", format!("{good}{long}"), 3),
        ("too many channels", many, 3),
        (
            "text of another shape",
            delta("{\"x\":\"[substrate.grep]\"}"),
            3,
        ),
        (
            "an error",
            format!("{good}data: {{\"error\":{{\"message\":\"overloaded\"}}}}\n\n"),
            3,
        ),
        (
            "unknown",
            "data: {\"output\":\"[substrate.grep]\"}\n\ndata: [DONE]\n\n".into(),
            3,
        ),
        ("no events", "It is so. [substrate.grep]".into(), 3),
    ];
    for (what, input, status) in cases {
        for args in [
            &["--input=auto"][..],
            &["--input=openai-chat", "--text-only"],
        ] {
            let with = run(&[&["strip", "--fail"], args].concat(), &input);
            assert_eq!(with.status, status, "{what}, {args:?}: {}", with.stderr);
            let without = run(&[&["strip"], args].concat(), &input);
            assert_eq!(with.stdout, without.stdout, "{what}");
            assert_eq!(with.stderr.is_empty(), status == 0, "{what}");
            assert!(without.status < 3, "{what}");
        }
    }
    let wrong = run(&["strip", "--fail", "--input=gemini"], &good);
    assert_eq!(wrong.status, 3, "{}", wrong.stderr);
    let raw = run(&["strip", "--fail"], "It is so.");
    assert_eq!(raw.status, 2);
    assert!(
        raw.stderr
            .contains("--fail needs --field, or a response of a provider"),
        "{}",
        raw.stderr
    );
}

#[test]
fn every_format_is_read_by_its_name_and_by_its_events() {
    for format in [
        "gemini-interactions",
        "mistral-conversations",
        "llama-cpp",
        "tgi",
        "bedrock-converse",
        "vercel-ui",
    ] {
        let input = stream(&format!("{format}.annotated.sse"));
        for asked in [format, "auto"] {
            let run = sh(&format!("strip --text-only --fail --input {asked}"), &input);
            let expected = "The build is green. It is tagged. All of it is on main. [substrate";
            assert_eq!(
                (run.stdout.as_str(), run.status),
                (expected, 0),
                "{format}: {}",
                run.stderr
            );
        }
    }
}

#[test]
fn strip_leaves_rewrites_or_drops_reasoning() {
    let event = |reasoning: &str, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"reasoning\":\"{reasoning}\",\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let input = event("Hm. [substrate.grep] So.", "It is so. [substrate.grep]");
    for (how, reasoning) in [
        ("leave", "Hm. [substrate.grep] So."),
        ("rewrite", "Hm. So."),
        ("drop", ""),
    ] {
        let run = sh(
            &format!("strip --input=auto --reasoning {how} --fail"),
            &input,
        );
        assert_eq!(run.stdout, event(reasoning, "It is so."), "{how}");
        assert_eq!(run.status, 0);
    }
    let raw = run(&["strip", "--reasoning=drop"], "It is so.");
    assert_eq!(raw.status, 2);
    assert!(
        raw.stderr
            .contains("--reasoning needs a response of a provider"),
        "{}",
        raw.stderr
    );
    let odd = run(&["strip", "--input=auto", "--reasoning=hide"], "");
    assert_eq!(odd.status, 2);
    assert!(odd.stderr.contains("leave"), "{}", odd.stderr);
}

#[test]
fn a_message_about_an_unknown_format_names_the_members_that_pass() {
    let gate = ["gate", "--policy", "own-state", "--input", "anthropic"];
    let body = "data: {\"type\":\"ping\",\"note\":\"It is so.\",\"other\":\"x y\"}\n\n";
    let run_with = |more: &[&str]| run(&[&gate[..], more].concat(), body);
    let (closed, passing) = (run_with(&[]), run_with(&["--pass-member", "note"]));
    assert_eq!((closed.status, passing.status), (1, 1));
    assert!(!closed.stdout.contains("It is so."), "{}", closed.stdout);
    let message = closed.stderr;
    assert!(message.contains("no text was released: "), "{message}");
    assert!(passing.stdout.contains("It is so."), "{}", passing.stdout);
    let message = passing.stderr;
    assert!(
        message.contains("no text was released, except in members that --pass-member names: "),
        "{message}"
    );
}

/// A tool call or reasoning is a response, although it has no text.
#[test]
fn a_body_without_text_is_no_other_json() {
    for (format, body) in [
        (
            "openai-chat",
            r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"It is so.\"}"}}]},"finish_reason":"tool_calls"}]}"#,
        ),
        (
            "openai-responses",
            r#"{"object":"response","status":"completed","output":[{"type":"function_call","name":"f","arguments":"{\"a\":\"It is so.\"}"}]}"#,
        ),
        (
            "openai-responses",
            r#"{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"reasoning_text","text":"It is so."}]}]}"#,
        ),
        (
            "anthropic",
            r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"q":"It is so."}}]}"#,
        ),
    ] {
        for command in [&["gate", "--policy", "own-state"][..], &["strip"]] {
            let run = run(&[command, &["--input", format, "--fail"]].concat(), body);
            assert_eq!((run.status, &*run.stderr, &*run.stdout), (0, "", body));
        }
    }
    let other = run(
        &["strip", "--input", "openai-chat"],
        r#"{"note":"It is so."}"#,
    );
    assert_eq!(other.status, 1);
}

/// Nothing is wrong with it but the member.
#[test]
fn a_body_without_text_and_with_a_member_that_is_not_read_is_no_other_json() {
    let body = r#"{"object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"note":"a b","role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}"#;
    for command in [&["gate", "--policy", "own-state"][..], &["strip"]] {
        let run = run(
            &[command, &["--input", "openai-chat", "--fail"]].concat(),
            body,
        );
        assert_eq!(run.status, 3, "{}", run.stderr);
        assert!(!run.stderr.contains("other JSON"), "{}", run.stderr);
        assert!(run.stderr.contains("1 unread-member"), "{}", run.stderr);
    }
}

#[test]
fn the_format_that_is_found_does_not_depend_on_chunks() {
    let body = concat!(
        r#"data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":""}]}}]}"#,
        "\n\n",
        r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi there."}}]}"#,
        "\n\n",
    );
    for format in ["gemini", "openai-chat", "auto"] {
        let runs = ["1", "7", "65536"].map(|size| {
            let command = ["gate", "--policy", "own-state", "--fail", "--input", format];
            let run = run(&[&command[..], &["--chunk-size", size]].concat(), body);
            (run.status, run.stderr, run.stdout)
        });
        assert!(runs.windows(2).all(|runs| runs[0] == runs[1]), "{runs:?}");
    }
}

#[test]
fn members_that_pass_are_neither_emptied_nor_counted() {
    let event = |member: &str| {
        let delta = format!("{{\"content\":\"It is so.\",\"{member}\":\"SECRET\"}}");
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\ndata: [DONE]\n\n")
    };
    let path = "choices[].delta.note";
    let gate = [
        "gate",
        "--policy",
        "own-state",
        "--input",
        "openai-chat",
        "--fail",
    ];
    let strip = ["strip", "--input", "openai-chat", "--fail"];
    for (args, empties) in [(&gate[..], true), (&strip, false)] {
        for (more, input, passes) in [
            (&[][..], event("note"), false),
            (&["--pass-member", path], event("note"), true),
            (&["--pass-member=choices[].delta"], event("note"), true),
            (
                &["--pass-member=x", "--pass-member", path],
                event("note"),
                true,
            ),
            (&["--pass-member", path], event("notes"), false),
        ] {
            let run = run(&[args, more].concat(), &input);
            assert_eq!(
                run.status,
                if passes { 0 } else { 3 },
                "{args:?} {more:?} {}",
                run.stderr
            );
            assert_eq!(
                run.stdout.contains("SECRET"),
                passes || !empties,
                "{more:?}"
            );
            assert_eq!(run.stderr.is_empty(), passes, "{more:?} {}", run.stderr);
        }
    }
    let raw = run(&["strip", "--pass-member", path], "It is so.");
    assert_eq!(raw.status, 2);
    assert!(
        raw.stderr
            .contains("--pass-member needs a response of a provider"),
        "{}",
        raw.stderr
    );
}
