//! Line ends of server-sent events.

use provstream::Parser;
use provstream_providers::{Format, SseDecoder, SsePiece, StreamGate, StreamRewriter};
use testkit::gate::naive::Drawn;
use testkit::gate::policies::no_inference;
use testkit::wire::generate::{Random, stream};
use testkit::wire::line_ends;
use testkit::wire::output::Output;

#[test]
fn a_response_with_cr_lf_is_rewritten_as_one_with_lf() {
    let mut count = 0;
    for format in Format::ALL {
        for seed in 0..testkit::search::seeds(200) {
            let mut random = Random::new(seed);
            let policy = Drawn(random.below(256) as u64);
            let size = [1, 2, 7, 64, 10_000][random.below(5)];
            count += u64::from(line_ends::check(
                format,
                &stream(format, seed),
                policy,
                size,
            ));
        }
    }
    assert!(count > testkit::search::seeds(200), "{count} streams");
}

/// The stream ends within its last event, and what is added before it has no event to copy.
#[test]
fn an_added_event_has_the_line_ends_of_the_events_before() {
    let added = r#"{"type":"response.content_part.added","item_id":"i","output_index":1,"content_index":0,"part":{"type":"output_text","text":" [sub["},"sequence_number":1}"#;
    let done = r#"{"type":"response.output_text.done","item_id":"i","output_index":1,"content_index":0,"text":" [sub[","sequence_number":2}"#;
    let stream = format!("data: {added}\n\n: keep-alive\n\ndata: {done}");
    let format = Format::OpenAiResponses;
    for size in [1, 7, 10_000] {
        assert!(line_ends::check(format, stream.as_bytes(), Drawn(0), size));
    }
}

#[test]
fn an_event_that_is_written_ahead_has_all_of_its_blank_line() {
    let choice = |index: u32, delta: &str, finish: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{{delta}}},\"finish_reason\":{finish}}}]}}\r\n\r\n"
        )
    };
    let began = [
        choice(0, "\"role\":\"assistant\"", "null"),
        choice(1, "\"role\":\"assistant\"", "null"),
    ]
    .concat();
    let ended = choice(0, "", "\"stop\"");
    let ahead = choice(1, "\"content\":\"Snow falls.\"", "null");
    let last = [choice(1, "", "\"stop\""), "data: [DONE]\r\n\r\n".to_owned()].concat();
    let stream = format!(
        "{began}{}{ended}{ahead}{last}",
        choice(0, "\"content\":\"It rains. See [\"", "null")
    );
    for size in 1..stream.len() {
        let mut out = String::new();
        let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        let mut take = |bytes: &[u8]| out.push_str(core::str::from_utf8(bytes).expect("UTF-8"));
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, &mut take);
        }
        rewriter.finish(&mut take);
        let events: Vec<&str> = out.split_terminator("\r\n\r\n").collect();
        assert!(
            events.iter().all(|event| event.starts_with("data: ")),
            "{size}: {out:?}"
        );
        let place = |text: &str| out.find(text).expect(text);
        assert!(
            place("Snow") < place("\"index\":0,\"delta\":{},\"finish_reason\":\"stop\""),
            "{out:?}"
        );
    }
}

fn rewritten(stream: &str) -> Vec<u8> {
    let run = |size: usize| {
        let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        out
    };
    let whole = run(usize::MAX);
    assert_eq!(run(1), whole, "{stream:?}");
    whole
}

/// Data of the events that a client reads which waits for the blank line.
fn terminated(stream: &[u8]) -> Vec<String> {
    let mut events = Vec::new();
    let mut decoder = SseDecoder::new();
    let mut take = |piece: SsePiece<'_>| {
        if let SsePiece::Event(event) = piece {
            events.push(event.text().into_owned());
        }
    };
    decoder.push(stream, &mut take);
    decoder.finish(&mut take);
    events
}

/// A stream ends within its last event, which only some clients read: text of the events before it reaches all of them.
#[test]
fn text_of_earlier_events_does_not_end_in_an_event_that_is_not_read() {
    let first = r#"{"choices":[{"index":0,"delta":{"content":"It rains. See ["}}]}"#;
    for (last, held) in [
        (
            r#"{"choices":[{"index":0,"delta":{"content":"1] more."}}]}"#,
            "[1] more.",
        ),
        (
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "[",
        ),
    ] {
        for end in ["\n", "\r", "\r\n"] {
            let event = format!("data: {first}{end}{end}");
            let last = format!("data: {last}{end}");
            for cut in 0..=last.len() {
                let stream = [&event, &last[..cut]].concat();
                let out = rewritten(&stream);
                let texts = terminated(&out).concat();
                let is_whole = cut + end.len() >= last.len();
                let expected = if is_whole { held } else { "[" };
                let text: String = texts
                    .split("\"content\":\"")
                    .skip(1)
                    .filter_map(|rest| rest.split_once('"'))
                    .map(|(text, _)| text)
                    .collect();
                assert_eq!(text, format!("It rains. See {expected}"), "{stream:?}");
            }
        }
    }
}

/// An event with several lines of data gets its blank line, too; one that the stream ends within a field of does not, since readers would
/// take what there is for the field.
#[test]
fn the_blank_line_comes_after_whole_lines() {
    let first =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rains. See [\"}}]}\n\n";
    let last = "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"1] more.\"}}]}";
    for (end, is_read) in [
        ("", true),
        ("\n", true),
        ("\ndata:", true),
        ("\n: kept", false),
        ("\n: kept\n", true),
        ("\nid: 1", false),
        ("\nevent: err", false),
        ("\ndat", false),
    ] {
        let stream = format!("{first}{last}{end}");
        let events = terminated(&rewritten(&stream));
        assert_eq!(events.len(), 1 + usize::from(is_read), "{stream:?}");
        if is_read {
            assert!(events[1].contains(" [1] more."), "{stream:?}");
        }
    }
    // The stream ends within a line end.
    let stream = format!("{first}{last}\n").replace('\n', "\r\n");
    let cut = stream.strip_suffix('\n').expect("a line end");
    assert!(rewritten(cut).ends_with(b"}\r\n\r\n"));
}

/// A gate adds no blank line after an event that it withholds: OpenAI's client fails on one that is alone, after an event with an id.
#[test]
fn an_event_that_is_withheld_gets_no_blank_line() {
    let choice =
        |text: &str| format!("\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]");
    let first = format!("id: 1\ndata: {{{}}}\n\n", choice("It is "));
    for last in [
        format!("data: {{{},{}}}", choice("1] a"), choice("1] b")),
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"so\"}}".to_owned(),
        format!("data: {{{}}}", choice("so")),
    ] {
        let stream = format!("{first}{last}\n");
        let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), no_inference());
        let mut out = Vec::new();
        gate.push(stream.as_bytes(), Output(&mut out));
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(!out.contains("\n\n\n"), "{out:?}");
    }
}

/// Nothing is added where nothing was held back, or where the event is not complete JSON.
#[test]
fn a_stream_without_held_text_ends_as_it_is() {
    let event = r#"data: {"choices":[{"index":0,"delta":{"content":"It rains."}}]}"#;
    for cut in 0..=event.len() {
        for end in ["", "\n"] {
            let stream = format!("{event}\n\n{}{end}", &event[..cut]);
            let out = rewritten(&stream);
            assert_eq!(out, stream.as_bytes());
        }
    }
}
