//! The limits of event streams below, at and above their bounds, again and again and however the stream is cut: every byte
//! is written, what is beyond a limit is told each time, and memory does not grow with the number of times.
use allocation_counter::measure;
use provstream::{Action, Parser};
use provstream_providers::{
    Decoder, Format, Item, MAX_CHANNELS, NoticeCode, SseDecoder, StreamRewriter,
};

use crate::shapes::gated;
use testkit::wire::output::Output;

/// Number of repetitions of the content near a limit in a stream.
const TIMES: usize = 24;

/// Longest event in bytes.
const MAX_EVENT: usize = 200;

/// Parts of a stream: its start, events of a length, the bytes between them, and its end.
struct Envelope {
    format: Format,
    start: &'static str,
    before: &'static str,
    after: &'static str,
    between: &'static str,
    end: &'static str,
}

/// One for each way in which events are put together.
const ENVELOPES: [Envelope; 3] = [
    Envelope {
        format: Format::OpenAiChat,
        start: "",
        before: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"",
        after: "\"}}]}\n\n",
        between: "",
        end: "data: [DONE]\n\n",
    },
    Envelope {
        format: Format::Ollama,
        start: "",
        before: "{\"response\":\"",
        after: "\",\"done\":false}\n",
        between: "",
        end: "{\"response\":\"\",\"done\":true}\n",
    },
    Envelope {
        format: Format::Gemini,
        start: "[",
        before: "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"",
        after: "\"}]}}]}",
        between: ",\n",
        end: "]\n",
    },
];

impl Envelope {
    /// An event of exactly so many bytes.
    fn event(&self, len: usize) -> String {
        let text = "x".repeat(len - self.before.len() - self.after.len());
        format!("{}{text}{}", self.before, self.after)
    }

    fn stream(&self, len: usize) -> String {
        let events = vec![self.event(len); TIMES].join(self.between);
        format!("{}{events}{}", self.start, self.end)
    }
}

/// The notices of a stream, and how many bytes of text it has.
fn read(decoder: &Decoder, stream: &str, size: usize) -> (Vec<NoticeCode>, usize) {
    let mut decoder = decoder.clone();
    let (mut notices, mut text) = (Vec::new(), 0);
    let mut take = |item: Item<'_>| match item {
        Item::Text(delta) => text += delta.text().len(),
        Item::Notice(notice) => notices.push(notice.code()),
        _ => {}
    };
    for chunk in stream.as_bytes().chunks(size) {
        decoder.push(chunk, &mut take);
    }
    decoder.finish(&mut take);
    (notices, text)
}

