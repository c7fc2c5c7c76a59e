//! Additions of the proxy to requests so that models write annotations.

use serde_json::{Value, json};

use crate::asks::{QUESTION, body_of, stream};
use crate::support::{post, proxy, text_of};

/// The path and the body of a request, the place of the schema in what is sent, and what else is sent.
type Placed = (&'static str, Value, &'static str, Value);

/// Setting `emit` of a route, with the path and the body of a request.
type Kept = (&'static str, &'static str, Value);

#[tokio::test]
async fn a_route_may_add_the_prompt_that_asks_for_annotations() {
    let file = "[[route]]\npath = \"/v1\"\naction = \"strip\"\nemit = \"prompt\"\n";
    let (running, upstream) = proxy(file, |_| stream("It rains. [substrate.grep] So.")).await;
    let answer = post(&running.address, "/v1/chat/completions", QUESTION).await;
    assert_eq!(text_of(&answer.text()), "It rains. So.");
    let sent = upstream.seen(|seen| body_of(&seen.requests[0]));
    assert_eq!(sent["messages"][0]["role"], "system");
    assert!(
        sent["messages"][0]["content"]
            .as_str()
            .expect("a text")
            .contains("substrate.grep")
    );
    assert_eq!(
        sent["messages"][1],
        body_of(&format!("\r\n\r\n{QUESTION}"))["messages"][0]
    );
    assert_eq!(sent["stream"], true);
    // What is not JSON goes as it is.
    let answer = post(&running.address, "/v1/chat/completions", "{not JSON").await;
    assert_eq!(answer.status, 200);
    assert!(upstream.seen(|seen| seen.requests[1].ends_with("{not JSON")));
}

/// Sends a request through the proxy and returns the body that the upstream got; checks its
/// `content-length`.
async fn sent(settings: &str, path: &str, body: &Value) -> Value {
    let (running, upstream) = proxy(settings, |_| stream("It rains.")).await;
    let answer = post(&running.address, path, &body.to_string()).await;
    assert_eq!(answer.status, 200);
    let request = upstream.seen(|seen| seen.requests[0].clone());
    let (head, sent) = request.split_once("\r\n\r\n").expect("a body");
    let length = format!("content-length: {}", sent.len());
    assert!(head.lines().any(|line| line == length), "{request}");
    body_of(&request)
}

#[tokio::test]
async fn a_member_in_two_spellings_is_an_error() {
    let (running, upstream) = proxy(&emitting("emit = \"prompt\""), |_| stream("It rains.")).await;
    let path = "/v1beta/models/m:streamGenerateContent";
    let text = json!({"parts": [{"text": "s"}]});
    for (one, other, value) in [
        ("system_instruction", "systemInstruction", text),
        (
            "generation_config",
            "generationConfig",
            json!({"temperature": 0}),
        ),
    ] {
        let body = json!({"contents": [], one: value, other: value});
        let answer = post(&running.address, path, &body.to_string()).await;
        assert_eq!(answer.status, 400);
        let message = format!("expected \\\"{one}\\\" or \\\"{other}\\\", found both");
        assert!(answer.text().contains(&message), "{}", answer.text());
        assert!(upstream.seen(|seen| seen.requests.is_empty()));
    }
    // A member that is null is as good as none.
    let body =
        json!({"contents": [], "system_instruction": null, "systemInstruction": {"parts": []}});
    let answer = post(&running.address, path, &body.to_string()).await;
    assert_eq!(answer.status, 200);
    let sent = upstream.seen(|seen| body_of(&seen.requests[0]));
    assert_eq!(sent["system_instruction"], Value::Null);
    assert!(sent["systemInstruction"]["parts"][0]["text"].is_string());
}

fn emitting(emit: &str) -> String {
    format!("[[route]]\npath = \"*\"\naction = \"strip\"\n{emit}\n")
}

