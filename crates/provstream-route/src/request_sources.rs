//! Sources that a request brings, by the labels that are written in it.

use std::collections::BTreeMap;

use provstream::Dialects;
use serde_json::{Map, Value};

use crate::labels::LabelReader;
use crate::source_classes::SourceClasses;
use crate::source_gap::SourceGap;
use crate::sources::SourceList;

/// Members of a request whose texts may have labels.
const TEXTS: [&str; 11] = [
    "chat_history",
    "contents",
    "documents",
    "input",
    "instructions",
    "message",
    "messages",
    "prompt",
    "system",
    "systemInstruction",
    "system_instruction",
];

/// Members of a request that bring no sources. With any other, such as `previous_response_id`, the list is incomplete.
const OTHERS: [&str; 96] = [
    "additionalModelResponseFieldPaths",
    "anthropic_version",
    "audio",
    "background",
    "best_of",
    "betas",
    "chat_template_kwargs",
    "citation_options",
    "client_metadata",
    "context_management",
    "echo",
    "enable_thinking",
    "frequency_penalty",
    "function_call",
    "functions",
    "generationConfig",
    "generation_config",
    "guardrailConfig",
    "guided_choice",
    "guided_grammar",
    "guided_json",
    "guided_regex",
    "id_slot",
    "ignore_eos",
    "include",
    "include_reasoning",
    "inferenceConfig",
    "inference_geo",
    "k",
    "keep_alive",
    "labels",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "max_tool_calls",
    "metadata",
    "min_p",
    "min_tokens",
    "mirostat",
    "mirostat_eta",
    "mirostat_tau",
    "modalities",
    "model",
    "models",
    "n",
    "options",
    "output_config",
    "output_format",
    "p",
    "parallel_tool_calls",
    "performanceConfig",
    "prediction",
    "presence_penalty",
    "priority",
    "prompt_cache_key",
    "prompt_cache_retention",
    "provider",
    "random_seed",
    "raw_prompting",
    "reasoning",
    "reasoning_effort",
    "repetition_penalty",
    "requestMetadata",
    "response_format",
    "safe_prompt",
    "safetySettings",
    "safety_identifier",
    "safety_mode",
    "safety_settings",
    "seed",
    "service_tier",
    "skip_special_tokens",
    "speed",
    "stop",
    "stop_sequences",
    "stop_token_ids",
    "store",
    "stream",
    "stream_options",
    "strict_tools",
    "suffix",
    "temperature",
    "text",
    "thinking",
    "tool_choice",
    "tool_config",
    "top_k",
    "top_logprobs",
    "top_p",
    "transforms",
    "truncation",
    "usage",
    "user",
    "verbosity",
];

/// Parts of the names of models that search the web unasked, and number what they find.
const SEARCHING: [&str; 5] = [":online", "compound", "deep-research", "search", "sonar"];

/// Members of tools without a type that are functions of the client: those of Gemini, and of Bedrock, which also marks a cache there.
const FUNCTIONS: [&str; 4] = [
    "cachePoint",
    "functionDeclarations",
    "function_declarations",
    "toolSpec",
];

/// Types of content that is read. With any other, such as an image, the list is incomplete.
const READ: [&str; 10] = [
    "content",
    "custom_tool_call_output",
    "document",
    "function",
    "function_call_output",
    "input_text",
    "message",
    "search_result",
    "text",
    "tool_result",
];

/// Types of content that the model itself wrote.
const OWN: [&str; 8] = [
    "custom_tool_call",
    "function_call",
    "output_text",
    "reasoning",
    "redacted_thinking",
    "refusal",
    "thinking",
    "tool_use",
];

/// Members of content that have no text.
const ASIDE: [&str; 8] = [
    "cachePoint",
    "cache_control",
    "call_id",
    "citations",
    "name",
    "tool_call_id",
    "tool_name",
    "tool_use_id",
];

/// Members with content that is not in the request, or not text.
const UNREAD: [&str; 11] = [
    "attachments",
    "bytes",
    "fileData",
    "file_data",
    "file_id",
    "file_url",
    "image_url",
    "images",
    "inlineData",
    "inline_data",
    "s3Location",
];

