//! The proxy with a ledger: tool loops of agents that know nothing of it.

mod recording;
mod support;

use std::fs;
use std::time::{Duration, Instant};

use provstream::provenance::Timestamp;
use provstream_observe::{Ledger as _, LedgerRecord, Observation, Query, SqliteLedger};
use serde_json::{Value, json};

use support::{Bench, anthropic, openai};

const POLICY: &str = r#"
floor = 1
default_window = "1d"
unobserved = { action = "discard" }
changed = { action = "mark", before = "<", after = ">" }
class_differs = { action = "discard" }
not_requeryable = { action = "release" }
stale = { action = "discard" }
inadmissible = { action = "discard" }
"#;

/// Requests with a result of `read_file` whose call has this identifier, in the form of each API.
fn requests(id: &str, result: &str) -> [(&'static str, Value); 4] {
    let arguments = json!({"path": "c.rs"});
    [
        (
            "/v1/chat/completions",
            json!({"model": "m", "stream": true, "messages": [
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments.to_string()}}]},
                {"role": "tool", "tool_call_id": id, "content": result},
            ]}),
        ),
        (
            "/v1/messages",
            json!({"model": "m", "stream": true, "max_tokens": 99, "messages": [
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read_file", "input": arguments}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]},
            ]}),
        ),
        (
            "/v1/responses",
            json!({"model": "m", "input": [
                {"type": "function_call", "call_id": id, "name": "read_file", "arguments": arguments.to_string()},
                {"type": "function_call_output", "call_id": id, "output": result},
            ]}),
        ),
        (
            "/v1beta/models/m:generateContent",
            json!({"contents": [
                {"role": "model", "parts": [{"functionCall": {"id": id, "name": "read_file", "args": arguments}}]},
                {"role": "user", "parts": [{"functionResponse": {"id": id, "name": "read_file", "response": {"output": result}}}]},
            ]}),
        ),
    ]
}

fn settings(upstream: &str) -> String {
    let ledger = "ledger = \"obs.db\"\nrecord = { read_file = \"substrate.code.read\" }\n";
    format!(
        "upstream = \"{upstream}\"\nlisten = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\naudit = \"audit.ndjson\"\n\
         [[route]]\npath = \"/plain\"\naction = \"gate\"\npolicy = \"plain.toml\"\n{ledger}keep = \"content\"\n\
         [[route]]\npath = \"*\"\naction = \"gate\"\npolicy = \"policy.toml\"\n{ledger}requery = \"root\"\nrequery_deadline = \"5s\"\n"
    )
}

/// The observations of an id.
fn recorded(bench: &Bench, id: &str) -> Vec<provstream_observe::LedgerEntry> {
    let ledger = SqliteLedger::open_existing(bench.path("obs.db")).expect("a ledger");
    let mut found = Vec::new();
    let all = ledger.for_each(1, |record| {
        if let LedgerRecord::Observation(entry) = record
            && entry.id == id
        {
            found.push(entry);
        }
        true
    });
    all.expect("read");
    found
}