/// Output of a rewriter for a stream.
fn rewritten(rewriter: &StreamRewriter, stream: &str, size: usize) -> String {
    let mut rewriter = rewriter.clone();
    let mut out = Vec::new();
    for chunk in stream.as_bytes().chunks(size) {
        rewriter.push(chunk, Output(&mut out));
    }
    rewriter.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn events_longer_than_the_limit_are_told_and_no_byte_is_lost() {
    for envelope in ENVELOPES {
        let decoder = Decoder::new(envelope.format).with_max_event(MAX_EVENT);
        let rewriter =
            StreamRewriter::new(envelope.format, Parser::new()).with_max_event(MAX_EVENT);
        for (len, beyond) in [
            (MAX_EVENT - 1, false),
            (MAX_EVENT, false),
            (MAX_EVENT + 1, true),
            (3 * MAX_EVENT, true),
        ] {
            let stream = envelope.stream(len);
            let text = len - envelope.before.len() - envelope.after.len();
            let expected = match beyond {
                true => (vec![NoticeCode::OversizedEvent; TIMES], 0),
                false => (Vec::new(), TIMES * text),
            };
            for size in (1..=64).chain([199, 200, 201, stream.len()]) {
                let what = format!("{:?}, {len} bytes, chunks of {size}", envelope.format);
                assert_eq!(read(&decoder, &stream, size), expected, "{what}");
                assert_eq!(rewritten(&rewriter, &stream, size), stream, "{what}");
            }
        }
    }
}

/// An event of many short values would take many times its size in memory.
#[test]
fn events_with_too_many_values_are_reported_and_not_read() {
    const MOST: usize = 1 << 18;
    let event = |before: &str, values: usize, after: &str| {
        let list = vec!["1"; values].join(",");
        format!("data: {{\"choices\":[{{\"index\":0,{before}[{list}]{after}}}]}}\n\n")
    };
    let held = "data: {\"choices\":[{\"index\":0,\"text\":\"It rains. [sub\"}]}\n\n";
    let many = |values| {
        event(
            "\"text\":\"SECRET\",\"logprobs\":{\"text_offset\":",
            values,
            "}",
        )
    };
    let decoder = Decoder::new(Format::OpenAiChat);
    assert_eq!(read(&decoder, &many(MOST - 9), usize::MAX), (Vec::new(), 6));
    let stream = format!("{held}{}", many(MOST));
    let (notices, _) = read(&decoder, &stream, usize::MAX);
    assert_eq!(notices, [NoticeCode::OversizedEvent]);
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let out = rewritten(&rewriter, &stream, usize::MAX);
    let (before, _) = out.split_once("SECRET").expect("the event");
    assert!(before.contains("[sub"), "{before}");
    assert!(out.ends_with(&many(MOST)));
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Discard, &stream);
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
}

#[test]
fn memory_is_the_same_after_any_number_of_events() {
    for envelope in ENVELOPES {
        for len in [MAX_EVENT - 1, MAX_EVENT, MAX_EVENT + 1, 3 * MAX_EVENT] {
            let event = format!("{}{}", envelope.event(len), envelope.between);
            for size in [1, 7, 64, event.len()] {
                let mut rewriter =
                    StreamRewriter::new(envelope.format, Parser::new()).with_max_event(MAX_EVENT);
                rewriter.push(envelope.start.as_bytes(), ());
                let mut feed = |times: usize| {
                    for _ in 0..times {
                        for chunk in event.as_bytes().chunks(size) {
                            rewriter.push(chunk, ());
                        }
                    }
                };
                // The window of the channel's parser fills up to its bound first.
                feed(300);
                let more = measure(|| feed(100));
                assert_eq!(
                    more.bytes_current, 0,
                    "{:?}, {len} bytes, chunks of {size}",
                    envelope.format
                );
            }
        }
    }
}

/// However short the lines of an event are, it takes twice its bytes at the most: the bytes, with the data in them or with what is
/// written.
#[test]
fn an_event_of_many_lines_takes_at_most_twice_its_bytes() {
    const LEN: usize = 1_500_000;
    let json = "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rains.\"}}]}";
    for (name, line, last) in [
        ("no data", "data:\n", ""),
        ("no colon", "data\n", ""),
        ("with CR", "data:\r", ""),
        ("with CR LF", "data:\r\n", ""),
        ("a space", "data: \n", ""),
        ("a letter", "data:x\n", ""),
        (
            "many letters",
            "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
            "",
        ),
        ("comments", "data:\n:\n", ""),
        ("other fields", "id:\ndata\n", ""),
        ("JSON after blank lines", "data:\n", json),
        ("JSON after white space", "data:   \n", json),
    ] {
        let lines = line.repeat(LEN / line.len());
        let event = match last {
            "" => format!("{lines}\n"),
            last => format!("{lines}data:{last}\n\n"),
        };
        let most = 2 * event.len() as u64 + (1 << 20);
        for size in [4_096, 1 << 16] {
            let mut decoder = SseDecoder::new();
            let decoded = measure(|| {
                for chunk in event.as_bytes().chunks(size) {
                    decoder.push(chunk, |_| {});
                }
            });
            assert!(decoded.bytes_max <= most, "{name}: {decoded:?}");
            let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
            // With a caller that keeps what is written.
            let mut written = Vec::new();
            let rewritten = measure(|| {
                for chunk in event.as_bytes().chunks(size) {
                    rewriter.push(chunk, Output(&mut written));
                }
                rewriter.finish(Output(&mut written));
            });
            assert!(written.len() + 100 > event.len(), "{name}");
            assert!(rewritten.bytes_max <= most, "{name}: {rewritten:?}");
        }
    }
}

