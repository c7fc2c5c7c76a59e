//! Results of tools in requests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Most results of a request that are read.
const MAX_RESULTS: usize = 4_096;

/// Result of a tool that a request shows to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestToolResult {
    /// Identifier of the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the call: JSON in most cases; empty if the request does not have them.
    pub arguments: String,
    /// Text of the result. That of several parts is joined by line feeds, and an object of Gemini's is JSON without white space.
    pub text: String,
}

/// Reads the results of tools in the body of a request to OpenAI's chat completions or Responses, to Anthropic's messages, or to
/// Gemini; also to servers with such an API.
///
/// Results without an identifier, without the call that they belong to, without text and those that are marked as errors are left out,
/// and so are results after the 4,096th.
#[must_use]
pub fn tool_results(body: &[u8]) -> Vec<RequestToolResult> {
    let Ok(request) = serde_json::from_slice::<Request<'_>>(body) else {
        return Vec::new();
    };
    let mut found = Results::default();
    for message in request.messages.iter().chain(request.contents.iter()) {
        found.read_message(message);
    }
    if let Some(Items::Many(items)) = &request.input {
        for item in items {
            found.read_item(item);
        }
    }
    found.results
}

/// Members of a request that may have results. Members of another type than expected make the request one without results.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default, borrow)]
    messages: Vec<Message<'a>>,
    /// Gemini.
    #[serde(default, borrow)]
    contents: Vec<Message<'a>>,
    /// OpenAI Responses.
    #[serde(borrow)]
    input: Option<Items<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Items<'a> {
    #[serde(borrow)]
    Many(Vec<Part<'a>>),
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    /// Gemini.
    #[serde(default, borrow)]
    parts: Vec<Part<'a>>,
    #[serde(default, borrow)]
    tool_calls: Option<Vec<Part<'a>>>,
    #[serde(borrow)]
    tool_call_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
    Other(serde::de::IgnoredAny),
}

impl Content<'_> {
    /// Returns the text; `None` if there is none.
    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.to_string()),
            Self::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| match &part.text {
                    Some(Self::Text(text)) => Some(&**text),
                    _ => None,
                });
                let texts: Vec<&str> = texts.collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }
            Self::Other(_) => None,
        }
    }
}

/// Part of a message, item of an input, or call of a tool.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Content<'a>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    arguments: Option<Value>,
    input: Option<Value>,
    #[serde(borrow)]
    output: Option<Content<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
    #[serde(rename = "functionCall", alias = "function_call", borrow)]
    function_call: Option<Function<'a>>,
    #[serde(rename = "functionResponse", alias = "function_response", borrow)]
    function_response: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    arguments: Option<Value>,
    args: Option<Value>,
    response: Option<Value>,
}

#[derive(Default)]
struct Results {
    /// Name and arguments of each call, by its identifier.
    calls: BTreeMap<String, (String, String)>,
    results: Vec<RequestToolResult>,
}

impl Results {
    fn call(&mut self, id: Option<&str>, name: Option<&str>, arguments: Option<&Value>) {
        if let (Some(id), Some(name)) = (id, name) {
            let call = (name.to_owned(), arguments.map(json).unwrap_or_default());
            self.calls.insert(id.to_owned(), call);
        }
    }

    fn result(&mut self, id: Option<&str>, text: Option<String>) {
        let (Some(id), Some(text)) = (id, text) else {
            return;
        };
        if let Some((tool, arguments)) = self.calls.get(id)
            && self.results.len() < MAX_RESULTS
        {
            self.results.push(RequestToolResult {
                id: id.to_owned(),
                tool: tool.clone(),
                arguments: arguments.clone(),
                text,
            });
        }
    }

    fn read_message(&mut self, message: &Message<'_>) {
        for call in message.tool_calls.iter().flatten() {
            if let Some(function) = &call.function {
                let (name, arguments) = (function.name.as_deref(), function.arguments.as_ref());
                self.call(call.id.as_deref(), name, arguments);
            }
        }
        if message.tool_call_id.is_some() {
            let text = message.content.as_ref().and_then(Content::text);
            self.result(message.tool_call_id.as_deref(), text);
        }
        if let Some(Content::Parts(parts)) = &message.content {
            for part in parts {
                self.read_part(part);
            }
        }
        for part in &message.parts {
            self.read_gemini(part);
        }
    }

    /// Reads a content block of Anthropic's.
    fn read_part(&mut self, part: &Part<'_>) {
        match part.kind.as_deref() {
            Some("tool_use") => {
                self.call(
                    part.id.as_deref(),
                    part.name.as_deref(),
                    part.input.as_ref(),
                );
            }
            Some("tool_result") if part.is_error != Some(true) => {
                let text = part.content.as_ref().and_then(Content::text);
                self.result(part.tool_use_id.as_deref(), text);
            }
            _ => {}
        }
    }

    fn read_gemini(&mut self, part: &Part<'_>) {
        if let Some(call) = &part.function_call {
            self.call(call.id.as_deref(), call.name.as_deref(), call.args.as_ref());
        }
        if let Some(found) = &part.function_response {
            self.result(found.id.as_deref(), found.response.as_ref().map(json));
        }
    }

    /// Reads an item of OpenAI's Responses.
    fn read_item(&mut self, item: &Part<'_>) {
        match item.kind.as_deref() {
            Some("function_call") => {
                let (name, arguments) = (item.name.as_deref(), item.arguments.as_ref());
                self.call(item.call_id.as_deref(), name, arguments);
            }
            Some("function_call_output") => {
                let text = item.output.as_ref().and_then(Content::text);
                self.result(item.call_id.as_deref(), text);
            }
            _ => {}
        }
    }
}

/// Returns a string as it is, and another value as JSON without white space.
fn json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
                {"functionResponse": {"name": "read", "response": {"output": "without an id"}}}]},
        ]});
        let expected = RequestToolResult {
            id: "c1".into(),
            tool: "read".into(),
            arguments: arguments.into(),
            text: "fn a".into(),
        };
        for body in [openai, responses, anthropic, gemini] {
            let found = tool_results(body.to_string().as_bytes());
            assert_eq!(found, std::slice::from_ref(&expected), "{body}");
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
            assert_eq!(tool_results(body.as_bytes()), [], "{body}");
        }
    }
}
