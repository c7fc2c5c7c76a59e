//! Responses whose models cite with markers: the same response without them.

use std::sync::OnceLock;

use provstream::{Dialect, Dialects, Event, Handler, Marker, Mode, Parser, Replacement, Rewriter};
use provstream_providers::{
    ChannelPosition, Decoder, Format, Reasoning, ResponseParser, StreamGate, StreamHandler,
    StreamRewriter, WireEvent,
};
use serde_json::{Value, json};
use testkit::gate::policies::no_inference;
use testkit::reference::dialects::{BUILT_IN, Dialects as Reference, Known, With, read};
use testkit::reference::{Reading, RefLimits, Segment};
use testkit::sentence;
use testkit::wire::generate::{cited, cited_sentences};
use testkit::wire::hostile::Notation;
use testkit::wire::members::members;
use testkit::wire::oracle::{Client, events};

use crate::members::in_pieces;
use testkit::wire::output::{Output, any};

/// Streams of each format: 30, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(30)
}

/// The dialects that responses are read with, by seed.
fn names(seed: u64) -> &'static [&'static str] {
    match seed % 4 {
        0 => &["numeric"],
        1 => &["openai-file", "openai-web"],
        2 => &["cite-tag", "numeric", "citation"],
        _ => &BUILT_IN,
    }
}

fn parser(names: &[&'static str], mode: Mode) -> Parser {
    let dialects = Dialects::built_in(names.iter().copied()).expect("built-in dialects");
    Parser::builder().mode(mode).dialects(dialects).build()
}

/// A parser with the dialects of a seed, which are compiled once.
fn parser_of(seed: u64, mode: Mode) -> Parser {
    static COMPILED: [OnceLock<Dialects>; 4] = [const { OnceLock::new() }; 4];
    let compile = || Dialects::built_in(names(seed).iter().copied()).expect("built-in dialects");
    let dialects = COMPILED[(seed % 4) as usize].get_or_init(compile);
    Parser::builder()
        .mode(mode)
        .dialects(dialects.clone())
        .build()
}

fn numeric() -> Parser {
    parser(&["numeric"], Mode::Auto)
}

fn rewritten(mut rewriter: StreamRewriter, stream: &[u8], seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    in_pieces(stream, seed, |chunk| {
        rewriter.push(chunk, Output(&mut out));
    });
    rewriter.finish(Output(&mut out));
    assert!(rewriter.report().is_complete(), "{:?}", rewriter.report());
    out
}

/// A whole text without markers, by the naive reference.
fn by_reference(text: &str, names: &[&'static str]) -> String {
    let input = [Segment {
        own: true,
        bytes: text.as_bytes().to_vec(),
        after_break: false,
    }];
    let with = With {
        dialects: &Reference::built_in(names),
        known: &Known::Nothing,
    };
    let limits = RefLimits::default();
    let read = read(Reading::TEXT, &input, &limits, with, &sentence::starts);
    String::from_utf8(read.clean).expect("UTF-8")
}

/// A whole text without markers, by the engine.
fn whole(parser: &Parser, text: &str) -> String {
    let mut out = Vec::new();
    let mut rewriter = Rewriter::new(parser.clone());
    rewriter.push(text.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_client_reads_the_text_without_markers_of_made_up_streams_cut_at_random() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let (stream, names) = (cited(format, seed), names(seed));
            let before = Client::of(format, &stream);
            for mode in [Mode::Text, Mode::Auto] {
                let parser = parser_of(seed, mode);
                let out = rewritten(StreamRewriter::new(format, parser.clone()), &stream, seed);
                let mut after = Client::of(format, &out);
                // Text after an end or a tool call may be part of a marker.
                after.is_late |= before.is_late;
                after.text_after_tool |= before.text_after_tool;
                let mut expected = before.clone().cleaned_by(|text| match mode {
                    Mode::Text => by_reference(text, names),
                    _ => whole(&parser, text),
                });
                for (found, cited) in after.cited.iter().zip(&mut expected.cited) {
                    // The passage is in what could still become a marker when its event came.
                    if found.is_empty() {
                        cited.clear();
                    }
                }
                let [stream, out] = [&stream, &out].map(|bytes| String::from_utf8_lossy(bytes));
                assert_eq!(
                    after, expected,
                    "{format}, seed {seed}, {names:?}: {stream}\nwas rewritten to {out}"
                );
            }
        }
    }
}

/// Deltas, members that repeat them, and copies at the end, each by its path.
#[test]
fn each_member_has_the_text_without_markers() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let (stream, names) = (cited_sentences(format, seed), names(seed));
            let rewriter = match seed.is_multiple_of(2) {
                true => StreamRewriter::new(format, parser_of(seed, Mode::Text)),
                false => StreamRewriter::detect(parser_of(seed, Mode::Text)),
            };
            let reasoning = match stream.windows(15).any(|bytes| bytes == b"reasoning-delta") {
                true => Reasoning::Rewrite,
                false => Reasoning::Leave,
            };
            let out = rewritten(rewriter.with_reasoning(reasoning), &stream, seed);
            let found = members(&out);
            for (path, text) in members(&stream) {
                if testkit::wire::hostile::words(&text).next().is_none() {
                    continue;
                }
                let found = found.get(&path).map_or("", |text| text);
                let expected = by_reference(&text, names);
                let [stream, out] = [&stream, &out].map(|bytes| String::from_utf8_lossy(bytes));
                assert_eq!(
                    found, expected,
                    "{path} of {format}, seed {seed}, {names:?}: {stream}\nbecame {out}"
                );
            }
        }
    }
}

