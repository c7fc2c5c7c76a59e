//! Messages of `provstream marc` about wrong arguments, wrong files and input without anything to
//! do.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Run, run};

pub(crate) fn corpus(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/marc")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// Runs a command about MARC, its words separated by spaces.
pub(crate) fn marc(command: &str, input: impl AsRef<[u8]>) -> Run {
    let words: Vec<&str> = ["marc"].into_iter().chain(command.split(' ')).collect();
    run(&words, input)
}

/// The line and the message of each refused line of output.
pub(crate) fn refused(run: &Run) -> Vec<(u64, String)> {
    let lines = run.stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["event"] != "decision", "{line}");
        line
    });
    lines
        .filter(|line| line["event"] == "refused")
        .map(|line| {
            let message = line["message"].as_str().expect("a message");
            (line["line"].as_u64().expect("a number"), message.to_owned())
        })
        .collect()
}

#[test]
fn stripping_an_event_stream_keeps_everything_else() {
    let kept = ": a comment\n\nid: 7\nevent: message\ndata:  two\ndata: lines\nretry: 10\n\n";
    let record = "id: 8\nevent: marc-core\ndata: {\"marc_version\":\"1.0\"}\n\n";
    let last = "event: marc-disclosure\ndata: {\"answer\":\"x\"}\n\n";
    let run = marc(
        "carry --strip sse --fail",
        format!("{kept}{record}{last}").replace('\n', "\r\n"),
    );
    assert_eq!(run.stdout, format!("{kept}{last}").replace('\n', "\r\n"));
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}

#[test]
fn an_event_that_is_too_long_is_refused_whole() {
    let small = "event: x\ndata: y\n\n";
    let event = |data: &str| format!("event: marc-core\n{data}\n\n");
    let many = event("data: {\n".repeat(100).trim_end());
    let long = event(&format!("data: {}", "x".repeat(1 << 17)));
    let message = "expected an event of at most 200 bytes (--max-record), found a longer one";
    for event in [many, long] {
        let run = marc(
            "carry --strip sse --max-record 200 --fail",
            format!("{small}{event}{small}"),
        );
        assert_eq!(run.status, 3);
        let rest: String = run
            .stdout
            .lines()
            .filter(|line| !line.starts_with('{'))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(rest, format!("{small}{small}"));
        let refused: Vec<&str> = run
            .stdout
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        let expected = format!("{{\"event\":\"refused\",\"line\":4,\"message\":\"{message}\"}}");
        assert_eq!(refused, [expected]);
    }
}

#[test]
fn an_object_that_is_too_long_is_reported_with_both_lengths() {
    let validate = marc(
        "validate --fail --max-record 10",
        "{\"marc_version\":\"1.0\"}",
    );
    let message = "expected an object of at most 10 bytes, found a longer one";
    assert_eq!(validate.status, 3);
    assert!(validate.stdout.contains(message), "{}", validate.stdout);
}