#[test]
fn whitespace_before_the_first_event_is_kept_up_to_the_length_of_an_event() {
    let event = ENVELOPES[1].event(100);
    for (blanks, told) in [
        (MAX_EVENT - 1, true),
        (MAX_EVENT, true),
        // Then it is taken for server-sent events, of which this is none.
        (MAX_EVENT + 1, false),
        (100 * MAX_EVENT, false),
    ] {
        let stream = format!("{}{event}", " ".repeat(blanks));
        let decoder = Decoder::new(Format::Ollama).with_max_event(MAX_EVENT);
        let rewriter = StreamRewriter::new(Format::Ollama, Parser::new()).with_max_event(MAX_EVENT);
        for size in (1..=64).chain([stream.len()]) {
            let text = read(&decoder, &stream, size).1;
            assert_eq!(text > 0, told, "{blanks} blanks, chunks of {size}");
            assert_eq!(rewritten(&rewriter, &stream, size), stream);
        }
    }
}

#[test]
fn channels_beyond_the_limit_are_told_and_no_byte_is_lost() {
    // Numbers that do not count deltas.
    let delta = |index: usize| {
        let index = 2 * index;
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"role\":\"assistant\",\"content\":\"x\"}}}}]}}\n\n"
        )
    };
    for count in [MAX_CHANNELS - 1, MAX_CHANNELS, MAX_CHANNELS + 1] {
        // Each beyond it is told whenever it comes.
        let stream = (0..count).map(delta).collect::<String>().repeat(3);
        let beyond = count.saturating_sub(MAX_CHANNELS);
        let decoder = Decoder::new(Format::OpenAiChat);
        let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        for size in [1, 7, 64, 1_000, stream.len()] {
            let (notices, text) = read(&decoder, &stream, size);
            assert_eq!(notices, vec![NoticeCode::LimitChannels; 3 * beyond]);
            assert_eq!(text, 3 * (count - beyond), "{count}, chunks of {size}");
            assert_eq!(rewritten(&rewriter, &stream, size), stream);
        }
    }
}

/// So long that events have about 350 bytes.
const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// An event of chat completions with this content of a JSON string.
fn delta(text: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-{ID}\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"logprobs\":null,\"finish_reason\":null}}]}}\n\n"
    )
}

#[test]
fn an_event_allocates_nothing_in_the_steady_state() {
    let texts = [
        "It is",
        " so. ",
        "[subst",
        "rate.grep",
        "]",
        "\\n",
        " Gr\\u00fc\\u00dfe ",
        "[1]. ",
    ];
    let events: String = texts.map(delta).concat();
    for size in [64, 350, events.len()] {
        let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        let mut decoder = Decoder::new(Format::OpenAiChat);
        let mut feed = |times: usize| {
            for _ in 0..times {
                for chunk in events.as_bytes().chunks(size) {
                    rewriter.push(chunk, ());
                    decoder.push(chunk, |_| {});
                }
            }
        };
        feed(400);
        // Where annotations were is kept for offsets into the text, at first in more and more memory.
        let growing = measure(|| feed(600));
        assert!(growing.count_total <= 6, "{growing:?}, chunks of {size}");
        feed(5_000);
        let more = measure(|| feed(100));
        assert_eq!(
            (more.count_total, more.bytes_current),
            (0, 0),
            "chunks of {size}"
        );
    }
}

