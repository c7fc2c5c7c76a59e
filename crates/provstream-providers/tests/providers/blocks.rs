//! The text of a content block stays in that block, with what is cited for it.

use std::collections::BTreeMap;

use provstream::{Action, Gate, Parser, Policy};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::naive::Drawn;
use testkit::gate::policies::{Stated, at_word, release_all, without};
use testkit::wire::generate::Random;
use testkit::wire::oracle::{Client, events};

/// Streams of each kind: 300, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(300)
}

/// A client's view of a block: its text, or nothing for a tool call, and its citations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Block {
    text: Option<String>,
    cited: Vec<String>,
}

impl Block {
    fn of(text: &str, cited: &[&str]) -> Self {
        Self {
            text: Some(text.into()),
            cited: cited.iter().map(|cited| (*cited).to_owned()).collect(),
        }
    }
}

/// Way of sending a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Anthropic,
    AnthropicLines,
    AnthropicWhole,
    Bedrock,
    BedrockWhole,
    Vercel,
    VercelWhole,
}

use Wire::{Anthropic, AnthropicLines, AnthropicWhole, Bedrock, BedrockWhole, Vercel, VercelWhole};
use testkit::wire::output::Output;

const WIRES: [Wire; 7] = [
    Anthropic,
    AnthropicLines,
    AnthropicWhole,
    Bedrock,
    BedrockWhole,
    Vercel,
    VercelWhole,
];

fn tool(number: usize) -> Value {
    json!({"type": "tool_use", "id": format!("t{number}"), "name": "f", "input": {}})
}

fn started(index: u32, kind: &str, text: &str) -> Value {
    let block = json!({"type": kind, "text": text});
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn continued(index: u32, text: &str) -> Value {
    let delta = json!({"type": "text_delta", "text": text});
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn citation(title: &str) -> Value {
    json!({"type": "char_location", "cited_text": "q", "document_index": 0, "document_title": title,
           "start_char_index": 3, "end_char_index": 14})
}

impl Wire {
    const fn format(self) -> Format {
        match self {
            Anthropic | AnthropicLines | AnthropicWhole => Format::Anthropic,
            Bedrock | BedrockWhole => Format::BedrockConverse,
            Vercel | VercelWhole => Format::VercelUi,
        }
    }

    /// Returns `true` if blocks without text are removed, and blocks have citations.
    const fn has_citations(self) -> bool {
        !matches!(self, Vercel | VercelWhole)
    }

    fn write(self, blocks: &[Block], random: &mut Random) -> Vec<u8> {
        let events = match self {
            Anthropic | AnthropicLines => anthropic(blocks, random),
            AnthropicWhole => vec![anthropic_whole(blocks)],
            Bedrock => bedrock(blocks, random),
            BedrockWhole => vec![bedrock_whole(blocks)],
            Vercel => vercel(blocks, random),
            VercelWhole => vec![vercel_whole(blocks)],
        };
        let write = |event: &Value| match self {
            Anthropic => format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().expect("a type")
            ),
            Vercel => format!("data: {event}\n\n"),
            _ => format!("{event}\n"),
        };
        events.iter().map(write).collect::<String>().into_bytes()
    }

    /// Returns the blocks that a client reads. Panics where a client would fail.
    fn read(self, stream: &[u8]) -> Vec<Block> {
        let events = events(stream);
        match self {
            Anthropic | AnthropicLines => read_anthropic(&events),
            AnthropicWhole => read_whole(only(&events), "/content"),
            Bedrock => read_bedrock(&events),
            BedrockWhole => read_whole(only(&events), "/output/message/content"),
            Vercel => read_vercel(&events),
            VercelWhole => read_whole(only(&events), "/parts"),
        }
    }
}

/// The only value of a body. Clients read no other.
fn only(values: &[Value]) -> &Value {
    match values {
        [value] => value,
        _ => panic!("not one value: {values:?}"),
    }
}

/// The deltas of a block, with citations at any place among them; at random if they are.
fn deltas(block: &Block, random: &mut Random) -> Vec<Result<String, String>> {
    let mut rest = block.text.as_deref().unwrap_or_default();
    let mut deltas = Vec::new();
    while !rest.is_empty() {
        let len = [1, 3, 8, 40][random.below(4)].min(rest.len());
        let (delta, later) = rest.split_at(len);
        deltas.push(Ok(delta.to_owned()));
        rest = later;
    }
    for cited in &block.cited {
        let after = deltas.iter().rposition(|delta| delta.is_err());
        let from = after.map_or(0, |last| last + 1);
        let at = from + random.below(deltas.len() + 1 - from);
        deltas.insert(at, Err(cited.clone()));
    }
    deltas
}

fn anthropic(blocks: &[Block], random: &mut Random) -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": {"content": []}})];
    for (index, block) in blocks.iter().enumerate() {
        let begin = match block.text {
            Some(_) => json!({"type": "text", "text": ""}),
            None => tool(index),
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begin}));
        for delta in deltas(block, random) {
            let delta = match delta {
                Ok(text) => json!({"type": "text_delta", "text": text}),
                Err(title) => json!({"type": "citations_delta", "citation": citation(&title)}),
            };
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
            if random.one_in(9) {
                events.push(json!({"type": "ping"}));
            }
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn read_anthropic(events: &[Value]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = None;
    for event in events {
        let index = event["index"].as_u64().map(|index| index as usize);
        match event["type"].as_str().expect("a type") {
            "content_block_start" => {
                assert_eq!((index, open), (Some(blocks.len()), None), "{event}");
                let text = event["content_block"]["text"].as_str();
                blocks.push(Block {
                    text: text.map(str::to_owned),
                    ..Block::default()
                });
                open = index;
            }
            "content_block_delta" => {
                assert_eq!(index, open, "{event}");
                let block = blocks.last_mut().expect("a block");
                if let (Some(text), Some(delta)) =
                    (&mut block.text, event["delta"]["text"].as_str())
                {
                    text.push_str(delta);
                }
                let title = event["delta"]["citation"]["document_title"].as_str();
                block.cited.extend(title.map(str::to_owned));
            }
            "content_block_stop" => assert_eq!(index, open.take(), "{event}"),
            _ => {}
        }
    }
    assert_eq!(open, None);
    blocks
}

fn anthropic_whole(blocks: &[Block]) -> Value {
    let content = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| match &block.text {
            Some(text) => {
                let cited: Vec<Value> = block.cited.iter().map(|title| citation(title)).collect();
                json!({"type": "text", "text": text, "citations": cited})
            }
            None => tool(number),
        });
    let content: Vec<Value> = content.collect();
    json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"})
}

