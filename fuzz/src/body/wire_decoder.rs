//! What a provider's stream says does not depend on how it is cut.

use std::collections::BTreeMap;

use provstream::Parser;
use provstream_providers::{Decoder, Format, Item, ResponseParser, WireEvent};
use testkit::wire::oracle::Client;

use super::super::case::Case;
use super::wire_rewriter::made_up;

/// How a stream is cut changes no item, in any format, named or found out, nor does what the decoder read before; nor an event
/// of a channel's text.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    for way in case.ways(5) {
        match way {
            0 => check_cuts(&Decoder::detect(), data, &case),
            1 => check_cuts(&Decoder::detect().with_max_event(60), data, &case),
            2 => check_cuts(&Decoder::new(asked), data, &case),
            3 => assert_eq!(events(&case.pieces(data)), events(&[data])),
            _ => check_made_up(data),
        }
    }
}

fn check_cuts(decoder: &Decoder, data: &[u8], case: &Case) {
    let whole = items(decoder.clone(), &[data]);
    // One that has read a part of the stream before.
    let mut used = decoder.clone();
    used.push(&data[..case.seed() as usize % (data.len() + 1)], |_| {});
    if case.finishes_earlier() {
        used.finish(|_| {});
    }
    used.reset();
    assert_eq!(items(used, &case.pieces(data)), whole, "{decoder:?}");
    let bytes: Vec<&[u8]> = data.chunks(1).collect();
    assert_eq!(items(decoder.clone(), &bytes), whole, "byte by byte");
}

/// The texts of a made-up stream, cut anywhere, are those that the whole-stream oracle reads, its format named or found out.
fn check_made_up(data: &[u8]) {
    let (format, stream) = made_up(data);
    let expected = Client::of(format, &stream).texts;
    let case = Case::new(data);
    for mut decoder in [Decoder::new(format), Decoder::detect()] {
        let mut texts = BTreeMap::<_, String>::new();
        let mut take = |item: Item<'_>| {
            if let Item::Text(delta) = item {
                *texts.entry(delta.channel()).or_default() += delta.text();
            }
        };
        for piece in case.pieces(&stream) {
            decoder.push(piece, &mut take);
        }
        decoder.finish(&mut take);
        assert_eq!(decoder.format(), Some(format));
        // Both name few channels, in the same order.
        assert!(
            texts.values().eq(expected.values()),
            "{format}: {texts:?}, expected {expected:?}"
        );
    }
}

/// All that a decoder gives, as text.
fn items(mut decoder: Decoder, pieces: &[&[u8]]) -> Vec<String> {
    let mut items = Vec::new();
    for piece in pieces {
        decoder.push(piece, |item| items.push(format!("{item:?}")));
    }
    let taken: usize = pieces.iter().map(|piece| piece.len()).sum();
    assert_eq!(decoder.position(), taken as u64);
    decoder.finish(|item| items.push(format!("{item:?}")));
    items
}

/// All that parsers of the channels give, as text.
fn events(pieces: &[&[u8]]) -> Vec<String> {
    let mut events = Vec::new();
    let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
    let mut sink = |event: WireEvent<'_>| events.push(format!("{event:?}"));
    for piece in pieces {
        parsers.push(piece, &mut sink);
    }
    parsers.finish(&mut sink);
    events
}