fn chat(content: &str) -> String {
    let content = json!(content);
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}}}}]}}\n\n")
}

const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

fn stripped(format: Format, parser: Parser, stream: &str) -> String {
    let whole = rewritten(
        StreamRewriter::new(format, parser.clone()),
        stream.as_bytes(),
        0,
    );
    for seed in 1..4 {
        let rewriter = StreamRewriter::new(format, parser.clone());
        let out = rewritten(rewriter, stream.as_bytes(), seed);
        assert_eq!(out, whole);
    }
    String::from_utf8(whole).expect("UTF-8")
}

#[test]
fn a_marker_over_several_deltas_is_removed_with_the_space_before_it() {
    let deltas = ["Paris", " ", "[", "1", "]", " is big", " [7", "].", " So"];
    let stream: String = deltas.map(chat).concat() + STOP;
    let kept = ["Paris", "", "", "", "", " is big", "", ".", " So"];
    let expected = kept.map(chat).concat() + STOP;
    assert_eq!(stripped(Format::OpenAiChat, numeric(), &stream), expected);
}

/// Handler that writes something in the place of markers.
struct Instead {
    out: Vec<u8>,
    by: fn(&Marker<'_>) -> Replacement,
    citations: Vec<String>,
}

impl Handler for Instead {
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        (self.by)(marker)
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Citation(citation) = event {
            let ids: Vec<_> = citation.ids().map(|cited| cited.id.to_owned()).collect();
            self.citations
                .push(format!("{} {}", citation.text(), ids.join(",")));
        }
    }
}

impl StreamHandler for Instead {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }
}