/// Blocks of a message that is not streamed; those of Bedrock have their text in one of two members.
fn read_whole(message: &Value, at: &str) -> Vec<Block> {
    let content = message.pointer(at).and_then(Value::as_array);
    let blocks = content.expect("blocks").iter().map(|block| {
        let pieces = block["citationsContent"]["content"]
            .as_array()
            .into_iter()
            .flatten();
        let pieces: Vec<&str> = pieces.filter_map(|piece| piece["text"].as_str()).collect();
        let text = block["text"].as_str().map(str::to_owned);
        let citations = [&block["citations"], &block["citationsContent"]["citations"]];
        let citations = citations.into_iter().filter_map(Value::as_array).flatten();
        let titles =
            citations.filter_map(|one| one["document_title"].as_str().or(one["title"].as_str()));
        Block {
            text: text.or((!pieces.is_empty()).then(|| pieces.concat())),
            cited: titles.map(str::to_owned).collect(),
        }
    });
    blocks.collect()
}

fn bedrock(blocks: &[Block], random: &mut Random) -> Vec<Value> {
    let mut events = vec![json!({"messageStart": {"role": "assistant"}})];
    for (index, block) in blocks.iter().enumerate() {
        // Of text, Bedrock itself writes none; Strands and LiteLLM do.
        let start = match block.text {
            None => Some(json!({"toolUse": {"toolUseId": "t", "name": "f"}})),
            Some(_) => (random.below(2) == 0).then(|| json!({})),
        };
        if let Some(start) = start {
            events.push(json!({"contentBlockStart": {"start": start, "contentBlockIndex": index}}));
        }
        for delta in deltas(block, random) {
            let delta = match delta {
                Ok(text) => json!({"text": text}),
                Err(title) => {
                    json!({"citation": {"title": title, "sourceContent": [{"text": "q"}]}})
                }
            };
            events.push(json!({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}));
        }
        events.push(json!({"contentBlockStop": {"contentBlockIndex": index}}));
    }
    events.push(json!({"messageStop": {"stopReason": "end_turn"}}));
    events
}

