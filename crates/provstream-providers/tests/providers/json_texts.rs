//! Texts of JSON alone, in deltas that are cut anywhere: what a client reads is what is written of the whole text.

use provstream::{Gate, Mode, Parser, Rewriter};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use serde_json::json;
use testkit::gate::policies::no_inference;
use testkit::wire::generate::Random;
use testkit::wire::oracle::Client;
use testkit::wire::output::Output;

/// Members of objects.
const MEMBERS: [&str; 12] = [
    r#""assertion":"It is so.""#,
    r#""assertion" : "It \"is\" so.""#,
    r#""assertion":"""#,
    r#""provenance":[{"substrate_class":"substrate.grep"}]"#,
    r#""provenance":{"substrate_class":"unverified-inference"}"#,
    r#""provenance":"substrate.grep""#,
    r#""note":"caf\u00e9\n""#,
    r#""":" ""#,
    r#""id":-1.5e+3"#,
    r#""inner":{"assertion":"within"}"#,
    r#""answer":[]"#,
    "\"note\":\"\u{e9}\u{4e2d}\"",
];

/// Draws an array of objects, or an object.
fn document(random: &mut Random) -> String {
    let objects: Vec<String> = (0..1 + random.below(4))
        .map(|_| {
            let members = (0..1 + random.below(4)).map(|_| MEMBERS[random.below(MEMBERS.len())]);
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        })
        .collect();
    match random.below(3) {
        0 => objects[0].clone(),
        1 => format!("[{}]", objects.join(",")),
        _ => format!("[ {} ]\n", objects.join(" ,\n ")),
    }
}

/// Puts a text into deltas of a few characters.
fn stream(format: Format, text: &str, random: &mut Random) -> String {
    let mut chars = text.chars().peekable();
    let mut events = Vec::new();
    if format == Format::Anthropic {
        events.push(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
    }
    while chars.peek().is_some() {
        let len = 1 + random.below(9);
        let piece: String = chars.by_ref().take(len).collect();
        events.push(match format {
            Format::Anthropic => {
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
            }
            _ => json!({"choices": [{"index": 0, "delta": {"content": piece}}]}),
        });
    }
    if format == Format::Anthropic {
        events.push(json!({"type": "content_block_stop", "index": 0}));
    }
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

#[test]
fn a_client_reads_what_is_written_of_the_whole_text() {
    for seed in 0..testkit::search::seeds(500) {
        let mut random = Random::new(seed);
        let format = [Format::OpenAiChat, Format::Anthropic][random.below(2)];
        let text = document(&mut random);
        let stream = stream(format, &text, &mut random);
        let size = [1, 7, 100, 10_000][random.below(4)];
        let mode = [Mode::Json, Mode::Ndjson, Mode::Auto][random.below(3)];
        let holds = random.one_in(2);
        let parser = || Parser::builder().mode(mode).hold_records(holds).build();
        let read = |out: &[u8]| -> String { Client::of(format, out).texts.into_values().collect() };
        let place = format!("seed {seed}, {mode:?}, holds {holds}, by {size}: {stream}");

        let mut expected = Vec::new();
        let mut rewriter = Rewriter::new(parser());
        rewriter.push(text.as_bytes(), &mut expected);
        rewriter.finish(&mut expected);
        let mut out = Vec::new();
        let mut rewriter = StreamRewriter::new(format, parser());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        assert_eq!(read(&out).as_bytes(), expected, "stripped, {place}");

        let mut expected = Vec::new();
        let mut gate = Gate::new(parser(), no_inference());
        gate.push(text.as_bytes(), &mut expected);
        gate.finish(&mut expected);
        let mut out = Vec::new();
        let mut gate = StreamGate::new(format, parser(), no_inference());
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        assert_eq!(read(&out).as_bytes(), expected, "gated, {place}");
    }
}
