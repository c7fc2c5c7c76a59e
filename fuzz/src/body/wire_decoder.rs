//! Items of a provider's stream do not depend on the chunking.

use std::collections::{BTreeMap, BTreeSet};

use provstream::Parser;
use provstream_providers::{Decoder, Format, Item, ResponseParser, WireEvent};
use testkit::wire::generate::{self, Random};
use testkit::wire::hostile::{Notation, with_unread};
use testkit::wire::oracle::{self, Client};

use super::super::case::Case;
use super::wire_rewriter::made_up;

/// Checks that neither the chunking nor earlier input changes an item, in any format, named or
/// detected, nor an event of a channel's text.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    for way in case.ways(6) {
        match way {
            0 => check_cuts(&Decoder::detect(), data, &case),
            1 => check_cuts(&Decoder::detect().with_max_event(60), data, &case),
            2 => check_cuts(&Decoder::new(asked), data, &case),
            3 => assert_eq!(events(&case.pieces(data)), events(&[data])),
            4 => check_made_up(data),
            _ => check_errors(data),
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

/// The texts of a made-up stream, cut anywhere, are those that the whole-stream oracle reads, its format named or found out; and
/// so they are if events without text come before it that are of another format, or the first ones of another stream.
fn check_made_up(data: &[u8]) {
    let (format, stream) = made_up(data);
    let expected = Client::of(format, &stream);
    let case = Case::new(data);
    let odd = odd(&stream, &case);
    check_texts(Decoder::new(format), &case.pieces(&odd), &expected);
    let mut decoder = check_texts(Decoder::detect(), &case.pieces(&odd), &expected);
    assert_eq!(decoder.format(), Some(format));
    if is_server_sent(&stream) && !expected.texts.is_empty() {
        let textless = textless(&case);
        let expected = Client::of(format, &[textless.as_bytes(), &stream].concat());
        let mixed = [textless.as_bytes(), &odd].concat();
        decoder.reset();
        decoder = check_texts(decoder, &case.pieces(&mixed), &expected);
        assert_eq!(
            decoder.format(),
            Some(format),
            "after {}",
            mixed.escape_ascii()
        );
    }
}

/// Checks that what is read are the texts that are expected, and that no channel ends before all of its text is there.
fn check_texts(mut decoder: Decoder, pieces: &[&[u8]], expected: &Client) -> Decoder {
    let mut texts = BTreeMap::<_, String>::new();
    let mut ended = BTreeSet::new();
    let mut take = |item: Item<'_>| match item {
        Item::Text(delta) => {
            assert!(
                expected.is_late || !ended.contains(&delta.channel()),
                "{} has ended before {:?}",
                delta.channel(),
                delta.text()
            );
            *texts.entry((delta.channel(), delta.member())).or_default() += delta.text();
        }
        Item::ChannelEnd(channel) => drop(ended.insert(channel)),
        _ => {}
    };
    for piece in pieces {
        decoder.push(piece, &mut take);
    }
    decoder.finish(&mut take);
    // They have other names.
    let mut found: Vec<String> = texts.into_values().collect();
    let mut expected: Vec<String> = expected.reported().into_values().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    decoder
}

/// Replaces parts of a stream by input that the oracle cannot parse: a lone half of a surrogate
/// pair for each U+FFFD, which is how it is decoded, and a second array from some event of an array
/// on.
fn odd(stream: &[u8], case: &Case) -> Vec<u8> {
    let text = str::from_utf8(stream).expect("made-up streams are UTF-8");
    let text = text.replace("\u{fffd}", "\\ud83d");
    let text = text.replace("\\ufffd", "\\ud83d");
    if is_server_sent(stream) {
        return text.into_bytes();
    }
    let ends: Vec<usize> = text.match_indices("\n,\r\n").map(|end| end.0).collect();
    match ends.get(case.seed() as usize % (ends.len() + 1)) {
        Some(&end) => format!("{}\n]\n[{}", &text[..end], &text[end + 4..]).into_bytes(),
        None => text.into_bytes(),
    }
}

/// Checks that each error of a generated stream is reported.
fn check_errors(data: &[u8]) {
    let (format, _) = made_up(data);
    let case = Case::new(data);
    let (stream, errors) = with_unread((format, Notation::Annotations), &mut Random::chosen(data));
    let mut found = 0;
    let mut decoder = Decoder::new(format);
    let mut take = |item: Item<'_>| found += usize::from(matches!(item, Item::Error(_)));
    for piece in case.pieces(&stream) {
        decoder.push(piece, &mut take);
    }
    decoder.finish(&mut take);
    assert_eq!(found, errors, "{format}: {}", stream.escape_ascii());
}

fn is_server_sent(stream: &[u8]) -> bool {
    !matches!(stream.first(), Some(b'{' | b'['))
}

/// The events of another made-up stream, if it is one of server-sent events, up to the first one with text.
fn textless(case: &Case) -> String {
    let seed = !case.seed();
    let format = Format::ALL[seed as usize % Format::ALL.len()];
    let stream = generate::stream(format, seed);
    let mut textless = String::new();
    for event in oracle::events(&stream) {
        let next = format!("{textless}data: {event}\n\n");
        if !is_server_sent(&stream) || !Client::of(format, next.as_bytes()).texts.is_empty() {
            break;
        }
        textless = next;
    }
    textless
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
