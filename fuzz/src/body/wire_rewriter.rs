//! A rewritten provider's stream differs in its text only.

use std::collections::BTreeMap;

use provstream::{BracketAnnotation, JsonRecord, Mode, Parser, Replacement, Rewriter};
use provstream_providers::{
    Channel, Decoder, Format, Item, Place, SseDecoder, SsePiece, StreamRewriter, StreamSink,
};
use serde_json::Value;

use super::super::case::Case;
use super::super::wire_text::apart;

/// What a rewriter gives.
#[derive(Debug, PartialEq)]
struct Out {
    replacement: Replacement,
    bytes: Vec<u8>,
    texts: BTreeMap<Channel, Vec<u8>>,
    items: Vec<String>,
}

impl StreamSink for Out {
    fn bytes(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "nothing is not written");
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, channel: Channel, text: &[u8]) {
        self.texts
            .entry(channel)
            .or_default()
            .extend_from_slice(text);
    }

    fn annotation(&mut self, _: Place, _: &BracketAnnotation<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn record(&mut self, _: Place, _: &JsonRecord<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn item(&mut self, item: Item<'_>) {
        self.items.push(format!("{item:?}"));
    }
}

/// How a stream is cut changes nothing; without annotations to look for the bytes stay; a client reads the stripped text of
/// every channel, and everything else as it was; and no event is lost or differs but in its text.
pub(super) fn check(data: &[u8]) {
    let mut cuts = Case::new(data).cuts();
    let mut pieces = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(cuts(rest.len()));
        pieces.push(piece);
        rest = later;
    }
    let narrow = StreamRewriter::detect(Parser::new()).with_max_event(60);
    check_cuts(&narrow, data, &pieces);
    // One of the formats is asked for, mostly another one than is there.
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    for asked in [None, Some(asked)] {
        let with = |parser| match asked {
            Some(format) => StreamRewriter::new(format, parser),
            None => StreamRewriter::detect(parser),
        };
        let stripped = check_cuts(&with(Parser::new()), data, &pieces);
        // Where there are no brackets to hold, only halves of surrogate pairs can change anything.
        let plain = Parser::builder().mode(Mode::Json).build();
        if !has_halves(data) {
            let same = written(with(plain), Replacement::Keep, &[data]);
            assert_eq!(
                same.bytes.escape_ascii().to_string(),
                data.escape_ascii().to_string()
            );
        }
        let kept = written(with(Parser::new()), Replacement::Keep, &[data]);
        let decoder = || asked.map_or_else(Decoder::detect, Decoder::new);
        let before = Read::of(decoder(), data, false);
        assert_eq!(Read::of(decoder(), &kept.bytes, false), before);
        let clean = Read::of(decoder(), data, true);
        assert_eq!(
            Read::of(decoder(), &stripped.bytes, false),
            clean,
            "{asked:?}: {}",
            stripped.bytes.escape_ascii()
        );
        check_events(asked, data, &stripped.bytes);
    }
}

/// What a rewriter makes of a stream, which is the same however it is cut.
fn check_cuts(rewriter: &StreamRewriter, data: &[u8], pieces: &[&[u8]]) -> Out {
    let whole = written(rewriter.clone(), Replacement::Remove, &[data]);
    let cut = written(rewriter.clone(), Replacement::Remove, pieces);
    assert_eq!(cut, whole, "in pieces");
    let bytes: Vec<&[u8]> = data.chunks(1).collect();
    let cut = written(rewriter.clone(), Replacement::Remove, &bytes);
    assert_eq!(cut, whole, "byte by byte");
    whole
}

