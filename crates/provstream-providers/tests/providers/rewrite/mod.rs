//! The stream rewriter: what it changes, what it leaves unchanged, and that a client can read the result.

mod deltas;
mod envelope;
mod fixtures;
mod growth;
mod insert;
mod random;
mod sink;

use std::collections::BTreeMap;

use provstream::{BracketAnnotation, Event, Handler, Parser, Replacement, Rewriter, TextChunk};
use provstream_providers::{Channel, ChannelPosition, Format, Item, StreamHandler, StreamRewriter};
use serde_json::Value;
use testkit::wire::fixtures::Fixture;
use testkit::wire::output::Output;

/// The stream without its annotations, read in chunks of this size.
fn strip(rewriter: &StreamRewriter, stream: &[u8], size: usize) -> Vec<u8> {
    let mut rewriter = rewriter.clone();
    let mut out = Vec::new();
    for chunk in stream.chunks(size.max(1)) {
        rewriter.push(chunk, Output(&mut out));
    }
    rewriter.finish(Output(&mut out));
    out
}

fn strip_all(format: Format, stream: &[u8]) -> String {
    let rewriter = StreamRewriter::new(format, Parser::new());
    let whole = strip(&rewriter, stream, usize::MAX);
    for size in [1, 5, 32] {
        assert_eq!(strip(&rewriter, stream, size), whole, "by {size}");
    }
    String::from_utf8(whole).expect("UTF-8")
}

/// A text without its annotations.
fn clean(text: &str) -> String {
    let mut out = Vec::new();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(text.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn clean_texts(texts: &BTreeMap<Channel, String>) -> BTreeMap<Channel, String> {
    let cleaned = texts.iter().map(|(channel, text)| (*channel, clean(text)));
    cleaned.filter(|(_, text)| !text.is_empty()).collect()
}

/// The JSON of all events.
fn events(fixture: &Fixture, stream: &[u8]) -> Vec<Value> {
    let stream = std::str::from_utf8(stream).expect("UTF-8");
    if fixture.name.ends_with(".json") {
        return serde_json::from_str(stream).expect("an array");
    }
    let lines = stream.split(['\n', '\r']);
    let data = lines.filter_map(|line| match fixture.format {
        Format::Ollama => Some(line),
        _ => line.strip_prefix("data: "),
    });
    data.filter(|data| !data.is_empty() && *data != "[DONE]")
        // Halves of surrogate pairs are no strings to this parser.
        .map(|data| data.replace("\\ud", "\\\\ud"))
        .map(|data| serde_json::from_str(&data).expect(&data))
        .collect()
}

fn chat(content: &str) -> String {
    format!("data: {{\"choices\": [{{\"index\":0, \"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

/// Replaces annotations, and takes down what it is told.
#[derive(Default)]
struct Links {
    out: Vec<u8>,
    position: Option<ChannelPosition>,
    text: BTreeMap<Channel, Vec<u8>>,
    places: Vec<(String, bool)>,
    assertions: usize,
    items: Vec<String>,
}

impl Handler for Links {
    fn text(&mut self, text: TextChunk<'_>) {
        let channel = self.position.expect("a channel").channel;
        let all = self.text.entry(channel).or_default();
        assert_eq!(
            all.len() as u64,
            text.span().start(),
            "offsets in the rewritten text"
        );
        all.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let position = self.position.expect("a channel");
        self.places
            .push((position.channel.to_string(), position.is_repeated));
        format!("({})", annotation.annotation().class()).into()
    }

    fn event(&mut self, event: Event<'_>) {
        self.assertions += usize::from(matches!(event, Event::Assertion(_)));
    }
}

impl StreamHandler for Links {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.position = Some(position);
    }

    fn item(&mut self, item: Item<'_>) {
        if !matches!(item, Item::Other(_)) {
            self.items.push(format!("{item:?}"));
        }
    }
}