/// Returns the sources that a request to a provider brings, for programs that send requests without a route.
///
/// They are the identifiers of labels in its documents, search results and tool results, in the forms of the `dialects`, and of
/// documents that have one (docs/dialects.md, sources out of the request). `body` is JSON; another body has none. `None`: the
/// request brings no source.
#[must_use]
pub fn request_sources(body: &[u8], dialects: &Dialects) -> Option<SourceList> {
    sources_of(body, dialects, &SourceClasses::default()).0
}

/// Returns the sources of a request to a provider: the identifiers of its labels, and those of its documents. Without any, there is
/// no list.
///
/// The list is complete if there is a [label](LabelReader), each marker in the texts has the identifier of a source, and nothing in
/// the request can bring other sources; otherwise the first reason why it is not is returned, too.
pub(crate) fn sources_of(
    body: &[u8],
    dialects: &Dialects,
    classes: &SourceClasses,
) -> (Option<SourceList>, Option<SourceGap>) {
    let mut labels = LabelReader::new(dialects);
    labels.class = classes.of(None);
    let mut reader = RequestReader {
        labels,
        classes,
        calls: BTreeMap::new(),
        gap: None,
    };
    match serde_json::from_slice(body) {
        Ok(Value::Object(request)) => reader.request(&request),
        _ => reader.lacks(true, SourceGap::NotAnObject),
    }
    let (is_full, has_label) = (reader.labels.is_full, reader.labels.has_label);
    reader.lacks(is_full, SourceGap::Identifiers);
    reader.lacks(!has_label, SourceGap::NoLabel);
    let has_unlabelled = reader.labels.has_unlabelled();
    reader.lacks(has_unlabelled, SourceGap::Unlabelled);
    let list = reader.labels.take().with_complete(reader.gap.is_none());
    ((list.len() > 0).then_some(list), reader.gap)
}

struct RequestReader<'c> {
    labels: LabelReader,
    classes: &'c SourceClasses,
    /// Names of the tools that were called, by the identifiers of the calls.
    calls: BTreeMap<String, String>,
    /// First reason why the model may have other sources.
    gap: Option<SourceGap>,
}

