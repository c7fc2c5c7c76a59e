//! Envelopes that `provstream marc carry` rejects, and its report when there was nothing to do.

use crate::common::Files;
use crate::marc_messages::{corpus, marc, refused};

/// A record in its place in an envelope.
fn carried(carrier: &str) -> String {
    let record = corpus("tv-m2-1.json");
    let run = marc(&format!("carry --into {carrier} {record}"), "");
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

const MCP: &str = "mcp --prefix com.example";
const A2A: &str = "a2a --uri https://example.com/v1";

#[test]
fn a_record_that_is_not_in_the_place_of_its_carrier_is_not_printed() {
    let record = std::fs::read_to_string(corpus("tv-m2-1.json")).expect("a record");
    for (carrier, input) in [
        ("response-metadata", record.clone()),
        (MCP, record.clone()),
        ("audit-log", record.clone()),
        ("response-metadata", carried(MCP)),
        ("mcp --prefix com.other", carried(MCP)),
        ("audit-log", carried(A2A)),
        (
            "response-metadata",
            "{\"_meta\":{\"com.example/marc-core\":{\"a\":1}}}".to_owned(),
        ),
        (MCP, format!("{{\"id\":1,\"result\":{}}}", carried(MCP))),
        (
            "audit-log",
            format!("{{\"marc_core\":{record},\"old\":[{record}]}}"),
        ),
    ] {
        let strip = marc(&format!("carry --fail --strip {carrier}"), &input);
        assert_eq!(strip.status, 3, "{carrier} {input}");
        assert!(
            refused(&strip)[0].1.starts_with("record found at "),
            "{}",
            strip.stdout
        );
        assert_eq!(strip.stdout.lines().count(), 1, "{}", strip.stdout);
        assert!(!strip.stdout.contains("0.41"), "{}", strip.stdout);
    }
}

#[test]
fn an_event_stream_with_a_record_in_another_event_is_not_printed() {
    let record = corpus("tv-m2-1.json");
    let record = marc(&format!("carry --into sse {record}"), "").stdout;
    let data = record.lines().nth(1).expect("data");
    for event in [
        format!("event: message\n{data}\n\n"),
        format!("data: {}\n", carried(MCP)),
        format!("{}\n\n", data.trim_start_matches("data: ")),
    ] {
        let strip = marc("carry --fail --strip sse", format!("{event}{record}"));
        assert_eq!(strip.status, 3, "{event}");
        assert_eq!(refused(&strip).len(), 1, "{event}");
        assert!(!strip.stdout.contains("0.41"), "{}", strip.stdout);
        assert_eq!(strip.stdout.lines().count(), 1, "{}", strip.stdout);
    }
}

#[test]
fn an_object_in_the_envelope_is_not_replaced() {
    let files = Files::new();
    let record = corpus("tv-m2-1.json");
    for place in ["{}", "7", "{\"marc_version\":\"1.0\"}"] {
        let file = files.write(
            "e.json",
            format!("{{\"metadata\":{{\"marc_core\":{place}}}}}"),
        );
        let args = format!("carry --fail --into response-metadata --envelope {file} {record}");
        let carry = marc(&args, "");
        assert_eq!(carry.status, 3);
        let message = "expected no object at /metadata/marc_core in the envelope, found one";
        assert_eq!(refused(&carry), [(1, message.to_owned())]);
    }
    // The place of the other kind, and null.
    for other in [
        "{\"marc_disclosure\":{\"answer\":\"x\"}}",
        "{\"marc_core\":null}",
    ] {
        let file = files.write("e.json", format!("{{\"metadata\":{other}}}"));
        let args = format!("carry --fail --into response-metadata --envelope {file} {record}");
        assert_eq!(marc(&args, "").status, 0, "{other}");
    }
}

#[test]
fn what_is_not_utf8_is_not_carried() {
    let record = b"{\"metadata\":\n{\"marc_core\":{\"pre_capability\":0.5,\"x\":\"\xff\"}}}";
    for way in [
        "--into sse",
        "--out-of response-metadata",
        "--strip response-metadata",
    ] {
        let carry = marc(&format!("carry --fail {way}"), record);
        assert_eq!(carry.status, 3, "{way}");
        let message = "expected UTF-8, found the byte 0xFF";
        assert_eq!(refused(&carry), [(2, message.to_owned())], "{way}");
    }
}

/// Bytes outside of records stay as they are; an event ends as the standard says, or with the input.
#[test]
fn an_event_stream_without_its_records_keeps_its_bytes() {
    let record = corpus("tv-m2-1.json");
    let record = marc(&format!("carry --into sse {record}"), "").stdout;
    let cr = record.replace('\n', "\r");
    for (before, after) in [
        (
            ": hello\r\n\r\nevent: add\r\ndata: 1\r\n\r\n",
            "data: 2\n\n",
        ),
        ("\u{feff}retry: 9\n\nid: 7\n\n", "data: a\rdata: b\r\r"),
        ("data: 1\n \n\n", ""),
    ] {
        for record in [&record, &cr] {
            let strip = marc("carry --strip sse", format!("{before}{record}{after}"));
            let refused = before.contains("\n \n");
            let expected = if refused {
                after.to_owned()
            } else {
                format!("{before}{after}")
            };
            let printed = strip.stdout.split_inclusive('\n');
            let printed: String = printed.filter(|line| !line.contains("refused")).collect();
            assert_eq!(printed, expected);
            assert_eq!(refused, strip.stdout.contains("\"line\":1"));
        }
    }
    let open = record.trim_end();
    let taken = marc("carry --out-of sse", format!("data: x\n\n{open}"));
    assert_eq!(taken.stdout.lines().count(), 1, "{}", taken.stdout);
    let long = marc(
        "carry --fail --strip sse --max-record 300",
        format!("data: {}\n\n\n{record}", "x".repeat(400)),
    );
    let message = "expected an event of at most 300 bytes (--max-record), found a longer one";
    let lines: Vec<&str> = long
        .stdout
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    let refused =
        |line| format!("{{\"event\":\"refused\",\"line\":{line},\"message\":\"{message}\"}}");
    assert_eq!(lines[..2], [refused(1), refused(4)]);
    assert!(!long.stdout.contains("xxx"), "{}", long.stdout);
}
