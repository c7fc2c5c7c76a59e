//! Sources that a request brings, by the labels that are written in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use provstream::{Dialects, Event, Parser, Source, Sources};
use serde_json::{Map, Value};

use crate::source_gap::SourceGap;
use crate::sources::SourceList;

/// Most identifiers of a list; with more, it is incomplete.
const MAX_IDS: usize = 1 << 12;

/// Longest label in bytes.
const MAX_LABEL: usize = 256;

/// Last characters of markers.
const CLOSING: [char; 7] = [']', '】', '］', '>', '%', ')', '\u{E201}'];

/// Most places at which a label may end that are tried.
const MAX_ENDS: usize = 16;

/// Characters between a label and its text.
const AFTER_LABEL: [char; 10] = [' ', '\t', '\u{3000}', ':', '：', '.', ')', '-', '–', '|'];

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
const OTHERS: [&str; 92] = [
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
    "guided_choice",
    "guided_grammar",
    "guided_json",
    "guided_regex",
    "id_slot",
    "ignore_eos",
    "include",
    "include_reasoning",
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
    "toolConfig",
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
const ASIDE: [&str; 7] = [
    "cache_control",
    "call_id",
    "citations",
    "name",
    "tool_call_id",
    "tool_name",
    "tool_use_id",
];

/// Members with content that is not in the request, or not text.
const UNREAD: [&str; 9] = [
    "attachments",
    "fileData",
    "file_data",
    "file_id",
    "file_url",
    "image_url",
    "images",
    "inlineData",
    "inline_data",
];

/// A list that has every source, so that a label may have any identifier.
#[derive(Debug)]
struct Any;

impl Sources for Any {
    fn find(&self, _: &str) -> Option<Source<'_>> {
        Some(Source::new(""))
    }

    fn is_complete(&self) -> bool {
        true
    }
}

/// Returns the sources of a request to a provider: the identifiers of its labels, and those of its documents. Without any, there is
/// no list.
///
/// A label is a marker of the dialects at the start of a line, with text after it, as in `[1] A title`. The list is complete if
/// there is a label and nothing in the request can bring other sources; otherwise the first reason why it is not is returned, too.
pub(crate) fn sources_of(
    body: &[u8],
    dialects: &Dialects,
) -> (Option<SourceList>, Option<SourceGap>) {
    let parser = Parser::builder().dialects(dialects.clone());
    let mut reader = RequestReader {
        parser: parser.sources(Arc::new(Any)).build(),
        ids: BTreeSet::new(),
        has_label: false,
        gap: None,
    };
    match serde_json::from_slice(body) {
        Ok(Value::Object(request)) => reader.request(&request),
        _ => reader.lacks(true, SourceGap::NotAnObject),
    }
    let is_unlabelled = !reader.has_label;
    reader.lacks(is_unlabelled, SourceGap::NoLabel);
    let ids = reader.ids.iter().map(AsRef::as_ref);
    let list = (ids.len() > 0).then(|| SourceList::of_ids(ids, reader.gap.is_none()));
    (list, reader.gap)
}

struct RequestReader {
    parser: Parser,
    ids: BTreeSet<Box<str>>,
    has_label: bool,
    /// First reason why the model may have other sources.
    gap: Option<SourceGap>,
}

impl RequestReader {
    /// Notes a reason why the list may lack sources, if it applies.
    fn lacks(&mut self, applies: bool, gap: SourceGap) {
        if applies && self.gap.is_none() {
            self.gap = Some(gap);
        }
    }

