//! Content blocks and choices whose events come among those of others: each text stays in its block or choice.

use std::collections::BTreeMap;

use provstream_providers::Format;
use serde_json::{Value, json};

use super::generate::Random;
use super::line_ends;
use super::oracle::events;
use crate::gate::naive::Drawn;

/// Letters of the blocks: annotations and the texts of policies have others.
const LETTERS: &str = "dfhijklm";

/// Formats whose blocks have numbers or names, and one whose choices have; a choice is a block here.
const FORMATS: [Format; 4] = [
    Format::Anthropic,
    Format::BedrockConverse,
    Format::OpenAiChat,
    Format::VercelUi,
];

/// Kind of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Text,
    /// A kind that nobody has announced, with text.
    Other,
    Thinking,
    Tool,
}

/// Event of the block with this number.
enum BlockChange {
    Start(BlockKind, String),
    Delta(BlockKind, String),
    Stop,
    /// A choice in one event.
    Whole(String),
}

fn event(format: Format, number: usize, change: &BlockChange) -> Option<Value> {
    use BlockChange::{Delta, Start, Stop, Whole};
    use BlockKind::{Other, Text, Thinking, Tool};
    Some(match (format, change) {
        (Format::Anthropic, Start(kind, text)) => {
            let block = match kind {
                Text => json!({"type": "text", "text": text}),
                Other => json!({"type": "other_text", "text": text}),
                Thinking => json!({"type": "thinking", "thinking": ""}),
                Tool => json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}),
            };
            json!({"type": "content_block_start", "index": number, "content_block": block})
        }
        (Format::Anthropic, Delta(kind, text)) => {
            let delta = match kind {
                Text | Other => json!({"type": "text_delta", "text": text}),
                Thinking => json!({"type": "thinking_delta", "thinking": "So."}),
                Tool => json!({"type": "input_json_delta", "partial_json": "{"}),
            };
            json!({"type": "content_block_delta", "index": number, "delta": delta})
        }
        (Format::Anthropic, Stop) => json!({"type": "content_block_stop", "index": number}),
        (Format::BedrockConverse, Start(Tool, _)) => {
            json!({"contentBlockStart": {"contentBlockIndex": number, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}})
        }
        (Format::BedrockConverse, Delta(kind, text)) => {
            let delta = match kind {
                Text | Other => json!({"text": text}),
                Thinking => json!({"reasoningContent": {"text": "So."}}),
                Tool => json!({"toolUse": {"input": "{"}}),
            };
            json!({"contentBlockDelta": {"contentBlockIndex": number, "delta": delta}})
        }
        (Format::BedrockConverse, Stop) => {
            json!({"contentBlockStop": {"contentBlockIndex": number}})
        }
        (Format::OpenAiChat, Start(_, text) | Delta(_, text)) => {
            json!({"choices": [{"index": number, "delta": {"content": text}}]})
        }
        (Format::OpenAiChat, Whole(text)) => {
            json!({"choices": [{"index": number, "delta": {"content": text}, "finish_reason": "stop"}]})
        }
        (Format::OpenAiChat, Stop) => {
            json!({"choices": [{"index": number, "delta": {}, "finish_reason": "stop"}]})
        }
        (Format::VercelUi, Start(Text, _)) => {
            json!({"type": "text-start", "id": format!("n{number}")})
        }
        (Format::VercelUi, Delta(Text, text)) => {
            json!({"type": "text-delta", "id": format!("n{number}"), "delta": text})
        }
        _ => return None,
    })
}

/// Draws a piece of text with this letter, or none.
fn piece(random: &mut Random, letter: char) -> String {
    match random.below(8) {
        0 => ". ".to_owned(),
        1 => " [substrate.grep]".to_owned(),
        // It may become an annotation, and is held back.
        2 => format!(" [sub{letter}"),
        3 => "\n".to_owned(),
        4 => String::new(),
        _ => letter.to_string().repeat(1 + random.below(4)),
    }
}