/// Records an old observation of `a.rs`, and returns its id.
fn record_old(bench: &Bench) -> String {
    let ledger = SqliteLedger::open(bench.path("obs.db")).expect("a ledger");
    let query = Query::parse(r#"{"path": "a.rs"}"#).expect("a query");
    let time = Timestamp::parse("2026-05-28T12:00:00Z").expect("a time");
    let old = Observation::new("substrate.code.read", query, "fn a() {}\n", time);
    let old = old.expect("an observation");
    ledger.record(&old).expect("recorded");
    old.id().to_owned()
}

#[test]
fn each_citation_gets_its_outcome() {
    let mut bench = Bench::new();
    let root = bench.path("root");
    fs::create_dir(&root).expect("a folder");
    fs::write(root.join("a.rs"), "fn a() {}\n").expect("written");
    fs::write(root.join("b.rs"), "fn b() {}\n").expect("written");
    let observed = bench.observe("a.rs");
    let changed = bench.observe("b.rs");
    fs::write(root.join("b.rs"), "fn b() { stop() }\n").expect("written");
    let old = record_old(&bench);
    let now = Timestamp::now();
    let cite =
        |class: &str, id: &str| format!("[substrate.{class}; observation-id={id}; ts={now}]");
    let answer = |id: &str| {
        format!(
            "A is empty. {observed} B is, too. {changed} C is long. {} It was so. {} A search said so. {} Trust me. {} Done.",
            cite("code.read", id),
            cite("code.read", &old),
            cite("grep", id),
            cite("code.read", &format!("sha256:{}", "0".repeat(64))),
        )
    };
    fs::write(bench.path("policy.toml"), POLICY).expect("written");
    fs::write(
        bench.path("plain.toml"),
        "floor = 1\ndefault_window = \"1d\"\ndefault_level = \"observed\"\ninadmissible = { action = \"discard\" }\n",
    )
    .expect("written");
    let outcomes = [
        "requeried",
        "changed",
        "not-requeryable",
        "stale",
        "class-differs",
        "unobserved",
    ];
    for (number, api) in [openai, anthropic].into_iter().enumerate() {
        let id = format!("call_{number}");
        bench.start(settings, api);
        bench.answer(&answer(&id));
        let (path, body) = &requests(&id, "fn c() {}\n")[number];
        // Each request repeats the conversation.
        for _ in 0..2 {
            let text = bench.ask(path, body);
            assert_eq!(text, "A is empty. <B is, too.> C is long. Done.", "{path}");
            assert_eq!(bench.audited(), outcomes, "{path}");
        }
        let text = bench.ask(&format!("/plain{path}"), body);
        assert_eq!(text, "A is empty. B is, too. C is long. Done.");
        let observed = [
            "observed",
            "observed",
            "observed",
            "stale",
            "class-differs",
            "unobserved",
        ];
        assert_eq!(bench.audited(), observed);
        let entries = recorded(&bench, &id);
        assert_eq!(entries.len(), 1, "{entries:?}");
        let body = entries[0].body.as_ref().expect("a body");
        assert_eq!(
            body.query.as_str(),
            r#"{"arguments":{"path":"c.rs"},"tool":"read_file"}"#
        );
        // The first route that saw it keeps digests.
        assert_eq!(
            (entries[0].class.as_str(), &body.content),
            ("substrate.code.read", &None)
        );
        let metrics = bench.metrics();
        for line in [
            "provstream_recordings_total{route=\"*\",end=\"recorded\"} 1",
            "provstream_recordings_total{route=\"*\",end=\"nothing_new\"} 1",
            "provstream_observations_total{route=\"*\",outcome=\"unobserved\"} 2",
        ] {
            assert!(metrics.contains(line), "{line}\n{metrics}");
        }
        bench.stop();
    }
    let checked = SqliteLedger::open_existing(bench.path("obs.db")).expect("a ledger");
    assert_eq!(checked.check(None).expect("checked").faults, []);
}

/// Starts a proxy whose route `/plain` needs no repeated queries.
fn start_plain(bench: &mut Bench, api: impl Fn(&str) -> String + Send + 'static) {
    fs::create_dir(bench.path("root")).expect("a folder");
    fs::write(bench.path("policy.toml"), POLICY).expect("written");
    fs::write(
        bench.path("plain.toml"),
        POLICY
            .replace("not_requeryable = { action = \"release\" }\n", "")
            .replace(
                "changed = { action = \"mark\", before = \"<\", after = \">\" }\n",
                "",
            ),
    )
    .expect("written");
    bench.start(settings, api);
    bench.answer("Done.");
}

/// Every API's results are recorded, another result under the same identifier again, and what only looks like one is not.
#[test]
fn results_are_recorded_once() {
    let mut bench = Bench::new();
    start_plain(&mut bench, openai);
    for (number, (path, _)) in requests("", "").into_iter().enumerate() {
        let id = format!("call_{number}");
        let ask = |result: &str| {
            let (_, body) = &requests(&id, result)[number];
            bench.send(&format!("/plain{path}"), &body.to_string());
        };
        ask("fn c() {}\n");
        ask("fn c() {}\n");
        assert_eq!(recorded(&bench, &id).len(), 1, "{path}");
        ask("fn c() { stop() }\n");
        let entries = recorded(&bench, &id);
        assert_eq!(entries.len(), 2, "{path}");
        let content = entries[1]
            .body
            .as_ref()
            .and_then(|body| body.content.clone());
        let content = String::from_utf8(content.expect("content")).expect("UTF-8");
        assert!(content.contains("stop()"), "{content}");
    }
    // The id of an observation cannot be taken by somebody who sends requests.
    let own = format!("sha256:{}", "1".repeat(64));
    let (path, body) = &requests(&own, "invented")[0];
    bench.send(path, &body.to_string());
    assert_eq!(recorded(&bench, &own).len(), 0);
    // Another tool is not recorded.
    let (path, body) = &requests("call_x", "so")[0];
    bench.send(path, &body.to_string().replace("read_file", "other"));
    assert_eq!(recorded(&bench, "call_x").len(), 0);
    bench.stop();
}

/// A ledger that cannot be written does not stop a request; the error is logged and counted.
#[test]
fn a_request_goes_on_without_the_ledger() {
    let mut bench = Bench::new();
    fs::create_dir(bench.path("root")).expect("a folder");
    fs::write(bench.path("policy.toml"), POLICY).expect("written");
    fs::write(
        bench.path("plain.toml"),
        "floor = 1\ndefault_window = \"1d\"\ninadmissible = { action = \"discard\" }\n",
    )
    .expect("written");
    bench.start(settings, openai);
    bench.answer("Done.");
    let other = rusqlite::Connection::open(bench.path("obs.db")).expect("a ledger");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let (path, body) = &requests("call_1", "so")[0];
    let start = Instant::now();
    assert_eq!(bench.ask(path, body), "Done.");
    assert!(start.elapsed() < Duration::from_secs(30));
    let metrics = bench.metrics();
    let line = "provstream_recordings_total{route=\"*\",end=\"failed\"} 1";
    assert!(metrics.contains(line), "{metrics}");
    assert!(
        bench
            .log()
            .contains("the results of tools in a request are not recorded: the ledger is locked")
    );
    other.execute_batch("ROLLBACK").expect("free");
    assert_eq!(bench.ask(path, body), "Done.");
    assert_eq!(recorded(&bench, "call_1").len(), 1);
    bench.stop();
}

#[test]
fn wrong_settings_are_reported() {
    let bench = Bench::new();
    let route = |action: &str, keys: &str| {
        format!(
            "upstream = \"http://127.0.0.1:9\"\n[[route]]\npath = \"*\"\naction = \"{action}\"\n{keys}\n"
        )
    };
    let policy = "policy = \"own-state\"";
    for (settings, error) in [
        (
            route("strip", "ledger = \"obs.db\""),
            "expected \"ledger\" only with action \"gate\" or \"record\", found it without",
        ),
        (
            route("strip", "keep = \"content\""),
            "expected \"keep\" only with \"ledger\", found it without",
        ),
        (
            route("gate", &format!("{policy}\nledger = \"absent.db\"")),
            "absent.db\": cannot open the ledger",
        ),
        (
            route(
                "strip",
                "ledger = \"obs.db\"\nrecord = { a = \"substrate.grip\" }",
            ),
            "expected a class of the vocabulary that is not a terminal",
        ),
        (
            route(
                "strip",
                "ledger = \"obs.db\"\nrecord = { a = \"unverified-inference\" }",
            ),
            "expected a class of the vocabulary that is not a terminal",
        ),
        (
            route(
                "gate",
                "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ndefault_level = \"observed\"\ninadmissible = { action = \"discard\" }",
            ),
            "expected \"ledger\" for a policy with levels or rules about observations",
        ),
        (
            route(
                "gate",
                "ledger = \"obs.db\"\n[route.policy]\nfloor = 1\ndefault_window = \"1h\"\nchanged = { action = \"discard\" }\ninadmissible = { action = \"discard\" }",
            ),
            "expected \"requery\" for a policy with the level \"requeried\"",
        ),
    ] {
        let found = bench.fails(&settings);
        assert!(found.contains(error), "{settings}\n{found}");
    }
}
