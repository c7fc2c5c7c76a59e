//! Facts about the body of a request: how many answers it asks for, and the results of tools that it shows to the model.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Most results of a request that are read: the last ones, since a request repeats those before.
const MAX_RESULTS: usize = 4_096;

/// Result of a tool that a request shows to the model. Arguments and text are parsed when they are asked for.
#[derive(Clone, Debug)]
pub struct RequestToolResult<'a> {
    id: Cow<'a, str>,
    tool: Cow<'a, str>,
    arguments: Option<Cow<'a, RawValue>>,
    result: Cow<'a, RawValue>,
    is_response: bool,
}

impl RequestToolResult<'_> {
    /// Returns the identifier of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the arguments of the call: JSON in most cases; empty if the request does not have them.
    #[must_use]
    pub fn arguments(&self) -> String {
        let arguments = self.arguments.as_deref().and_then(value);
        arguments.as_ref().map(json).unwrap_or_default()
    }

    /// Returns the JSON of the result as it is in the request. Equal results of a call have the same text, but not always the same JSON.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.result.get()
    }

    /// Returns the text of the result; `None` if there is none. Several parts are joined by line feeds; an object of Gemini's is
    /// JSON without white space.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match value(&self.result)? {
            Value::String(text) => Some(text),
            found if self.is_response => Some(json(&found)),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                let texts: Vec<&str> = texts.collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }
            _ => None,
        }
    }

    /// Copies what is borrowed.
    #[must_use]
    pub fn into_owned(self) -> RequestToolResult<'static> {
        RequestToolResult {
            id: Cow::Owned(self.id.into_owned()),
            tool: Cow::Owned(self.tool.into_owned()),
            arguments: self.arguments.map(|found| Cow::Owned(found.into_owned())),
            result: Cow::Owned(self.result.into_owned()),
            is_response: self.is_response,
        }
    }
}

/// Facts about the body of a request.
#[derive(Clone, Debug)]
pub struct RequestFacts<'a> {
    /// Number of answers that are asked for; at least 1.
    pub choices: usize,
    /// Results of tools, in their order.
    pub tool_results: Vec<RequestToolResult<'a>>,
}

impl<'a> RequestFacts<'a> {
    /// Reads the body of a request to OpenAI's chat completions or Responses, to Anthropic's messages, or to Gemini; also to servers with
    /// such an API. The body is parsed once.
    ///
    /// Results without an identifier, without the call that they belong to, and those that are marked as errors (by `is_error`, in a response of
    /// Gemini's by an `error` without `output`) are left out, and so are all but the last 4,096 results.
    #[must_use]
    pub fn of(body: &'a [u8]) -> Self {
        let text = core::str::from_utf8(body).ok();
        let request = text.and_then(|text| serde_json::from_str::<Request<'_>>(text).ok());
        let Some(request) = request else {
            return Self {
                choices: choices(body),
                tool_results: Vec::new(),
            };
        };
        let mut found = Results::default();
        for message in request.messages.iter().chain(request.contents.iter()) {
            found.read_message(message);
        }
        for item in parts(request.input) {
            found.read_item(item);
        }
        Self {
            choices: most(request.n, [request.generation, request.generation_config]),
            tool_results: found.results.into(),
        }
    }
}

/// Returns the number of answers that the body of a request asks for; at least 1.
#[must_use]
pub fn choices(body: &[u8]) -> usize {
    let asked = serde_json::from_slice::<AnswerCount>(body);
    asked.map_or(1, |asked| {
        most(asked.n, [asked.generation, asked.generation_config])
    })
}

fn most(n: Option<usize>, configs: [Option<Generation>; 2]) -> usize {
    let candidates = configs
        .into_iter()
        .flatten()
        .flat_map(|config| [config.candidate_count, config.count_in_snake_case]);
    let all = candidates.chain([n]).flatten();
    all.max().unwrap_or(1).max(1)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generation {
    candidate_count: Option<usize>,
    #[serde(rename = "candidate_count")]
    count_in_snake_case: Option<usize>,
}

/// Members of a request about the number of answers.
#[derive(Deserialize)]
struct AnswerCount {
    n: Option<usize>,
    #[serde(rename = "generationConfig")]
    generation: Option<Generation>,
    generation_config: Option<Generation>,
}

/// Members of a request that may have results, and those of [`AnswerCount`]. Members of another type than expected make the request one
/// without results.
#[derive(Deserialize)]
struct Request<'a> {
    n: Option<usize>,
    #[serde(rename = "generationConfig")]
    generation: Option<Generation>,
    generation_config: Option<Generation>,
    #[serde(default, borrow)]
    messages: Vec<RequestMessage<'a>>,
    /// Gemini.
    #[serde(default, borrow)]
    contents: Vec<RequestMessage<'a>>,
    /// OpenAI Responses.
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RequestMessage<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    /// Gemini.
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
}

/// Part of a message, item of an input, or call of a tool.
#[derive(Deserialize)]
struct RequestPart<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Option<bool>,
    #[serde(borrow)]
    function: Option<RequestFunction<'a>>,
    #[serde(rename = "functionCall", alias = "function_call", borrow)]
    function_call: Option<RequestFunction<'a>>,
    #[serde(rename = "functionResponse", alias = "function_response", borrow)]
    function_response: Option<RequestFunction<'a>>,
}