fn read_bedrock(events: &[Value]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for event in events {
        let (name, event) = event
            .as_object()
            .and_then(|event| event.iter().next())
            .expect("a name");
        let Some(index) = event["contentBlockIndex"].as_u64() else {
            assert!(!is_open, "{event}");
            continue;
        };
        assert!(!(is_open && name == "contentBlockStart"), "{event}");
        if !is_open {
            assert_eq!(index, blocks.len() as u64, "{event}");
            let is_tool = event["start"]["toolUse"].is_object();
            blocks.push(Block {
                text: (!is_tool).then(String::new),
                ..Block::default()
            });
        }
        assert_eq!(index + 1, blocks.len() as u64, "{event}");
        let block = blocks.last_mut().expect("a block");
        let delta = &event["delta"];
        if let (Some(text), Some(delta)) = (&mut block.text, delta["text"].as_str()) {
            text.push_str(delta);
        }
        block
            .cited
            .extend(delta["citation"]["title"].as_str().map(str::to_owned));
        is_open = name != "contentBlockStop";
    }
    blocks
}

fn bedrock_whole(blocks: &[Block]) -> Value {
    let content = blocks.iter().map(|block| match &block.text {
        Some(text) if block.cited.is_empty() => json!({"text": text}),
        Some(text) => {
            // In two pieces.
            let (one, two) = text.split_at(text.len() / 2);
            let titles = block.cited.iter().map(|title| json!({"title": title, "sourceContent": [{"text": "q"}]}));
            let titles: Vec<Value> = titles.collect();
            json!({"citationsContent": {"content": [{"text": one}, {"text": two}], "citations": titles}})
        }
        None => json!({"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}),
    });
    let content: Vec<Value> = content.collect();
    json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"})
}

fn vercel(blocks: &[Block], random: &mut Random) -> Vec<Value> {
    let mut events = vec![json!({"type": "start"})];
    for (number, block) in blocks.iter().enumerate() {
        let id = format!("part{number}");
        if block.text.is_none() {
            events.push(json!({"type": "tool-input-available", "toolCallId": id, "toolName": "f", "input": {}}));
            continue;
        }
        events.push(json!({"type": "text-start", "id": id}));
        for delta in deltas(block, random).into_iter().flatten() {
            events.push(json!({"type": "text-delta", "id": id, "delta": delta}));
        }
        events.push(json!({"type": "text-end", "id": id}));
    }
    events.push(json!({"type": "finish"}));
    events
}

fn read_vercel(events: &[Value]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for event in events {
        let id = event["id"].as_str().map(str::to_owned);
        match event["type"].as_str().expect("a type") {
            "text-start" => {
                assert_eq!(open, None, "{event}");
                open = id;
                blocks.push(Block::of("", &[]));
            }
            "text-delta" => {
                assert_eq!(open, id, "{event}");
                let text = blocks
                    .last_mut()
                    .and_then(|block: &mut Block| block.text.as_mut());
                text.expect("a text")
                    .push_str(event["delta"].as_str().expect("text"));
            }
            "text-end" => assert_eq!(open.take(), id, "{event}"),
            "tool-input-available" => blocks.push(Block::default()),
            _ => {}
        }
    }
    blocks
}

fn vercel_whole(blocks: &[Block]) -> Value {
    let parts = blocks.iter().map(|block| match &block.text {
        Some(text) => json!({"type": "text", "text": text}),
        None => {
            json!({"type": "tool-f", "toolCallId": "t", "state": "input-available", "input": {}})
        }
    });
    let parts: Vec<Value> = parts.collect();
    json!({"id": "1", "role": "assistant", "parts": parts})
}

fn pushed(stream: &[u8], size: usize, mut push: impl FnMut(&[u8])) {
    for chunk in stream.chunks(size) {
        push(chunk);
    }
}

fn gated<P: Policy + Clone>(wire: Wire, policy: P, stream: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut gate = StreamGate::new(wire.format(), Parser::new(), policy);
    pushed(stream, size, |chunk| {
        gate.push(chunk, Output(&mut out));
    });
    gate.finish(Output(&mut out));
    assert!(gate.report().is_complete(), "{:?}", gate.report());
    out
}

fn stripped(wire: Wire, stream: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rewriter = StreamRewriter::new(wire.format(), Parser::new());
    pushed(stream, size, |chunk| {
        rewriter.push(chunk, Output(&mut out));
    });
    rewriter.finish(Output(&mut out));
    out
}

fn without_citations(blocks: &[Block]) -> Vec<Block> {
    let blocks = blocks.iter().cloned();
    blocks
        .map(|block| Block {
            cited: Vec::new(),
            ..block
        })
        .collect()
}

/// Returns the blocks that clients read in every way of sending them, gated by a policy.
fn check(policy: Stated, before: &[Block], after: &[Block]) {
    for wire in WIRES {
        let after = match wire.has_citations() {
            true => after.to_vec(),
            false => without_citations(after),
        };
        for size in [1, 7, 10_000] {
            let stream = wire.write(before, &mut Random::new(size as u64));
            let out = gated(wire, policy.clone(), &stream, size);
            let mut blocks = wire.read(&out);
            if !wire.has_citations() {
                // Parts without text stay.
                blocks.retain(|block| block.text.as_deref() != Some(""));
            }
            assert_eq!(blocks, after, "{wire:?}: {}", String::from_utf8_lossy(&out));
        }
    }
}

#[test]
fn a_block_whose_text_is_held_back_at_its_end_keeps_it_and_its_citations() {
    let annotation = "[substrate.grep]";
    let end = format!(" is green. {annotation} So.");
    // No annotation; one in a later block; in the same; alone in the next.
    check(
        release_all(),
        &[
            Block::of("The build", &["A"]),
            Block::of(" is green. So.", &[]),
        ],
        &[
            Block::of("The build", &["A"]),
            Block::of(" is green. So.", &[]),
        ],
    );
    check(
        release_all(),
        &[Block::of("The build", &["A"]), Block::of(&end, &["B", "C"])],
        &[
            Block::of("The build", &["A"]),
            Block::of(" is green. So.", &["B", "C"]),
        ],
    );
    check(
        release_all(),
        &[
            Block::of("It is. So", &["A"]),
            Block::of(" it", &["B"]),
            Block::of(" is.", &["C"]),
            Block::of(&format!(" {annotation}"), &[]),
            Block::of(" Then.", &["D"]),
        ],
        &[
            Block::of("It is. So", &["A"]),
            Block::of(" it", &["B"]),
            Block::of(" is.", &["C"]),
            Block::of(" Then.", &["D"]),
        ],
    );
    check(
        release_all(),
        &[
            Block::of("So [subst", &["A"]),
            Block::of("itute", &["B"]),
            Block::default(),
            Block::of("x", &["C"]),
        ],
        &[
            Block::of("So [subst", &["A"]),
            Block::of("itute", &["B"]),
            Block::default(),
            Block::of("x", &["C"]),
        ],
    );
}

#[test]
fn a_message_may_begin_with_something_other_than_text() {
    for text in ["A.", "A. [substrate", "[", "It is"] {
        for blocks in [
            vec![Block::default(), Block::of(text, &["B"])],
            vec![
                Block::default(),
                Block::of("So.", &[]),
                Block::of(text, &["B"]),
            ],
            vec![
                Block::of("So.", &[]),
                Block::default(),
                Block::of(text, &[]),
            ],
        ] {
            check(release_all(), &blocks, &blocks);
            for wire in WIRES {
                let stream = wire.write(&blocks, &mut Random::new(5));
                let out = wire.read(&stripped(wire, &stream, 10_000));
                assert_eq!(texts(&out), texts(&blocks), "{wire:?}: {out:?}");
            }
        }
    }
}

#[test]
fn a_block_goes_with_all_its_text_and_keeps_the_rest() {
    let annotation = "[substrate.grep]";
    let secret = format!(" it is. {annotation} Then.");
    let before = [
        Block::of("It is so.", &["A"]),
        Block::of(" A secret, as", &["B"]),
        Block::of(&secret, &["C"]),
        Block::default(),
        Block::of("So.", &["D"]),
    ];
    check(
        without("secret"),
        &before,
        &[
            Block::of("It is so.", &["A"]),
            Block::of(" ", &["B"]),
            Block::of("Then.", &["C"]),
            Block::default(),
            Block::of("So.", &["D"]),
        ],
    );
    check(
        at_word("secret", Action::Mark("<".into(), ">".into())),
        &before,
        &[
            Block::of("It is so.", &["A"]),
            Block::of(" <A secret, as", &["B"]),
            Block::of(" it is.> Then.", &["C"]),
            Block::default(),
            Block::of("So.", &["D"]),
        ],
    );
    check(
        without("secret"),
        &[
            Block::of("A secret", &["A"]),
            Block::of(" it is", &["B"]),
            Block::of(&format!(". {annotation}"), &["C"]),
        ],
        &[],
    );
    check(
        at_word("secret", Action::Mark("<".into(), ">".into())),
        &[
            Block::of("A secret", &["A"]),
            Block::of(&format!(" it is. {annotation}"), &["B"]),
        ],
        &[
            Block::of("<A secret", &["A"]),
            Block::of(" it is.>", &["B"]),
        ],
    );
}

#[test]
fn a_rewriter_keeps_the_text_of_a_block_in_it() {
    for wire in WIRES {
        let before = [
            Block::of("[", &["A"]),
            Block::of("1] So. ", &["B"]),
            Block::of("[substrate.grep]", &[]),
            Block::of(" [subst", &["C"]),
            Block::of("x y", &["D"]),
        ];
        let mut after: Vec<Block> = before.to_vec();
        after[1] = Block::of("1] So.", &["B"]);
        after.remove(2);
        if !wire.has_citations() {
            after = without_citations(&after);
        }
        for size in [1, 7, 10_000] {
            let stream = wire.write(&before, &mut Random::new(size as u64));
            let out = stripped(wire, &stream, size);
            let mut blocks = wire.read(&out);
            if !wire.has_citations() {
                blocks.retain(|block| block.text.as_deref() != Some(""));
            }
            assert_eq!(blocks, after, "{wire:?}: {}", String::from_utf8_lossy(&out));
        }
    }
}

/// No client expects a thought in a block of text, but nothing is lost.
#[test]
fn a_block_that_lost_its_text_stays_for_what_else_is_in_it() {
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "[substrate.grep]"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_stop"}),
    ];
    let stream = events.map(|event| format!("data: {event}\n\n")).concat();
    for size in [1, 7, 10_000] {
        let out = String::from_utf8(stripped(Anthropic, stream.as_bytes(), size));
        let expected = stream.replace("[substrate.grep]", "");
        assert_eq!(out.as_deref(), Ok(&*expected), "{size}");
    }
}

/// Content other than text stays in place, although no provider names a block of text in it or gives two blocks the
/// same number.
#[test]
fn nothing_but_text_goes_with_a_block() {
    let start = |number: u32, text: &str| json!({"type": "content_block_start", "index": number, "content_block": {"type": "text", "text": text}});
    let delta = |number: u32, text: &str| json!({"type": "content_block_delta", "index": number, "delta": {"type": "text_delta", "text": text}});
    let stop = |number: u32| json!({"type": "content_block_stop", "index": number});
    let others = |number: u32| {
        [
            json!({"type": "content_block_start", "index": number, "content_block": {"type": "tool_use", "id": "t"}}),
            json!({"type": "content_block_delta", "index": number, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
            json!({"type": "content_block_delta", "index": number, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
            json!({"type": "error", "index": number, "error": {"message": "overloaded"}}),
        ]
    };
    for (first, second, named) in [(0, 0, 0), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)] {
        for other in others(named) {
            let before = [
                start(first, "[substrate"),
                other.clone(),
                start(second, ""),
                delta(second, ".grep]"),
                stop(second),
                json!({"type": "message_stop"}),
            ];
            let stream = before.map(|event| format!("data: {event}\n\n")).concat();
            for size in [1, 7, 10_000] {
                let out = stripped(Anthropic, stream.as_bytes(), size);
                let kept = events(&out);
                let mut other = other.clone();
                let stays = kept.iter().any(|event| {
                    // Its number may be another one.
                    other["index"] = event["index"].clone();
                    *event == other
                });
                assert!(stays, "{other} in {}", String::from_utf8_lossy(&out));
            }
        }
    }
}

/// An event that cannot be read may have any content, so it stays when the block that it names is removed.
#[test]
fn an_event_that_cannot_be_read_stays_without_its_block() {
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "[substrate.grep]"}});
    let broken = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\n\n";
    let stop = json!({"type": "content_block_stop", "index": 0});
    let stream = format!("data: {start}\n\ndata: {delta}\n\n{broken}data: {stop}\n\n");
    for size in [1, 7, 10_000] {
        let out = stripped(Anthropic, stream.as_bytes(), size);
        assert!(String::from_utf8_lossy(&out).contains(broken), "{size}");
    }
}

/// The letters of the blocks; annotations and the texts of policies have others.
const LETTERS: &str = "dfhijklm";

#[test]
fn a_block_stays_if_reading_ends_while_all_its_text_is_held_back() {
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": " ["}});
    let empty = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " ["}});
    let ends = [
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}),
        json!({"type": "message_stop"}),
    ];
    for end in ends {
        for before in [vec![start.clone()], vec![empty.clone(), delta.clone()]] {
            let all = before.iter().chain([&end]);
            let stream: String = all.map(|event| format!("data: {event}\n\n")).collect();
            for size in [1, 7, stream.len()] {
                let out = stripped(Anthropic, stream.as_bytes(), size);
                let mut events = events(&out);
                events.push(json!({"type": "content_block_stop", "index": 0}));
                let read = read_anthropic(&events);
                assert_eq!(read, [Block::of(" [", &[])], "{}", out.escape_ascii());
            }
        }
    }
}

