//! Results of tools: which are recorded, and how.

use std::io::Read as _;
use std::time::{Duration, Instant};

use provstream::provenance::Timestamp;
use provstream_observe::{Digest, Ledger as _, LedgerEntry, Observation, Query, SqliteLedger};
use serde_json::{Value, json};

use crate::support::{Bench, openai};
use crate::{recorded, requests, settings, start_plain};

/// Sends the result of a call of `read_file` to chat completions, with these arguments of the call.
fn send(bench: &Bench, id: &str, arguments: &str, result: &str) {
    let (path, mut body) = requests(id, result)[0].clone();
    body["messages"][1]["tool_calls"][0]["function"]["arguments"] = arguments.into();
    bench.send(&format!("/plain{path}"), &body.to_string());
}

fn query(entries: &[LedgerEntry]) -> &str {
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].body.as_ref().expect("a body").query.as_str()
}

#[test]
fn what_nobody_can_cite_is_left_out() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    let own = format!("hmac-sha256:{}", "1".repeat(64));
    send(&bench, &own, "{}", "invented");
    assert_eq!(recorded(&bench, &own).len(), 0);
    // An id with a line end is left out alone.
    let (path, mut body) = requests("call_1", "so")[0].clone();
    let (_, other) = requests("call\n2", "so")[0].clone();
    let messages = body["messages"].as_array_mut().expect("messages");
    messages.extend(other["messages"].as_array().expect("messages").clone());
    bench.send(&format!("/plain{path}"), &body.to_string());
    assert_eq!(recorded(&bench, "call\n2").len(), 0);
    assert_eq!(recorded(&bench, "call_1").len(), 1);
    // Calls that failed, of Anthropic's.
    let (path, body) = requests("call_3", "so")[1].clone();
    for (is_error, count) in [(Value::Bool(true), 0), (Value::Bool(false), 1)] {
        let mut body = body.clone();
        body["messages"][2]["content"][0]["is_error"] = is_error;
        bench.send(&format!("/plain{path}"), &body.to_string());
        assert_eq!(recorded(&bench, "call_3").len(), count);
    }
    bench.stop();
}

#[test]
fn arguments_are_recorded_as_they_are_or_not_at_all() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    send(&bench, "call_1", "path=c.rs", "so");
    let expected = r#"{"arguments":"path=c.rs","tool":"read_file"}"#;
    assert_eq!(query(&recorded(&bench, "call_1")), expected);
    let long = json!({ "path": "x".repeat(70_000) }).to_string();
    send(&bench, "call_2", &long, "so");
    assert_eq!(
        query(&recorded(&bench, "call_2")),
        r#"{"tool":"read_file"}"#
    );
    bench.stop();
}

/// A result that the ledger has with another class is recorded again; one that has expired is not.
#[test]
fn the_ledger_decides_what_is_known() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    let ledger = SqliteLedger::open(bench.path("obs.db")).expect("a ledger");
    let record = |id: &str, class: &str| {
        let query = Query::parse("{}").expect("a query");
        let made = Observation::new(class, query, "so", Timestamp::now()).expect("made");
        let made = made.with_expiry(Timestamp::now()).expect("an expiry");
        let made = made.with_id(id).expect("an id");
        ledger.record(&made).expect("recorded");
    };
    record("call_1", "substrate.grep");
    record("call_2", "substrate.code.read");
    assert_eq!(ledger.expire(Timestamp::now()).expect("expired"), 2);
    send(&bench, "call_1", "{}", "so");
    send(&bench, "call_2", "{}", "so");
    let classes: Vec<_> = recorded(&bench, "call_1")
        .into_iter()
        .map(|entry| entry.class)
        .collect();
    assert_eq!(classes, ["substrate.grep", "substrate.code.read"]);
    assert_eq!(recorded(&bench, "call_2").len(), 1);
    bench.stop();
}

/// The latest result of a call is what an answer can cite, also if it is an earlier one again, or if a request has several.
#[test]
fn the_latest_result_of_a_call_counts() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    let digests = || {
        let entries = recorded(&bench, "call_1").into_iter();
        let digests = entries.map(|entry| entry.body.expect("a body").result);
        digests.collect::<Vec<_>>()
    };
    let of = |text: &str| Digest::of(text.as_bytes());
    for result in ["a", "b", "a", "a"] {
        send(&bench, "call_1", "{}", result);
    }
    assert_eq!(digests(), ["a", "b", "a"].map(of));
    let (path, mut body) = requests("call_1", "b")[0].clone();
    let (_, other) = requests("call_1", "c")[0].clone();
    let messages = body["messages"].as_array_mut().expect("messages");
    messages.extend(other["messages"].as_array().expect("messages").clone());
    for _ in 0..2 {
        bench.send(&format!("/plain{path}"), &body.to_string());
    }
    assert_eq!(digests(), ["a", "b", "a", "c"].map(of));
    bench.stop();
}