fn instead(format: Format, stream: &str, by: fn(&Marker<'_>) -> Replacement) -> Instead {
    let mut handler = Instead {
        out: Vec::new(),
        by,
        citations: Vec::new(),
    };
    let mut rewriter = StreamRewriter::new(format, numeric());
    for chunk in stream.as_bytes().chunks(11) {
        rewriter.push(chunk, any(&mut handler));
    }
    rewriter.finish(any(&mut handler));
    handler
}

#[test]
fn a_handler_keeps_or_replaces_markers_and_gets_the_citations() {
    let stream = ["Paris [", "1] is big [7].", " So"].map(chat).concat() + STOP;
    let kept = instead(Format::OpenAiChat, &stream, |_| Replacement::Keep);
    let texts = |out: &[u8]| Client::of(Format::OpenAiChat, out).texts["0"].clone();
    assert_eq!(texts(&kept.out), "Paris [1] is big [7]. So");
    assert_eq!(kept.citations, ["Paris is big. 1,7"]);
    let replaced = instead(Format::OpenAiChat, &stream, |marker| {
        let ids: Vec<&str> = marker.ids().collect();
        format!("({})", ids.join(",")).into()
    });
    assert_eq!(texts(&replaced.out), "Paris (1) is big (7). So");
    assert_eq!(replaced.citations, kept.citations);
}

/// The event with annotations of the text of a response.
fn last(out: &str) -> Value {
    events(out.as_bytes()).pop().expect("an event")
}

#[test]
fn offsets_follow_the_text() {
    // "Grüße [1]. Paris" becomes "Grüße. Paris".
    let text = "Grüße [1]. Paris";
    let annotation = |start: u64, end: u64| json!([{"type": "url_citation", "url_citation": {"start_index": start, "end_index": end}}]);
    let event = |start, end| json!({"choices": [{"index": 0, "delta": {"annotations": annotation(start, end)}}]});
    let stream = format!("{}data: {}\n\n", chat(text), event(11, 16));
    let out = stripped(Format::OpenAiChat, numeric(), &stream);
    assert_eq!(last(&out), event(7, 12));

    let event = |text: &str, start: u64, end: u64| {
        let annotations = json!([{"type": "url_citation", "start_index": start, "end_index": end}]);
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message",
            "content": [{"type": "output_text", "text": text, "annotations": annotations}]}})
    };
    let stream = format!("data: {}\n\n", event(text, 11, 16));
    let out = stripped(Format::OpenAiResponses, numeric(), &stream);
    assert_eq!(last(&out), event("Grüße. Paris", 7, 12));

    // Gemini counts bytes. What points to the marker points to nothing.
    let event = |text: &str, start: u64, end: u64, part: &str| {
        json!({"candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": {"groundingSupports": [
            {"segment": {"startIndex": start, "endIndex": end, "text": part}}]}}]})
    };
    let stream = format!("data: {}\n\n", event(text, 0, 12, "Grüße [1]."));
    let out = stripped(Format::Gemini, numeric(), &stream);
    assert_eq!(last(&out), event("Grüße. Paris", 0, 8, "Grüße."));
}

#[test]
fn markers_are_read_in_escaped_strings() {
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"A \\\"b\\\" \\u30104:0\\u2020\"}}]}\n\n\
                  data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so\\ud83d\"}}]}\n\n\
                  data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00\\u3011 is.\\n\"}}]}\n\n";
    let out = stripped(
        Format::OpenAiChat,
        parser(&["openai-file"], Mode::Auto),
        stream,
    );
    let texts = Client::of(Format::OpenAiChat, out.as_bytes()).texts;
    assert_eq!(texts["0"], "A \"b\" is.\n");
}

/// Half of the first character of a marker is not written before the other half is known.
#[test]
fn a_marker_that_begins_with_a_surrogate_pair_in_two_deltas_is_removed() {
    let dialect = Dialect::from_toml(
        "name = \"pin\"\n[[marker]]\nopen = '📌'\nid = '[0-9]+'\nclose = ';'\n".as_bytes(),
    )
    .expect("a dialect");
    let dialects = Dialects::new([dialect]).expect("a set");
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is so.\\ud83d\"}}]}\n\n\
                  data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\udccc1; Yes.\"}}]}\n\n";
    let out = stripped(Format::OpenAiChat, Parser::with_dialects(dialects), stream);
    let texts = Client::of(Format::OpenAiChat, out.as_bytes()).texts;
    assert_eq!(texts["0"], "It is so. Yes.");
}

#[test]
fn what_is_held_at_an_end_is_removed_or_written_before_it() {
    let marker = [chat("It is so [1"), chat("]"), STOP.to_owned()].concat();
    let expected = [chat("It is so"), chat(""), STOP.to_owned()].concat();
    assert_eq!(stripped(Format::OpenAiChat, numeric(), &marker), expected);
    let text = [chat("It is so [1"), STOP.to_owned()].concat();
    let expected = [chat("It is so"), chat(" [1"), STOP.to_owned()].concat();
    assert_eq!(stripped(Format::OpenAiChat, numeric(), &text), expected);
}

