//! Logs of agents: each format, and lines that are none.

use provstream_observe::{ToolLogReader, ToolResult};
use serde_json::json;

use crate::time;

/// Reads a log; the results, and the numbers and messages of the errors.
fn read(log: &str) -> (Vec<ToolResult>, Vec<(usize, String)>) {
    let mut reader = ToolLogReader::new();
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for (line, number) in log.lines().zip(1..) {
        for result in reader.line(line.as_bytes()) {
            match result {
                Ok(result) => results.push(result),
                Err(error) => errors.push((number, error.to_string())),
            }
        }
    }
    (results, errors)
}

const CLAUDE_CODE: &str = r#"{"type":"summary","summary":"A program","leafUuid":"1"}
{"type":"user","message":{"role":"user","content":"What does it do?"},"timestamp":"2026-05-28T11:39:58.000Z"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_01","name":"Read","input":{"file_path":"/a.rs","limit":1}},{"type":"tool_use","id":"toolu_02","name":"Bash","input":{"command":"false"}}]},"timestamp":"2026-05-28T11:39:59.000Z"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"     1\tfn main() {\n"},{"type":"tool_result","tool_use_id":"toolu_02","is_error":true,"content":[{"type":"text","text":"Exit code 1"}]}]},"timestamp":"2026-05-28T11:40:00.123Z"}
"#;

#[test]
fn transcripts_of_claude_code_are_read() {
    let (results, errors) = read(CLAUDE_CODE);
    assert_eq!(errors, []);
    let [read, bash] = &results[..] else {
        panic!("{results:?}")
    };
    assert_eq!(
        (&*read.tool, read.call_id.as_deref()),
        ("Read", Some("toolu_01"))
    );
    assert_eq!(read.content, "     1\tfn main() {\n");
    assert_eq!(
        json!(read.arguments),
        json!({ "file_path": "/a.rs", "limit": 1 })
    );
    assert_eq!(read.time, time("2026-05-28T11:40:00.123Z"));
    assert!(!read.is_error && bash.is_error);
    assert_eq!(bash.content, "Exit code 1");

    let observation = read
        .observation("substrate.code.read")
        .expect("an observation");
    assert_eq!(observation.id(), "toolu_01");
    assert_eq!(observation.content(), Some(read.content.as_bytes()));
    let query = r#"{"arguments":{"file_path":"/a.rs","limit":1},"tool":"Read"}"#;
    assert_eq!(observation.query().as_str(), query);
}

#[test]
fn rollouts_of_codex_are_read() {
    let (results, errors) = read(
        r#"{"timestamp":"2026-05-28T11:39:00.000Z","type":"session_meta","payload":{"id":"1","cwd":"/"}}
{"timestamp":"2026-05-28T11:39:58.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"cat\",\"a.rs\"]}","call_id":"call_1"}}
{"timestamp":"2026-05-28T11:39:59.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"call_2"}}
{"timestamp":"2026-05-28T11:40:00.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"fn main() {}\n"}}
{"timestamp":"2026-05-28T11:40:01.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_2","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}}
{"timestamp":"2026-05-28T11:40:02.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"call_3"}}
{"timestamp":"2026-05-28T11:40:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":{"content":"no","success":false}}}
{"timestamp":"2026-05-28T11:40:04.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Done."}}"#,
    );
    assert_eq!(errors, []);
    let contents: Vec<_> = results
        .iter()
        .map(|result| (&*result.tool, &*result.content, result.is_error))
        .collect();
    let expected = [
        ("shell", "fn main() {}\n", false),
        ("apply_patch", "a\nb", false),
        ("shell", "no", true),
    ];
    assert_eq!(contents, expected);
    assert_eq!(
        json!(results[0].arguments),
        json!({ "command": ["cat", "a.rs"] })
    );
}

/// A span in OTLP JSON, with attributes.
fn span(attributes: &[(&str, serde_json::Value)], end: &str) -> serde_json::Value {
    let attributes = attributes
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }));
    json!({ "name": "execute_tool", "endTimeUnixNano": end, "attributes": attributes.collect::<Vec<_>>() })
}

