//! Bodies that cannot be inspected, on routes that fail open and closed.

use std::io;

use provstream::provenance::Vocabulary;
use provstream_route::{AuditSink, Cause, Flow, PassReason, Plan, ResponseHead, Routes};

use crate::{REPLACE, filter, now, route, sse, through};

const MODELS: &str = "{\"object\":\"list\",\"data\":[{\"id\":\"m\"}]}";

fn json(path: &str) -> ResponseHead {
    sse(path).with_content_type("application/json")
}

#[test]
fn heads_that_cannot_be_inspected_pass_or_are_refused() {
    let cases = [
        (sse("/").with_content_encoding("br"), PassReason::Encoded),
        (
            sse("/").with_content_type("audio/mpeg"),
            PassReason::ContentType,
        ),
    ];
    for (head, reason) in cases {
        for (action, fail, passes) in [
            ("strip", "", true),
            ("strip", "fail = \"closed\"", false),
            ("gate", "", false),
            ("gate", "fail = \"open\"", true),
        ] {
            let routes = route(action, fail, REPLACE);
            match routes.route("POST", "/").response(&head) {
                Plan::Pass(found) => assert!(passes && found == reason, "{action} {fail}"),
                Plan::Refuse(refusal) => {
                    assert!(!passes, "{action} {fail}");
                    assert_eq!(refusal.status(), 502);
                    assert!(String::from_utf8_lossy(refusal.body()).contains("not_inspected"));
                }
                other => panic!("{action} {fail}: {other:?}"),
            }
        }
    }
}

/// Clients read a body as it is if the name of its encoding is `none`, or one that nothing decodes.
#[test]
fn encodings_that_encode_nothing_are_inspected() {
    let own = "plain_encodings = [\"UTF-8\", \"x-plain\"]";
    for (encoding, more, is_read) in [
        ("none", "", true),
        ("None", "", true),
        ("identity, none", "", true),
        ("none,", "", true),
        ("utf-8", "", false),
        ("utf-8", own, true),
        ("none, X-Plain", own, true),
        ("x-plain, gzip", own, false),
        ("gzip", own, false),
        ("utf", own, false),
        ("none none", "", false),
    ] {
        for action in ["strip", "gate"] {
            for fail in ["open", "closed"] {
                let more = format!("fail = \"{fail}\"\n{more}");
                let routes = route(action, &more, REPLACE);
                let head = sse("/").with_content_encoding(encoding);
                let plan = routes.route("POST", "/").response(&head);
                let is_expected = match (&plan, is_read) {
                    (Plan::Filter(_), true) => true,
                    (Plan::Pass(PassReason::Encoded), false) => fail == "open",
                    (Plan::Refuse(_), false) => fail == "closed",
                    _ => false,
                };
                assert!(is_expected, "{encoding} {action} {more}: {plan:?}");
            }
        }
    }
}

#[test]
fn names_of_plain_encodings_are_checked() {
    let error = |action: &str, names: &str| {
        let file =
            format!("[[route]]\npath = \"*\"\naction = \"{action}\"\nplain_encodings = {names}\n");
        let none = |_: &str| Err("no files here");
        let found = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none);
        found.expect_err("wrong").to_string()
    };
    assert_eq!(
        error("strip", "[\"utf-8\", \"GZip\"]"),
        "line 4, column 29: expected the names of encodings that no client decodes, such as \"utf-8\", for \"plain_encodings\", found \"GZip\""
    );
    for names in ["[\"\"]", "[\"a b\"]", "[\"a,b\"]", "[1]", "\"utf-8\""] {
        assert!(error("strip", names).contains("line 4"), "{names}");
    }
    let expected = "expected \"plain_encodings\" only with action \"strip\" or \"gate\"";
    assert!(error("pass", "[]").contains(expected));
}