/// A whole marker at the end of a text waits for nothing, however long the next text is.
#[test]
fn a_text_that_ends_in_a_marker_is_decided_at_its_end() {
    for marker in [
        " [7]",
        ".[7]",
        " [1][7]",
        " [[7]](https://a.example)",
        // What follows a marker at a word decides whether it is one.
        "[1, 7] ",
    ] {
        let text = responses_delta(0, "So it is. ")
            + &responses_delta(0, &format!("A zebra runs{marker}"));
        let stream = text + &responses_done(0) + &responses_delta(1, "It rains [1]. ");
        let (format, parser) = (
            Format::OpenAiResponses,
            crate::notation::parser(Notation::Markers),
        );
        let mut out = Vec::new();
        let mut gate = StreamGate::new(format, parser.clone(), no_inference());
        gate.push(stream.as_bytes(), Output(&mut out));
        let gated = String::from_utf8_lossy(&out);
        assert!(gated.contains("item.done"), "{marker}: {gated}");
        assert!(!gated.contains("zebra"), "{marker}: {gated}");
        let mut out = Vec::new();
        let mut rewriter = StreamRewriter::new(format, parser);
        rewriter.push(stream.as_bytes(), Output(&mut out));
        let rewritten = String::from_utf8_lossy(&out);
        assert!(rewritten.contains("item.done"), "{marker}: {rewritten}");
        let mut cited = 0;
        let mut reader = ResponseParser::new(
            Decoder::new(format),
            crate::notation::parser(Notation::Markers),
        );
        reader.push(stream.as_bytes(), |event: WireEvent<'_>| {
            cited += usize::from(matches!(event, WireEvent::Parsed(_, Event::Citation(_))));
        });
        assert_eq!(cited, 1, "{marker}");
    }
}

/// The beginning of a marker is waited for, but not without end; this policy releases what reaches the limit.
#[test]
fn a_text_before_too_many_events_is_withheld_for_its_markers() {
    for marker in [" [7] [", ".[7] [1", ". [1][7] [1", " [7] and [1"] {
        let text = responses_delta(0, &format!("So it is. A zebra runs{marker}"));
        let next = responses_delta(1, &"It rains. ".repeat(100)).repeat(100);
        let stream = text + &responses_done(0) + &next;
        let mut out = Vec::new();
        let parser = crate::notation::parser(Notation::Markers);
        let mut gate = StreamGate::new(Format::OpenAiResponses, parser, no_inference());
        gate.push(stream.as_bytes(), Output(&mut out));
        let gated = String::from_utf8_lossy(&out);
        assert!(gated.contains("item.done"), "{marker}: {gated}");
        assert!(!gated.contains("zebra"), "{marker}: {gated}");
    }
}

fn responses_delta(index: u64, text: &str) -> String {
    let event = json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": text});
    format!("data: {event}\n\n")
}

fn responses_done(index: u64) -> String {
    let item = json!({"type": "message", "role": "assistant", "content": []});
    let event = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    format!("data: {event}\n\n")
}

#[test]
fn a_text_block_of_markers_alone_is_removed() {
    let block = |index: u64, text: &str| {
        let start = json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
        let delta = json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
        let stop = json!({"type": "content_block_stop", "index": index});
        [start, delta, stop]
            .map(|event| format!("data: {event}\n\n"))
            .concat()
    };
    let end = "data: {\"type\":\"message_stop\"}\n\n";
    let stream = [
        &block(0, "It is so"),
        &block(1, " [1][2]"),
        &block(2, ". Yes."),
        end,
    ]
    .concat();
    let expected = [&block(0, "It is so"), &block(1, ". Yes."), end].concat();
    assert_eq!(stripped(Format::Anthropic, numeric(), &stream), expected);
}

#[test]
fn reasoning_is_stripped_only_if_it_is_rewritten() {
    let delta = |text: &str| {
        let event = json!({"choices": [{"index": 0, "delta": {"reasoning_content": text}}]});
        format!("data: {event}\n\n")
    };
    let stream = [delta("I read it [1"), delta("]. So."), chat("Yes [2].")].concat();
    for (mode, expected) in [
        (
            Reasoning::Leave,
            [delta("I read it [1"), delta("]. So."), chat("Yes.")],
        ),
        (
            Reasoning::Rewrite,
            [delta("I read it"), delta(". So."), chat("Yes.")],
        ),
    ] {
        let rewriter = StreamRewriter::new(Format::OpenAiChat, numeric()).with_reasoning(mode);
        let out = rewritten(rewriter, stream.as_bytes(), 0);
        assert_eq!(String::from_utf8_lossy(&out), expected.concat());
    }
}

