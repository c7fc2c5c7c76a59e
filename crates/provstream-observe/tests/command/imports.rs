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
        bench.fails(&args, 1, message);
    }
}