/// A proxy that starts again reads what is recorded, and does not wait for a lock to record nothing.
#[test]
fn what_is_recorded_needs_no_lock() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    send(&bench, "call_1", "{}", "so");
    bench.stop();
    bench.start(settings, openai);
    let other = rusqlite::Connection::open(bench.path("obs.db")).expect("a ledger");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let start = Instant::now();
    send(&bench, "call_1", "{}", "so");
    assert!(start.elapsed() < Duration::from_secs(4));
    let metrics = bench.metrics();
    let line = "provstream_recordings_total{route=\"/plain\",end=\"nothing_new\"} 1";
    assert!(metrics.contains(line), "{metrics}");
    bench.stop();
}

/// An upstream whose bytes wait for the ledger has not stalled.
#[test]
fn a_locked_ledger_is_no_stall() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    send(&bench, "call_1", "{}", "so");
    bench.stop();
    bench.start(|url| settings(url) + "[timeouts]\nidle = \"1s\"\n", openai);
    let other = rusqlite::Connection::open(bench.path("obs.db")).expect("a ledger");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let (path, body) = requests("call_2", "so")[0].clone();
    let text = std::thread::scope(|scope| {
        let text = scope.spawn(|| bench.ask(&format!("/plain{path}"), &body));
        std::thread::sleep(Duration::from_millis(2_500));
        other.execute_batch("ROLLBACK").expect("free");
        text.join().expect("a text")
    });
    assert_eq!(text, "Done.");
    assert_eq!(recorded(&bench, "call_2").len(), 1);
    bench.stop();
}

/// The proxy keeps its locks on the ledger when it compares the files of its settings: without them, another program may take itself for
/// the last one, and delete the write-ahead log.
#[test]
#[cfg(target_os = "linux")]
fn the_ledger_stays_locked() {
    use std::os::unix::fs::MetadataExt as _;

    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    send(&bench, "call_1", "{}", "so");
    bench.stop();
    // The audit log exists now, and is compared with the ledger.
    assert!(bench.path("audit.ndjson").exists());
    bench.start(settings, openai);
    let number = bench.path("obs.db").metadata().expect("a ledger").ino();
    let locks = std::fs::read_to_string("/proc/locks").expect("locks");
    let of_ledger = format!(":{number} ");
    let pid = format!(" {} ", bench.pid());
    let is_locked = |line: &str| line.contains(&of_ledger) && line.contains(&pid);
    assert!(locks.lines().any(is_locked), "{locks}");
    bench.stop();
}

/// The head of a response does not wait for a ledger that is locked, and the text does. What a client that has left would have cited is
/// counted, too.
#[test]
fn the_head_goes_first() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    // The ledger exists then.
    send(&bench, "call_1", "{}", "so");
    let other = rusqlite::Connection::open(bench.path("obs.db")).expect("a ledger");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let (path, body) = requests("call_2", "so")[0].clone();
    let begin = || {
        let mut stream = bench.begin(&format!("/plain{path}"), &body.to_string());
        let patience = Some(Duration::from_secs(3));
        stream.set_read_timeout(patience).expect("set");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a head in time");
            head.extend(byte);
        }
        stream
    };
    let mut stream = begin();
    drop(begin());
    let pause = Some(Duration::from_millis(300));
    stream.set_read_timeout(pause).expect("set");
    assert!(stream.read(&mut [0]).is_err(), "the text waits");
    other.execute_batch("ROLLBACK").expect("free");
    stream.set_read_timeout(None).expect("set");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("the rest");
    assert!(rest.contains("Done."), "{rest}");
    assert_eq!(recorded(&bench, "call_2").len(), 1);
    let ends = || {
        let metrics = bench.metrics();
        let lines = metrics.lines();
        let lines = lines.filter_map(|line| {
            line.strip_prefix("provstream_recordings_total")?
                .split_once("} ")
        });
        let counts = lines.map(|(_, count)| count.parse::<u64>().expect("a number"));
        counts.sum::<u64>()
    };
    let start = Instant::now();
    while ends() < 3 {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{}",
            bench.metrics()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    bench.stop();
}
