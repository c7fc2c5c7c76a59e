//! A rewritten provider's stream differs in its text only.

use std::collections::{BTreeMap, BTreeSet};

use provstream::{
    BracketAnnotation, Handler, JsonRecord, Mode, Parser, Replacement, Rewriter, TextChunk,
};
use provstream_providers::{
    Channel, ChannelPosition, Decoder, Delta, Format, Item, NoticeCode, StreamHandler,
    StreamRewriter,
};
use serde_json::Value;
use testkit::wire::generate::stream;
use testkit::wire::oracle::Client;

use super::super::case::Case;
use super::same_bytes;

/// A text by its channel and its member.
type TextName = (Channel, Option<&'static str>);

/// Output and items of a rewriter.
#[derive(Debug, PartialEq)]
struct Out {
    replacement: Replacement,
    text: TextName,
    bytes: Vec<u8>,
    texts: BTreeMap<TextName, Vec<u8>>,
    items: Vec<String>,
    /// Some text repeats another one.
    has_repeated: bool,
    /// A text was repeated before more of it than white space was written.
    has_repeated_blank: bool,
}

impl Handler for Out {
    fn text(&mut self, text: TextChunk<'_>) {
        let all = self.texts.entry(self.text).or_default();
        all.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn record(&mut self, _: &JsonRecord<'_>) -> Replacement {
        self.replacement.clone()
    }
}

impl StreamHandler for Out {
    fn bytes(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "nothing is not written");
        self.bytes.extend_from_slice(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.text = (position.channel, position.member);
        if position.is_repeated && !position.is_reasoning {
            let mut of_channel = self.texts.iter().filter(|(text, _)| text.0 == self.text.0);
            self.has_repeated = true;
            self.has_repeated_blank |= of_channel.all(|(_, text)| text.trim_ascii().is_empty());
        }
    }

    fn item(&mut self, item: Item<'_>) {
        self.items.push(format!("{item:?}"));
    }
}

/// Checks that the chunking changes nothing, that without annotations to look for the bytes are
/// unchanged, and that a client reads the stripped text of every channel and everything else
/// unchanged. Generated streams of each format are compared with the whole-stream oracle.
pub(super) fn check(data: &[u8]) {
    let detects = || StreamRewriter::detect(Parser::new());
    for way in Case::new(data).ways(5) {
        match way {
            0 => drop(check_cuts(&detects().with_max_event(60), data)),
            1 => drop(check_cuts(&detects(), data)),
            2 => check_same(data, StreamRewriter::detect),
            3 => check_made_up(data),
            // In a mix of formats an event that lost its text may no longer be the one that settles the format, so one of them is
            // asked for, mostly another one than is there.
            _ => check_asked(data, Format::ALL[data.len() % Format::ALL.len()]),
        }
    }
}

/// Checks that without brackets to hold, only halves of surrogate pairs change the output.
fn check_same(data: &[u8], with: impl FnOnce(Parser) -> StreamRewriter) {
    if has_halves(data) {
        return;
    }
    let plain = Parser::builder().mode(Mode::Json).build();
    let same = written(with(plain), Replacement::Keep, &[data]);
    same_bytes(&same.bytes, data, "without brackets to hold");
}

/// Returns `true` if clients read text after the event at which the format ends its streams.
fn reads_past_end(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Ollama | Format::BedrockConverse))
}

fn check_asked(data: &[u8], asked: Format) {
    // After `[DONE]` no client reads on, which the items do not show in these formats.
    if reads_past_end(Some(asked)) && data.windows(6).any(|bytes| bytes == b"[DONE]") {
        return;
    }
    let with = |parser| StreamRewriter::new(asked, parser);
    check_same(data, with);
    let stripped = check_cuts(&with(Parser::new()), data);
    if stripped.has_repeated && may_be_whole(data, asked) || stripped.has_repeated_blank {
        return;
    }
    // Without its first event, a stream whose second one begins with a bracket is taken for lines of JSON.
    let opens = |data| first_byte(data).filter(|byte| b"{[".contains(byte));
    if opens(&stripped.bytes) != opens(data) {
        return;
    }
    let kept = written(with(Parser::new()), Replacement::Keep, &[data]);
    let is_odd = match asked {
        // Without numbers it is not known which block an event ends.
        Format::BedrockConverse if has_unnumbered(data) => return,
        Format::Anthropic | Format::VercelUi => has_unannounced(data),
        _ => false,
    };
    let read = |bytes: &[u8], strips| {
        let mut read = Read::of(Decoder::new(asked), bytes, strips);
        read.is_odd |= is_odd;
        match asked {
            Format::VercelUi => read.sorted(),
            _ => read.renumbered(),
        }
    };
    assert_same(read(&kept.bytes, false), read(data, false), &kept);
    assert_same(read(&stripped.bytes, false), read(data, true), &stripped);
}

