//! Only bodies in UTF-8 and in its subset US-ASCII are inspected.

use provstream_route::{PassReason, Plan, ResponseHead};

use crate::{REPLACE, route};

fn plan(content_type: &str, action: &str, fail: &str) -> Plan {
    let head = ResponseHead::new(200).with_content_type(content_type);
    let routes = route(action, fail, REPLACE);
    routes.route("POST", "/").response(&head)
}

#[test]
fn bodies_in_other_character_sets_are_not_inspected() {
    for content_type in [
        "text/event-stream; charset=utf-7",
        "text/event-stream; charset=utf-16",
        "text/event-stream;charset=UTF-16LE",
        "text/event-stream; charset=\"utf-16be\"",
        "text/event-stream; charset=\"utf\\-16\"",
        "text/event-stream; Charset = utf-32",
        "text/event-stream; charset=utf-8; charset=utf-7",
        "text/event-stream; charset=utf-7; charset=utf-8",
        "text/event-stream; x=\"; charset=utf-8\"; charset=utf-7",
        "text/event-stream; x=\"a\\\"; charset=utf-8;\"; charset=utf-7",
        // Some clients split at each semicolon.
        "text/event-stream; boundary=\";charset=utf-16\"",
        "text/event-stream; x=\"a\\\";charset=utf-16\"",
        "text/event-stream; charset=iso-8859-1",
        "text/event-stream; charset=windows-1252",
        "text/event-stream; charset=shift_jis",
        "text/event-stream; charset=iso-2022-jp",
        "text/event-stream; charset=gb18030",
        "text/event-stream; charset=ebcdic-cp-us",
        "text/event-stream; charset='utf-16'",
        "text/event-stream; charset=",
        "text/event-stream; charset",
        "text/event-stream; charset*=utf-8''utf-16",
        "text/event-stream; charset=utf-8, text/html; charset=utf-7",
        "text/event-stream, text/event-stream; charset=utf-16",
        "text/event-stream; charset=utf-16\u{FFFD}",
        "application/json; charset=utf-16",
        "application/problem+json; charset=utf-32",
        "text/plain; charset=utf-7",
        "application/x-ndjson; charset=utf-16",
        "; charset=utf-16",
    ] {
        for (action, fail, passes) in [
            ("strip", "", true),
            ("strip", "fail = \"closed\"", false),
            ("gate", "", false),
            ("gate", "fail = \"open\"", true),
        ] {
            match plan(content_type, action, fail) {
                Plan::Pass(reason) => assert!(
                    passes && matches!(reason, PassReason::Charset | PassReason::ContentType),
                    "{content_type}: {reason}"
                ),
                Plan::Refuse(refusal) => {
                    assert!(!passes, "{content_type}");
                    assert_eq!(refusal.status(), 502);
                }
                other => panic!("{content_type}, {action}: {other:?}"),
            }
        }
    }
}

#[test]
fn bodies_in_utf_8_are_inspected() {
    for content_type in [
        "text/event-stream",
        "text/event-stream;",
        "text/event-stream; ",
        "text/event-stream; charset=utf-8",
        "text/event-stream; charset=UTF-8",
        "text/event-stream;charset=\"UTF-8\"",
        "text/event-stream; charset = utf-8 ; x=1",
        "text/event-stream; charset=utf8",
        "text/event-stream; charset=us-ascii",
        "text/event-stream; charset=US-ASCII; boundary=\";x=utf-16\"",
        "text/event-stream; charset=utf-8; charset=UTF8",
        "text/event-stream; xcharset=utf-16",
        "TEXT/EVENT-STREAM; CHARSET=UTF-8",
        "application/json; charset=ascii",
        "application/json; charset=unicode-1-1-utf-8",
    ] {
        let plan = plan(content_type, "gate", "");
        assert!(matches!(plan, Plan::Filter(_)), "{content_type}: {plan:?}");
    }
}
