//! Strings that JSON does not allow, and halves of surrogate pairs.

use provstream::Parser;
use provstream_providers::{Decoder, Format, Item, NoticeCode, StreamGate, StreamRewriter};
use testkit::gate::policies::release_all;
use testkit::wire::output::Output;

/// A stream with an event whose text is this string, as it is written.
fn stream(string: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{string}\"}}}}]}}\n\ndata: [DONE]\n\n"
    )
}

/// Returns the text that a decoder reads, and the number of malformed events, in one way of reading.
fn text(stream: &str, size: usize) -> (String, u64) {
    read(Decoder::new(Format::OpenAiChat), stream, size)
}

/// The text that a decoder reads, and how many events are malformed.
fn read(mut decoder: Decoder, stream: &str, size: usize) -> (String, u64) {
    let mut text = String::new();
    let mut sink = |item: Item<'_>| {
        if let Item::Text(delta) = item {
            text.push_str(delta.text());
        }
    };
    for chunk in stream.as_bytes().chunks(size) {
        decoder.push(chunk, &mut sink);
    }
    decoder.finish(&mut sink);
    (text, decoder.report().count(NoticeCode::MalformedEvent))
}

fn stripped(stream: &str, size: usize) -> (String, u64) {
    let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let mut out = Vec::new();
    for chunk in stream.as_bytes().chunks(size) {
        rewriter.push(chunk, Output(&mut out));
    }
    rewriter.finish(Output(&mut out));
    let malformed = rewriter.report().count(NoticeCode::MalformedEvent);
    (String::from_utf8(out).expect("UTF-8"), malformed)
}

/// No SDK can read such an event.
#[test]
fn an_event_with_an_escape_that_is_none_is_malformed() {
    for escape in [
        "\\ud83",
        "\\u12",
        "\\u",
        "\\q",
        "\\u12x4",
        "\\ud83d\\u12",
        "\\+061",
        "\\u+061",
    ] {
        let stream = stream(&format!("SECRET {escape}"));
        for size in [1, 7, 1_000] {
            assert_eq!(text(&stream, size), (String::new(), 1), "{escape}");
            assert_eq!(stripped(&stream, size), (stream.clone(), 1), "{escape}");
            let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), release_all());
            let mut out = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                gate.push(chunk, Output(&mut out));
            }
            gate.finish(Output(&mut out));
            assert_eq!(
                String::from_utf8_lossy(&out),
                "data: [DONE]\n\n",
                "{escape}"
            );
        }
    }
    for escape in [
        "\\ud83d",
        "\\uDE00",
        "\\ud83d\\ude00",
        "\\/",
        "\\b\\f\\n\\r\\tx",
        "\\\"\\\\",
    ] {
        let stream = stream(escape);
        assert_eq!(text(&stream, 7).1, 0, "{escape}");
        assert_eq!(stripped(&stream, 7), (stream.clone(), 0), "{escape}");
    }
}

/// A line of data may end within a string, which then has a line feed.
#[test]
fn a_string_over_two_lines_of_data_is_rewritten_whole() {
    let cases = [
        (
            "It is so. [substrate.grep]\ndata: Really.",
            "It is so.\nReally.",
        ),
        (
            "\ndata: It is so. [substrate.grep] Really.",
            "\nIt is so. Really.",
        ),
        ("It is [substrate.grep] so.\ndata: ", "It is so.\n"),
        ("\ndata:\ndata:x", "\n\nx"),
    ];
    for (broken, expected) in cases {
        for size in [1, 7, 1_000] {
            let (out, malformed) = stripped(&stream(broken), size);
            assert_eq!(
                (text(&out, 1_000).0.as_str(), malformed),
                (expected, 0),
                "{out}"
            );
        }
    }
}

/// Whatever a stream leaves open, a decoder that was reset reads the next one as a new decoder does.
#[test]
fn a_decoder_that_was_reset_has_forgotten_what_was_open() {
    let next = stream("\\ude00 so it is.");
    let before = [
        stream("It is \\ud83d"),
        stream("It is \\ud83d").replace("data: [DONE]\n\n", ""),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"cut".to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n".to_owned(),
    ];
    let expected = text(&next, 7);
    for earlier in before {
        let mut decoder = Decoder::new(Format::OpenAiChat);
        decoder.push(earlier.as_bytes(), |_: Item<'_>| {});
        decoder.reset();
        assert_eq!(read(decoder, &next, 7), expected, "{earlier}");
    }
}

/// Half of a surrogate pair waits for the other half, but not longer than its text.
#[test]
fn half_of_a_pair_comes_before_the_end_of_its_text() {
    let whole = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"x\ud83d"}}]}"#;
    for stream in [stream("x\\ud83d"), whole.to_owned()] {
        for size in [1, 7, 1_000] {
            let (mut text, mut at_the_end) = (String::new(), None);
            let mut decoder = Decoder::new(Format::OpenAiChat);
            let mut sink = |item: Item<'_>| match item {
                Item::Text(delta) => text.push_str(delta.text()),
                Item::ChannelEnd(_) => at_the_end = Some(text.clone()),
                _ => {}
            };
            for chunk in stream.as_bytes().chunks(size) {
                decoder.push(chunk, &mut sink);
            }
            decoder.finish(&mut sink);
            assert_eq!(
                at_the_end.as_deref(),
                Some("x\u{fffd}"),
                "{stream} by {size}"
            );
        }
    }
}