/// Asserts that a client reads the expected content from the output.
fn assert_same(found: Read, expected: Read, written: &Out) {
    let (found, expected) = match found.is_odd || expected.is_odd {
        true => (found.without_numbers(), expected.without_numbers()),
        false => (found, expected),
    };
    assert_eq!(found, expected, "{}", written.bytes.escape_ascii());
}

/// A made-up stream whose seed is the input, and its format.
pub(super) fn made_up(data: &[u8]) -> (Format, Vec<u8>) {
    let seed = data.iter().fold(0_u64, |seed, &byte| {
        seed.wrapping_mul(0x100_0000_01B3) ^ u64::from(byte)
    });
    let format = Format::ALL[seed as usize % Format::ALL.len()];
    (format, stream(format, seed))
}

/// A made-up stream whose seed is the input: what a client reads of it rewritten is what the oracle says.
fn check_made_up(data: &[u8]) {
    let (format, stream) = made_up(data);
    let rewriter = StreamRewriter::new(format, Parser::new());
    let out = written(rewriter, Replacement::Remove, &[&stream]);
    let expected = Client::of(format, &stream).cleaned();
    let mut found = Client::of(format, &out.bytes);
    // Text after an end or a tool call may be part of an annotation.
    found.is_late |= expected.is_late;
    found.text_after_tool |= expected.text_after_tool;
    assert_eq!(found, expected);
}

/// Runs a rewriter on a stream and checks that the output depends neither on the chunking nor on
/// earlier input.
fn check_cuts(rewriter: &StreamRewriter, data: &[u8]) -> Out {
    let whole = written(rewriter.clone(), Replacement::Remove, &[data]);
    let case = Case::new(data);
    let mut used = rewriter.clone();
    used.push(&data[..case.seed() as usize % (data.len() + 1)], ());
    if case.finishes_earlier() {
        used.finish(());
    }
    used.reset();
    let cut = written(used, Replacement::Remove, &case.pieces(data));
    assert_eq!(cut, whole, "in pieces");
    let bytes: Vec<&[u8]> = data.chunks(1).collect();
    let cut = written(rewriter.clone(), Replacement::Remove, &bytes);
    assert_eq!(cut, whole, "byte by byte");
    whole
}

fn written(mut rewriter: StreamRewriter, replacement: Replacement, pieces: &[&[u8]]) -> Out {
    let mut out = Out {
        replacement,
        text: TextName::default(),
        bytes: Vec::new(),
        texts: BTreeMap::new(),
        items: Vec::new(),
        has_repeated: false,
        has_repeated_blank: false,
    };
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

/// Returns `true` if a text that repeats the texts before it may be the text itself if nothing came
/// before: in lines of JSON, each of which may be a whole response, in the last event of TGI, and in the message of a choice, which
/// no server sends beside a delta.
/// The texts before may all be held or annotations. A server then repeats just that, and nothing is
/// left of it either; in other events the text may be a different one, and then it is a further
/// text. Where only white space came before, as `has_repeated_blank` says, that holds in each format: without it a text that
/// repeats none is read as the text.
fn may_be_whole(data: &[u8], asked: Format) -> bool {
    first_byte(data) == Some(&b'{') || matches!(asked, Format::Tgi | Format::OpenAiChat)
}

/// The first byte of a stream that is neither white space nor of a byte order mark.
fn first_byte(data: &[u8]) -> Option<&u8> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(byte);
    data.iter().find(|byte| !is_space(byte))
}

