//! An exchange without Envoy.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use provstream::provenance::Timestamp;
use provstream_envoy::{Exchange, HeadPlan, read_routes};
use provstream_route::{AuditSink, Flow, ResponseHead, Routes};

const ROUTES: &[u8] = include_bytes!("envoy/routes.toml");

/// Lines of an audit log.
#[derive(Clone, Debug, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl AuditSink for Lines {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.lock().expect("not poisoned").extend_from_slice(line);
        Ok(())
    }
}

fn event(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

fn body() -> String {
    let texts = [
        "So. [substrate",
        ".grep; ts=2026-05-28T11:40:00Z]",
        " It is. [unverified",
        "-inference] Grüße 🚀.",
    ];
    texts.map(event).concat() + "data: [DONE]\n\n"
}

fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

/// Routes of the tests. They are read once, because their dialects take time to compile.
fn routes() -> Arc<Routes> {
    static SHARED: OnceLock<Arc<Routes>> = OnceLock::new();
    let read = || Arc::new(read_routes(ROUTES).expect("routes"));
    Arc::clone(SHARED.get_or_init(read))
}

fn exchange(path: &str, log: &Lines) -> (Exchange, HeadPlan) {
    let routes = routes();
    let mut exchange = Exchange::new(routes);
    assert!(exchange.request(b"POST", path.as_bytes(), b"stream-7"));
    let head = ResponseHead::new(200).with_content_type("text/event-stream");
    let plan = exchange.response(head, 200, true, log.clone());
    (exchange, plan)
}

/// Returns the body that a gateway sends if it passes unchanged pieces on without a copy, and the number of these pieces.
fn let_through(route: &str, pieces: &[&[u8]]) -> (Vec<u8>, usize) {
    let (mut exchange, _) = exchange(&format!("/{route}/v1/x"), &Lines::default());
    assert_eq!(exchange.needs_time(), ["gate", "refuse"].contains(&route));
    let (mut sent, mut passed) = (Vec::new(), 0);
    for piece in pieces {
        let mut out = Vec::new();
        match exchange.push_or_pass(piece, now(), &mut out) {
            Some(_) => sent.extend_from_slice(&out),
            None => {
                assert!(out.is_empty());
                sent.extend_from_slice(piece);
                passed += 1;
            }
        }
    }
    let flow = exchange.push(&[], true, now(), &mut sent);
    assert_eq!(flow, Flow::Done);
    assert!(exchange.close(now()).expect("a record").is_inspected());
    (sent, passed)
}

#[test]
fn pieces_that_stay_as_they_are_need_no_copy() {
    let body = event(" No").repeat(12) + &body();
    for route in ["strip", "gate", "refuse", "closed"] {
        let (mut expected, log) = (Vec::new(), Lines::default());
        let (mut exchange, _) = exchange(&format!("/{route}/v1/x"), &log);
        let _ = exchange.push(body.as_bytes(), false, now(), &mut expected);
        let _ = exchange.push(&[], true, now(), &mut expected);
        let events: Vec<&[u8]> = body.split_inclusive("\n\n").map(str::as_bytes).collect();
        let (sent, passed) = let_through(route, &events);
        assert_eq!(sent, expected, "{route}");
        assert_eq!(passed >= 8, route == "strip", "{route}: {passed}");
        for size in 1..=64 {
            let pieces: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
            assert_eq!(let_through(route, &pieces).0, expected, "{route}, {size}");
        }
    }
}

#[test]
fn pieces_of_1_to_64_bytes_give_the_same_body_line_and_audit() {
    for route in ["strip", "gate", "refuse", "closed"] {
        let run = |piece: usize| {
            let log = Lines::default();
            let (mut exchange, plan) = exchange(&format!("/{route}/v1/x"), &log);
            assert_eq!(plan, HeadPlan::Filter);
            let mut out = Vec::new();
            for bytes in body().as_bytes().chunks(piece) {
                let _ = exchange.push(bytes, false, now(), &mut out);
            }
            let flow = exchange.push(&[], true, now(), &mut out);
            assert_eq!(flow, Flow::Done, "{route}, {piece}");
            let record = exchange.close(now()).expect("a record");
            let lines = log.0.lock().expect("not poisoned").clone();
            (String::from_utf8(out).expect("UTF-8"), record, lines)
        };
        let (out, record, lines) = run(usize::MAX);
        assert!(!out.contains("substrate") && out.contains("So."), "{out}");
        assert_eq!(
            out.contains("It is"),
            ["strip", "closed"].contains(&route),
            "{out}"
        );
        assert_eq!(lines.is_empty(), ["strip", "closed"].contains(&route));
        assert!(record.is_inspected(), "{}", record.line());
        assert!(
            record.line().contains("\"stream\":\"stream-7\""),
            "{}",
            record.line()
        );
        for piece in 1..=64 {
            let (other, its_record, its_lines) = run(piece);
            assert_eq!(
                (&other, &its_lines),
                (&out, &lines),
                "{route}, pieces of {piece}"
            );
            if route != "refuse" {
                // After the end of a stream by the policy, the rest of a piece is not counted.
                assert_eq!(its_record, record, "{route}, pieces of {piece}");
            }
        }
    }
}

#[test]
fn a_response_that_does_not_end_is_not_inspected() {
    let (mut exchange, _) = exchange("/gate/v1/x", &Lines::default());
    let mut out = Vec::new();
    let _ = exchange.push(&body().as_bytes()[..100], false, now(), &mut out);
    let record = exchange.close(now()).expect("a record");
    assert!(!record.is_inspected());
    assert!(
        record.line().contains("\"inspected\":false"),
        "{}",
        record.line()
    );
    let names: Vec<&str> = record
        .samples()
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(!names.contains(&"provstream.inspected"), "{names:?}");
    assert!(exchange.close(now()).is_none());
}

/// A client that goes after the end marker has all of the stream, although the upstream has not ended it.
#[test]
fn a_stream_whose_end_was_written_is_complete() {
    for route in ["strip", "gate", "closed"] {
        for (cut, is_complete) in [(0, true), (1, false), (16, false)] {
            let (mut exchange, _) = exchange(&format!("/{route}/v1/x"), &Lines::default());
            let (body, mut out) = (body(), Vec::new());
            let body = &body.as_bytes()[..body.len() - cut];
            let flow = exchange.push(body, false, now(), &mut out);
            assert_eq!(flow, Flow::More);
            let record = exchange.close(now()).expect("a record");
            assert_eq!(record.is_inspected(), is_complete, "{route}, {cut}");
        }
    }
}

#[test]
fn what_is_never_seen_is_not_recorded() {
    let routes = routes();
    let mut exchange = Exchange::new(Arc::clone(&routes));
    // Envoy answers some requests itself, before the filter has seen them.
    let plan = exchange.response(ResponseHead::new(400), 400, true, Lines::default());
    assert_eq!(plan, HeadPlan::Pass);
    assert!(exchange.close(now()).is_none());
    let mut exchange = Exchange::new(routes);
    assert!(!exchange.request(b"GET", b"/pass/v1/\xFF", b""));
    assert!(exchange.close(now()).is_none());
}