/// Lists the places of schemas in the common APIs.
fn schema_places() -> Vec<Placed> {
    let chat = json!({"messages": [{"role": "user", "content": "q"}]});
    vec![
        (
            "/v1/chat/completions",
            chat.clone(),
            "/response_format/json_schema/schema",
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": true}}}),
        ),
        (
            "/v1/responses",
            json!({"input": "q", "text": {"verbosity": "low"}}),
            "/text/format/schema",
            json!({"text": {"verbosity": "low", "format": {"type": "json_schema", "name": "answer", "strict": true}}}),
        ),
        (
            "/v1/messages",
            json!({"messages": [], "output_config": {"effort": "low"}}),
            "/output_config/format/schema",
            json!({"output_config": {"effort": "low", "format": {"type": "json_schema"}}}),
        ),
        (
            "/v1beta/models/m:streamGenerateContent",
            json!({"contents": [], "generationConfig": {"temperature": 0}}),
            "/generationConfig/responseJsonSchema",
            json!({"generationConfig": {"temperature": 0, "responseMimeType": "application/json"}}),
        ),
        (
            "/v1beta/models/m:generateContent",
            json!({"contents": [], "generation_config": {"temperature": 0}}),
            "/generation_config/response_json_schema",
            json!({"generation_config": {"temperature": 0, "response_mime_type": "application/json"}}),
        ),
    ]
}

/// Lists the places of schemas in further APIs.
fn further_schema_places() -> Vec<Placed> {
    let chat = json!({"messages": [{"role": "user", "content": "q"}]});
    vec![
        ("/api/chat", chat.clone(), "/format", json!({})),
        (
            "/completion",
            json!({"prompt": "q"}),
            "/json_schema",
            json!({}),
        ),
        (
            "/v2/chat",
            chat,
            "/response_format/json_schema",
            json!({"response_format": {"type": "json_object"}}),
        ),
        (
            "/generate_stream",
            json!({"inputs": "q", "parameters": {"max_new_tokens": 9}}),
            "/parameters/grammar/value",
            json!({"parameters": {"max_new_tokens": 9, "grammar": {"type": "json"}}}),
        ),
        (
            "/v1beta/interactions",
            json!({"model": "m", "input": "q"}),
            "/response_format/schema",
            json!({"response_format": {"type": "text", "mime_type": "application/json"}}),
        ),
        (
            "/v1/conversations",
            json!({"model": "m", "inputs": "q", "completion_args": {"temperature": 0}}),
            "/completion_args/response_format/json_schema/schema",
            json!({"completion_args": {"temperature": 0, "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": true}}}}),
        ),
        (
            "/v1/conversations/conv_1",
            json!({"inputs": "q"}),
            "/completion_args/response_format/json_schema/schema",
            json!({}),
        ),
    ]
}

#[tokio::test]
async fn a_schema_goes_where_its_api_takes_it() {
    for (path, body, place, beside) in [schema_places(), further_schema_places()].concat() {
        let sent = sent(&emitting("emit = \"schema\""), path, &body).await;
        let schema = sent
            .pointer(place)
            .unwrap_or_else(|| panic!("{path}: {sent}"));
        assert_eq!(schema["required"][0], "assertions", "{path}: {sent}");
        assert_within(&body, &sent);
        assert_within(&beside, &sent);
        // No prompt without being asked for.
        assert!(!sent.to_string().contains("substrate_class\\\""), "{sent}");
    }
}

/// Bedrock takes the schema as a string.
#[tokio::test]
async fn a_schema_for_bedrock_is_a_string() {
    for path in [
        "/model/m/converse",
        "/model/anthropic.claude%3A0/converse-stream",
    ] {
        let body =
            json!({"messages": [], "system": [{"text": "s"}], "outputConfig": {"effort": "low"}});
        let settings = emitting("emit = [\"prompt\", \"schema\"]");
        let sent = sent(&settings, path, &body).await;
        let format = &sent["outputConfig"]["textFormat"];
        assert_eq!(format["type"], "json_schema", "{path}: {sent}");
        assert_eq!(sent["outputConfig"]["effort"], "low");
        let described = &format["structure"]["jsonSchema"];
        assert_eq!(described["name"], "answer");
        let schema = described["schema"].as_str().expect("a string");
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!(schema["required"][0], "assertions");
        let system = sent["system"].as_array().expect("blocks");
        assert_eq!((system.len(), &system[0]["text"]), (2, &json!("s")));
        let prompt = system[1]["text"].as_str().expect("a prompt");
        assert!(prompt.contains("\"substrate_class\""), "{prompt}");
    }
}

