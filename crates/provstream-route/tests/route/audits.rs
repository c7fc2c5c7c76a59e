//! Lines of the audit log and calls of an observer for a body.

use std::io;
use std::sync::{Arc, Mutex};

use provstream::provenance::Timestamp;
use provstream::{Event, Handler, TextChunk};
use provstream_providers::{GateEvent, StreamHandler};
use provstream_route::{AuditSink, Cause, Flow};
use serde_json::Value;

use crate::{REPLACE, filter, now, route, sse, through};

/// Lines of an audit log.
#[derive(Clone, Default)]
pub(crate) struct Lines(pub(crate) Arc<Mutex<Vec<Value>>>);

impl AuditSink for Lines {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.0
            .lock()
            .expect("a test")
            .push(serde_json::from_slice(line)?);
        Ok(())
    }
}

impl Lines {
    /// Formats each line as decision, channel, action and offset.
    fn short(&self) -> Vec<String> {
        let lines = self.0.lock().expect("a test");
        let word = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let short = lines.iter().map(|line| {
            let at = [&line["offset"], &line["clean_span"]["end"]];
            let at = at.iter().find_map(|at| at.as_u64());
            format!(
                "{} {} {} {}",
                word(line, "decision"),
                word(line, "channel"),
                word(line, "action"),
                at.unwrap_or(9_999)
            )
        });
        short.collect()
    }
}

pub(crate) fn event(index: u32, text: &str) -> String {
    let text = Value::from(text);
    format!("data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":{text}}}}}]}}\n\n")
}

fn later(minutes: u64) -> Timestamp {
    let unix = now().unix_seconds() + 60 * minutes as i64;
    Timestamp::from_unix(unix, 0).expect("a time")
}

/// A source that expired while the stream was idle does not count any more when the stream is broken off.
#[test]
fn what_is_decided_at_the_end_is_judged_by_the_time_of_the_end() {
    let text = "It runs. [substrate.grep; ts=2026-05-28T11:59:00Z]";
    let body = event(0, text);
    for (minutes, is_withheld) in [(1, false), (58, false), (60, true), (600, true)] {
        let begun = || {
            let routes = route("gate", "fail = \"open\"", REPLACE);
            let mut filter = filter(&routes, &sse("/"));
            let mut out = Vec::new();
            let flow = filter.push(body.as_bytes(), now(), &mut out);
            assert_eq!(flow, Flow::More);
            (filter, out)
        };
        let (mut aborted, mut out) = begun();
        let flow = aborted.abort(Cause::IdleTimeout, later(minutes), &mut out);
        assert_eq!(flow, Flow::Done);
        let (mut finished, mut all) = begun();
        assert_eq!(finished.finish(later(minutes), &mut all), Flow::Done);
        for out in [out, all] {
            let text = String::from_utf8(out).expect("UTF-8");
            assert_eq!(
                text.contains("(withheld)"),
                is_withheld,
                "{minutes}: {text}"
            );
            assert_eq!(text.contains("It runs."), !is_withheld, "{minutes}: {text}");
        }
    }
}

const UNANNOTATED: &str = "{ action = \"replace\", text = \"(withheld)\" }\nunannotated = { action = \"mark\", before = \"<\", after = \">\" }";

/// Each way in which a body ends before its end has its lines, with what was not decided about.
#[test]
fn texts_that_end_undecided_have_their_lines() {
    let routes = route("gate", "", UNANNOTATED);
    let texts = [
        event(0, "It rains. It pours. [unverified-inference] So. "),
        event(1, "All is well. And this waits"),
        event(0, "And that"),
    ]
    .concat();
    let decided = |ends: bool| {
        let mut all = vec![
            "assertion 0 replace 19",
            "unannotated 0 mark 10",
            "unannotated 0 mark 24",
            "unannotated 1 mark 13",
        ];
        if ends {
            all.extend(["end 0 suspend 24", "end 1 suspend 13"]);
        }
        all
    };
    for how in ["abort", "cancel", "block"] {
        let lines = Lines::default();
        let mut filter = filter(&routes, &sse("/")).with_audit(lines.clone(), "log", "s");
        let mut out = Vec::new();
        for piece in texts.as_bytes().chunks(11) {
            assert_eq!(filter.push(piece, now(), &mut out), Flow::More);
        }
        match how {
            "abort" => {
                let flow = filter.abort(Cause::UpstreamCut, now(), &mut out);
                assert_eq!(flow, Flow::Done);
            }
            "cancel" => filter.cancel(now()),
            _ => {
                let flow = filter.push(b"data: {\"choices\":[\n\n", now(), &mut out);
                assert_eq!(flow, Flow::Done);
            }
        }
        assert_eq!(lines.short(), decided(true), "{how}");
        // Nothing is added by what comes after the end.
        filter.cancel(now());
        let _ = filter.finish(now(), &mut out);
        assert_eq!(lines.short(), decided(true), "{how}, again");
    }
}