impl RequestReader<'_> {
    /// Notes a reason why the list may lack sources, if it applies.
    fn lacks(&mut self, applies: bool, gap: SourceGap) {
        if applies && self.gap.is_none() {
            self.gap = Some(gap);
        }
    }

    fn request(&mut self, request: &Map<String, Value>) {
        if !self.classes.tools.is_empty() {
            for name in ["messages", "input"] {
                self.find_calls(request.get(name));
            }
        }
        for (name, value) in request {
            let name = &**name;
            if value.is_null() {
                continue;
            }
            if matches!(name, "model" | "models") {
                self.lacks(searches(value), SourceGap::Tool);
            }
            // A stored prompt has texts and tools of its own.
            self.lacks(name == "prompt" && value.is_object(), SourceGap::Member);
            if TEXTS.contains(&name) {
                self.value(value);
                if name == "documents" {
                    value
                        .as_array()
                        .into_iter()
                        .flatten()
                        .for_each(|one| self.document(one));
                }
            } else if name == "tools" {
                self.tools(value);
            } else if name == "toolConfig" {
                // Only Bedrock's has tools.
                self.tools(&value["tools"]);
            } else {
                self.lacks(!OTHERS.contains(&name), SourceGap::Member);
            }
        }
    }

    /// Notes tools that are not functions of the client.
    fn tools(&mut self, tools: &Value) {
        let are_functions = match tools {
            Value::Null => true,
            Value::Array(all) => all.iter().all(is_function),
            _ => false,
        };
        self.lacks(!are_functions, SourceGap::Tool);
    }

    /// Reads the labels in texts, but for those of the model.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.labels.request_text(text),
            Value::Array(all) => all.iter().for_each(|one| self.value(one)),
            Value::Object(content) => self.content(content),
            _ => {}
        }
    }

    /// Notes the calls of tools in messages or items.
    fn find_calls(&mut self, messages: Option<&Value>) {
        let messages = messages.and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            self.call(message);
            for name in ["tool_calls", "content"] {
                let calls = message.get(name).and_then(Value::as_array);
                calls.into_iter().flatten().for_each(|call| self.call(call));
            }
        }
    }

    /// Notes a call: of OpenAI's chat completions, of Responses, or of Anthropic's messages.
    fn call(&mut self, call: &Value) {
        let id = call["call_id"].as_str().or(call["id"].as_str());
        let name = call["function"]["name"].as_str().or(call["name"].as_str());
        if let (Some(id), Some(name)) = (id, name) {
            self.calls.insert(id.to_owned(), name.to_owned());
        }
    }

    /// Returns the name of the tool whose result this is: by the call, or as Gemini and Ollama write it.
    fn tool_of<'a>(&'a self, content: &'a Map<String, Value>) -> Option<&'a str> {
        let word = |name: &str| content.get(name).and_then(Value::as_str);
        let call = ["tool_call_id", "tool_use_id", "call_id"]
            .into_iter()
            .find_map(word);
        if let Some(name) = call.and_then(|call| self.calls.get(call)) {
            return Some(name);
        }
        let is_response = content.contains_key("response") || word("role") == Some("tool");
        let named = is_response.then(|| word("name")).flatten();
        word("tool_name").or(named)
    }

    /// Reads a message or a block; what is in the result of a tool may have a class of its own.
    fn content(&mut self, content: &Map<String, Value>) {
        let class = match self.classes.tools.is_empty() {
            true => None,
            false => self
                .tool_of(content)
                .map(|tool| self.classes.of(Some(tool))),
        };
        let Some(class) = class else {
            return self.members(content);
        };
        let before = core::mem::replace(&mut self.labels.class, class);
        self.members(content);
        self.labels.class = before;
    }

    fn members(&mut self, content: &Map<String, Value>) {
        let word = |name: &str| content.get(name).and_then(Value::as_str);
        if word("type").is_some_and(|kind| OWN.contains(&kind)) {
            return;
        }
        if matches!(word("role"), Some("assistant" | "model" | "CHATBOT")) {
            self.lacks(content.values().any(has_results), SourceGap::Content);
            return;
        }
        let is_unknown = word("type").is_some_and(|kind| !READ.contains(&kind));
        self.lacks(is_unknown, SourceGap::Content);
        for (name, value) in content {
            let name = &**name;
            let is_empty =
                value.is_null() || value.is_number() || value.as_array().is_some_and(Vec::is_empty);
            self.lacks(UNREAD.contains(&name) && !is_empty, SourceGap::Content);
            if name == "document" {
                self.document(value);
            }
            if !ASIDE.contains(&name) && !matches!(name, "id" | "role" | "type") {
                self.labels.request_text(name);
                self.value(value);
            }
        }
    }

    /// Adds the identifier of a document, with its title and its address.
    fn document(&mut self, document: &Value) {
        let word = |name: &str| document[name].as_str().or(document["data"][name].as_str());
        if let Some(id) = document["id"].as_str() {
            self.labels.add(id, word("title"), word("url"));
        }
    }
}

/// Returns `true` if the name of a model, or one of several, is that of a model that searches.
fn searches(model: &Value) -> bool {
    let is_searching = |name: &str| {
        let name = name.to_ascii_lowercase();
        SEARCHING.iter().any(|part| name.contains(part))
    };
    match model {
        Value::String(name) => is_searching(name),
        Value::Array(names) => names.iter().any(searches),
        _ => false,
    }
}

/// Returns `true` if the content of a message of the model has blocks that it did not write, such as results of a search on the server.
fn has_results(content: &Value) -> bool {
    let blocks = content.as_array().into_iter().flatten();
    let mut kinds = blocks.filter_map(|block| block["type"].as_str());
    kinds.any(|kind| !matches!(kind, "text" | "function" | "custom") && !OWN.contains(&kind))
}

/// Returns `true` if a tool is a function of the client, and none that the server calls.
fn is_function(tool: &Value) -> bool {
    let Value::Object(tool) = tool else {
        return false;
    };
    let is_known = |name: &String| FUNCTIONS.contains(&&**name);
    match tool.get("type").and_then(Value::as_str) {
        Some(kind) => matches!(kind, "function" | "custom"),
        None if tool.contains_key("input_schema") => true,
        None => !tool.is_empty() && tool.keys().all(is_known),
    }
}