/// A signature of AWS covers the body of its request.
#[tokio::test]
async fn a_request_with_a_signature_of_its_body_is_sent_as_it_is() {
    let (running, upstream) = proxy(&emitting("emit = \"prompt\""), |_| stream("It rains.")).await;
    let body = "{\"messages\": [ ]}";
    for (authorization, is_changed) in [
        ("AWS4-HMAC-SHA256 Credential=a/b, Signature=c", false),
        ("Bearer key", true),
    ] {
        let request = crate::support::request("/model/m/converse", body)
            .replace("Bearer sk-secret", authorization);
        let answer = crate::support::send(&running.address, request.as_bytes()).await;
        assert_eq!(answer.status, 200);
        let sent = upstream.seen(|seen| seen.requests.last().cloned());
        let sent = sent.expect("a request");
        assert_eq!(!sent.ends_with(body), is_changed, "{sent}");
    }
}

/// The prompts of APIs that have a place of their own for them.
#[tokio::test]
async fn a_prompt_goes_where_its_api_takes_it() {
    for (path, body, place) in [
        (
            "/v1beta/interactions",
            json!({"model": "m", "input": "q"}),
            "/system_instruction",
        ),
        (
            "/v1/conversations",
            json!({"model": "m", "inputs": "q"}),
            "/instructions",
        ),
        (
            "/v2/chat",
            json!({"messages": [{"role": "user", "content": "q"}]}),
            "/messages/0/content",
        ),
        ("/api/generate", json!({"prompt": "q"}), "/system"),
    ] {
        let sent = sent(&emitting("emit = \"prompt\""), path, &body).await;
        let prompt = sent.pointer(place).and_then(Value::as_str);
        let prompt = prompt.unwrap_or_else(|| panic!("{path}: {sent}"));
        assert!(prompt.contains("[substrate."), "{path}: {prompt}");
    }
}

/// Servers of OpenAI's API that have a member of their own for schemas.
#[tokio::test]
async fn a_schema_goes_where_its_engine_takes_it() {
    let chat = json!({"messages": [{"role": "user", "content": "q"}]});
    let legacy = json!({"prompt": "q"});
    for (engine, body, place) in [
        ("llama-cpp", &chat, "/response_format/json_schema/schema"),
        ("llama-cpp", &legacy, "/json_schema"),
        ("vllm", &chat, "/structured_outputs/json"),
        ("vllm", &legacy, "/structured_outputs/json"),
        ("vllm-guided", &chat, "/guided_json"),
        ("vllm-guided", &legacy, "/guided_json"),
        ("sglang", &chat, "/response_format/json_schema/schema"),
        ("sglang", &legacy, "/json_schema"),
        ("tgi", &chat, "/response_format/value"),
    ] {
        let path = match body.get("messages") {
            Some(_) => "/v1/chat/completions",
            None => "/v1/completions",
        };
        let settings = emitting(&format!("emit = \"schema\"\nengine = \"{engine}\""));
        let sent = sent(&settings, path, body).await;
        let schema = sent.pointer(place);
        let schema = schema.unwrap_or_else(|| panic!("{engine} {path}: {sent}"));
        let schema = match schema.as_str() {
            Some(text) => serde_json::from_str(text).expect("JSON"),
            None => schema.clone(),
        };
        assert_eq!(schema["required"][0], "assertions", "{engine}: {sent}");
        // These two read patterns otherwise than JSON Schema has them, or slowly.
        let is_plain = matches!(engine, "llama-cpp" | "tgi");
        let text = &schema["properties"]["assertions"]["items"]["properties"]["assertion"];
        assert_eq!(text.get("pattern").is_none(), is_plain, "{engine}: {text}");
        let members = sent.as_object().expect("an object").len();
        assert_eq!(members, body.as_object().expect("an object").len() + 1);
    }
}