#[test]
fn memory_that_a_long_event_needed_is_given_back() {
    for envelope in ENVELOPES {
        let (short, long) = (envelope.event(150), envelope.event(1 << 20));
        let events = [&*short, &*long, &*short].map(|event| format!("{event}{}", envelope.between));
        let events = events.concat();
        for size in [64, 4_096, events.len()] {
            let taken = measure(|| {
                let mut rewriter = StreamRewriter::new(envelope.format, Parser::new());
                let mut decoder = Decoder::new(envelope.format);
                rewriter.push(envelope.start.as_bytes(), ());
                decoder.push(envelope.start.as_bytes(), |_| {});
                for chunk in events.as_bytes().chunks(size) {
                    rewriter.push(chunk, ());
                    decoder.push(chunk, |_| {});
                }
                std::mem::forget((rewriter, decoder));
            });
            let taken = taken.bytes_current;
            assert!(
                taken <= 64 << 10,
                "{:?}, chunks of {size}: {taken}",
                envelope.format
            );
        }
    }
}

/// Events of chat completions with 16 KiB of text, 64 bytes each, and an annotation after so many bytes each time.
fn answer(gap: usize) -> String {
    let words = "it is so and stays a passage of usual length ".repeat(3);
    let sentence = format!("It is so, {words}as far as we know. ");
    let mut text = String::new();
    let mut due = gap;
    while text.len() < 16 << 10 {
        text += &sentence;
        if text.len() >= due {
            text += "[substrate.grep] ";
            due = text.len() + gap;
        }
    }
    let deltas = text.as_bytes().chunks(64);
    let deltas = deltas.map(|text| delta(str::from_utf8(text).expect("ASCII")));
    deltas.collect()
}

#[test]
fn a_rewriter_takes_little_memory_at_rest_and_fed() {
    let new = || StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let feed = |rewriter: &mut StreamRewriter, events: &str, size: usize| {
        let mut written = 0;
        for chunk in events.as_bytes().chunks(size) {
            rewriter.push(chunk, |bytes: &[u8]| written += bytes.len());
        }
        assert!(written < events.len(), "no annotation was removed");
    };
    // What all rewriters share is made with the first one.
    feed(&mut new(), &answer(200), 350);
    for (gap, size) in [200, 2_000]
        .into_iter()
        .flat_map(|gap| [64, 350, 1_400, 1 << 16].map(|size| (gap, size)))
    {
        let (mut rewriter, events) = (None, answer(gap));
        let fresh = measure(|| rewriter = Some(new())).bytes_current;
        let rest = size_of::<StreamRewriter>() as i64 + fresh;
        let mut rewriter = rewriter.expect("a rewriter");
        let fed = rest + measure(|| feed(&mut rewriter, &events, size)).bytes_current;
        assert!(rest <= 1_536, "{rest} bytes at rest");
        assert!(
            fed <= 8 << 10,
            "{fed} bytes fed, an annotation every {gap}, chunks of {size}"
        );
    }
}

/// While a block's beginning is held back, so is what comes after it, but not without end.
#[test]
fn what_is_held_back_behind_a_block_is_bounded() {
    let block = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let text = r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"[substrate.grep"}}"#;
    for between in [": still here\n\n", "data: {\"type\":\"ping\"}\n\n"] {
        let mut rewriter = StreamRewriter::new(Format::Anthropic, Parser::new());
        let (mut pushed, mut written, mut most) = (0, 0, 0);
        let start = format!("{block}\n\n{text}\n\n");
        let pieces = std::iter::once(start.as_str()).chain(std::iter::repeat_n(between, 20_000));
        for piece in pieces {
            pushed += piece.len();
            rewriter.push(piece.as_bytes(), |bytes: &[u8]| written += bytes.len());
            most = most.max(pushed - written);
        }
        assert!(most > 1 << 15, "{between:?}: nothing was held back");
        assert!(most < 1 << 17, "{between:?}: {most} bytes were held back");
    }
}
