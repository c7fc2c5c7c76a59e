//! What a provider's stream takes is bounded.

use std::collections::BTreeSet;

use allocation_counter::measure;
use provstream::{Mode, Parser};
use provstream_providers::{Decoder, Item, ResponseParser, StreamRewriter};

/// Most bytes of an event.
const MAX_EVENT: usize = 512;

/// How often the stream is repeated.
const TIMES: usize = 6;

/// Most bytes a decoder may hold besides what belongs to a channel.
const MOST: i64 = 16 * MAX_EVENT as i64;

/// Most bytes of the parser of a channel, in mode `text` and in the others.
const MOST_PARSER: [(Mode, i64); 2] = [(Mode::Text, 12 << 10), (Mode::Auto, 192 << 10)];

/// However often a stream is repeated, what is allocated is bounded by the limit of an event and the number of channels.
pub(super) fn check(data: &[u8]) {
    let decoder = || Decoder::detect().with_max_event(MAX_EVENT);
    let mut channels = BTreeSet::new();
    let mut count = decoder();
    let mut see = |item: Item<'_>| match item {
        Item::Text(delta) | Item::Reasoning(delta) | Item::ToolCall(delta) => {
            channels.insert(delta.channel());
        }
        _ => {}
    };
    for _ in 0..TIMES {
        count.push(data, &mut see);
    }
    count.finish(&mut see);
    for (mode, parser) in MOST_PARSER {
        // A channel has a parser, and a few times an event.
        let most = MOST + channels.len() as i64 * (parser + MOST);
        check_in(mode, data, most);
    }
}

fn check_in(mode: Mode, data: &[u8], most: i64) {
    let decoder = || Decoder::detect().with_max_event(MAX_EVENT);
    let parser = Parser::builder().mode(mode).build();
    let mut reader = decoder();
    let mut parsers = ResponseParser::new(decoder(), parser.clone());
    let mut rewriter = StreamRewriter::detect(parser).with_max_event(MAX_EVENT);
    let mut held = [0; 3];
    for time in 0..TIMES {
        for chunk in data.chunks(if time % 2 == 0 { 61 } else { MAX_EVENT * 8 }) {
            held[0] += measure(|| reader.push(chunk, |_| {})).bytes_current;
            held[1] += measure(|| parsers.push(chunk, |_| {})).bytes_current;
            held[2] += measure(|| rewriter.push(chunk, |_: &[u8]| {})).bytes_current;
            assert!(held.iter().all(|&held| held <= most), "{held:?} of {most}");
        }
    }
}
