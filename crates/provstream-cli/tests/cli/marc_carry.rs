//! Which envelopes `provstream marc carry` refuses, and how it reports that there was nothing to do.

use crate::common::{Files, run};
use crate::marc_messages::{assert_refused, corpus, marc, refused};

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
    let bare = "expected an envelope, found a MARC-Core record";
    let at =
        |own: &str, place: &str| format!("expected a record at {own} only, found one at {place}");
    let here = |own: &str, place: &str, carrier: &str| {
        format!("{}; --strip {carrier} removes it", at(own, place))
    };
    let (metadata, meta) = ("/metadata/marc_core", "/_meta/com.example~1marc-core");
    for (carrier, input, message) in [
        ("response-metadata", record.clone(), bare.to_owned()),
        (MCP, record.clone(), bare.to_owned()),
        ("audit-log", record.clone(), bare.to_owned()),
        ("response-metadata", carried(MCP), here(metadata, meta, MCP)),
        (
            "mcp --prefix com.other",
            carried(MCP),
            here("/_meta/com.other~1marc-core", meta, MCP),
        ),
        (
            "audit-log",
            carried(A2A),
            here(
                "/marc_core",
                "/metadata/https:~1~1example.com~1v1~1core",
                A2A,
            ),
        ),
        (
            "response-metadata",
            "{\"_meta\":{\"com.example/marc-core\":{\"a\":1}}}".to_owned(),
            here(metadata, meta, MCP),
        ),
        (
            MCP,
            format!("{{\"id\":1,\"result\":{}}}", carried(MCP)),
            at(meta, "/result/_meta/com.example~1marc-core"),
        ),
        (
            "audit-log",
            format!("{{\"marc_core\":{record},\"old\":[{record}]}}"),
            "expected one record, at /marc_core, found another one at /old/0".to_owned(),
        ),
    ] {
        let strip = marc(&format!("carry --fail --strip {carrier}"), &input);
        assert_eq!(strip.status, 3, "{carrier} {input}");
        assert_eq!(refused(&strip), [(1, message)], "{carrier} {input}");
        assert_eq!(strip.stdout.lines().count(), 1, "{}", strip.stdout);
        assert!(!strip.stdout.contains("0.41"), "{}", strip.stdout);
    }
}

#[test]
fn an_event_stream_with_a_record_in_another_event_is_not_printed() {
    let record = corpus("tv-m2-1.json");
    let record = marc(&format!("carry --into sse {record}"), "").stdout;
    let data = record.lines().nth(1).expect("data");
    for (event, message) in [
        (
            format!("event: message\n{data}\n\n"),
            "expected records in events of the type marc-core only, found one in the data of another event",
        ),
        (
            format!("data: {}\n", carried(MCP)),
            "expected records in events of the type marc-core only, found one in the data of another event, at /_meta/com.example~1marc-core",
        ),
        (
            format!("{}\n\n", data.trim_start_matches("data: ")),
            "expected comments and the fields data, event, id and retry of server-sent events, found an object",
        ),
    ] {
        let strip = marc("carry --fail --strip sse", format!("{event}{record}"));
        assert_eq!(strip.status, 3, "{event}");
        assert_eq!(refused(&strip), [(1, message.to_owned())], "{event}");
        assert_eq!(strip.stdout.lines().count(), 1, "{}", strip.stdout);
    }
}

#[test]
fn input_without_a_record_to_strip_is_noted() {
    let disclosure = "{\"metadata\":{\"marc_disclosure\":{\"answer\":\"x\"}}}";
    for (carrier, input, place) in [
        ("response-metadata", "{}", "/metadata/marc_core"),
        ("response-metadata", disclosure, "/metadata/marc_core"),
        (MCP, "{\"_meta\":{}}", "/_meta/com.example~1marc-core"),
        (
            "audit-log",
            "{\"decision_id\":\"d\",\"selected_action\":\"ANSWER\"}",
            "/marc_core",
        ),
        ("sse", "data: x\n\n", "an event of the type marc-core"),
    ] {
        for (fail, status) in [("", 0), (" --fail", 3)] {
            let strip = marc(&format!("carry --strip {carrier}{fail}"), input);
            assert_eq!(strip.status, status, "{input}");
            assert_eq!(strip.stdout.trim_end(), input.trim_end());
            let note = format!("expected at least one record to remove, at {place}, found none");
            assert_eq!(
                strip.stderr,
                format!("provstream: standard input: {note}\n")
            );
        }
    }
    // One envelope with a record is enough.
    let input = format!("{disclosure}\n{}", carried("response-metadata"));
    let strip = marc("carry --fail --strip response-metadata", &input);
    assert_eq!((strip.status, &*strip.stderr), (0, ""));
    assert_eq!(
        strip.stdout,
        format!("{disclosure}\n{{\"metadata\":{{}}}}\n")
    );
}

#[test]
fn an_envelope_without_an_object_is_refused_with_both_places() {
    let record = std::fs::read_to_string(corpus("tv-m2-1.json")).expect("a record");
    let expected =
        "expected a MARC object at /metadata/marc_core or /metadata/marc_disclosure, found";
    let meta = "/_meta/com.example~1marc-core";
    for (input, found) in [
        ("{}".to_owned(), "none".to_owned()),
        (record.clone(), "one without an envelope".to_owned()),
        (
            carried(MCP),
            format!("one at {meta}; --out-of {MCP} takes it"),
        ),
        (format!("{{\"x\":{record}}}"), "one at /x".to_owned()),
    ] {
        let out_of = marc("carry --fail --out-of response-metadata", &input);
        assert_eq!(out_of.status, 3, "{input}");
        assert_eq!(
            refused(&out_of),
            [(1, format!("{expected} {found}"))],
            "{input}"
        );
    }
}

#[test]
fn a_wrong_envelope_is_an_error_of_the_command_line() {
    let files = Files::new();
    for (carrier, envelope, message) in [
        (
            "response-metadata",
            &b"{\"a\":1,\n\"metadata\":5}"[..],
            "line 2: expected an object as /metadata, found a number",
        ),
        (
            A2A,
            b"{\"extensions\":\"x\"}",
            "line 1: expected an array as /extensions, found a string",
        ),
        (
            "audit-log",
            b"{\n\"a\":1,\n\"a\":2}",
            "line 2: expected one member /a, found several",
        ),
        (
            "audit-log",
            b"{\"a\":[{\"b/c\":1,\"b/c\":2}]}",
            "line 1: expected one member /a/0/b~1c, found several",
        ),
        (
            "audit-log",
            b"{\n\"a\":\"\xc3\xa9\xff\"}",
            "line 2, column 7: expected UTF-8, found the byte 0xFF",
        ),
    ] {
        let file = files.write("envelope.json", envelope);
        let command = format!("carry --into {carrier} --envelope {file}");
        assert_refused(&command, &format!("{file}: {message}"));
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
        let message = format!(
            "{file}: expected no object at /metadata/marc_core, found one; remove it from the envelope"
        );
        assert_eq!(refused(&carry), [(1, message)]);
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
        let message = "expected UTF-8, found the byte 0xFF at column 41";
        assert_eq!(refused(&carry), [(2, message.to_owned())], "{way}");
    }
}

#[test]
fn one_of_the_ways_is_needed() {
    let carry = run(&["marc", "carry"], "");
    assert_eq!(carry.status, 2);
    assert_eq!(
        carry.stderr,
        "provstream: `provstream marc carry` needs one of --into <CARRIER>, --out-of <CARRIER>, --strip <CARRIER>; \
         see `provstream marc carry --help`\n"
    );
}
