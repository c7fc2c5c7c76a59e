//! Streams that are unusual or damaged: unknown types, white space, empty data, malformed events.

use provstream::Parser;
use provstream_providers::{Channel, Decoder, Format, StreamRewriter};
use testkit::wire::fixtures::Read;

use super::{chat, strip, strip_all};

#[test]
fn a_tool_call_under_a_number_that_is_none_leaves_the_rest_of_its_choice_readable() {
    let event = |content: &str, message: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\",\"tool_calls\":[{{\"index\":-1}},{{\"index\":1,\"function\":{{\"arguments\":\"1\"}}}}]}},\"message\":{{\"content\":\"{message}\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
        )
    };
    let stream = event("a [substrate.grep]", "a [substrate.grep]");
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        event("a", "a")
    );
    let read = Read::of(Decoder::new(Format::OpenAiChat), stream.as_bytes(), 7);
    assert_eq!(read.tool_calls[&Channel::with_part(0, 1)], "1");
    assert_eq!(read.rest, ["break 0", "end 0"]);
}

#[test]
fn a_format_is_recognised_under_a_type_that_is_not_known() {
    for (event, format) in [
        (r#"{"type":"chunk","choices":[]}"#, Some(Format::OpenAiChat)),
        (r#"{"type":"chunk","candidates":[]}"#, Some(Format::Gemini)),
        (r#"{"type":"chunk","done":false}"#, Some(Format::Ollama)),
        (r#"{"type":"ping","choices":[]}"#, Some(Format::OpenAiChat)),
        (r#"{"type":"ping"}"#, None),
        (r#"{"type":"chunk"}"#, None),
    ] {
        assert_eq!(Format::detect(event.as_bytes()), format, "{event}");
    }
}

#[test]
fn no_amount_of_white_space_before_it_changes_the_envelope() {
    for (lead, start, end) in [(100_000, "", "\n"), (65, "[", "]"), (65, "\u{FEFF}[", "]")] {
        let event = |text: &str| {
            let event = format!(
                "{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}"
            );
            format!("{}{start}{event}{end}", " \r\n ".repeat(lead / 4 + 1))
        };
        assert_eq!(
            strip_all(Format::Gemini, event("a [substrate.grep]").as_bytes()),
            event("a")
        );
    }
}

#[test]
fn an_event_with_empty_data_is_passed_by_and_not_malformed() {
    let stream = [&chat("a ["), "data:\n\n", "data: \ndata\n\n", &chat("b")].concat();
    let read = Read::of(Decoder::detect(), stream.as_bytes(), 3);
    assert_eq!(read.rest, ["end 0"]);
    let expected = [
        &chat("a"),
        "data:\n\n",
        "data: \ndata\n\n",
        &chat(""),
        &chat(" [b"),
    ]
    .concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), expected);
}

#[test]
fn what_is_malformed_or_too_long_is_written_as_it_is_and_the_last_event_needs_no_blank_line() {
    let long = chat(&format!("{} [substrate.grep]", "x".repeat(300)));
    let odd = "data: {\"choices\": [substrate.grep]\n\ndata: [substrate.grep]\n\n";
    let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"[substrate.grep]\"}}]}\n";
    let stream = [
        &chat("a [substrate.grep]"),
        odd,
        &chat("b ["),
        &long,
        &chat("substrate.grep] c"),
        cut,
    ]
    .concat();
    let expected = [
        &chat("a"),
        odd,
        &chat("b"),
        &chat(" ["),
        &long,
        &chat("substrate.grep] c"),
        &cut.replace("[substrate.grep]", ""),
    ]
    .concat();
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new()).with_max_event(200);
    for size in [1, 13, 150, 250, usize::MAX] {
        let out = strip(&rewriter, stream.as_bytes(), size);
        assert_eq!(String::from_utf8_lossy(&out), expected, "by {size}");
    }
}
