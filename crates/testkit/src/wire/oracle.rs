//! Naive client: reads the whole response, parses each event to a tree, and joins the texts of each
//! channel.
//!
//! The client shares no code with the crate under test, neither for splitting into events nor for
//! the paths of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use provstream::{Parser, Rewriter};
use provstream_providers::Format;
use serde_json::Value;

/// Joined texts by name.
pub type Texts = BTreeMap<String, String>;

/// Content of a response as a client has it at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub texts: Texts,
    /// Texts split where something such as a tool call interrupts them, without empty segments.
    pub segments: BTreeMap<String, Vec<String>>,
    /// Strings that repeat a whole text, in order.
    pub repeats: Vec<String>,
    pub reasoning: Texts,
    pub tools: Texts,
    /// Reason for the end of each text.
    pub finish: BTreeMap<String, String>,
    pub usage: Vec<Value>,
    /// Passages that citations refer to, in order, taken from the texts so far.
    pub cited: Vec<String>,
    /// Text or a content part came after the event with the finish reason of its channel.
    pub is_late: bool,
    /// Text came after a tool call.
    pub text_after_tool: bool,
    /// A content block began with an unexpected index, an event names a block that is not open, or
    /// a block has no text.
    pub has_bad_block: bool,
    parts: Parts,
    /// Items whose part numbers count deltas.
    counted: BTreeSet<String>,
}

/// Open parts or content blocks of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Parts {
    open: Vec<Part>,
    /// Name of the text of the last part that ended.
    last: Option<String>,
    /// Number of content blocks begun.
    begun: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    id: String,
    /// Name of the text that the part continues.
    name: String,
    /// The part has content, or is kept although it is empty.
    is_filled: bool,
}

impl Parts {
    /// Begins a part unless one with this id is open. Its text continues that of the part before,
    /// if that has ended, otherwise it is a new text called `name`.
    fn begin(&mut self, id: &str, name: &str) {
        if self.named(id).is_some() {
            return;
        }
        let last = self.last.clone().filter(|_| self.open.is_empty());
        // Those that are open in parallel stay where they are.
        let is_parallel = !self.open.is_empty();
        for part in &mut self.open {
            part.is_filled = true;
        }
        self.open.push(Part {
            id: id.to_owned(),
            name: last.unwrap_or_else(|| name.to_owned()),
            is_filled: is_parallel,
        });
        self.begun += 1;
    }

    fn named(&mut self, id: &str) -> Option<&mut Part> {
        self.open.iter_mut().find(|part| part.id == id)
    }

    fn end(&mut self, id: &str) -> Option<Part> {
        let place = self.open.iter().position(|part| part.id == id)?;
        let part = self.open.remove(place);
        if self.open.is_empty() {
            self.last = Some(part.name.clone());
        }
        Some(part)
    }
}

/// Parses all events; fails the test at data that is not JSON.
pub fn events(stream: &[u8]) -> Vec<Value> {
    parsed(stream).unwrap_or_else(|error| panic!("{error}: {}", stream.escape_ascii()))
}

/// Parses all events, if all are JSON.
fn parsed(stream: &[u8]) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = str::from_utf8(stream)?;
    let text = text.trim_start_matches('\u{FEFF}');
    Ok(match text.trim_start().as_bytes().first() {
        None => Vec::new(),
        Some(b'[') => serde_json::from_str(text)?,
        Some(b'{') => {
            let values = serde_json::Deserializer::from_str(text).into_iter();
            values.collect::<Result<_, _>>()?
        }
        Some(_) => {
            let data = data_of(text);
            let values = data.iter().map(|data| serde_json::from_str(data));
            values.collect::<Result<_, _>>()?
        }
    })
}

/// Extracts the data of server-sent events.
fn data_of(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let blocks = text.split("\n\n");
    let data = blocks.map(|block| {
        let lines = block.lines().filter_map(|line| line.strip_prefix("data:"));
        let lines: Vec<&str> = lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n")
    });
    data.filter(|data| !matches!(data.trim(), "" | "[DONE]"))
        .collect()
}

/// Splits a response into the data of its events, JSON or not.
pub(super) fn event_data(stream: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(stream).expect("UTF-8");
    match text.as_bytes().first() {
        Some(b'{') => text.lines().map(str::to_owned).collect(),
        Some(b'[') => vec![text.to_owned()],
        _ => data_of(text),
    }
}

