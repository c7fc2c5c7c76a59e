//! Streams of every provider: the text of each channel, what is beside it, and the annotations in it.

use std::collections::BTreeMap;

use provstream::{Event, Parser};
use provstream_providers::{
    Channel, ChannelError, Decoder, Format, Item, MAX_CHANNELS, NoticeCode, Reasoning,
    ResponseParser, StreamGate, StreamRewriter, WireEvent,
};
use testkit::gate::policies::{Stated, release_all};
use testkit::wire::fixtures::{Fixture, Read, SIZES, all, own, shared};
use testkit::wire::output::Output;

#[test]
fn the_text_of_every_channel_is_that_beside_the_stream_at_every_chunk_size() {
    for fixture in all() {
        for decoder in [Decoder::new(fixture.format), Decoder::detect()] {
            for size in SIZES {
                let read = Read::of(decoder.clone(), &fixture.bytes, size);
                assert_eq!(read.texts, fixture.texts, "{} by {size}", fixture.name);
            }
        }
    }
}

#[test]
fn everything_else_is_the_same_at_every_chunk_size() {
    for fixture in own() {
        let whole = Read::of(Decoder::detect(), &fixture.bytes, usize::MAX);
        for size in 1..=80 {
            let read = Read::of(Decoder::detect(), &fixture.bytes, size);
            assert_eq!(read, whole, "{} by {size}", fixture.name);
        }
    }
}

#[test]
fn auto_recognises_the_format_from_the_first_event() {
    for fixture in all() {
        let mut decoder = Decoder::detect();
        for byte in &fixture.bytes {
            let mut told = false;
            let mut sink = |item: Item<'_>| told |= !matches!(item, Item::Notice(_));
            decoder.push(&[*byte], &mut sink);
            if told {
                break;
            }
        }
        assert_eq!(decoder.format(), Some(fixture.format), "{}", fixture.name);
    }
}

/// The events of each channel, text aside.
type Parsed = BTreeMap<Channel, Vec<provstream::OwnedEvent>>;

fn parsed(fixture: &Fixture, size: usize) -> Parsed {
    let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
    parsed_by(&mut parsers, fixture, size)
}

/// Returns the events that these parsers, which are at the start of a response, report.
fn parsed_by(parsers: &mut ResponseParser, fixture: &Fixture, size: usize) -> Parsed {
    let mut parsed = Parsed::new();
    let mut sink = |event: WireEvent<'_>| match event {
        WireEvent::Parsed(_, Event::Text(_)) => {}
        WireEvent::Parsed(channel, event) => {
            parsed.entry(channel).or_default().push(event.into_owned());
        }
        WireEvent::Item(item) => assert!(!matches!(item, Item::Text(_))),
        other => panic!("{other:?}"),
    };
    for chunk in fixture.bytes.chunks(size) {
        parsers.push(chunk, &mut sink);
    }
    parsers.finish(&mut sink);
    parsed
}

/// Whatever was read before, and however far, of whichever provider.
#[test]
fn after_a_reset_the_next_response_is_read_as_by_new_parsers() {
    let fixtures = all();
    let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
    for (before, fixture) in fixtures.iter().zip(fixtures.iter().skip(1)) {
        for part in [before.bytes.len(), before.bytes.len() / 2] {
            parsers.push(&before.bytes[..part], |_| {});
            parsers.reset();
            assert_eq!(parsers.channels().count(), 0, "{}", before.name);
            assert_eq!(parsers.decoder().format(), None, "{}", before.name);
            let found = parsed_by(&mut parsers, fixture, 64);
            assert_eq!(found, parsed(fixture, 64), "{}", fixture.name);
            assert_eq!(parsers.decoder().format(), Some(fixture.format));
            let channels = parsers.channels().map(|(channel, _)| channel);
            assert!(
                channels.eq(fixture.texts.keys().copied()),
                "{}",
                fixture.name
            );
            parsers.reset();
        }
    }
}