#[test]
fn the_citations_of_each_channel_are_reported() {
    let choice = |index: u64, text: &str| {
        let event = json!({"choices": [{"index": index, "delta": {"content": text}}]});
        format!("data: {event}\n\n")
    };
    let stream = [
        choice(0, "Paris [1"),
        choice(1, "Rome [2"),
        choice(0, "] is big."),
        choice(1, "] is old."),
    ];
    let mut found = Vec::new();
    let mut parser = ResponseParser::new(Decoder::new(Format::OpenAiChat), numeric());
    let mut sink = |event: WireEvent<'_>| {
        if let WireEvent::Parsed(channel, Event::Citation(citation)) = event {
            found.push(format!("{channel}: {}", citation.text()));
        }
    };
    parser.push(stream.concat().as_bytes(), &mut sink);
    parser.finish(&mut sink);
    assert_eq!(found, ["0: Paris is big.", "1: Rome is old."]);
}

/// A rewriter that was used before reads the next response as a new one does.
#[test]
fn after_a_reset_no_marker_is_open() {
    let mut rewriter = StreamRewriter::new(Format::OpenAiChat, numeric());
    rewriter.push(chat("So it is [1").as_bytes(), ());
    rewriter.reset();
    let mut out = Vec::new();
    let stream = chat("] [2] So.") + STOP;
    rewriter.push(stream.as_bytes(), Output(&mut out));
    rewriter.finish(Output(&mut out));
    let expected = chat("] So.") + STOP;
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

#[cfg(feature = "futures")]
mod streams {
    use std::convert::Infallible;

    use futures_util::{StreamExt as _, stream};
    use provstream_providers::WireStream;

    use super::*;

    #[tokio::test]
    async fn a_stream_asks_its_handler_about_markers() {
        let chunks = ["Paris [", "1] is big."].map(|text| Ok::<_, Infallible>(chat(text)));
        let handler = Instead {
            out: Vec::new(),
            by: |_| Replacement::Keep,
            citations: Vec::new(),
        };
        let rewriter = StreamRewriter::new(Format::OpenAiChat, numeric());
        let stream = WireStream::new(stream::iter(chunks), rewriter, handler);
        let out: Vec<_> = stream.collect().await;
        let out: Vec<u8> = out
            .into_iter()
            .flat_map(|chunk| chunk.expect("bytes"))
            .collect();
        let texts = Client::of(Format::OpenAiChat, &out).texts;
        assert_eq!(texts["0"], "Paris [1] is big.");
    }
}

/// A handler gets the marker of the text and that of its copy.
#[test]
fn a_handler_is_asked_again_in_each_copy() {
    #[derive(Default)]
    struct Asked(Vec<(String, bool)>, bool);
    impl Handler for Asked {
        fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
            let raw = String::from_utf8_lossy(marker.raw()).into_owned();
            self.0.push((raw, self.1));
            Replacement::Remove
        }
    }
    impl StreamHandler for Asked {
        fn channel(&mut self, position: ChannelPosition) {
            self.1 = position.is_repeated;
        }
    }
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "So [1]."});
    let done = json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "So [1]."});
    let stream = [delta, done]
        .map(|event| format!("data: {event}\n\n"))
        .concat();
    let mut asked = Asked::default();
    let mut rewriter = StreamRewriter::new(Format::OpenAiResponses, numeric());
    rewriter.push(stream.as_bytes(), any(&mut asked));
    rewriter.finish(any(&mut asked));
    let marker = "[1]".to_owned();
    assert_eq!(asked.0, [(marker.clone(), false), (marker, true)]);
}