#[test]
fn an_event_has_several_numbers_in_any_order() {
    let stream = b"data:{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\n\
        data:{\"type\":\"response.\",\"sequence_number\":5,\"output_index\":0}\r\nt";
    for size in [1, 9, stream.len()] {
        let (mut rewriter, mut out) = (StreamRewriter::detect(Parser::new()), Vec::new());
        pushed(stream, size, |chunk| {
            rewriter.push(chunk, Output(&mut out));
        });
        rewriter.finish(Output(&mut out));
        assert_eq!(
            out.escape_ascii().to_string(),
            stream.escape_ascii().to_string()
        );
    }
}

/// The start of a block whose text is held back stays if a block with a smaller number begins before its end: what comes
/// later may be among its own events.
#[test]
fn a_block_stays_if_an_earlier_number_comes_before_its_end() {
    let start = |index, text| started(index, "text", text);
    for earlier in [start(0, ""), continued(0, "z")] {
        let all = [start(1, "\n [substr"), earlier, continued(2, "ss")];
        let stream: String = all
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        for size in [1, 7, stream.len()] {
            let out = stripped(Anthropic, stream.as_bytes(), size);
            let first = &events(&out)[0];
            assert_eq!(
                first["type"],
                "content_block_start",
                "{}",
                out.escape_ascii()
            );
            assert_eq!(first["index"], 1, "{}", out.escape_ascii());
        }
    }
}