/// After a reset, a rewriter and a gate write the next response as new ones do.
#[test]
fn after_a_reset_the_next_response_is_written_as_by_new_ones() {
    let rewriter = || StreamRewriter::detect(Parser::new()).with_reasoning(Reasoning::Rewrite);
    let gate =
        || StreamGate::detect(Parser::new(), release_all()).with_reasoning(Reasoning::Rewrite);
    let stripped = |rewriter: &mut StreamRewriter, bytes: &[u8]| {
        let mut out = Vec::new();
        rewriter.push(bytes, Output(&mut out));
        rewriter.finish(Output(&mut out));
        (out, rewriter.report().clone())
    };
    let gated = |gate: &mut StreamGate<Stated>, bytes: &[u8]| {
        let mut out = Vec::new();
        gate.push(bytes, Output(&mut out));
        gate.finish(Output(&mut out));
        (out, gate.report().clone())
    };
    let fixtures = all();
    let (mut used_rewriter, mut used_gate) = (rewriter(), gate());
    for (number, before) in fixtures.iter().enumerate() {
        // One of the same format, and one of another.
        let mut same = fixtures
            .iter()
            .filter(|other| other.format == before.format);
        let next = same.next_back().into_iter().chain(fixtures.get(number + 1));
        for (after, part) in next.flat_map(|after| [3, 8].map(|part| (after, part))) {
            let upto = before.bytes.len() * part / 10;
            let label = format!("{} to {upto}, {}", before.name, after.name);
            used_rewriter.push(&before.bytes[..upto], ());
            used_rewriter.reset();
            let found = stripped(&mut used_rewriter, &after.bytes);
            assert_eq!(found, stripped(&mut rewriter(), &after.bytes), "{label}");
            used_rewriter.reset();
            used_gate.push(&before.bytes[..upto], ());
            used_gate.reset();
            assert_eq!(used_gate.held_len(), 0, "{label}");
            let found = gated(&mut used_gate, &after.bytes);
            assert_eq!(found, gated(&mut gate(), &after.bytes), "{label}");
            used_gate.reset();
        }
    }
}

/// The annotations in brackets that a channel's text has.
fn count(parsed: &Parsed) -> usize {
    let events = parsed.values().flatten();
    events
        .filter(|event| matches!(event, Event::Annotation(_)))
        .count()
}

/// Returns the positions in the text of each channel at which other content interrupts it.
fn breaks(fixture: &Fixture) -> BTreeMap<Channel, Vec<usize>> {
    let (mut read, mut breaks) = (BTreeMap::new(), BTreeMap::new());
    let mut decoder = Decoder::detect();
    let mut sink = |item: Item<'_>| match item {
        Item::Text(delta) => *read.entry(delta.channel()).or_insert(0) += delta.text().len(),
        Item::Break(channel) => {
            let at: &mut Vec<usize> = breaks.entry(channel).or_default();
            at.push(read[&channel]);
        }
        _ => {}
    };
    decoder.push(&fixture.bytes, &mut sink);
    decoder.finish(&mut sink);
    breaks
}

#[test]
fn the_annotations_are_those_of_the_text_whatever_deltas_they_were_cut_into() {
    for fixture in all() {
        let mut expected = Parsed::new();
        for (channel, text) in &fixture.texts {
            let mut parser = Parser::new();
            let mut sink = |event: Event<'_>| {
                if !matches!(event, Event::Text(_)) {
                    expected
                        .entry(*channel)
                        .or_default()
                        .push(event.into_owned());
                }
            };
            let mut at = 0;
            for to in breaks(&fixture).remove(channel).unwrap_or_default() {
                parser.push(&text.as_bytes()[at..to], &mut sink);
                parser.finish(&mut sink);
                at = to;
            }
            parser.push(&text.as_bytes()[at..], &mut sink);
            parser.finish(&mut sink);
        }
        for size in [1, 7, 64, fixture.bytes.len()] {
            assert_eq!(
                parsed(&fixture, size),
                expected,
                "{} by {size}",
                fixture.name
            );
        }
    }
}