/// A message whose blocks are open in parallel, and the number of letters of each block in it.
fn message(format: Format, random: &mut Random) -> (Vec<u8>, BTreeMap<char, usize>) {
    let (mut events, mut had) = (Vec::new(), BTreeMap::new());
    let mut open: Vec<(usize, BlockKind)> = Vec::new();
    let mut numbers = (0..1 + random.below(LETTERS.len())).peekable();
    while numbers.peek().is_some() || !open.is_empty() {
        let is_start = open.is_empty() || random.one_in(3);
        let (number, change) = if let Some(number) = numbers.next_if(|_| is_start) {
            let kind = match random.below(8) {
                0 if format == Format::Anthropic => BlockKind::Other,
                1 => BlockKind::Tool,
                2 => BlockKind::Thinking,
                _ => BlockKind::Text,
            };
            let letter = LETTERS.as_bytes()[number].into();
            let text = piece(random, letter);
            if format == Format::OpenAiChat && random.one_in(4) {
                (number, BlockChange::Whole(text))
            } else {
                open.push((number, kind));
                (number, BlockChange::Start(kind, text))
            }
        } else {
            let place = random.below(open.len());
            let (number, kind) = open[place];
            if random.one_in(4) {
                open.remove(place);
                (number, BlockChange::Stop)
            } else {
                let letter = LETTERS.as_bytes()[number].into();
                (number, BlockChange::Delta(kind, piece(random, letter)))
            }
        };
        events.extend(event(format, number, &change));
    }
    for event in &events {
        count(&mut had, text(event));
    }
    let write = |event: &Value| format!("data: {event}\n\n");
    let lines = |event: &Value| format!("{event}\n");
    let stream: String = match format {
        Format::BedrockConverse => events.iter().map(lines).collect(),
        _ => events.iter().map(write).collect(),
    };
    (stream.into_bytes(), had)
}

fn text(event: &Value) -> &str {
    let of = |path| event.pointer(path).and_then(Value::as_str);
    let delta = of("/content_block/text").or_else(|| of("/delta/text"));
    let delta = delta.or_else(|| of("/contentBlockDelta/delta/text"));
    let delta = delta.or_else(|| of("/choices/0/delta/content"));
    delta.or_else(|| of("/delta")).unwrap_or_default()
}

fn count(counts: &mut BTreeMap<char, usize>, text: &str) {
    for letter in text.chars().filter(|letter| LETTERS.contains(*letter)) {
        *counts.entry(letter).or_default() += 1;
    }
}

/// Counts the letters in the blocks that a client reads. Panics if a block has letters of two, a delta comes before the start
/// of its block, or a choice before one with a lower number: OpenAI's SDK appends choices to a list.
fn read(format: Format, stream: &[u8], place: &str) -> BTreeMap<char, usize> {
    let mut blocks: BTreeMap<String, BTreeMap<char, usize>> = BTreeMap::new();
    for event in events(stream) {
        let name = [
            "/index",
            "/id",
            "/contentBlockDelta/contentBlockIndex",
            "/choices/0/index",
        ];
        let name = name.iter().find_map(|path| event.pointer(path));
        let Some(name) = name.map(Value::to_string) else {
            continue;
        };
        let is_start = ["content_block_start", "text-start"]
            .iter()
            .any(|start| event["type"] == *start);
        let has_no_start = matches!(format, Format::BedrockConverse | Format::OpenAiChat);
        let is_next = format != Format::OpenAiChat || name == blocks.len().to_string();
        assert!(
            is_next || blocks.contains_key(&name),
            "{place}: {event} in {}",
            stream.escape_ascii()
        );
        if is_start || has_no_start {
            blocks.entry(name.clone()).or_default();
        }
        let is_stop = ["content_block_stop", "text-end"]
            .iter()
            .any(|stop| event["type"] == *stop);
        let block = blocks.get_mut(&name).filter(|_| !is_stop || is_start);
        match block {
            Some(block) => count(block, text(&event)),
            None => assert!(is_stop, "{place}: {event} in {}", stream.escape_ascii()),
        }
    }
    let mut all = BTreeMap::new();
    for block in blocks.into_values() {
        assert!(
            block.len() < 2,
            "{place}: {block:?} in {}",
            stream.escape_ascii()
        );
        for (letter, count) in block {
            *all.entry(letter).or_default() += count;
        }
    }
    all
}

/// Checks that each text of a drawn response stays in its block, stripped and gated, cut into chunks of a drawn size.
pub fn check(random: &mut Random) {
    let format = FORMATS[random.below(FORMATS.len())];
    let (stream, had) = message(format, random);
    let size = [1, 5, 64, 10_000][random.below(4)];
    let policy = Drawn(random.below(256) as u64);
    let place = format!("{format:?}, {}", stream.escape_ascii());
    let [stripped, gated] = line_ends::rewritten(format, &stream, policy, size);
    let found = read(format, &stripped, &place);
    assert_eq!(found, had, "{place}: {}", stripped.escape_ascii());
    // A gate withholds some of them.
    for (letter, count) in read(format, &gated, &place) {
        assert!(count <= had[&letter], "{place}: {}", gated.escape_ascii());
    }
    line_ends::check(format, &stream, policy, size);
}