/// The text of a block of any kind is a text of its own while another block is open.
#[test]
fn no_text_of_an_open_block_is_in_one_of_another_kind() {
    let all = [
        started(0, "text", ""),
        started(1, "other_text", "a [sub"),
        continued(0, "b [sub"),
        continued(1, "c"),
        continued(0, "d"),
    ];
    let stream: String = all
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    for size in [1, 7, stream.len()] {
        let out = stripped(Anthropic, stream.as_bytes(), size);
        let mut read = [String::new(), String::new()];
        for event in events(&out) {
            let text = event["content_block"]["text"].as_str();
            let text = text.or(event["delta"]["text"].as_str()).unwrap_or_default();
            read[event["index"].as_u64().expect("an index") as usize] += text;
        }
        assert_eq!(read, ["b [subd", "a [subc"], "{}", out.escape_ascii());
    }
    // What is held back at the end of the stream.
    let all = [started(1, "text", ""), started(0, "other_text", "a\n")];
    let stream: String = all
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let out = stripped(Anthropic, stream.as_bytes(), stream.len());
    let last = events(&out).pop().expect("the text that was held back");
    assert_eq!(last["index"], 0, "{}", out.escape_ascii());
}

/// White space that is held back at the end of a block comes in this block, also if the one before is removed.
#[test]
fn white_space_at_the_end_of_a_block_stays_in_it() {
    let stop = |index: u32| json!({"type": "content_block_stop", "index": index});
    let all = [
        started(0, "text", ""),
        continued(0, "\n"),
        continued(0, " [substrate.grep]"),
        stop(0),
        started(1, "text", "\n"),
        stop(1),
        json!({"type": "content_block_start", "index": 2, "content_block": tool(2)}),
        stop(2),
    ];
    let stream: String = all
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    for size in [1, 7, stream.len()] {
        let out = Anthropic.read(&stripped(Anthropic, stream.as_bytes(), size));
        assert_eq!(out, [Block::of("\n", &[]), Block::default()], "{size}");
    }
}