/// Returns a stream of Responses with markers after a gate that gets it in pieces of this size.
fn gated_responses(stream: &str, size: usize) -> String {
    let parser = crate::notation::parser(Notation::Markers);
    let mut gate = StreamGate::new(Format::OpenAiResponses, parser, no_inference());
    let mut out = Vec::new();
    for chunk in stream.as_bytes().chunks(size) {
        gate.push(chunk, Output(&mut out));
    }
    gate.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

/// A policy decides about a citation in another one, about the sentence of both, and about an assertion with annotations, which all
/// begin at one byte. A copy without markers has none of what was withheld.
#[test]
fn decisions_about_all_that_begins_at_one_byte_are_repeated_in_copies() {
    for (text, copy, released) in [
        (
            "(cite index=\"9-9\">A zebra.</cite> [1] So.",
            "A zebra. So.",
            " So.",
        ),
        (
            "<co: 9>A zebra</co: 9> runs [1]. So.",
            "A zebra runs. So.",
            " runs. So.",
        ),
        (
            "A zebra runs. [7] [substrate.grep] So.",
            "A zebra runs. So.",
            "So.",
        ),
        (
            "(cite index=\"0-1\"><cite index=\"9-9\">A zebra</cite> runs.</cite> So.",
            "A zebra runs. So.",
            " runs. So.",
        ),
    ] {
        let text = text.replace("(cite", "<cite");
        let place = json!({"output_index": 0, "content_index": 0});
        let event = |kind: &str, member: &str, text: &str| {
            let mut event = place.clone();
            event["type"] = kind.into();
            event[member] = text.into();
            format!("data: {event}\n\n")
        };
        let stream = event("response.output_text.delta", "delta", &text)
            + &event("response.output_text.done", "text", copy);
        for size in [1, 7, stream.len()] {
            let out = gated_responses(&stream, size);
            assert!(!out.contains("zebra"), "{text}: {out}");
            let client = Client::of(Format::OpenAiResponses, out.as_bytes());
            assert_eq!(
                client.texts["0/0"].trim_start(),
                released.trim_start(),
                "{text}: {out}"
            );
        }
    }
}

/// Text before a marker that waits for what comes after it is not decided: another source may follow. A copy under another number
/// waits with it.
#[test]
fn a_copy_waits_for_text_before_a_marker_that_waits() {
    let event = |kind: &str, index: u64, member: &str, text: &str| {
        let event = json!({"type": kind, "output_index": index, "content_index": 0, member: text});
        format!("data: {event}\n\n")
    };
    let (delta, done) = ("response.output_text.delta", "response.output_text.done");
    let stream = event(delta, 0, "delta", "Zebra [[1]](https://a.example/b)")
        + &event(done, 5, "text", "Zebra")
        + &event(delta, 0, "delta", "[7]. Then so.");
    for size in [1, 7, stream.len()] {
        let out = gated_responses(&stream, size);
        assert!(!out.contains("Zebra") && out.contains("Then"), "{out}");
    }
}

/// A citation's passage is in text that may still be part of a marker when its event comes: its offsets wait for the markers in it.
#[test]
fn offsets_into_text_that_is_held_back_wait_for_its_markers() {
    let event = |text: &str, more: &str| {
        let text = json!(text);
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":{text}}}],\"role\":\"model\"}}{more},\"index\":0}}]}}\n\n"
        )
    };
    let support = |finish: &str| {
        format!(
            ",{finish}\"groundingMetadata\":{{\"groundingSupports\":[{{\"segment\":{{\"startIndex\":22,\"endIndex\":26,\"text\":\"word\"}}}}]}}"
        )
    };
    // The first bracket may open a marker up to the end of the text, and there is a whole one in it.
    let start = event("【a<", "") + &event("cite index=\"0-1\">word", "");
    for end in [
        event(" so", &support("\"finishReason\":\"STOP\",")),
        event(" so", &support("")) + &event("\n", ",\"finishReason\":\"STOP\""),
    ] {
        let stream = format!("{start}{end}");
        let parser = parser(&["openai-file", "cite-tag"], Mode::Text);
        let rewriter = StreamRewriter::new(Format::Gemini, parser);
        let out = rewritten(rewriter, stream.as_bytes(), 1);
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(!out.contains("cite index"), "{out}");
        assert!(out.contains("\"startIndex\":4,\"endIndex\":8"), "{out}");
    }
}