#[test]
fn the_streams_have_as_many_annotations_as_were_put_in() {
    let own_counts = [
        ("anthropic.annotated.sse", 3),
        ("anthropic.error.sse", 1),
        ("anthropic.plain.sse", 0),
        ("bedrock-converse.annotated.sse", 3),
        ("bedrock-converse.plain.sse", 0),
        ("cohere.annotated.sse", 2),
        ("cohere.plain.sse", 0),
        ("gemini-interactions.annotated.sse", 3),
        ("gemini-interactions.plain.sse", 0),
        ("gemini.annotated.sse", 2),
        ("gemini.array.json", 2),
        ("gemini.plain.sse", 0),
        ("llama-cpp.annotated.sse", 3),
        ("llama-cpp.plain.sse", 0),
        ("mistral-conversations.annotated.sse", 3),
        ("mistral-conversations.plain.sse", 0),
        ("ollama.annotated.ndjson", 2),
        ("ollama.error.ndjson", 1),
        ("ollama.generate.ndjson", 1),
        ("ollama.plain.ndjson", 0),
        ("openai-chat.annotated.sse", 5),
        ("openai-chat.error.sse", 1),
        ("openai-chat.plain.sse", 0),
        ("openai-chat.tools.sse", 1),
        ("openai-chat.vllm.annotated.sse", 3),
        ("openai-chat.vllm.plain.sse", 0),
        ("openai-responses.annotated.sse", 3),
        ("openai-responses.failed.sse", 1),
        ("openai-responses.plain.sse", 0),
        ("tgi.annotated.sse", 3),
        ("tgi.plain.sse", 0),
        ("vercel-ui.annotated.sse", 3),
        ("vercel-ui.plain.sse", 0),
    ];
    let counts: Vec<_> = own()
        .iter()
        .map(|fixture| (fixture.name.clone(), count(&parsed(fixture, 7))))
        .collect();
    assert_eq!(
        counts,
        own_counts.map(|(name, count)| (name.to_owned(), count))
    );
    let shared_counts = [
        ("anthropic.annotated.sse", 2),
        ("cohere.annotated.sse", 2),
        ("gemini.annotated.sse", 2),
        ("ollama.annotated.ndjson", 21),
        ("openai-chat.annotated.sse", 11),
        ("openai-chat.deepseek.annotated.sse", 2),
        ("openai-chat.llamacpp.annotated.sse", 2),
        ("openai-chat.openrouter.annotated.sse", 3),
        ("openai-responses.annotated.sse", 4),
    ];
    for fixture in shared() {
        if let Some((_, expected)) = shared_counts.iter().find(|(name, _)| *name == fixture.name) {
            assert_eq!(count(&parsed(&fixture, 7)), *expected, "{}", fixture.name);
        }
    }
}

/// The own stream of this name, read.
fn read(name: &str) -> Read {
    let own = own();
    let fixture = own.iter().find(|fixture| fixture.name == name).expect(name);
    Read::of(Decoder::new(fixture.format), &fixture.bytes, 16)
}

fn texts<const N: usize>(texts: [(&str, &str); N]) -> BTreeMap<Channel, String> {
    let channel = |name: &str| name.parse().expect("a channel");
    texts
        .into_iter()
        .map(|(name, text)| (channel(name), text.to_owned()))
        .collect()
}