/// A block whose number was left out at first has no number of another one, whatever blocks were removed before it came.
#[test]
fn a_block_that_comes_late_has_a_number_of_its_own() {
    let delta = |index: u32, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"text": text}}});
    let stop = |index: u32| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let none = " [substrate.grep]";
    let removed_before = [delta(0, none), stop(0), delta(2, none), stop(2)];
    let removed_between = [
        delta(0, none),
        stop(0),
        delta(2, "c"),
        stop(2),
        delta(3, none),
        stop(3),
    ];
    for (first, expected) in [
        (&removed_before[..], &["b", "e"][..]),
        (&removed_between, &["b", "c", "e"]),
    ] {
        let last = [delta(1, "b"), delta(4, "e"), stop(1), stop(4)];
        let all = first.iter().chain(&last);
        let stream: String = all.map(|event| format!("{event}\n")).collect();
        for size in [1, 7, stream.len()] {
            let out = stripped(Bedrock, stream.as_bytes(), size);
            let mut texts = BTreeMap::new();
            for event in events(&out) {
                let event = &event["contentBlockDelta"];
                let text = event["delta"]["text"].as_str().unwrap_or_default();
                *texts
                    .entry(event["contentBlockIndex"].as_u64())
                    .or_insert_with(String::new) += text;
            }
            let texts = texts.into_values().filter(|text| !text.is_empty());
            assert_eq!(
                texts.collect::<Vec<_>>(),
                expected,
                "{}",
                out.escape_ascii()
            );
        }
    }
}