/// Removes the annotations of a text.
pub fn clean(text: &str) -> String {
    let mut out = Vec::new();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(text.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn number(value: &Value) -> String {
    value.as_u64().unwrap_or(0).to_string()
}

impl Client {
    /// Reads a response in a format; fails the test at data that is not JSON.
    pub fn of(format: Format, stream: &[u8]) -> Self {
        Self::of_events(format, events(stream))
    }

    /// Reads a response that may be any data: nothing if some event of it is not JSON, or in an order that no server writes.
    pub fn of_any(format: Format, stream: &[u8]) -> Option<Self> {
        let client = Self::of_events(format, parsed(stream).ok()?);
        let is_copy = |(name, text): (&String, &String)| {
            let channel = name.strip_suffix(" message");
            channel.is_none_or(|channel| client.texts.get(channel) == Some(text))
        };
        let is_odd = client.is_late
            || client.text_after_tool
            || client.has_bad_block
            || !client.texts.iter().all(is_copy);
        (!is_odd).then_some(client)
    }

    fn of_events(format: Format, events: Vec<Value>) -> Self {
        let mut client = Self::default();
        for event in events {
            match format {
                Format::OpenAiChat => client.chat(&event),
                Format::OpenAiResponses => client.responses(&event),
                Format::Anthropic => client.anthropic(&event),
                Format::Gemini => client.gemini(&event),
                Format::Ollama => client.ollama(&event),
                Format::Cohere => client.cohere(&event),
                Format::GeminiInteractions => client.interactions(&event),
                Format::MistralConversations => client.mistral(&event),
                Format::LlamaCpp => client.llama_cpp(&event),
                Format::Tgi => client.tgi(&event),
                Format::BedrockConverse => client.bedrock(&event),
                Format::VercelUi => client.vercel(&event),
                other => panic!("{other}"),
            }
        }
        client.settle();
        client.parts = Parts::default();
        client
    }

    /// Drops empty segments and joins the others to texts.
    pub(super) fn settle(&mut self) {
        for segments in self.segments.values_mut() {
            segments.retain(|text| !text.is_empty());
        }
        self.segments.retain(|_, segments| !segments.is_empty());
        // The first text of blocks may be gone.
        if !self.segments.contains_key("message")
            && let Some(other) = self
                .segments
                .keys()
                .find(|name| name.starts_with("message "))
        {
            let other = other.clone();
            let segments = self.segments.remove(&other).expect("a text");
            self.segments.insert("message".into(), segments);
        }
        let joined = self.segments.iter();
        let joined = joined.map(|(name, segments)| (name.clone(), segments.concat()));
        self.texts = joined.collect();
    }

    /// Returns the texts that a decoder reports: of two members with the same text, only one.
    pub fn reported(&self) -> Texts {
        let mut texts = self.texts.clone();
        for (name, text) in &self.texts {
            let channel = name.split(' ').next().unwrap_or_default();
            if name.ends_with(" message")
                || name.ends_with(" text") && self.texts.get(channel) == Some(text)
            {
                texts.remove(name);
            }
        }
        // Where both have the same text, it is that of the member that comes first.
        texts
    }

    /// Removes the annotations from the texts and the strings that repeat them.
    pub fn cleaned(self) -> Self {
        self.cleaned_by(clean)
    }

    /// Strips the texts and the strings that repeat them, each by `clean`.
    pub fn cleaned_by(mut self, clean: impl Fn(&str) -> String) -> Self {
        for text in self.segments.values_mut().flatten() {
            *text = clean(text);
        }
        self.settle();
        for text in &mut self.repeats {
            *text = clean(text);
        }
        self
    }

    /// Appends a piece of text to a member of a channel; an empty `member` stands for the content.
    fn member(&mut self, channel: &str, member: &str, text: &Value) {
        let Some(text) = text.as_str().filter(|text| !text.is_empty()) else {
            return;
        };
        self.is_late |= self.finish.contains_key(channel);
        self.text_after_tool |= self.tools.contains_key(channel);
        let name = format!("{channel} {member}").trim_end().to_owned();
        let joined = self.texts.entry(name.clone()).or_default();
        joined.push_str(text);
        let segments = self.segments.entry(name).or_default();
        if segments.is_empty() {
            segments.push(String::new());
        }
        segments.last_mut().expect("a segment").push_str(text);
    }

    fn text(&mut self, channel: &str, text: &Value) {
        self.member(channel, "", text);
    }

    /// Starts a new segment in the texts of one channel, or of all.
    fn interrupt(&mut self, channel: Option<&str>) {
        for (name, segments) in &mut self.segments {
            let of = name.split(' ').next();
            if channel.is_none_or(|channel| of == Some(channel)) {
                segments.push(String::new());
            }
        }
    }

    /// Records the passage of a text between two positions, counted in characters.
    fn cite(&mut self, text: &str, start: &Value, end: &Value) {
        let (Some(start), Some(end)) = (start.as_u64(), end.as_u64()) else {
            return;
        };
        let passage = text.chars().skip(start as usize);
        let passage = passage.take(end.saturating_sub(start) as usize);
        self.cited.push(passage.collect());
    }

    fn chat(&mut self, event: &Value) {
        for choice in event["choices"].as_array().into_iter().flatten() {
            let channel = number(&choice["index"]);
            let delta = &choice["delta"];
            let members = [
                ("", &delta["content"]),
                ("refusal", &delta["refusal"]),
                ("transcript", &delta["audio"]["transcript"]),
                ("text", &choice["text"]),
            ];
            let mut has_text = false;
            for (member, text) in members {
                has_text |= text.as_str().is_some_and(|text| !text.is_empty());
                self.member(&channel, member, text);
                for part in text.as_array().into_iter().flatten() {
                    self.member(&channel, member, &part["text"]);
                }
            }
            let names = ["reasoning_content", "reasoning"];
            for (place, name) in names.into_iter().enumerate() {
                let Some(text) = delta[name].as_str().filter(|text| !text.is_empty()) else {
                    continue;
                };
                if place == 0 && !has_text {
                    self.interrupt(Some(&channel));
                }
                let name = format!("{channel} {name}");
                self.reasoning.entry(name).or_default().push_str(text);
            }
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                self.interrupt(Some(&channel));
                let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                self.tools
                    .entry(channel.clone())
                    .or_default()
                    .push_str(arguments);
            }
            let message = &choice["message"]["content"];
            // Beside deltas it is the same pieces; else it repeats the text so far.
            let pieces = format!("{channel} message");
            if !message.is_null() && delta.get("content").is_some() {
                self.segments.entry(pieces.clone()).or_default();
            }
            if self.segments.contains_key(&pieces) {
                self.member(&channel, "message", message);
            } else {
                self.repeats.extend(message.as_str().map(str::to_owned));
            }
            let reason = choice["finish_reason"].as_str();
            // What some servers write in every event.
            if let Some(reason) = reason.filter(|reason| !matches!(*reason, "" | "null")) {
                self.finish.insert(channel, reason.to_owned());
            }
        }
        self.usage
            .extend(event.get("usage").filter(|usage| !usage.is_null()).cloned());
    }

    fn responses(&mut self, event: &Value) {
        let item = number(&event["output_index"]);
        let mut channel = format!("{item}/{}", number(&event["content_index"]));
        let kind = event["type"].as_str().unwrap_or_default();
        if kind == "response.output_text.delta" {
            // Without a first part, numbers count deltas.
            let first = format!("{item}/0");
            if event["content_index"].as_u64() > Some(0)
                && (self.counted.contains(&item) || !self.segments.contains_key(&first))
            {
                channel = format!("{item}/1");
                self.counted.insert(item.clone());
            }
        }
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.text(&channel, &event["delta"]);
            }
            "response.content_part.added" => self.text(&channel, &event["part"]["text"]),
            "response.output_item.added" if event["item"]["type"] == "message" => {
                self.text(&format!("{item}/0"), &event["item"]["content"][0]["text"]);
            }
            "response.output_item.added" => self.interrupt(None),
            "response.output_text.done" => {
                self.repeats
                    .extend(event["text"].as_str().map(str::to_owned));
                self.finish.insert(channel, "done".into());
            }
            "response.content_part.done" => {
                self.repeats
                    .extend(event["part"]["text"].as_str().map(str::to_owned));
            }
            "response.completed" => {
                for item in event["response"]["output"].as_array().into_iter().flatten() {
                    for part in item["content"].as_array().into_iter().flatten() {
                        self.repeats
                            .extend(part["text"].as_str().map(str::to_owned));
                    }
                }
                self.usage.push(event["response"]["usage"].clone());
            }
            "response.function_call_arguments.delta" => {
                let arguments = event["delta"].as_str().unwrap_or_default();
                self.tools.entry(channel).or_default().push_str(arguments);
            }
            _ => {}
        }
    }

    /// Begins a content block; blocks are numbered from 0.
    fn begin_block(&mut self, index: &Value, is_text: bool) {
        let begun = self.parts.begun;
        self.has_bad_block |= *index != begun;
        let name = match begun {
            0 => "message".to_owned(),
            _ => format!("message {begun}"),
        };
        let id = index.to_string();
        self.parts.begin(&id, &name);
        if !is_text {
            self.interrupt(None);
            self.parts.named(&id).expect("a block").is_filled = true;
        }
    }

    fn block_text(&mut self, index: &Value, text: &Value) {
        let Some(block) = self.parts.named(&index.to_string()) else {
            self.has_bad_block = true;
            return;
        };
        block.is_filled |= text.as_str().is_some_and(|text| !text.is_empty());
        let name = block.name.clone();
        self.text(&name, text);
    }

    fn end_block(&mut self, index: &Value) {
        let block = self.parts.end(&index.to_string());
        self.has_bad_block |= block.is_none_or(|block| !block.is_filled);
    }

    fn anthropic(&mut self, event: &Value) {
        let index = &event["index"];
        match event["type"].as_str().unwrap_or_default() {
            "content_block_start" => {
                let text = &event["content_block"]["text"];
                self.begin_block(index, text.is_string());
                self.block_text(index, text);
            }
            "content_block_stop" => self.end_block(index),
            "content_block_delta" => {
                self.block_text(index, &event["delta"]["text"]);
                if let Some(json) = event["delta"]["partial_json"].as_str() {
                    self.tools.entry("tool".into()).or_default().push_str(json);
                }
            }
            "message_delta" => {
                let reason = event["delta"]["stop_reason"].to_string();
                self.finish.insert("message".into(), reason);
                self.usage.push(event["usage"].clone());
            }
            _ => {}
        }
    }

    fn gemini(&mut self, event: &Value) {
        for candidate in event["candidates"].as_array().into_iter().flatten() {
            let channel = number(&candidate["index"]);
            for part in candidate["content"]["parts"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let is_text = part["text"].is_string() && part["thought"] != true;
                let is_signature = part
                    .as_object()
                    .is_some_and(|part| part.keys().all(|name| name == "thoughtSignature"));
                if !is_text && !is_signature {
                    self.interrupt(Some(&channel));
                }
                if part["thought"] == true {
                    let text = part["text"].as_str().unwrap_or_default();
                    self.reasoning
                        .entry(channel.clone())
                        .or_default()
                        .push_str(text);
                } else {
                    self.text(&channel, &part["text"]);
                }
                if let Some(call) = part.get("functionCall") {
                    let calls = self.tools.entry(channel.clone()).or_default();
                    calls.push_str(&call.to_string());
                }
            }
            let supports = &candidate["groundingMetadata"]["groundingSupports"];
            for support in supports.as_array().into_iter().flatten() {
                let segment = &support["segment"];
                let text = self.texts.get(&channel).cloned().unwrap_or_default();
                let place = |value: &Value| value.as_u64().unwrap_or(u64::MAX) as usize;
                let range = place(&segment["startIndex"])..place(&segment["endIndex"]);
                let passage = text.as_bytes().get(range).unwrap_or_default();
                self.cited
                    .push(String::from_utf8_lossy(passage).into_owned());
            }
            if let Some(reason) = candidate["finishReason"].as_str() {
                self.finish.insert(channel, reason.to_owned());
            }
        }
        self.usage.extend(event.get("usageMetadata").cloned());
    }

    fn ollama(&mut self, event: &Value) {
        self.text("0", &event["message"]["content"]);
        self.text("0", &event["response"]);
        for call in event["message"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            self.interrupt(None);
            self.tools
                .entry("0".into())
                .or_default()
                .push_str(&call.to_string());
        }
        if event["done"] == true {
            self.finish
                .insert("0".into(), event["done_reason"].to_string());
        }
    }

    fn cohere(&mut self, event: &Value) {
        let channel = number(&event["index"]);
        let message = &event["delta"]["message"];
        match event["type"].as_str().unwrap_or_default() {
            "content-start" | "content-delta" => self.text(&channel, &message["content"]["text"]),
            "content-end" => {
                self.finish.insert(channel, "end".into());
            }
            "tool-call-start" => self.interrupt(None),
            "tool-call-delta" => {
                let arguments = message["tool_calls"]["function"]["arguments"].as_str();
                self.tools
                    .entry("tool".into())
                    .or_default()
                    .push_str(arguments.unwrap_or_default());
            }
            "citation-start" => {
                let citation = &message["citations"];
                let text = self.texts.get(&number(&citation["content_index"]));
                let text = text.cloned().unwrap_or_default();
                self.cite(&text, &citation["start"], &citation["end"]);
            }
            "message-end" => self.usage.push(event["delta"]["usage"].clone()),
            _ => {}
        }
    }

    fn interactions(&mut self, event: &Value) {
        let channel = number(&event["index"]);
        match event["event_type"].as_str().unwrap_or_default() {
            "step.delta" | "content.delta" if event["delta"]["type"] == "text" => {
                self.text(&channel, &event["delta"]["text"]);
            }
            "step.delta" | "content.delta" => {
                let thought = event["delta"]["content"]["text"].as_str();
                let thoughts = self.reasoning.entry(channel).or_default();
                thoughts.push_str(thought.unwrap_or_default());
            }
            "step.stop" | "content.stop" => {
                self.finish.insert(channel, "stop".into());
            }
            "interaction.completed" => self.usage.push(event["interaction"]["usage"].clone()),
            _ => {}
        }
    }

    fn mistral(&mut self, event: &Value) {
        let channel = number(&event["output_index"]);
        match event["type"].as_str().unwrap_or_default() {
            "message.output.delta" => {
                self.text(&channel, &event["content"]);
                self.text(&channel, &event["content"]["text"]);
            }
            "function.call.delta" => {
                self.interrupt(None);
                let arguments = event["arguments"].as_str().unwrap_or_default();
                self.tools.entry(channel).or_default().push_str(arguments);
                // A call comes after the text of the message before.
                self.tools.entry("0".into()).or_default();
            }
            "conversation.response.done" => self.usage.push(event["usage"].clone()),
            _ => {}
        }
    }

    fn llama_cpp(&mut self, event: &Value) {
        let channel = number(&event["index"]);
        self.text(&channel, &event["content"]);
        if event["stop"] == true {
            self.finish.insert(channel, event["stop_type"].to_string());
            self.usage.push(event["timings"].clone());
        }
    }

    fn tgi(&mut self, event: &Value) {
        if event["token"]["special"] == false {
            self.text("0", &event["token"]["text"]);
        }
        if let Some(text) = event["generated_text"].as_str() {
            self.repeats.push(text.to_owned());
            self.finish
                .insert("0".into(), event["details"]["finish_reason"].to_string());
        }
    }

    fn bedrock(&mut self, event: &Value) {
        if let Some(start) = event.get("contentBlockStart") {
            self.begin_block(&start["contentBlockIndex"], false);
        }
        if let Some(delta) = event.get("contentBlockDelta") {
            let index = &delta["contentBlockIndex"];
            // A block of text has no start.
            if *index == self.parts.begun {
                self.begin_block(index, true);
            }
            self.block_text(index, &delta["delta"]["text"]);
            if let Some(input) = delta["delta"]["toolUse"]["input"].as_str() {
                self.tools.entry("tool".into()).or_default().push_str(input);
            }
        }
        if let Some(stop) = event.get("contentBlockStop") {
            self.end_block(&stop["contentBlockIndex"]);
        }
        if let Some(stop) = event.get("messageStop") {
            let reason = stop["stopReason"].to_string();
            self.finish.insert("message".into(), reason);
        }
        self.usage.extend(event["metadata"].get("usage").cloned());
    }

    fn vercel(&mut self, event: &Value) {
        let id = event["id"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "text-delta" => {
                let name = self.parts.named(id).map(|part| part.name.clone());
                self.has_bad_block |= name.is_none();
                self.text(&name.unwrap_or_default(), &event["delta"]);
            }
            "text-start" => {
                // What follows is of the new one of two parts with an identifier.
                drop(self.parts.end(id));
                let name = format!("part-{id}-{}", self.parts.begun);
                self.parts.begin(id, &name);
            }
            "text-end" => drop(self.parts.end(id)),
            "start" | "start-step" | "finish-step" | "message-metadata" => {}
            "tool-input-start" => self.interrupt(None),
            "data-new" if event["transient"] == true || !self.parts.open.is_empty() => {}
            "tool-input-delta" => {
                self.interrupt(None);
                let input = event["inputTextDelta"].as_str().unwrap_or_default();
                self.tools
                    .entry("message".into())
                    .or_default()
                    .push_str(input);
            }
            "finish" => {
                self.finish.insert("message".into(), "finish".into());
            }
            _ => self.interrupt(None),
        }
    }
}
