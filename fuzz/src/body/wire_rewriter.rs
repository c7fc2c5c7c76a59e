//! A rewritten provider's stream differs in its text only.

use std::collections::BTreeSet;

use provstream::{BracketAnnotation, Handler, JsonRecord, Mode, Parser, Replacement};
use provstream_providers::{Decoder, Format, Item, NoticeCode, StreamHandler, StreamRewriter};
use testkit::wire::decoded::texts;
use testkit::wire::generate::{Random, drawn};
use testkit::wire::interleaved;
use testkit::wire::oracle::Client;

use super::super::case::Case;
use super::same_bytes;
use super::wire_gate::{HOSTILE, MADE_UP, MOST_HELD};

/// Output and items of a rewriter.
#[derive(Debug, PartialEq)]
struct Out {
    replacement: Replacement,
    bytes: Vec<u8>,
    items: Vec<String>,
}

impl Handler for Out {
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

    fn item(&mut self, item: Item<'_>) {
        self.items.push(format!("{item:?}"));
    }
}

/// Checks that the chunking changes nothing, that without annotations to look for the bytes are unchanged, and that a client reads
/// the stripped texts and everything else unchanged. Input that begins like that of `wire_gate` is the choices of a response: of
/// one as a server writes it, or of blocks that come among others.
pub(super) fn check(data: &[u8]) {
    match data.split_first() {
        Some((&MADE_UP, choices)) => check_made_up(choices, data),
        Some((&HOSTILE, choices)) => interleaved::check(&mut Random::chosen(choices)),
        _ => check_any(data),
    }
}

/// Checks the rewriting of any data in a format that it asks for, mostly another one than that of its events.
fn check_any(data: &[u8]) {
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    let detects = || StreamRewriter::detect(Parser::new());
    let of_json = || StreamRewriter::detect(Parser::builder().mode(Mode::Json).build());
    let of_format = || StreamRewriter::new(asked, Parser::new());
    for way in Case::new(data).ways(5) {
        match way {
            0 => drop(check_cuts(&detects().with_max_event(60), data, data)),
            1 => drop(check_cuts(&detects(), data, data)),
            2 => check_same(data, asked),
            3 => drop(check_cuts(&of_json(), data, data)),
            _ => {
                let stripped = check_cuts(&of_format(), data, data);
                let kept = written(of_format(), Replacement::Keep, &[data]);
                check_read(asked, data, [&kept.bytes, &stripped.bytes]);
            }
        }
    }
}

/// Checks that without brackets to hold, only halves of surrogate pairs change the output.
fn check_same(data: &[u8], asked: Format) {
    if has_halves(data) {
        return;
    }
    let plain = || Parser::builder().mode(Mode::Json).build();
    for rewriter in [
        StreamRewriter::detect(plain()),
        StreamRewriter::new(asked, plain()),
    ] {
        let same = written(rewriter, Replacement::Keep, &[data]);
        same_bytes(&same.bytes, data, "without brackets to hold");
    }
}

/// Asserts that a client reads the same from a stream that was written again with its annotations, and without them but for these,
/// if the decoder reads the same texts from the stream as the client does. In events that no server writes the two may differ.
fn check_read(format: Format, stream: &[u8], [kept, stripped]: [&[u8]; 2]) {
    let Some(before) = Client::of_any(format, stream) else {
        return;
    };
    let mut expected: Vec<String> = before.reported().into_values().collect();
    expected.sort_unstable();
    let mut decoded: Vec<String> = texts(Decoder::new(format), stream).into_values().collect();
    decoded.sort_unstable();
    if decoded == expected && !is_in_doubt(format, stream) {
        for (written, mut expected) in [(kept, before.clone()), (stripped, before.cleaned())] {
            let found = Client::of(format, written);
            // A passage can be cited before all of it is written, and white space may be written after what has no text.
            expected.cited.clone_from(&found.cited);
            expected.segments.clone_from(&found.segments);
            assert_eq!(found, expected, "{}", written.escape_ascii());
        }
    }
}

/// Returns `true` if text comes after the end of its channel, or of the response, or if an event can be read as different texts.
fn is_in_doubt(format: Format, stream: &[u8]) -> bool {
    let (mut ended, mut is_over, mut is_in_doubt) = (BTreeSet::new(), false, false);
    let mut decoder = Decoder::new(format);
    let mut take = |item: Item<'_>| match item {
        Item::Text(delta) => is_in_doubt |= is_over || ended.contains(&delta.channel()),
        Item::ChannelEnd(channel) => drop(ended.insert(channel)),
        Item::End | Item::Error(_) => is_over = true,
        Item::Notice(notice) => is_in_doubt |= notice.code() == NoticeCode::AmbiguousEvent,
        _ => {}
    };
    decoder.push(stream, &mut take);
    decoder.finish(&mut take);
    is_in_doubt
}

/// Checks that a client reads from a generated response, rewritten, what the oracle says.
fn check_made_up(choices: &[u8], data: &[u8]) {
    let (format, stream) = made_up(choices);
    let out = check_cuts(&StreamRewriter::new(format, Parser::new()), data, &stream);
    if stream.len() > MOST_HELD {
        return;
    }
    let expected = Client::of(format, &stream).cleaned();
    let mut found = Client::of(format, &out.bytes);
    // Text after an end or a tool call may be part of an annotation.
    found.is_late |= expected.is_late;
    found.text_after_tool |= expected.text_after_tool;
    assert_eq!(found, expected, "{}", out.bytes.escape_ascii());
}

/// A generated response, and its format.
pub(super) fn made_up(choices: &[u8]) -> (Format, Vec<u8>) {
    let mut random = Random::chosen(choices);
    let format = Format::ALL[random.below(Format::ALL.len())];
    (format, drawn(format, &mut random))
}

/// Runs a rewriter on a stream and checks that the output depends neither on the chunking nor on
/// earlier input.
fn check_cuts(rewriter: &StreamRewriter, data: &[u8], stream: &[u8]) -> Out {
    let whole = written(rewriter.clone(), Replacement::Remove, &[stream]);
    let case = Case::new(data);
    let mut used = rewriter.clone();
    used.push(&stream[..case.seed() as usize % (stream.len() + 1)], ());
    if case.finishes_earlier() {
        used.finish(());
    }
    used.reset();
    let cut = written(used, Replacement::Remove, &case.pieces(stream));
    assert_eq!(cut, whole, "in pieces");
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    let cut = written(rewriter.clone(), Replacement::Remove, &bytes);
    assert_eq!(cut, whole, "byte by byte");
    whole
}

fn written(mut rewriter: StreamRewriter, replacement: Replacement, pieces: &[&[u8]]) -> Out {
    let mut out = Out {
        replacement,
        bytes: Vec::new(),
        items: Vec::new(),
    };
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

/// Returns `true` if a string may have half of a surrogate pair.
fn has_halves(data: &[u8]) -> bool {
    let escapes = data.windows(3).filter(|piece| piece.starts_with(b"\\u"));
    escapes
        .into_iter()
        .any(|piece| piece[2].eq_ignore_ascii_case(&b'd'))
}