/// A message in which each block has a letter of its own, so that a text shows the block that it is of.
fn drawn(random: &mut Random) -> Vec<Block> {
    let count = 1 + random.below(LETTERS.len());
    let blocks = LETTERS.chars().take(count).map(|letter| {
        if random.one_in(9) {
            return Block::default();
        }
        let mut text = String::new();
        for _ in 0..1 + random.below(5) {
            match random.below(8) {
                0 | 1 => text += ". ",
                2 => text += " [substrate.grep]",
                3 => text += " [sub",
                4 => text += " ",
                5 => text += "\n\n",
                _ => text += &letter.to_string().repeat(1 + random.below(9)),
            }
            if random.one_in(3) {
                text.push(letter.to_ascii_uppercase());
            }
        }
        let cited = random.below(3).min(random.below(3));
        let cited = (0..cited).map(|citation| format!("{letter}{citation}"));
        Block {
            text: Some(text),
            cited: cited.collect(),
        }
    });
    blocks.collect()
}

/// The letters that show which block a text is of.
fn letters(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    text.chars()
        .filter(|letter| LETTERS.contains(*letter))
        .collect()
}

/// The texts between tool calls, each as a whole.
fn texts(blocks: &[Block]) -> Vec<String> {
    let texts = blocks.split(|block| block.text.is_none());
    let texts = texts.map(|blocks| {
        blocks
            .iter()
            .filter_map(|block| block.text.as_deref())
            .collect()
    });
    texts.collect()
}

