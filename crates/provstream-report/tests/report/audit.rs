//! The pages of audit logs.

use provstream::Disposition;
use provstream_report::{AuditLog, Outcome, Page};

use crate::decoder;

const LINES: [&str; 4] = [
    r#"{"decision":"assertion","time":"2026-05-28T12:00:00Z","stream":"<s>","policy":"p1","policy_sha256":"e3b0","span":{"start":0,"end":8},"clean_span":{"start":0,"end":8},"sha256":"6ea75a9c","untrusted":true,"annotations":[{"class":"substrate.grep","declared":"substrate.grep","observation_id":"\u202e<b>","ts":"2026-05-28T10:59:00Z","span":{"start":9,"end":20}}],"counting":[{"why":"stale","by_seconds":60.5}],"verdict":{"admitted":false,"reason":"below-floor","classes":[],"floor":2},"disposition":"below-floor","action":"replace"}"#,
    r#"{"decision":"unannotated","stream":"<s>","channel":"0","policy":"p1","clean_span":{"start":9,"end":12},"sha256":"00","action":"discard"}"#,
    r#"{"decision":"limit","stream":"<s>","clean_span":{"start":12,"end":99}}"#,
    r#"{"decision":"end","stream":"<s>","action":"suspend"}"#,
];

#[test]
fn a_log_shows_what_it_has() {
    let mut log = AuditLog::new();
    for line in LINES {
        log.push(line.as_bytes()).expect("a decision");
    }
    let counts = log.counts();
    assert_eq!(counts.disposed(Disposition::BelowFloor), 1);
    assert_eq!(counts.treated(Outcome::Replace), 1);
    assert_eq!((counts.annotations(), counts.counting()), (1, 0));
    assert_eq!((counts.runs(Outcome::Discard), counts.limits()), (1, 1));
    assert_eq!(counts.ended(Outcome::Suspend), 1);
    let mut body = Vec::new();
    let parts = [log.finish(&mut body).expect("memory")];
    let page = Page::new("a&b", &parts);
    let mut html = Vec::new();
    page.write_head(&mut html).expect("memory");
    page.write_part(&parts[0], &mut html).expect("memory");
    html.extend_from_slice(&body);
    page.write_end(&mut html).expect("memory");
    let shown = decoder::read(&String::from_utf8(html).expect("UTF-8"));
    for part in [
        "a&b",
        "<s> · policy p1",
        "<s> · channel 0 · policy p1",
        "Below the floor 0 classes count, floor 2",
        "bytes 0 to 8, untrusted SHA-256 6ea75a9c",
        "does not count: stale by 1 min",
        "Observation U+202E<b>\nTime 2026-05-28T10:59:00Z (1 h 1 min old)",
        "Discarded",
        "Limit reached",
        "Stream suspended",
    ] {
        assert!(shown.text.contains(part), "{part}: {}", shown.text);
    }
    assert!(shown.links.is_subset(&shown.ids), "{:?}", shown.links);
}

#[test]
fn the_decisions_about_a_stream_are_together() {
    let mut log = AuditLog::new();
    for number in 0..6 {
        let stream = number % 2;
        let line =
            format!("{{\"decision\":\"end\",\"stream\":\"s{stream}\",\"action\":\"refuse\"}}");
        log.push(line.as_bytes()).expect("a decision");
    }
    let mut body = Vec::new();
    log.finish(&mut body).expect("memory");
    let body = String::from_utf8(body).expect("UTF-8");
    assert_eq!(body.matches("<h3>").count(), 2);
    let (first, second) = body.split_once("<bdi>s1</bdi>").expect("the second stream");
    assert_eq!(
        (first.matches("<li").count(), second.matches("<li").count()),
        (3, 3)
    );
}

#[test]
fn other_lines_are_refused_with_the_reason() {
    let mut log = AuditLog::new();
    for (line, message) in [
        ("", "found at column 0: EOF while parsing a value"),
        ("{\"decision\":\"en", "EOF while parsing a string"),
        ("It runs.", "found at column 1: expected value"),
        ("[]", "found at column 2: invalid length 0"),
        ("{}", "missing field `decision`"),
        (
            "{\"decision\":\"else\"}",
            "unknown decision \"else\", expected one of \"assertion\", \"unannotated\"",
        ),
        (
            "{\"decision\":\"end\",\"action\":\"x\"}",
            "unknown action \"x\", expected one of \"release\", \"mark\"",
        ),
        (
            "{\"decision\":\"assertion\",\"action\":\"mark\"}",
            "without the member \"disposition\"",
        ),
        ("{\"decision\":\"end\"}", "without the member \"action\""),
        (
            "{\"decision\":7}",
            "invalid type: integer `7`, expected a string",
        ),
        (
            "{\"decision\":\"assertion\",\"annotations\":1}",
            "invalid type: integer `1`, expected a sequence",
        ),
        (
            "{\"decision\":\"assertion\",\"disposition\":\"stale\",\"action\":\"mark\",\"counting\":[{\"why\":\"x\"}]}",
            "unknown reason \"x\", expected one of \"counts\"",
        ),
        (
            "{\"decision\":\"limit\",\"clean_span\":{\"start\":1}}",
            "missing field `end`",
        ),
        (
            "{\"decision\":\"end\",\"action\":\"mark\",\"action\":\"mark\"}",
            "duplicate field `action`",
        ),
    ] {
        let error = log.push(line.as_bytes()).expect_err(line).to_string();
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(*log.counts(), provstream_report::Counts::default());
}