/// The events of a stream that are JSON in a line.
fn events(data: &[u8]) -> impl Iterator<Item = Value> {
    let lines = data.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.filter_map(|line| {
        let event = str::from_utf8(line.strip_prefix(b"data:").unwrap_or(line)).ok()?;
        serde_json::from_str(event.trim_matches(['[', ']', ',', ' '])).ok()
    })
}

/// Returns `true` if some event of a block has no number.
fn has_unnumbered(data: &[u8]) -> bool {
    let names = ["contentBlockStart", "contentBlockDelta", "contentBlockStop"];
    events(data).any(|event| {
        let blocks = names.iter().filter_map(|name| event.get(name));
        blocks
            .into_iter()
            .any(|block| !block["contentBlockIndex"].is_u64())
    })
}

/// Returns `true` if some delta is of a block that has not begun, or a block begins twice. Which texts such deltas are joined to
/// depends on which of them have text.
fn has_unannounced(data: &[u8]) -> bool {
    let mut begun = BTreeSet::new();
    events(data).any(|event| {
        let name = event.get("index").or(event.get("id")).map(Value::to_string);
        match event["type"].as_str() {
            Some("content_block_start" | "text-start") => !begun.insert(name),
            Some("content_block_delta" | "text-delta") => !begun.contains(&name),
            _ => false,
        }
    })
}

/// Returns `true` if a string may have half of a surrogate pair.
fn has_halves(data: &[u8]) -> bool {
    let escapes = data.windows(3).filter(|piece| piece.starts_with(b"\\u"));
    escapes
        .into_iter()
        .any(|piece| piece[2].eq_ignore_ascii_case(&b'd'))
}

/// Content that a client reads.
#[derive(Debug, Default, PartialEq)]
struct Read {
    texts: BTreeMap<TextName, Vec<u8>>,
    reasoning: BTreeMap<TextName, String>,
    tool_calls: BTreeMap<Channel, String>,
    rest: Vec<String>,
    /// Some number of a channel is odd.
    is_odd: bool,
}

impl Read {
    /// Drops the numbers of texts and sorts their bytes. Whether numbers count deltas depends on
    /// which of the first deltas have text: in a few events, or where a count jumps, one text can
    /// become several after text was moved.
    fn without_numbers(mut self) -> Self {
        let mut text: Vec<u8> = self.texts.into_values().flatten().collect();
        text.sort_unstable();
        self.texts = BTreeMap::from([(TextName::default(), text)]);
        let is_of_numbers = |line: &str| line.starts_with("end of ") || line == "ambiguous-event";
        self.rest.retain(|line| !is_of_numbers(line));
        self.is_odd = true;
        self
    }

    /// Numbers the texts by what is in them: where they have names and no numbers, they count from the first one with text,
    /// which can be a later one if its text was held.
    fn sorted(mut self) -> Self {
        let mut texts: Vec<_> = self.texts.into_iter().collect();
        texts.sort_by(|(one, text), (other, other_text)| (text, one.1).cmp(&(other_text, other.1)));
        let numbered = (0..).zip(texts);
        let numbered =
            numbered.map(|(number, ((_, member), text))| ((Channel::new(number), member), text));
        self.texts = numbered.collect();
        self.rest.retain(|line| !line.starts_with("end of "));
        self
    }

    /// Sets the number of an only text to 0. If the blocks of a message are one text, its number is
    /// that of the first block with text, and held text moves to a later block.
    fn renumbered(mut self) -> Self {
        if self.texts.len() == 1
            && let Some(((channel, member), text)) = self.texts.pop_first()
        {
            let end = format!("end of {channel}");
            for line in self.rest.iter_mut().filter(|line| **line == end) {
                *line = "end of 0".to_owned();
            }
            self.texts.insert((Channel::default(), member), text);
        }
        self
    }