/// Logs and metrics say what was added, so that nothing is taken for added that was not.
#[tokio::test]
async fn metrics_count_what_was_added() {
    let settings = emitting("emit = [\"prompt\", \"schema\"]");
    let (running, _) = proxy(&settings, |_| stream("It rains.")).await;
    let chat = "{\"messages\":[]}";
    let decided = "{\"messages\":[],\"response_format\":{\"type\":\"text\"}}";
    for (path, body) in [
        ("/v1/chat/completions", chat),
        ("/v1/chat/completions", decided),
        ("/v1/chat/completions", "{not JSON"),
        ("/generate", "{\"inputs\":\"q\"}"),
        ("/unknown", chat),
    ] {
        let _ = post(&running.address, path, body).await;
    }
    let metrics = crate::support::metrics(&running.admin).await;
    for (added, count) in [("prompt and schema", 1), ("schema", 1), ("nothing", 3)] {
        let line = format!("provstream_emissions_total{{route=\"*\",added=\"{added}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    // A route that adds nothing counts nothing.
    let (running, _) = proxy("[[route]]\npath = \"*\"\naction = \"strip\"\n", |_| {
        stream("It rains.")
    })
    .await;
    let _ = post(&running.address, "/v1/chat/completions", chat).await;
    let metrics = crate::support::metrics(&running.admin).await;
    assert!(
        !metrics.contains("provstream_emissions_total{"),
        "{metrics}"
    );
}

/// Everything in one value is in another, which may have more members.
fn assert_within(part: &Value, whole: &Value) {
    match (part, whole) {
        (Value::Object(part), Value::Object(all)) => {
            for (name, value) in part {
                assert_within(
                    value,
                    all.get(name).unwrap_or_else(|| panic!("{name}: {whole}")),
                );
            }
        }
        _ => assert_eq!(part, whole),
    }
}

#[tokio::test]
async fn a_grammar_goes_where_its_engine_takes_it() {
    let chat = json!({"messages": [{"role": "user", "content": "q"}]});
    for (engine, path, body, place) in [
        ("llama-cpp", "/v1/chat/completions", &chat, "/grammar"),
        (
            "llama-cpp",
            "/completion",
            &json!({"prompt": "q"}),
            "/grammar",
        ),
        (
            "vllm",
            "/v1/chat/completions",
            &chat,
            "/structured_outputs/grammar",
        ),
        (
            "vllm",
            "/v1/completions",
            &json!({"prompt": "q"}),
            "/structured_outputs/grammar",
        ),
        (
            "vllm-guided",
            "/v1/chat/completions",
            &chat,
            "/guided_grammar",
        ),
        ("sglang", "/v1/chat/completions", &chat, "/ebnf"),
    ] {
        let emit = format!("emit = [\"prompt\", \"grammar\"]\nengine = \"{engine}\"");
        let sent = sent(&emitting(&emit), path, body).await;
        let grammar = sent.pointer(place).and_then(Value::as_str);
        let grammar = grammar.unwrap_or_else(|| panic!("{engine}: {sent}"));
        assert!(
            grammar.contains("::=") && grammar.contains("substrate.grep"),
            "{grammar}"
        );
        if path.contains("chat") {
            let prompt = sent["messages"][0]["content"].as_str().expect("a prompt");
            assert!(prompt.contains("[substrate."), "{prompt}");
        }
    }
}

#[tokio::test]
async fn a_prompt_beside_a_schema_asks_for_json() {
    let body = json!({"messages": [{"role": "user", "content": "q"}]});
    let settings = emitting("emit = [\"prompt\", \"schema\"]");
    let sent = sent(&settings, "/v1/chat/completions", &body).await;
    let prompt = sent["messages"][0]["content"].as_str().expect("a prompt");
    assert!(prompt.contains("\"substrate_class\""), "{prompt}");
    assert_eq!(sent["response_format"]["type"], "json_schema");
}

/// A chat request with another member.
fn with(name: &str, value: Value) -> Value {
    let mut body = json!({"messages": [{"role": "user", "content": "q"}]});
    body[name] = value;
    body
}

const SCHEMA: &str = "emit = [\"prompt\", \"schema\"]";
const GRAMMAR: &str = "emit = [\"prompt\", \"grammar\"]\nengine = \"vllm\"";
const PROMPT: &str = "emit = \"prompt\"";

/// Requests that say what they want.
fn decided() -> Vec<Kept> {
    let text = json!({"type": "text"});
    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    let mime = json!({"responseMimeType": "text/plain"});
    let contents = json!({"contents": [], "tools": [{"googleSearch": {}}]});
    vec![
        (
            SCHEMA,
            "/v1/chat/completions",
            with("response_format", text.clone()),
        ),
        (
            SCHEMA,
            "/v1/chat/completions",
            with("guided_json", json!({})),
        ),
        (
            GRAMMAR,
            "/v1/chat/completions",
            with("response_format", text.clone()),
        ),
        (
            GRAMMAR,
            "/v1/chat/completions",
            with("structured_outputs", json!({"choice": ["a"]})),
        ),
        (
            GRAMMAR,
            "/v1/chat/completions",
            with("tools", tools.clone()),
        ),
        (
            SCHEMA,
            "/v1/responses",
            json!({"input": "q", "text": {"format": text}}),
        ),
        (
            SCHEMA,
            "/v1/messages",
            with("output_format", json!({"type": "json_schema"})),
        ),
        (
            SCHEMA,
            "/v1beta/models/m:generateContent",
            json!({"contents": [], "generationConfig": mime}),
        ),
        (SCHEMA, "/v1beta/models/m:generateContent", contents),
        (SCHEMA, "/api/chat", with("format", json!("json"))),
        (SCHEMA, "/api/chat", with("tools", tools.clone())),
    ]
}

/// Requests for which their APIs, or what they ask for, leave no place.
fn without_place() -> Vec<Kept> {
    let text = json!({"type": "text"});
    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    vec![
        // Their APIs take none beside these.
        (SCHEMA, "/v2/chat", with("tools", tools.clone())),
        (SCHEMA, "/v2/chat", with("documents", json!(["d"]))),
        (SCHEMA, "/v2/chat", with("response_format", text.clone())),
        (
            SCHEMA,
            "/generate",
            json!({"inputs": "q", "parameters": {"grammar": {"type": "regex", "value": "a"}}}),
        ),
        (SCHEMA, "/generate", json!({"text": "of another server"})),
        (
            SCHEMA,
            "/v1/interactions",
            json!({"input": "q", "tools": [{"type": "google_search"}]}),
        ),
        (
            SCHEMA,
            "/v1/conversations",
            json!({"agent_id": "a", "inputs": "q"}),
        ),
        (
            SCHEMA,
            "/model/m/converse",
            json!({"messages": [], "outputConfig": {"textFormat": {"type": "json_schema"}}}),
        ),
        (PROMPT, "/v1/conversations/conv_1", json!({"inputs": "q"})),
        (
            "emit = [\"prompt\", \"schema\"]\nengine = \"tgi\"",
            "/v1/chat/completions",
            with("tools", tools.clone()),
        ),
        (
            "emit = [\"prompt\", \"schema\"]\nengine = \"vllm\"",
            "/v1/messages",
            with("stream", json!(true)),
        ),
        // Their APIs take none.
        (GRAMMAR, "/v1/messages", with("stream", json!(true))),
        (SCHEMA, "/v1/completions", json!({"prompt": "q"})),
    ]
}

#[tokio::test]
async fn a_request_that_says_what_it_wants_is_left_as_it_is() {
    for (emit, path, body) in [decided(), without_place()].concat() {
        assert_eq!(
            sent(&emitting(emit), path, &body).await,
            body,
            "{emit} {path}"
        );
    }
    // What is null or empty does not say anything.
    let body = with("response_format", Value::Null);
    let changed = sent(&emitting(SCHEMA), "/v1/chat/completions", &body).await;
    assert_eq!(changed["response_format"]["type"], "json_schema");
    let body = with("tools", json!([]));
    let changed = sent(&emitting(GRAMMAR), "/v1/chat/completions", &body).await;
    assert!(
        changed["structured_outputs"]["grammar"].is_string(),
        "{changed}"
    );
}

#[tokio::test]
async fn the_format_of_a_route_goes_before_that_of_its_path() {
    let settings = emitting("emit = \"schema\"\nformat = \"openai-chat\"");
    let body = json!({"messages": []});
    let sent = sent(&settings, "/own/path", &body).await;
    assert_eq!(sent["response_format"]["type"], "json_schema");
}

/// The error of settings with one route.
fn error_of(path: &str, settings: &str) -> String {
    let file = format!(
        "upstream = \"http://127.0.0.1:1\"\n[[route]]\npath = \"{path}\"\naction = \"strip\"\n{settings}\n"
    );
    let folder = std::env::temp_dir();
    let error = provstream_proxy::Config::from_toml(file.as_bytes(), &folder, None);
    error.expect_err(settings).to_string()
}

#[test]
fn errors_of_what_is_added_name_key_and_line() {
    for (path, settings, expected) in [
        (
            "/v1",
            "emit = \"prose\"",
            "line 5, column 8: expected \"prompt\", \"schema\" or \"grammar\", or an array of \"prompt\" and one of the others for \"emit\", found the string \"prose\"",
        ),
        (
            "/v1",
            "emit = [\"schema\", \"grammar\"]\nengine = \"vllm\"",
            "line 5, column 8: expected \"prompt\", \"schema\" or \"grammar\", or an array of \"prompt\" and one of the others for \"emit\", found an array",
        ),
        (
            "/v1",
            "emit = []",
            "line 5, column 8: expected \"prompt\", \"schema\" or \"grammar\", or an array of \"prompt\" and one of the others for \"emit\", found an array",
        ),
        (
            "/v1",
            "emit = \"grammar\"",
            "line 5, column 8: expected a key \"engine\" beside \"emit\" with \"grammar\", such as engine = \"llama-cpp\", found none",
        ),
        (
            "/v1",
            "emit = \"prompt\"\nengine = \"vllm\"",
            "line 6, column 10: expected no \"engine\" without \"schema\" or \"grammar\" in \"emit\", found one",
        ),
        (
            "/v1",
            "emit = \"grammar\"\nengine = \"vlm\"",
            "line 6, column 10: expected one of \"llama-cpp\", \"vllm\", \"vllm-guided\", \"sglang\", \"tgi\" for \"engine\", found the string \"vlm\"",
        ),
        (
            "/v1",
            "emit = \"schema\"\nformat = \"vercel-ui\"",
            "line 5, column 8: expected a format that takes a schema for \"emit\", found \"vercel-ui\", which takes none",
        ),
        (
            "/v1/messages",
            "emit = \"schema\"\nengine = \"vllm\"",
            "line 5, column 8: expected a format that takes a schema of \"vllm\" for \"emit\", found \"anthropic\", which takes none",
        ),
        (
            "/v1",
            "emit = \"grammar\"\nengine = \"tgi\"",
            "line 5, column 8: expected an engine that takes a grammar for \"emit\", found \"tgi\", which takes none; use \"schema\" instead",
        ),
        (
            "/generate",
            "emit = [\"prompt\", \"schema\"]",
            "line 5, column 8: expected a format that takes a prompt for \"emit\", found \"tgi\", which takes none",
        ),
        (
            "/v1/messages",
            "emit = \"grammar\"\nengine = \"vllm\"",
            "line 5, column 8: expected a format that takes a grammar of \"vllm\" for \"emit\", found \"anthropic\", which takes none",
        ),
        (
            "/completion",
            "emit = \"grammar\"\nengine = \"vllm\"",
            "line 5, column 8: expected a format that takes a grammar of \"vllm\" for \"emit\", found \"llama-cpp\", which takes none",
        ),
        (
            "/completion",
            "emit = \"prompt\"",
            "line 5, column 8: expected a format that takes a prompt for \"emit\", found \"llama-cpp\", which takes none",
        ),
    ] {
        assert_eq!(error_of(path, settings), expected);
    }
}

#[test]
fn a_format_that_takes_no_grammar_is_told_before_the_engine_is_asked_for() {
    for (path, settings, expected) in [
        (
            "/v1",
            "emit = \"grammar\"\nformat = \"anthropic\"",
            "line 5, column 8: expected a format that takes a grammar for \"emit\", found \"anthropic\", which takes none",
        ),
        (
            "/generate",
            "emit = \"grammar\"",
            "line 5, column 8: expected a format that takes a grammar for \"emit\", found \"tgi\", which takes none",
        ),
        (
            "/completion",
            "emit = \"grammar\"",
            "line 5, column 8: expected a key \"engine\" beside \"emit\" with \"grammar\", such as engine = \"llama-cpp\", found none",
        ),
    ] {
        assert_eq!(error_of(path, settings), expected);
    }
}