#[test]
fn reasoning_and_tool_calls_are_kept_apart_from_text() {
    let chat = read("openai-chat.tools.sse");
    assert_eq!(
        chat.reasoning,
        texts([("0", "The user wants [substrate.grep] to run.")])
    );
    assert_eq!(
        chat.tool_calls,
        texts([("0/0", r#"{"q":"[substrate.grep]"}"#), ("0/1", "{}")])
    );
    let responses = read("openai-responses.annotated.sse");
    assert_eq!(
        responses.reasoning,
        texts([("0/0", "**Looking** [substrate.grep] it up")])
    );
    assert_eq!(responses.tool_calls, texts([("2", r#"{"q":1}"#)]));
    let anthropic = read("anthropic.annotated.sse");
    assert_eq!(
        anthropic.reasoning,
        texts([("0", "I ran [substrate.grep]")])
    );
    assert_eq!(
        anthropic.tool_calls,
        texts([("2", r#"{"q": "[substrate.grep]"}"#)])
    );
    let gemini = read("gemini.plain.sse");
    assert_eq!(
        gemini.reasoning,
        texts([("0", "**Planning** [substrate.grep]\n\n")])
    );
    assert_eq!(
        read("gemini.annotated.sse").tool_calls,
        texts([("0", r#"{"q":"[substrate.grep]"}"#)])
    );
    assert_eq!(
        read("ollama.plain.ndjson").reasoning,
        texts([("0", "Hm. [substrate.grep]")])
    );
    assert_eq!(
        read("ollama.annotated.ndjson").tool_calls,
        texts([("0", r#"{"q":"[substrate.grep]"}"#)])
    );
    let cohere = read("cohere.annotated.sse");
    assert_eq!(
        cohere.reasoning,
        texts([("0", "I will look [substrate.grep].Hm. [substrate.grep]")])
    );
    assert_eq!(
        cohere.tool_calls,
        texts([("0", r#"{"q":"[substrate.grep]"}"#)])
    );
}

#[test]
fn channels_end_once_and_before_the_end_of_the_stream() {
    assert_eq!(
        read("openai-chat.annotated.sse").rest,
        ["end 0", "end 1", "end"]
    );
    assert_eq!(
        read("openai-responses.annotated.sse").rest,
        ["end 1/0", "end 1/1", "end"]
    );
    assert_eq!(
        read("anthropic.annotated.sse").rest,
        ["break 1", "end 1", "end"]
    );
    assert_eq!(read("gemini.plain.sse").rest, ["end 0", "end 1"]);
    assert_eq!(read("gemini.array.json").rest, ["break 0", "end 0"]);
    // A client reads on after `done`.
    assert_eq!(read("ollama.plain.ndjson").rest, ["end", "end 0"]);
    assert_eq!(read("cohere.plain.sse").rest, ["end 0", "end"]);
}

#[test]
fn a_providers_error_in_mid_stream_is_told_behind_the_ends_of_the_channels() {
    let errors = [
        (
            "openai-chat.error.sse",
            "error The server had an error while processing your request",
        ),
        ("anthropic.error.sse", "error Overloaded"),
        (
            "ollama.error.ndjson",
            "error model runner has unexpectedly stopped",
        ),
    ];
    for (name, error) in errors {
        assert_eq!(read(name).rest, ["end 0", error], "{name}");
    }
    let failed = ["end 0/0", "error The model failed", "end"];
    let mut rest = read("openai-responses.failed.sse").rest;
    rest.dedup();
    assert_eq!(rest, failed);
}

/// Decodes a stream of one format.
fn decode(format: Format, stream: &str) -> Read {
    let whole = Read::of(Decoder::new(format), stream.as_bytes(), usize::MAX);
    for size in [1, 3, 16] {
        assert_eq!(
            Read::of(Decoder::new(format), stream.as_bytes(), size),
            whole
        );
    }
    whole
}

fn chat(content: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

#[test]
fn a_surrogate_pair_is_joined_over_two_deltas_of_a_channel() {
    let stream = [
        chat(r"a\uD83D"),
        chat(""),
        chat(r"\uDE00b\ud83d"),
        chat("c"),
        chat(r"\ud83d"),
    ];
    assert_eq!(
        decode(Format::OpenAiChat, &stream.concat()).texts,
        texts([("0", "a😀b\u{FFFD}c\u{FFFD}")])
    );
    let other = |channel: u32, half: &str| {
        format!(
            "{{\"candidates\":[{{\"index\":{channel},\"content\":{{\"parts\":[{{\"text\":\"{half}\"}}]}}}}]}}\n"
        )
    };
    let stream = [
        other(0, r"\ud83d"),
        other(1, r"\ud83d"),
        other(0, r"\ude00"),
        other(1, r"\ude01"),
    ];
    assert_eq!(
        decode(Format::Gemini, &stream.concat()).texts,
        texts([("0", "😀"), ("1", "😁")])
    );
}

#[test]
fn odd_events_are_told_and_passed_by() {
    let long = chat(&"x".repeat(400));
    let stream = [
        &chat("a"),
        "data: {\"choices\":[\n\n",
        &long,
        "data: ping\n\n",
        &chat("b"),
        "data: {\"choices\":[{\"index\":-1,\"delta\":{\"content\":\"x\"}}]}\n\n",
        "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"c\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":[1,{}]}},7,null]}\n\n",
        "data: [1]\n\n",
        "data: {\"choi",
    ]
    .concat();
    for size in SIZES {
        let decoder = Decoder::new(Format::OpenAiChat).with_max_event(200);
        let read = Read::of(decoder, stream.as_bytes(), size);
        assert_eq!(read.texts, texts([("0", "abxc")]));
        let start = chat("a").len();
        let at = |code: NoticeCode, text: &str| {
            let start = stream.find(text).expect("an event");
            let end = stream[start..]
                .find("\n\n")
                .map_or(stream.len(), |end| start + end + 2);
            format!("{code} at {start}..{end}")
        };
        let expected = [
            format!("{} at {start}..{}", NoticeCode::MalformedEvent, start + 20),
            "end 0".into(),
            at(NoticeCode::OversizedEvent, &long),
            at(NoticeCode::MalformedEvent, "data: ping"),
            at(
                NoticeCode::AmbiguousEvent,
                "data: {\"choices\":[{\"index\":-1",
            ),
            at(
                NoticeCode::UnreadText,
                "data: {\"choices\":[{\"delta\":{\"content\":[1",
            ),
            format!(
                "{} at {}..{}",
                NoticeCode::UnterminatedEvent,
                stream.len() - 12,
                stream.len()
            ),
            "end 0".into(),
        ];
        assert_eq!(read.rest, expected, "by {size}");
    }
}

#[test]
fn channels_beyond_the_limit_are_passed_by() {
    // Numbers that do not count deltas.
    let delta = |index: usize| {
        let index = 2 * index;
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"role\":\"assistant\",\"content\":\"x\"}}}}]}}\n\n"
        )
    };
    let stream: String = (0..MAX_CHANNELS + 2).chain([0]).map(delta).collect();
    let read = decode(Format::OpenAiChat, &stream);
    assert_eq!(read.texts.len(), MAX_CHANNELS);
    assert_eq!(read.texts[&Channel::new(0)], "xx");
    let notices = read
        .rest
        .iter()
        .filter(|rest| rest.starts_with("limit-channels"))
        .count();
    assert_eq!(notices, 2);
}

#[test]
fn deep_and_broken_json_is_no_trouble() {
    let deep = format!("data: {}\n\n", "[".repeat(100_000));
    assert_eq!(decode(Format::OpenAiChat, &deep).rest.len(), 1);
    let nested = format!(
        "data: {{\"x\":{}1{},\"choices\":[{{\"delta\":{{\"content\":\"ok\"}}}}]}}\n\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let read = Read::of(Decoder::detect(), nested.as_bytes(), 4096);
    assert_eq!(read.texts, texts([("0", "ok")]));
}

#[test]
fn names_of_formats_and_channels_are_read_back() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "openai".parse::<Format>().expect_err("no format");
    assert_eq!(
        error.to_string(),
        "unknown wire format \"openai\", expected one of \"openai-chat\", \"openai-responses\", \"anthropic\", \"gemini\", \
         \"ollama\", \"cohere\", \"gemini-interactions\", \"mistral-conversations\", \"llama-cpp\", \
         \"tgi\", \"bedrock-converse\", \"vercel-ui\""
    );
    for channel in [
        Channel::new(0),
        Channel::new(u32::MAX),
        Channel::with_part(1, 2),
    ] {
        assert_eq!(channel.to_string().parse(), Ok(channel));
    }
    for wrong in ["", "/", "0/", "/0", "+1", "-1", "4294967296", "0/0/0", " 0"] {
        assert_eq!(
            wrong.parse::<Channel>(),
            Err::<Channel, ChannelError>("x".parse::<Channel>().expect_err("no")),
            "{wrong}"
        );
    }
}