    /// Reads a stream, with its texts stripped or not.
    #[expect(clippy::too_many_lines, reason = "one arm for each item")]
    fn of(mut decoder: Decoder, data: &[u8], strip: bool) -> Self {
        let mut read = Self::default();
        // A block that lost all its text is removed, so that later thoughts and tool calls have other numbers.
        let has_blocks = matches!(
            decoder.format(),
            Some(Format::Anthropic | Format::BedrockConverse)
        );
        let counts_up = decoder.format() == Some(Format::OpenAiChat);
        let channel = |delta: &Delta<'_>| match has_blocks {
            true => Channel::default(),
            false => delta.channel(),
        };
        let mut rewriters: BTreeMap<TextName, Rewriter> = BTreeMap::new();
        let mut ended = BTreeSet::new();
        // Those that are over at the moment.
        let mut over = BTreeSet::new();
        // No client reads past the end of a stream, but in the formats in which text may follow it.
        let reads_on = reads_past_end(decoder.format());
        let mut is_over = false;
        let mut sink = |item: Item<'_>| match item {
            Item::Text(_)
            | Item::Reasoning(_)
            | Item::ToolCall(_)
            | Item::Break(_)
            | Item::ChannelEnd(_)
                if is_over => {}
            Item::Text(delta) => {
                let name = (delta.channel(), delta.member());
                over.remove(&delta.channel());
                let text = read.texts.entry(name).or_default();
                if strip {
                    let rewriter = rewriters.entry(name);
                    let rewriter = rewriter.or_insert_with(|| Rewriter::new(Parser::new()));
                    rewriter.push(delta.text().as_bytes(), &mut *text);
                } else {
                    text.extend_from_slice(delta.text().as_bytes());
                }
            }
            Item::Reasoning(delta) => {
                let name = (channel(&delta), delta.member());
                *read.reasoning.entry(name).or_default() += delta.text();
            }
            Item::ToolCall(delta) => {
                *read.tool_calls.entry(channel(&delta)).or_default() += delta.text();
            }
            Item::Break(channel) => {
                let of_channel = rewriters.iter_mut().filter(|(name, _)| name.0 == channel);
                for (name, rewriter) in of_channel {
                    rewriter.push_break(read.texts.entry(*name).or_default());
                }
            }
            Item::ChannelEnd(channel) => {
                let of_channel = rewriters.iter_mut().filter(|(name, _)| name.0 == channel);
                for (name, rewriter) in of_channel {
                    // More text would complete what may still become an annotation.
                    if rewriter.parser().buffered_len() == 0 {
                        rewriter.push_break(read.texts.entry(*name).or_default());
                    }
                }
                ended.insert(channel);
                over.insert(channel);
            }
            Item::Error(message) => {
                // Nothing goes on after it of what it ends.
                let of_channels = rewriters.iter_mut();
                for (name, rewriter) in of_channels.filter(|(name, _)| over.contains(&name.0)) {
                    rewriter.push_break(read.texts.entry(*name).or_default());
                }
                // The message of an error without one is all of its event, of which strip may have changed a text.
                let is_event = message.trim_start().starts_with('{');
                read.rest.push(match is_event {
                    true => "error".to_owned(),
                    false => format!("error {message}"),
                });
            }
            Item::End => {
                read.rest.push("end".into());
                is_over = !reads_on;
            }
            // An event that was added repeats the numbers of the one before.
            Item::Notice(notice) if notice.code() == NoticeCode::OddChannel => {
                read.is_odd |= counts_up;
            }
            // One that was added repeats members that nothing reads.
            Item::Notice(notice) if notice.code() == NoticeCode::UnreadMember => {}
            // One that was added repeats the numbers that make the one before ambiguous.
            Item::Notice(notice) if notice.code() == NoticeCode::AmbiguousEvent => {
                let line = notice.code().to_string();
                if !read.rest.contains(&line) {
                    read.rest.push(line);
                }
            }
            Item::Notice(notice) => read.rest.push(notice.code().to_string()),
            _ => {}
        };
        decoder.push(data, &mut sink);
        decoder.finish(&mut sink);
        for (name, rewriter) in &mut rewriters {
            rewriter.finish(read.texts.entry(*name).or_default());
        }
        read.texts.retain(|_, text| !text.is_empty());
        // What lost all its text never began, and has no end.
        ended.retain(|channel| read.texts.keys().any(|name| name.0 == *channel));
        let ends = ended.iter().map(|channel| format!("end of {channel}"));
        read.rest.extend(ends);
        read
    }
}
