//! `provstream observe import`.

use std::fs;

use crate::Bench;

const LOG: &str = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_01","name":"Read","input":{"file_path":"b.rs"}},{"type":"tool_use","id":"toolu_02","name":"Bash","input":{}},{"type":"tool_use","id":"toolu_03","name":"Read","input":{}}]},"timestamp":"2026-05-28T11:39:59Z"}
not JSON
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"fn run() { stop() }\n"},{"type":"tool_result","tool_use_id":"toolu_02","content":""},{"type":"tool_result","tool_use_id":"toolu_03","is_error":true,"content":"no"}]},"timestamp":"2026-05-28T11:40:00Z"}
"#;

#[test]
fn logs_of_agents_are_recorded_once() {
    let Some(bench) = Bench::new() else { return };
    let write = |name: &str, text: &str| fs::write(bench.root.join(name), text).expect("written");
    write("session.jsonl", LOG);
    write("tools.toml", "[tools]\nRead = \"substrate.code.read\"\n");
    let args = [
        "observe",
        "import",
        "session.jsonl",
        "--tools",
        "tools.toml",
        "--keep",
        "content",
    ];
    bench.fails(&args, 1, "session.jsonl, line 2: ");
    // What could be read is recorded.
    let found = bench.verify(
        "It stops with `stop()`. [substrate.code.read; observation-id=toolu_01]",
        &["--quotes"],
    );
    assert_eq!(found, [("observed".to_owned(), String::new())]);
    let found = bench.verify(
        "It stops. [substrate.code.read; observation-id=toolu_01]",
        &["--requery"],
    );
    assert_eq!(found[0].0, "not-requeryable");

    write("session.jsonl", &LOG.replace("not JSON\n", ""));
    let records = bench.records(&args, "");
    assert_eq!(records[0]["recorded"], 0);
    assert_eq!(records[0]["known"], 1);
    assert_eq!(records[0]["failed"], 1);
    assert_eq!(records[0]["without_class"]["Bash"], 1);

    // Another result of the same id is recorded.
    write(
        "session.jsonl",
        &LOG.replace("not JSON\n", "").replace("stop()", "halt()"),
    );
    assert_eq!(bench.records(&args, "")[0]["recorded"], 1);

    // Of two results of one id, the later counts, however often the log is read.
    let later = LOG
        .replace("not JSON\n", "")
        .replace("11:40:00", "11:41:00");
    let both = later.clone()
        + &later
            .replace("stop()", "wait()")
            .replace("11:41:00", "11:42:00");
    write("session.jsonl", &both);
    for recorded in [2, 0, 0] {
        assert_eq!(bench.records(&args, "")[0]["recorded"], recorded);
    }

    // A log that somebody else wrote replaces no observation that was made.
    let forged = LOG
        .replace("not JSON\n", "")
        .replace("toolu_01", "sha256:e3b0");
    write("session.jsonl", &forged);
    bench.fails(
        &args,
        1,
        "session.jsonl, line 2: id: expected one of another system",
    );
    let found = bench.verify(
        "It is. [substrate.code.read; observation-id=sha256:e3b0]",
        &[],
    );
    assert_eq!(found[0].0, "unobserved");

    for (tools, message) in [
        (
            "[tools]\nRead = \"substrate.nonsense\"\n",
            "tools.toml: line 2, column 8: expected a substrate class",
        ),
        (
            "[tools]\nRead = \"unverified-inference\"\n",
            "expected a substrate class",
        ),
        ("[tool]\n", "unknown key \"tool\""),
        ("", "missing key \"tools\""),
    ] {
        write("tools.toml", tools);
        bench.fails(&args, 2, message);
    }
}

/// A span of a tool in a line of OTLP; `id` is that of the call.
fn span(id: &str) -> String {
    let attributes = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "Read"),
        ("gen_ai.tool.call.id", id),
        ("gen_ai.tool.call.result", "so"),
    ];
    let attributes = attributes
        .map(|(key, value)| serde_json::json!({ "key": key, "value": { "stringValue": value } }));
    let span =
        serde_json::json!({ "endTimeUnixNano": "1779968400000000000", "attributes": attributes });
    serde_json::json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] }).to_string()
}

#[test]
fn a_result_counts_once_and_at_its_time() {
    let Some(bench) = Bench::new() else { return };
    let write = |name: &str, text: &str| fs::write(bench.root.join(name), text).expect("written");
    write("tools.toml", "[tools]\nRead = \"substrate.code.read\"\n");
    let args = ["observe", "import", "log.jsonl", "--tools", "tools.toml"];
    // Twice in one file, and after a line that is too long.
    let long = "x".repeat((64 << 20) + 1);
    let twice = span("call_1");
    write(
        "log.jsonl",
        &format!("{twice}\n{twice}\n{long}\nnot JSON\n"),
    );
    let output = bench.run(&args, "");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    for message in [
        "log.jsonl, line 3: expected a line of at most 67108864 bytes",
        "log.jsonl, line 4: ",
    ] {
        assert!(errors.contains(message), "{errors}");
    }
    write("log.jsonl", &twice);
    let known = bench.records(&args, "");
    assert_eq!(
        (&known[0]["recorded"], &known[0]["known"]),
        (&0.into(), &1.into())
    );
    assert_eq!(bench.records(&["ledger", "list"], "").len(), 1);
    write("log.jsonl", &twice.replace("1779968400", "1779968401"));
    let later = bench.records(&args, "");
    assert_eq!(
        (&later[0]["recorded"], &later[0]["known"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn what_has_expired_is_not_listed() {
    let Some(bench) = Bench::new() else { return };
    bench.observe(&["fs.mtime", "a.rs", "--expires", "1s"]);
    bench.observe(&["fs.mtime", "b.rs"]);
    let ids = || {
        let list = bench.records(&["ledger", "export", "--as", "observations"], "");
        list[0].as_array().expect("a list").len()
    };
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(ids(), 1);
}