    fn request(&mut self, request: &Map<String, Value>) {
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
                let all = value.as_array().into_iter().flatten();
                self.lacks(!all.clone().all(is_function), SourceGap::Tool);
            } else {
                self.lacks(!OTHERS.contains(&name), SourceGap::Member);
            }
        }
    }

    /// Reads the labels in texts, but for those of the model.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(all) => all.iter().for_each(|one| self.value(one)),
            Value::Object(content) => self.content(content),
            _ => {}
        }
    }

    fn content(&mut self, content: &Map<String, Value>) {
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
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            self.lacks(UNREAD.contains(&name) && !is_empty, SourceGap::Content);
            if name == "document" {
                self.document(value);
            }
            if !ASIDE.contains(&name) && !matches!(name, "id" | "role" | "type") {
                self.value(value);
            }
        }
    }

    /// Adds the identifier of a document.
    fn document(&mut self, document: &Value) {
        if let Some(id) = document["id"].as_str() {
            self.add(id);
        }
    }

    fn add(&mut self, id: &str) {
        match self.ids.len() < MAX_IDS {
            true => _ = self.ids.insert(id.into()),
            false => self.lacks(true, SourceGap::Identifiers),
        }
    }

    /// Reads the labels of a text, or those in the strings of one that is JSON, such as the result of a tool.
    fn text(&mut self, text: &str) {
        if text.trim_start().starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Value>(text)
        {
            return self.strings(&json);
        }
        self.lines(text);
    }

    fn strings(&mut self, json: &Value) {
        match json {
            Value::String(text) => self.lines(text),
            Value::Array(all) => all.iter().for_each(|one| self.strings(one)),
            Value::Object(members) => members.values().for_each(|one| self.strings(one)),
            _ => {}
        }
    }

    fn lines(&mut self, text: &str) {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let goes_on = lines
                .peek()
                .is_some_and(|next| before_label(next).starts_with(char::is_alphanumeric));
            self.line(line, goes_on);
        }
    }

    /// Reads the label that a line begins with, after indentation and markers of lists, quotes and emphasis. If nothing follows it,
    /// it counts if the text goes on in the next line.
    fn line(&mut self, line: &str, goes_on: bool) {
        let line = before_label(line);
        if line.starts_with(|first: char| first.is_alphanumeric()) {
            return;
        }
        let ends = line.char_indices().take_while(|(at, _)| *at < MAX_LABEL);
        let ends = ends.filter(|(_, found)| CLOSING.contains(found));
        for (at, last) in ends.take(MAX_ENDS) {
            let (marker, rest) = line.split_at(at + last.len_utf8());
            let rest = rest.trim_start_matches(['*', '_']);
            let is_label = match rest.chars().next() {
                None => goes_on,
                Some(next) if next.is_alphanumeric() => true,
                Some(_) => {
                    let text = rest.trim_start_matches(AFTER_LABEL);
                    let is_named = rest.starts_with([':', '：']);
                    text.len() < rest.len() && (is_named || goes_on || !text.is_empty())
                }
            };
            if is_label && self.label(marker) {
                return;
            }
        }
    }

    /// Adds the identifiers of a label; returns `false` if it is none.
    fn label(&mut self, marker: &str) -> bool {
        const BEFORE: &str = "So ";
        let mut ids: Vec<Box<str>> = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Marker(found) = event
                && found.raw() == marker.as_bytes()
            {
                ids.extend(found.ids().map(Box::from));
            }
        };
        self.parser.reset();
        self.parser.push(BEFORE.as_bytes(), &mut take);
        self.parser.push(marker.as_bytes(), &mut take);
        self.parser.finish(&mut take);
        self.has_label |= !ids.is_empty();
        ids.iter().for_each(|id| self.add(id));
        !ids.is_empty()
    }
}

/// Removes what may come before a label in its line.
fn before_label(line: &str) -> &str {
    let is_mark = |found: char| {
        found.is_whitespace()
            || matches!(found, '>' | '-' | '*' | '+' | '#' | '_' | '•' | '\u{FEFF}')
    };
    let line = line.trim_start_matches(is_mark);
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(item) if rest.len() < line.len() => item.trim_start_matches(is_mark),
        _ => line,
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
    match tool.get("type").and_then(Value::as_str) {
        Some(kind) => matches!(kind, "function" | "custom"),
        None if tool.contains_key("input_schema") => true,
        None => tool
            .keys()
            .all(|name| matches!(&**name, "functionDeclarations" | "function_declarations")),
    }
}