#[test]
fn errors_and_empty_answers_pass_on_every_route() {
    for action in ["strip", "gate"] {
        let routes = route(action, "fail = \"closed\"", REPLACE);
        for status in [204, 304, 302, 400, 429, 500, 529] {
            let head = ResponseHead::new(status).with_content_type("application/json");
            let plan = routes.route("POST", "/").response(&head);
            assert!(matches!(plan, Plan::Pass(_)), "{action} {status}: {plan:?}");
        }
        // Clients read the body that a server sends all the same.
        let head = ResponseHead::new(205).with_content_type("application/json");
        let plan = routes.route("POST", "/").response(&head);
        assert!(matches!(plan, Plan::Filter(_)), "{action}: {plan:?}");
    }
}

#[test]
fn a_body_without_a_known_format_passes_or_is_an_error() {
    for (action, fail, passes) in [
        ("strip", "", true),
        ("strip", "fail = \"closed\"", false),
        ("gate", "", false),
        ("gate", "fail = \"open\"", true),
    ] {
        for size in [1, 5, 64] {
            let routes = route(action, fail, REPLACE);
            let mut filter = filter(&routes, &json("/v1/models"));
            let (out, flow) = through(&mut filter, MODELS.as_bytes(), size);
            assert_eq!(flow, Flow::Done);
            let outcome = filter.outcome();
            assert!(!outcome.is_inspected(), "{action} {fail}");
            if passes {
                assert_eq!(out, MODELS.as_bytes(), "{action} {fail}");
                assert_eq!(outcome.uninspected(), Some("unknown_format"));
                assert_eq!(filter.status(), None);
            } else {
                assert_eq!(filter.status(), Some(502), "{action} {fail}");
                assert_eq!(outcome.uninspected(), Some("not_inspected"));
                let text = String::from_utf8(out).expect("UTF-8");
                assert!(text.starts_with("{\"error\":"), "{text}");
            }
        }
    }
}

/// A gate empties what it does not know, in a whole body as in a stream.
#[test]
fn a_body_with_an_unknown_member_is_delivered_without_it() {
    let body = |text: &str, note: &str| {
        format!(
            "{{\"object\":\"chat.completion\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\",\"note\":\"{note}\"}},\"finish_reason\":\"stop\"}}]}}"
        )
    };
    let before = body(
        "It rains. It pours. [unverified-inference]",
        "It is SECRET.",
    );
    for fail in ["", "fail = \"open\"", "format = \"openai-chat\""] {
        for size in [1, 7, before.len()] {
            let mut filter = filter(&route("gate", fail, REPLACE), &json("/v1/chat/completions"));
            let (out, flow) = through(&mut filter, before.as_bytes(), size);
            assert_eq!((flow, filter.status()), (Flow::Done, None), "{fail}");
            let out = String::from_utf8(out).expect("UTF-8");
            assert_eq!(out, body("It rains. (withheld)", ""), "{fail}");
            let outcome = filter.outcome();
            assert!(!outcome.is_inspected(), "{fail}");
            assert_eq!(outcome.report().unread_members().count(), 1, "{fail}");
        }
    }
    // A part of another shape cannot be emptied.
    let mut filter = filter(&route("gate", "", REPLACE), &json("/v1/chat/completions"));
    let body = before.replace(
        "\"It rains. It pours. [unverified-inference]\"",
        "{\"text\":\"SECRET\"}",
    );
    let (out, _) = through(&mut filter, body.as_bytes(), 9);
    assert_eq!(filter.status(), Some(502));
    assert!(!String::from_utf8_lossy(&out).contains("SECRET"));
}

#[test]
fn a_long_body_without_a_known_format_is_not_kept() {
    let body = format!("{{\"data\":\"{}\"}}", "x".repeat(300_000));
    let open_gate = route("gate", "fail = \"open\"", REPLACE);
    let mut one = filter(&open_gate, &json("/v1/x"));
    let mut out = Vec::new();
    for piece in body.as_bytes().chunks(1000) {
        assert_eq!(one.push(piece, now(), &mut out), Flow::More);
        assert!(one.held() < 70_000 || out.is_empty());
    }
    assert!(out.len() > 290_000, "the body does not wait for its end");
    let _ = one.finish(now(), &mut out);
    assert_eq!(out, body.as_bytes());
    let mut two = filter(&open_gate, &sse("/v1/x"));
    assert_eq!(
        through(&mut two, body.as_bytes(), 1000),
        (body.clone().into_bytes(), Flow::Done)
    );
}

