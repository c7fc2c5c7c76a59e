//! Routes with citation dialects in an exchange without Envoy.

use std::io;
use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_envoy::{Exchange, HeadPlan, ResponseRecord, read_routes};
use provstream_route::{AuditSink, Flow, ResponseHead, Routes};
use serde_json::json;

/// Policy that withholds invented citations alone.
const POLICY: &str = "[route.policy]\nversion = \"cited-1\"\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }\n\
    unknown_source = { action = \"replace\", text = \"(withheld)\" }\n";

#[derive(Clone, Copy, Debug)]
struct NoLog;

impl AuditSink for NoLog {
    fn line(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

fn event(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

/// An answer that cites `[1]`, `[2]` and `[7]`.
fn body() -> String {
    let texts = [
        "Lisbon is old [1].",
        " The Tagus is long.[",
        "2] It has a spaceport",
        " [7]. So it is.",
    ];
    texts.map(event).concat() + "data: [DONE]\n\n"
}

/// Route that gates with the policy; `sources` is the value of the key.
fn gate(sources: &str) -> String {
    format!(
        "[[route]]\npath = \"/*\"\naction = \"gate\"\ndialects = [\"numeric\"]\nsources = {sources}\n{POLICY}"
    )
}

/// Wraps routes and files, as for control planes that pass JSON.
fn wrapped(routes: &str, files: &[(&str, &str)]) -> String {
    let files: serde_json::Map<_, _> = files
        .iter()
        .map(|(name, file)| ((*name).to_owned(), (*file).into()))
        .collect();
    json!({"routes": routes, "files": files}).to_string()
}

/// Passes a request and its answer in pieces; gives the text that the client reads, and the record.
fn answered(routes: &Arc<Routes>, request: &[&[u8]], piece: usize) -> (String, ResponseRecord) {
    let mut exchange = Exchange::new(Arc::clone(routes));
    assert!(exchange.request(b"POST", b"/v1/chat/completions", b"stream-7"));
    for bytes in request {
        exchange.request_body(bytes);
    }
    let head = ResponseHead::new(200).with_content_type("text/event-stream");
    let plan = exchange.response(head, 200, true, NoLog);
    assert_eq!(plan, HeadPlan::Filter);
    let mut out = Vec::new();
    for bytes in body().as_bytes().chunks(piece) {
        let _ = exchange.push(bytes, false, now(), &mut out);
    }
    assert_eq!(exchange.push(&[], true, now(), &mut out), Flow::Done);
    let record = exchange.close(now()).expect("a record");
    let out = String::from_utf8(out).expect("UTF-8");
    let events = out.lines().filter_map(|line| line.strip_prefix("data: {"));
    let texts = events.map(|event| {
        let event: serde_json::Value =
            serde_json::from_str(&format!("{{{event}")).expect("an event");
        let text = event["choices"][0]["delta"]["content"].as_str();
        text.unwrap_or_default().to_owned()
    });
    (texts.collect(), record)
}

fn routes(config: &str) -> Arc<Routes> {
    Arc::new(read_routes(config.as_bytes()).expect("a valid configuration"))
}

fn error(config: &str) -> String {
    read_routes(config.as_bytes())
        .expect_err("an error")
        .to_string()
}

const CLEAN: &str = "Lisbon is old. The Tagus is long. It has a spaceport. So it is.";
const GATED: &str = "Lisbon is old. The Tagus is long. (withheld) So it is.";

/// The request of a client that labels two sources.
fn labelled() -> String {
    let content = "Sources:\n[1] Cities of Portugal\n[2] Rivers\n\nCite them as [n].";
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": content}]})
        .to_string()
}

#[test]
fn a_sentence_with_an_invented_citation_is_withheld() {
    let file = r#"[{"id": "1", "title": "Cities"}, {"id": "2"}]"#;
    let request = labelled();
    for (config, request) in [
        (gate("[\"1\", \"2\"]"), ""),
        (wrapped(&gate("\"s.json\""), &[("s.json", file)]), ""),
        (gate("\"request\""), request.as_str()),
    ] {
        let routes = routes(&config);
        let first = answered(&routes, &[request.as_bytes()], usize::MAX);
        assert_eq!(first.0, GATED, "{config}");
        let line = first.1.line();
        let parts = [
            "\"citations\":3,",
            "\"unknown-source.replace\":1",
            "\"inspected\":true",
        ];
        for part in parts {
            assert!(line.contains(part), "{line}");
        }
        let samples = first.1.samples();
        let counted = |name: &str| samples.iter().find(|(found, _)| found == name);
        let listed = counted("provstream.cited_ids.listed");
        assert_eq!(listed.map(|(_, count)| *count), Some(2), "{samples:?}");
        let unknown = counted("provstream.cited_ids.unknown_source");
        assert_eq!(unknown.map(|(_, count)| *count), Some(1), "{samples:?}");
        for piece in 1..=64 {
            let pieces: Vec<&[u8]> = request.as_bytes().chunks(piece).collect();
            let next = answered(&routes, &pieces, piece);
            assert_eq!(next, first, "{config}, pieces of {piece}");
        }
    }
}

#[test]
fn markers_are_removed_or_written_as_links() {
    let strip = "[[route]]\npath = \"/*\"\naction = \"strip\"\ndialects = [\"numeric\"]\n";
    assert_eq!(answered(&routes(strip), &[], 9).0, CLEAN);
    let file =
        r#"[{"id": "1", "url": "https://a.example/1"}, {"id": "2", "url": "https://a.example/2"}]"#;
    let render = format!(
        "{strip}sources = \"s.json\"\nrender = \"[{{n}}]({{url}})\"\nunlisted = \"mark\"\n"
    );
    let config = wrapped(&render, &[("s.json", file)]);
    let linked = "Lisbon is old [1](https://a.example/1). The Tagus is long.[2](https://a.example/2) It has a spaceport \\[\\?\\]. So it is.";
    assert_eq!(answered(&routes(&config), &[], 9).0, linked);
    let own = "name = \"own\"\n[[marker]]\nopen = '\\['\nid = '[12]'\nclose = '\\]'\n";
    let strip = strip.replace("numeric", "own.toml");
    let config = wrapped(&strip, &[("own.toml", own)]);
    let rest = CLEAN.replace("spaceport", "spaceport [7]");
    assert_eq!(answered(&routes(&config), &[], 9).0, rest);
}

#[test]
fn requests_that_may_bring_other_sources_withhold_nothing_and_are_counted() {
    let tool = labelled().replacen('{', "{\"tools\":[{\"type\":\"web_search\"}],", 1);
    let long = labelled().replacen('{', &format!("{{{}", " ".repeat(16 << 20)), 1);
    let routes = routes(&gate("\"request\""));
    for (request, gap) in [
        (tool.as_str(), "tool"),
        ("{\"messages\":[]}", "no_label"),
        (&labelled()[1..], "not_an_object"),
        ("", "not_an_object"),
        (&long, "not_an_object"),
    ] {
        let (text, record) = answered(&routes, &[request.as_bytes()], 64);
        assert_eq!(text, CLEAN, "{gap}");
        let line = record.line();
        let part = format!("\"incomplete_sources\":\"{gap}\"");
        assert!(line.contains(&part), "{line}");
        let sample = (format!("provstream.incomplete_sources.{gap}"), 1);
        assert!(record.samples().contains(&sample), "{record:?}");
    }
    let complete = answered(&routes, &[labelled().as_bytes()], 64).1;
    assert!(!complete.line().contains("incomplete"), "{complete:?}");
}

#[test]
fn only_routes_that_depend_on_a_request_read_it() {
    let strip = "[[route]]\npath = \"/*\"\naction = \"strip\"\ndialects = [\"numeric\"]\n";
    for (config, reads) in [
        (strip.to_owned(), false),
        (format!("{strip}sources = [\"1\"]\n"), false),
        (format!("{strip}sources = \"request\"\n"), true),
    ] {
        let mut exchange = Exchange::new(routes(&config));
        exchange.request(b"POST", b"/v1/x", b"");
        assert_eq!(exchange.reads_request(), reads, "{config}");
    }
}

#[test]
fn a_policy_about_sources_without_a_list_is_an_error() {
    let alone = gate("[]").replace("sources = []\n", "");
    let message = error(&alone);
    assert!(
        message.contains("\"sources\"") && message.contains("[unknown_source]"),
        "{message}"
    );
    let message = error(&gate("\"s.json\""));
    assert!(
        message.starts_with("line 5, column 11: sources \"s.json\": a filter has no files"),
        "{message}"
    );
    let message = error(&wrapped(&gate("\"s.json\""), &[("t.json", "[]")]));
    assert!(
        message.contains("expected one of \"files\", found t.json"),
        "{message}"
    );
    let message = error(&wrapped(&gate("\"s.json\""), &[("s.json", "7")]));
    assert!(
        message.contains("expected an array of sources"),
        "{message}"
    );
}