/// Checks that no text and no citation is in another block than before, or is lost with one.
fn assert_in_place(wire: Wire, before: &[Block], after: &[Block], is_all: bool, seed: u64) {
    let mut next = 0;
    for block in after {
        let Some(text) = &block.text else {
            continue;
        };
        assert!(
            !text.is_empty() || !wire.has_citations(),
            "{wire:?}, {seed}: {after:?}"
        );
        // Its letters, or its citations, show which one it was.
        let mine: String = letters(text)
            .chars()
            .chain(letters(&block.cited.concat()).chars())
            .collect();
        let Some(first) = mine.chars().next() else {
            continue;
        };
        assert!(
            mine.chars().all(|letter| letter == first),
            "{wire:?}, {seed}: {block:?}"
        );
        let number = LETTERS.find(first).expect("a letter of a block");
        assert!(number >= next, "{wire:?}, {seed}: {after:?}");
        next = number + 1;
        if wire.has_citations() {
            assert_eq!(block.cited, before[number].cited, "{wire:?}, {seed}");
        }
        if is_all {
            let own = letters(text).len();
            let had = before[number].text.as_deref().unwrap_or_default();
            assert_eq!(own, letters(had).len(), "{wire:?}, {seed}: {block:?}");
        }
    }
}

/// Returns the output of a gate over a whole text.
fn gated_text<P: Policy>(text: &str, policy: P) -> String {
    let mut out = Vec::new();
    let mut gate = Gate::new(Parser::new(), policy);
    gate.push(text.as_bytes(), &mut out);
    gate.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn no_text_and_no_citation_of_drawn_blocks_is_in_another_block() {
    let mut kept = [0; 2];
    for seed in 0..seeds() {
        let mut random = Random::new(seed);
        let blocks = drawn(&mut random);
        let wire = WIRES[seed as usize % WIRES.len()];
        let stream = wire.write(&blocks, &mut random);
        let size = [1, 5, 64, 10_000][random.below(4)];
        let out = wire.read(&gated(wire, Drawn(seed), &stream, size));
        assert_in_place(wire, &blocks, &out, false, seed);
        // A tool call ends a text, so that the gate goes on with the next one as with that text: only single texts are compared.
        let texts_before = texts(&blocks);
        let single = match &texts_before[..] {
            [text] => Some(text),
            _ => None,
        };
        if let Some(text) = single {
            assert_eq!(
                texts(&out).concat(),
                gated_text(text, Drawn(seed)),
                "{wire:?}, {seed}"
            );
            kept[0] += 1;
        }
        let out = wire.read(&gated(wire, release_all(), &stream, size));
        if let Some(text) = single {
            let all = gated_text(text, release_all());
            assert_eq!(texts(&out).concat(), all, "{wire:?}, {seed}");
        }
        assert_in_place(wire, &blocks, &out, true, seed);
        let strip = wire.read(&stripped(wire, &stream, size));
        assert_in_place(wire, &blocks, &strip, true, seed);
        assert_eq!(texts(&out), texts(&strip), "{wire:?}, {seed}");
        kept[1] += out.iter().map(|block| block.cited.len()).sum::<usize>();
    }
    assert!(
        kept[0] as u64 > seeds() / 3 && kept[1] as u64 > seeds() / 2,
        "{kept:?}"
    );
}

/// The block after the one with the annotation has a delta without text, and what replaces the annotation comes in it.
#[test]
fn what_replaces_an_annotation_comes_in_a_block_that_is_open() {
    let parts = [
        json!({"type": "text-start", "id": "a"}),
        json!({"type": "text-delta", "id": "a", "delta": " [substrate.grep]"}),
        json!({"type": "text-end", "id": "a"}),
        json!({"type": "text-start", "id": "b"}),
        json!({"type": "text-delta", "id": "b", "delta": ""}),
        json!({"type": "text-end", "id": "b"}),
        json!({"type": "finish"}),
    ];
    let stream: String = parts
        .iter()
        .map(|part| format!("data: {part}\n\n"))
        .collect();
    // A policy that replaces an annotation without an assertion.
    let policy = Drawn(885);
    for size in [1, 20, 10_000] {
        let mut gate = StreamGate::new(Format::VercelUi, Parser::new(), policy);
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let client = Client::of(Format::VercelUi, &out);
        assert!(!client.has_bad_block, "{}", out.escape_ascii());
        let text: String = client.texts.into_values().collect();
        assert_eq!(text, "(\n)");
    }
}