/// The answers to a request that was made again count their positions anew, so their lines have numbers.
#[test]
fn lines_have_the_number_of_their_answer() {
    let routes = route("gate", "", "{ action = \"suspend\" }");
    let lines = Lines::default();
    let filter = filter(&routes, &sse("/")).with_audit(lines.clone(), "log", "s");
    let mut filter = filter.with_suspension();
    let mut out = Vec::new();
    for _ in 0..3 {
        let body = event(0, "It rains. It pours. [unverified-inference] So. ");
        let (written, flow) = through(&mut filter, body.as_bytes(), 9);
        assert_eq!(flow, Flow::Suspended);
        out.extend(written);
        filter.resume(&mut out);
    }
    let last = event(0, "Bye. [substrate.grep; ts=2026-05-28T11:59:00Z] ") + "data: [DONE]\n\n";
    let (_, flow) = through(&mut filter, last.as_bytes(), 9);
    assert_eq!(flow, Flow::Done);
    let lines = lines.0.lock().expect("a test");
    let found: Vec<_> = lines
        .iter()
        .map(|line| (line["decision"].as_str(), line["answer"].as_u64()))
        .collect();
    let (assertion, end) = (Some("assertion"), Some("end"));
    assert_eq!(
        found,
        [
            (assertion, None),
            (end, None),
            (assertion, Some(2)),
            (end, Some(2)),
            (assertion, Some(3)),
            (end, Some(3)),
            (assertion, Some(4)),
        ]
    );
}

/// Takes what an observer is told.
#[derive(Clone, Default)]
struct Watching(Arc<Mutex<(String, Vec<String>)>>);

impl Handler for Watching {
    fn text(&mut self, text: TextChunk<'_>) {
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        self.0.lock().expect("a test").0.push_str(&text);
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            let told = format!("assertion {}", assertion.text());
            self.0.lock().expect("a test").1.push(told);
        }
    }
}

impl StreamHandler for Watching {
    fn gate(&mut self, event: GateEvent<'_>) {
        if let GateEvent::Decided(question, _) = event {
            let told = format!("decided {}", question.assertion().text());
            self.0.lock().expect("a test").1.push(told);
        }
    }
}

#[test]
fn an_observer_is_told_what_is_written_and_decided() {
    let body = event(0, "It rains. It pours. [unverified-inference] So. ") + "data: [DONE]\n\n";
    for (action, text, told) in [
        (
            "gate",
            "It rains. (withheld) So. ",
            vec!["assertion It pours.", "decided It pours."],
        ),
        (
            "strip",
            "It rains. It pours. So. ",
            vec!["assertion It pours."],
        ),
    ] {
        for size in [1, 10, body.len()] {
            let watching = Watching::default();
            let routes = route(action, "", REPLACE);
            let filter = filter(&routes, &sse("/"));
            let mut filter = filter.with_observer(watching.clone());
            let (_, flow) = through(&mut filter, body.as_bytes(), size);
            assert_eq!(flow, Flow::Done);
            let mut seen = watching.0.lock().expect("a test");
            seen.1.sort();
            let found: Vec<&str> = seen.1.iter().map(String::as_str).collect();
            assert_eq!((seen.0.as_str(), found), (text, told.clone()), "{action}");
        }
    }
}
