//! Recorded and written streams: the client reads the stripped text, and nothing else changes.

use provstream::Parser;
use provstream_providers::{Decoder, Format, StreamRewriter};
use serde_json::Value;
use testkit::wire::fixtures::{Read, SIZES, all, own};
use testkit::wire::text::apart;

use super::{STOP, clean, clean_texts, events, strip, strip_all};

#[test]
fn a_client_reads_exactly_the_stripped_text_of_every_channel() {
    for fixture in all() {
        let expected = clean_texts(&fixture.texts);
        let before = Read::of(Decoder::new(fixture.format), &fixture.bytes, usize::MAX);
        for rewriter in [
            StreamRewriter::new(fixture.format, Parser::new()),
            StreamRewriter::detect(Parser::new()),
        ] {
            for size in SIZES {
                let out = strip(&rewriter, &fixture.bytes, size);
                let read = Read::of(Decoder::new(fixture.format), &out, usize::MAX);
                assert_eq!(read.texts, expected, "{} by {size}", fixture.name);
                assert_eq!(read.reasoning, before.reasoning, "{}", fixture.name);
                assert_eq!(read.tool_calls, before.tool_calls, "{}", fixture.name);
                assert_eq!(read.rest, before.rest, "{}", fixture.name);
            }
        }
    }
}

#[test]
fn the_output_is_the_same_at_every_chunk_size() {
    for fixture in own() {
        let rewriter = StreamRewriter::detect(Parser::new());
        let whole = strip(&rewriter, &fixture.bytes, usize::MAX);
        for size in 1..=80 {
            assert_eq!(
                strip(&rewriter, &fixture.bytes, size),
                whole,
                "{} by {size}",
                fixture.name
            );
        }
    }
}

#[test]
fn a_stream_without_annotations_comes_out_byte_for_byte() {
    let mut count = 0;
    for fixture in own() {
        if fixture.name.contains(".plain.") {
            let rewriter = StreamRewriter::detect(Parser::new());
            for size in 1..=80 {
                let out = strip(&rewriter, &fixture.bytes, size);
                assert_eq!(out, fixture.bytes, "{} by {size}", fixture.name);
            }
            count += 1;
        }
    }
    assert_eq!(count, 13);
}

#[test]
fn the_output_differs_in_the_named_places_only() {
    for fixture in all() {
        let rewriter = StreamRewriter::detect(Parser::new());
        let out = strip(&rewriter, &fixture.bytes, 64);
        let before = events(&fixture, &fixture.bytes);
        let after = events(&fixture, &out);
        // The events of a choice stay in order.
        let choice = |event: &Value| event.pointer("/choices/0/index").cloned();
        let rest = before.iter();
        let rest = rest.map(|event| (choice(event), apart(fixture.format, event)));
        let mut rest: Vec<_> = rest.collect();
        let mut inserted = 0;
        for event in &after {
            let (frame, deltas, repeats) = apart(fixture.format, event);
            let next = rest.iter().position(|(of, _)| *of == choice(event));
            match next.filter(|next| rest[*next].1.0 == frame) {
                Some(next) => {
                    let (_, (_, _, repeated)) = rest.remove(next);
                    let cleaned: Vec<_> = repeated.iter().map(|text| clean(text)).collect();
                    assert_eq!(repeats, cleaned, "{}", fixture.name);
                }
                _ => {
                    assert!(
                        deltas.iter().any(|text| !text.is_empty()),
                        "{}: {event}",
                        fixture.name
                    );
                    inserted += 1;
                }
            }
            for text in deltas.iter().chain(&repeats) {
                assert_eq!(clean(text), *text, "{}", fixture.name);
            }
        }
        assert!(rest.is_empty(), "{}", fixture.name);
        let blocks = before
            .iter()
            .filter(|event| event["type"] == "content_block_stop");
        let ends = fixture.texts.len() + blocks.count();
        assert!(inserted <= ends, "{}", fixture.name);
    }
}

#[test]
fn the_output_is_at_most_a_few_times_as_long_as_the_input() {
    let padding = "p".repeat(8_000);
    let choices = |start: usize| {
        let choice = |index| format!("{{\"index\":{index},\"delta\":{{\"content\":\"x [\"}}}}");
        let choices: Vec<_> = (start..256).map(choice).collect();
        format!("data: {{\"choices\":[{}]}}\n\n", choices.join(","))
    };
    let mut again = String::new();
    let long = format!(
        "data: {{\"id\":\"{padding}\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"x [\"}}}}]}}\n\n"
    );
    for _ in 0..100 {
        // What ends is not what the next text of the channel looks like.
        again += &choices(254).replace("254", "0");
        again += STOP;
    }
    for stream in [
        choices(0),
        [long.clone(), STOP.into(), again].concat(),
        long,
    ] {
        let out = strip_all(Format::OpenAiChat, stream.as_bytes());
        assert!(out.len() > stream.len());
        assert!(
            out.len() < 6 * stream.len(),
            "{} of {}",
            out.len(),
            stream.len()
        );
    }
}