#[test]
fn a_strict_route_ends_the_stream_at_what_it_cannot_read() {
    ends_at_what_it_cannot_read("strip");
    ends_at_what_it_cannot_read("gate");
}

fn ends_at_what_it_cannot_read(action: &str) {
    let routes = route(action, "fail = \"closed\"", REPLACE);
    let good = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rains.\"}}]}\n\n";
    let body = format!("{good}data: {{\"choices\":[\n\n{good}");
    for size in 1..=64 {
        let mut filter = filter(&routes, &sse("/v1/chat/completions"));
        let (out, flow) = through(&mut filter, body.as_bytes(), size);
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(flow, Flow::Done);
        // A gate holds the text back, and the event goes without it.
        let end = text.find("\n\n").expect("an event") + 2;
        assert!(
            action == "gate" || text.starts_with(good),
            "pieces of {size}: {text}"
        );
        let rest = &text[end..];
        assert!(
            rest.starts_with("data: {\"error\":{"),
            "pieces of {size}: {rest}"
        );
        assert_eq!(rest.matches("data:").count(), 1, "pieces of {size}: {rest}");
        assert_eq!(filter.outcome().cause(), Some(Cause::NotInspected));
    }
}

#[test]
fn a_compressed_body_without_a_header_is_an_error_of_a_gate() {
    let routes = route("gate", "", REPLACE);
    let mut filter = filter(&routes, &sse("/v1/messages"));
    let (out, flow) = through(&mut filter, b"\x1f\x8b\x08\0\0\0\0\0\0\x03abcdef", 3);
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(flow, Flow::Done);
    assert!(
        text.starts_with("event: error\ndata: {\"type\":\"error\""),
        "{text}"
    );
}

/// A log that takes one line.
struct Full(bool);

impl AuditSink for Full {
    fn line(&mut self, _: &[u8]) -> io::Result<()> {
        if core::mem::replace(&mut self.0, true) {
            return Err(io::Error::other("the disk is full"));
        }
        Ok(())
    }
}

#[test]
fn nothing_is_released_without_its_line_in_the_audit_log() {
    let routes = route("gate", "", REPLACE);
    let grep = "[substrate.grep; ts=2026-05-28T11:59:00Z]";
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let body = [
        event(&format!("One is so. {grep} ")),
        event(&format!("Two is so. {grep} ")),
        event("Three is so. "),
    ]
    .concat();
    let mut filter = filter(&routes, &sse("/")).with_audit(Full(false), "log", "s");
    let (out, flow) = through(&mut filter, body.as_bytes(), 7);
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(flow, Flow::Done);
    assert!(
        text.contains("One") && !text.contains("Two") && !text.contains("Three"),
        "{text}"
    );
    assert!(text.contains("audit_failed"), "{text}");
    assert_eq!(filter.outcome().cause(), Some(Cause::AuditFailed));
}

#[test]
fn keep_alives_are_comments_between_events_where_clients_read_them() {
    let routes = route("gate", "", REPLACE);
    let mut chat = filter(&routes, &sse("/v1/chat/completions"));
    assert_eq!(chat.keep_alive(), Some(&b":\n\n"[..]));
    let mut out = Vec::new();
    let event = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rains\"}}]}\n\n";
    for byte in event {
        let _ = chat.push(&[*byte], now(), &mut out);
        assert_eq!(chat.keep_alive(), Some(&b":\n\n"[..]));
    }
    assert!(chat.held() > 0);
    let gemini = filter(&routes, &sse("/v1beta/models/g:streamGenerateContent"));
    assert_eq!(gemini.keep_alive(), None);
    let lines = filter(
        &routes,
        &sse("/api/chat").with_content_type("application/x-ndjson"),
    );
    assert_eq!(lines.keep_alive(), None);
}
