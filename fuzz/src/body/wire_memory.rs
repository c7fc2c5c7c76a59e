//! Memory for a provider's stream is bounded.

use std::collections::BTreeSet;

use allocation_counter::measure;
use provstream::{Mode, Parser};
use provstream_providers::{Decoder, Format, Item, MAX_CHANNELS, ResponseParser, StreamRewriter};

use super::super::case::Case;

/// Most bytes of an event.
const MAX_EVENT: usize = 512;

/// Minimum number of repetitions of the stream.
const TIMES: usize = 6;

/// Most bytes that a rewriter may hold for events that are held back: up to 64 KiB of them, with their numbers, in memory that
/// grows by doubling.
const MOST_HELD_BACK: i64 = 6 << 16;

/// Number of bytes pushed to a rewriter that holds more and more, to see that it stops.
const ENOUGH: usize = 4 * MOST_HELD_BACK as usize;

/// Most bytes a decoder may hold besides what belongs to a channel.
const MOST: i64 = 16 * MAX_EVENT as i64;

/// Most bytes of the parser of a channel, in mode `text` and in the others.
const MOST_PARSER: [(Mode, i64); 2] = [(Mode::Text, 12 << 10), (Mode::Auto, 192 << 10)];

/// However often a stream is repeated, what is allocated is bounded by the limit of an event, the number of channels and
/// what may be held back.
pub(super) fn check(data: &[u8]) {
    let decoder = || Decoder::detect().with_max_event(MAX_EVENT);
    let mut channels = BTreeSet::new();
    let mut count = decoder();
    let mut see = |item: Item<'_>| match item {
        Item::Text(delta) | Item::Reasoning(delta) | Item::ToolCall(delta) => {
            channels.insert((delta.channel(), delta.member()));
        }
        _ => {}
    };
    for _ in 0..TIMES {
        count.push(data, &mut see);
    }
    count.finish(&mut see);
    for way in Case::new(data).ways(MOST_PARSER.len() as u64) {
        let (mode, parser) = MOST_PARSER[way as usize];
        // A channel has a parser, and a few times an event.
        let texts = match count.format() {
            // Parts that are open in parallel are named as they come.
            Some(Format::VercelUi) => 2 * MAX_CHANNELS,
            _ => channels.len(),
        };
        let most = MOST + texts as i64 * (parser + MOST);
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
    let mut first = 0;
    for time in 1.. {
        for chunk in data.chunks(if time % 2 == 0 { MAX_EVENT * 8 } else { 61 }) {
            held[0] += measure(|| reader.push(chunk, |_| {})).bytes_current;
            held[1] += measure(|| parsers.push(chunk, |_| {})).bytes_current;
            held[2] += measure(|| rewriter.push(chunk, |_: &[u8]| {})).bytes_current;
            let is_bounded = held[0] <= most && held[1] <= most && held[2] <= most + MOST_HELD_BACK;
            assert!(is_bounded, "{held:?} of {most}");
        }
        if time == 1 {
            first = held[2];
        }
        // A rewriter that holds events back takes at least half as much memory as they are long.
        let since = (time - 1) * data.len();
        if time >= TIMES && (held[2] - first <= since as i64 / 2 || since >= ENOUGH) {
            break;
        }
    }
}