#[derive(Deserialize)]
struct RequestFunction<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// Name and arguments of a call.
type ToolCall<'a> = (Cow<'a, str>, Option<&'a RawValue>);

#[derive(Default)]
struct Results<'a> {
    /// Each call, by its identifier.
    calls: HashMap<Cow<'a, str>, ToolCall<'a>>,
    results: VecDeque<RequestToolResult<'a>>,
}

impl<'a> Results<'a> {
    fn call(
        &mut self,
        id: Option<Cow<'a, str>>,
        name: Option<Cow<'a, str>>,
        arguments: Option<&'a RawValue>,
    ) {
        if let (Some(id), Some(name)) = (id, name) {
            self.calls.insert(id, (name, arguments));
        }
    }

    fn result(
        &mut self,
        id: Option<Cow<'a, str>>,
        result: Option<&'a RawValue>,
        is_response: bool,
    ) {
        let (Some(id), Some(result)) = (id, result) else {
            return;
        };
        if let Some((tool, arguments)) = self.calls.get(&id) {
            if self.results.len() == MAX_RESULTS {
                self.results.pop_front();
            }
            self.results.push_back(RequestToolResult {
                tool: tool.clone(),
                arguments: arguments.map(Cow::Borrowed),
                id,
                result: Cow::Borrowed(result),
                is_response,
            });
        }
    }

    fn read_message(&mut self, message: &RequestMessage<'a>) {
        for call in parts(message.tool_calls) {
            if let Some(function) = call.function {
                self.call(call.id, function.name, function.arguments);
            }
        }
        if message.role.as_deref() == Some("tool") {
            self.result(parsed(message.tool_call_id), message.content, false);
        }
        for part in parts(message.content) {
            self.read_part(part);
        }
        for part in parts(message.parts) {
            self.read_gemini(part);
        }
    }

    /// Reads a content block of Anthropic's.
    fn read_part(&mut self, part: RequestPart<'a>) {
        match part.kind.as_deref() {
            Some("tool_use") => self.call(part.id, part.name, part.input),
            Some("tool_result") if part.is_error != Some(true) => {
                self.result(part.tool_use_id, part.content, false);
            }
            _ => {}
        }
    }

    fn read_gemini(&mut self, part: RequestPart<'a>) {
        if let Some(call) = part.function_call {
            self.call(call.id, call.name, call.args);
        }
        if let Some(found) = part.function_response
            && !found.response.is_some_and(is_failure)
        {
            self.result(found.id, found.response, true);
        }
    }