fn written(mut rewriter: StreamRewriter, replacement: Replacement, pieces: &[&[u8]]) -> Out {
    let mut out = Out {
        replacement,
        bytes: Vec::new(),
        texts: BTreeMap::new(),
        items: Vec::new(),
    };
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

/// Whether some string may have half of a surrogate pair.
fn has_halves(data: &[u8]) -> bool {
    let escapes = data.windows(3).filter(|piece| piece.starts_with(b"\\u"));
    escapes
        .into_iter()
        .any(|piece| piece[2].eq_ignore_ascii_case(&b'd'))
}

/// What a client reads.
#[derive(Debug, Default, PartialEq)]
struct Read {
    texts: BTreeMap<Channel, Vec<u8>>,
    reasoning: BTreeMap<Channel, String>,
    tool_calls: BTreeMap<Channel, String>,
    rest: Vec<String>,
}

impl Read {
    /// What it reads of a stream, the texts stripped or not.
    fn of(mut decoder: Decoder, data: &[u8], strip: bool) -> Self {
        let mut read = Self::default();
        let mut rewriters: BTreeMap<Channel, Rewriter> = BTreeMap::new();
        // How much text each channel had when it ended.
        let mut ended: BTreeMap<Channel, usize> = BTreeMap::new();
        let mut sink = |item: Item<'_>| match item {
            Item::Text(delta) => {
                let text = read.texts.entry(delta.channel()).or_default();
                if strip {
                    let rewriter = rewriters.entry(delta.channel());
                    let rewriter = rewriter.or_insert_with(|| Rewriter::new(Parser::new()));
                    rewriter.push(delta.text().as_bytes(), &mut *text);
                } else {
                    text.extend_from_slice(delta.text().as_bytes());
                }
            }
            Item::Reasoning(delta) => {
                *read.reasoning.entry(delta.channel()).or_default() += delta.text();
            }
            Item::ToolCall(delta) => {
                *read.tool_calls.entry(delta.channel()).or_default() += delta.text();
            }
            Item::ChannelEnd(channel) => {
                let text = read.texts.entry(channel).or_default();
                if let Some(rewriter) = rewriters.get_mut(&channel) {
                    rewriter.finish(&mut *text);
                }
                // What lost all its text never began, and has no end.
                if ended.insert(channel, text.len()).unwrap_or(0) < text.len() {
                    read.rest.push(format!("end of {channel}"));
                }
            }
            Item::Error(message) => read.rest.push(format!("error {message}")),
            Item::End => read.rest.push("end".into()),
            Item::Notice(notice) => read.rest.push(notice.code().to_string()),
            _ => {}
        };
        decoder.push(data, &mut sink);
        decoder.finish(&mut sink);
        read.texts.retain(|_, text| !text.is_empty());
        read
    }
}

/// The events before are among those after in their order, but for their text; there are as few more as channels ended.
fn check_events(asked: Option<Format>, before: &[u8], after: &[u8]) {
    let mut decoder = asked.map_or_else(Decoder::detect, Decoder::new);
    let mut ends = 0;
    let mut count = |item: Item<'_>| ends += usize::from(matches!(item, Item::ChannelEnd(_)));
    decoder.push(before, &mut count);
    decoder.finish(&mut count);
    let Some(format) = decoder.format() else {
        assert_eq!(before, after, "a format that is not known");
        return;
    };
    let (Some(before), Some(after)) = (values(before), values(after)) else {
        return;
    };
    let frame = |event: &Value| apart(format, event).0;
    let mut left = before.iter().map(frame).peekable();
    let mut more = 0;
    for event in &after {
        if left.next_if_eq(&frame(event)).is_none() {
            more += 1;
        }
    }
    assert_eq!(left.next(), None, "an event is missing or changed");
    assert!(more <= ends, "{more} events more, {ends} channels ended");
}

/// The JSON of all events; none if not all of it is.
fn values(stream: &[u8]) -> Option<Vec<Value>> {
    let stream = std::str::from_utf8(stream).ok()?;
    // Halves of surrogate pairs are no strings to this parser.
    let stream = &*stream.replace("\\ud", "\\\\ud").replace("\\uD", "\\\\uD");
    let first = stream.trim_start_matches('\u{FEFF}').trim_start();
    if first.starts_with('[') {
        return serde_json::from_str(first).ok();
    }
    let mut data = Vec::new();
    if first.starts_with('{') {
        data.extend(first.lines().map(str::to_owned));
    } else {
        let mut decoder = SseDecoder::new();
        let mut sink = |piece: SsePiece<'_>| {
            if let SsePiece::Event(event) = piece {
                data.push(event.text().into_owned());
            }
        };
        decoder.push(stream.as_bytes(), &mut sink);
        decoder.finish(&mut sink);
    }
    data.retain(|data| !matches!(data.trim(), "" | "[DONE]"));
    data.iter()
        .map(|data| serde_json::from_str(data).ok())
        .collect()
}
