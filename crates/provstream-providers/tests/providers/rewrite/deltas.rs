//! Single deltas: escapes, buffered text, surrogate pairs.

use provstream::Parser;
use provstream_providers::{Channel, Decoder, Format, StreamRewriter};
use testkit::wire::fixtures::Read;

use super::{Links, STOP, chat, strip, strip_all};
use testkit::wire::output::any;

#[test]
fn a_delta_that_loses_its_text_stays_and_one_without_change_keeps_its_escapes() {
    let stream = [
        chat(r"\u0041\/ \u00e9."),
        chat(" [substrate"),
        chat(".grep]"),
        chat(r"\n\u0042"),
        STOP.into(),
    ];
    let expected = [
        chat(r"\u0041\/ \u00e9."),
        chat(""),
        chat(""),
        chat(r"\n\u0042"),
        STOP.into(),
    ];
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.concat().as_bytes()),
        expected.concat()
    );
}

#[test]
fn what_is_written_anew_is_escaped_as_json_asks() {
    let stream = [chat(
        r#"\u0022\\\u0001é\ud83d\ude00 [substrate.grep]\u2028"#,
    )];
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.concat().as_bytes()),
        chat("\\\"\\\\\\u0001é😀\\u2028")
    );
}

#[test]
fn held_text_comes_in_the_next_delta_or_in_one_more_before_the_end() {
    let stream = [
        chat("See [sub"),
        chat("way]."),
        chat(" And [substrate.grep"),
        STOP.into(),
    ]
    .concat();
    let expected = [
        chat("See"),
        chat(" [subway]."),
        chat(" And"),
        chat(" [substrate.grep"),
        STOP.into(),
    ]
    .concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), expected);
    // The same where the stream just ends.
    let cut = stream.trim_end_matches(STOP);
    assert_eq!(
        strip_all(Format::OpenAiChat, cut.as_bytes()),
        expected.trim_end_matches(STOP)
    );
    // An event that ends the channel and has text of it takes it.
    let last = |text: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}]}}\r\r"
        )
    };
    let stream = [chat("See ["), last("x")].concat();
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        [chat("See"), last(" [x")].concat()
    );
    let stream = [chat("See"), last(" [")].concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), stream);
    // One with an empty text need not be read for it.
    let stream = [chat("See ["), last("")].concat();
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        [chat("See"), chat(" ["), last("")].concat()
    );
}

/// A delta of Cohere, whose channels end for certain.
fn cohere(content: &str) -> String {
    format!(
        "data: {{\"type\":\"content-delta\",\"index\":0,\"delta\":{{\"message\":{{\"content\":{{\"text\":\"{content}\"}}}}}}}}\n\n"
    )
}

#[test]
fn halves_with_the_end_of_the_channel_between_them_are_no_pair_in_the_stream_either() {
    let long = cohere(&"x".repeat(300));
    let stop = "data: {\"type\":\"message-end\"}\n\n";
    for between in [stop, &*long] {
        let stream = [
            &cohere(r"a\ud83d"),
            between,
            &cohere(""),
            &cohere(r"\ude00b"),
        ]
        .concat();
        let expected = [
            &cohere(r"a\ud83d"),
            between,
            &cohere(""),
            &cohere("\u{FFFD}b"),
        ]
        .concat();
        let mut rewriter = StreamRewriter::new(Format::Cohere, Parser::new()).with_max_event(200);
        assert_eq!(
            String::from_utf8(strip(&rewriter, stream.as_bytes(), 11)).expect("UTF-8"),
            expected
        );
        let mut links = Links::default();
        rewriter.push(stream.as_bytes(), any(&mut links));
        rewriter.finish(any(&mut links));
        assert_eq!(
            String::from_utf8_lossy(&links.text[&Channel::new(0)]),
            "a\u{FFFD}\u{FFFD}b"
        );
    }
    // With nothing between them they are, and with a reason that may not be the last.
    for between in ["", STOP] {
        let stream = [&chat(r"a\ud83d"), between, &chat(r"\ude00b")].concat();
        assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), stream);
    }
}

#[test]
fn a_split_surrogate_pair_stays_whole_whatever_is_rewritten_around_it() {
    for (stream, text) in [
        (
            vec![chat(r"a\ud83d"), chat(r"\ude00b [substrate.grep]")],
            "a😀b",
        ),
        (
            vec![chat(r"a [substrate.grep]\ud83d"), chat(r"\ude00b")],
            "a😀b",
        ),
        (
            vec![chat(r"a [substrate.grep; x=\ud83d"), chat(r"\ude00] b")],
            "a b",
        ),
        (
            vec![chat(r"a [substrate.grep; x=\ud83d"), chat(r"\ude00 [")],
            "a [substrate.grep; x=😀 [",
        ),
        (
            vec![chat(r"a \ud83d"), chat(""), chat(r"\ude00 [")],
            "a 😀 [",
        ),
        (
            vec![chat(r"a\ud83d"), chat("b [substrate.grep]")],
            "a\u{FFFD}b",
        ),
        (vec![chat(r"a [\ud83d"), STOP.into()], "a [\u{FFFD}"),
        (vec![chat(r"a\ud83d"), STOP.into()], "a\u{FFFD}"),
    ] {
        let out = strip_all(Format::OpenAiChat, stream.concat().as_bytes());
        let read = Read::of(Decoder::new(Format::OpenAiChat), out.as_bytes(), 7);
        assert_eq!(read.texts[&Channel::new(0)], text, "{out}");
    }
}

/// In these formats the blocks of a message are one text, and what is held back at the end of a block is added to that block.
#[test]
fn a_half_that_is_written_is_not_added_to_its_block() {
    let anthropic = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}"#;
    let bedrock = r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"a\ud83d"}}}"#;
    let vercel = r#"{"type":"text-delta","id":"0","delta":"a\ud83d"}"#;
    let stops = [
        (
            Format::Anthropic,
            anthropic,
            r#"{"type":"content_block_stop","index":0}"#,
        ),
        (
            Format::BedrockConverse,
            bedrock,
            r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
        ),
        (Format::VercelUi, vercel, r#"{"type":"text-end","id":"0"}"#),
    ];
    for (format, event, stop) in stops {
        for stream in [
            format!("data: {event}\n\n"),
            format!("data: {event}\n\ndata: {stop}\n\n"),
            format!("data: {event}\n\ndata: {stop}\n\n: end"),
            // The stream ends within an event.
            format!("data: {event}\n"),
            format!("data: {event}\n\ndata: {stop}"),
            format!("data: {event}\n\ndata: x"),
        ] {
            assert_eq!(strip_all(format, stream.as_bytes()), stream);
        }
    }
}