    /// Reads an item of OpenAI's Responses.
    fn read_item(&mut self, item: RequestPart<'a>) {
        match item.kind.as_deref() {
            Some("function_call") => self.call(item.call_id, item.name, item.arguments),
            Some("function_call_output") => self.result(item.call_id, item.output, false),
            _ => {}
        }
    }
}

/// Returns `true` if a response of Gemini's has the details of an error and no output.
fn is_failure(response: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct FunctionOutcome<'a> {
        #[serde(borrow)]
        error: Option<&'a RawValue>,
        #[serde(borrow)]
        output: Option<&'a RawValue>,
    }
    // A response without this name is not parsed once more.
    let has_error = response.get().contains("\"error\"");
    let outcome: Option<FunctionOutcome<'_>> = has_error.then(|| parsed(Some(response))).flatten();
    let is_empty = |value: &RawValue| matches!(value.get(), "\"\"" | "false" | "[]" | "{}" | "0");
    outcome.is_some_and(|outcome| {
        outcome.error.is_some_and(|error| !is_empty(error)) && outcome.output.is_none()
    })
}

/// Returns a string as it is, and another value as JSON without white space.
fn json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn value(raw: &RawValue) -> Option<Value> {
    parsed(Some(raw))
}

fn parsed<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// Reads an array of parts; a text has none.
fn parts(raw: Option<&RawValue>) -> Vec<RequestPart<'_>> {
    let array = raw.filter(|raw| raw.get().starts_with('['));
    parsed(array).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Identifier, tool, arguments and text of each result that has a text.
    fn read(body: &str) -> Vec<[String; 4]> {
        let facts = RequestFacts::of(body.as_bytes());
        let results = facts.tool_results.iter();
        let read = results.filter_map(|found| {
            let (id, tool) = (found.id().to_owned(), found.tool().to_owned());
            Some([id, tool, found.arguments(), found.text()?])
        });
        read.collect()
    }

    /// Each API with one result of `read`, and what is left out.
    #[test]
    fn each_api_has_its_results() {
        let arguments = r#"{"path":"a.rs"}"#;
        let openai = json!({"messages": [
            {"role": "user", "content": "Read."},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": arguments}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "fn a"},
            {"role": "tool", "tool_call_id": "c9", "content": "of no call"},
            {"role": "user", "tool_call_id": "c1", "content": "of no tool"},
            {"role": "function", "name": "read", "content": "without an id"},
        ]});
        let responses = json!({"input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Read."}]},
            {"type": "function_call", "call_id": "c1", "name": "read", "arguments": arguments},
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "fn a"}]},
            {"type": "function_call_output", "call_id": "c8", "output": "of no call"},
        ]});
        let anthropic = json!({"messages": [
            {"role": "assistant", "content": [
                {"type": "text", "text": "I read."},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.rs"}},
                {"type": "tool_use", "id": "c2", "name": "read", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "fn a"}]},
                {"type": "tool_result", "tool_use_id": "c2", "is_error": true, "content": "failed"}]},
        ]});
        let gemini = json!({"contents": [
            {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "read", "args": {"path": "a.rs"}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "read", "response": "fn a"}},
                {"functionResponse": {"id": "c1", "name": "read", "response": {"error": "failed", "output": null}}},
                {"functionResponse": {"name": "read", "response": {"output": "without an id"}}}]},
        ]});
        for body in [openai, responses, anthropic, gemini] {
            let found = read(&body.to_string());
            let expected = ["c1", "read", arguments, "fn a"].map(str::to_owned);
            assert_eq!(found, [expected], "{body}");
        }
    }

    #[test]
    fn an_error_without_output_is_a_failure() {
        for (response, is_read) in [
            (json!({"error": "failed"}), false),
            (json!({"error": {"code": 5}, "output": null}), false),
            (json!({"error": "in part", "output": "so"}), true),
            (json!({"error": null, "result": "so"}), true),
            (json!({"error": "", "result": "so"}), true),
            (json!({"result": {"error": "is a word"}}), true),
            (json!("\"error\""), true),
        ] {
            let body = json!({"contents": [{"parts": [
                {"functionCall": {"id": "c1", "name": "read"}},
                {"functionResponse": {"id": "c1", "name": "read", "response": response}}]}]});
            assert_eq!(
                read(&body.to_string()).len(),
                usize::from(is_read),
                "{body}"
            );
        }
    }

    #[test]
    fn of_many_results_the_last_are_read() {
        let results = (0..=MAX_RESULTS).map(
            |number| json!({"role": "tool", "tool_call_id": "c", "content": number.to_string()}),
        );
        let mut messages = vec![
            json!({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "read"}}]}),
        ];
        messages.extend(results);
        let found = read(&json!({"messages": messages}).to_string());
        assert_eq!((found.len(), found[0][3].as_str()), (MAX_RESULTS, "1"));
    }

    /// Several texts, objects of Gemini's, escapes, and what has no text. Arguments are JSON without white space.
    #[test]
    fn texts_are_read_when_asked_for() {
        for (result, expected) in [
            (r#""a\n\"b\" \u00e9""#, Some("a\n\"b\" é")),
            (
                r#"[{"type":"text","text":"a"},{"type":"image"},{"text":"b"},{"text":7}]"#,
                Some("a\nb"),
            ),
            (r#"[{"type":"image"}]"#, None),
            ("{ \"a\": 1 }", None),
            ("7", None),
        ] {
            let body = format!(
                r#"{{"messages":[{{"tool_calls":[{{"id":"c\u0031","function":{{"name":"t","arguments":{{ "b": 1, "a": [] }}}}}}]}},
                {{"role":"tool","content":{result},"tool_call_id":"c1"}}]}}"#
            );
            let facts = RequestFacts::of(body.as_bytes());
            let found = facts.tool_results[0].clone().into_owned();
            assert_eq!(found.text().as_deref(), expected, "{body}");
            assert_eq!((found.id(), found.as_json()), ("c1", result));
            assert_eq!(found.arguments(), r#"{"b":1,"a":[]}"#);
        }
        let body = r#"{"contents":[{"parts":[{"function_call":{"id":"c","name":"t"}},
            {"function_response":{"id":"c","response":{ "b": [1, 2], "a": "x" }}}]}]}"#;
        assert_eq!(
            read(body),
            [["c", "t", "", r#"{"b":[1,2],"a":"x"}"#].map(str::to_owned)]
        );
    }

    #[test]
    fn choices_do_not_depend_on_what_is_read() {
        for (body, expected) in [
            ("{}", 1),
            (r#"{"n":3,"messages":[]}"#, 3),
            (r#"{"n":3,"messages":7}"#, 3),
            (r#"{"n":0}"#, 1),
            (r#"{"n":2,"generationConfig":{"candidateCount":4}}"#, 4),
            (
                r#"{"contents":[],"generation_config":{"candidate_count":5}}"#,
                5,
            ),
            (r#"{"n":"3"}"#, 1),
            (r#"{"n":3"#, 1),
        ] {
            assert_eq!(
                RequestFacts::of(body.as_bytes()).choices,
                expected,
                "{body}"
            );
            assert_eq!(choices(body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn other_requests_have_none() {
        for body in [
            "",
            "[]",
            "{}",
            "{\"input\":\"So.\"}",
            "{\"messages\":7}",
            "{\"messages\":[{\"content\":[7]}]}",
            "{\"messages\":[{\"tool_call_id\":\"c\",\"content\":{\"a\":1}}]}",
            "\u{0}",
        ] {
            assert!(read(body).is_empty(), "{body}");
        }
    }
}