#[test]
fn spans_of_tools_are_read() {
    let text = |text: &str| json!({ "stringValue": text });
    let operation = ("gen_ai.operation.name", text("execute_tool"));
    let spans = [
        span(
            &[
                operation.clone(),
                ("gen_ai.tool.name", text("read_file")),
                ("gen_ai.tool.call.id", text("call_9")),
                ("gen_ai.tool.call.arguments", text(r#"{"path":"a.rs"}"#)),
                ("gen_ai.tool.call.result", text("fn main() {}\n")),
            ],
            "1779968400123456789",
        ),
        span(
            &[
                operation.clone(),
                ("gen_ai.tool.name", text("count")),
                (
                    "gen_ai.tool.call.result",
                    json!({ "kvlistValue": { "values": [
                        { "key": "n", "value": { "intValue": "12" } },
                        { "key": "a", "value": { "arrayValue": { "values": [{ "boolValue": true }] } } },
                    ] } }),
                ),
            ],
            "1779968400000000000",
        ),
        // No result was recorded; another operation; a result without a name; another time.
        span(
            &[operation.clone(), ("gen_ai.tool.name", text("quiet"))],
            "1",
        ),
        span(
            &[
                ("gen_ai.operation.name", text("chat")),
                ("gen_ai.tool.call.result", text("x")),
            ],
            "1",
        ),
        span(
            &[operation.clone(), ("gen_ai.tool.call.result", text("x"))],
            "1",
        ),
        span(
            &[
                operation,
                ("gen_ai.tool.name", text("t")),
                ("gen_ai.tool.call.result", text("x")),
            ],
            "soon",
        ),
    ];
    let line = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] }).to_string();
    let (results, errors) = read(&line);
    let [file, count] = &results[..] else {
        panic!("{results:?}")
    };
    assert_eq!(
        (&*file.tool, file.call_id.as_deref()),
        ("read_file", Some("call_9"))
    );
    assert_eq!(json!(file.arguments), json!({ "path": "a.rs" }));
    assert_eq!(file.time, time("2026-05-28T11:40:00.123456789Z"));
    assert_eq!(count.content, r#"{"a":[true],"n":12}"#);
    // Without an id, the id is computed.
    let observation = count
        .observation("substrate.mcp.brief")
        .expect("an observation");
    assert!(observation.id().starts_with("sha256:"));
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].1.contains("gen_ai.tool.name") && errors[1].1.contains("endTimeUnixNano"));
}

/// The status is a number in the protocol, and a name in some exporters.
#[test]
fn spans_of_failed_calls_are_marked() {
    let text = |text: &str| json!({ "stringValue": text });
    let attributes = [
        ("gen_ai.operation.name", text("execute_tool")),
        ("gen_ai.tool.name", text("t")),
        ("gen_ai.tool.call.result", text("x")),
    ];
    let with_status = |code| {
        let mut span = span(&attributes, "1");
        span["status"] = json!({ "code": code });
        span
    };
    let failed = [&attributes[..], &[("error.type", text("timeout"))]].concat();
    let spans = [
        with_status(json!(2)),
        with_status(json!("STATUS_CODE_ERROR")),
        span(&failed, "1"),
        with_status(json!(1)),
        with_status(json!("STATUS_CODE_OK")),
        span(&attributes, "1"),
    ];
    let line = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] }).to_string();
    let (results, errors) = read(&line);
    assert_eq!(errors, []);
    let are_errors: Vec<_> = results.iter().map(|result| result.is_error).collect();
    assert_eq!(are_errors, [true, true, true, false, false, false]);
}

#[test]
fn bad_lines_do_not_stop_the_others() {
    let mut lines: Vec<_> = CLAUDE_CODE.lines().collect();
    lines.insert(1, "{\"type\":");
    lines.insert(3, "[1]");
    lines.insert(4, r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_99","content":""}]}}"#);
    lines.insert(
        5,
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read"}]}}"#,
    );
    lines.insert(6, "");
    let (results, errors) = read(&lines.join("\n"));
    assert_eq!(results.len(), 2);
    let numbers: Vec<_> = errors.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [2, 4, 5, 6]);
    assert!(errors[2].1.contains("toolu_99"), "{errors:?}");
}

#[test]
fn calls_without_results_are_forgotten_at_last() {
    let mut reader = ToolLogReader::new();
    let call = |number: usize| {
        json!({ "timestamp": "2026-05-28T11:40:00Z", "type": "response_item",
                "payload": { "type": "function_call", "name": "t", "arguments": "{}", "call_id": format!("c{number}") } })
        .to_string()
    };
    let output = |number: usize| {
        json!({ "timestamp": "2026-05-28T11:40:00Z", "type": "response_item",
                "payload": { "type": "function_call_output", "output": "x", "call_id": format!("c{number}") } })
        .to_string()
    };
    for number in 0..=10_000 {
        assert_eq!(reader.line(call(number).as_bytes()), []);
    }
    assert!(reader.line(output(0).as_bytes())[0].is_err());
    assert!(reader.line(output(1).as_bytes())[0].is_ok());
    assert!(reader.line(output(10_000).as_bytes())[0].is_ok());
}
