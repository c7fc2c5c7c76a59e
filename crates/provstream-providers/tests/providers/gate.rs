//! A client of a gated response reads the text that a gate writes for each of its texts.

use std::sync::atomic::{AtomicBool, Ordering};

use provstream::{Action, Handler, Parser};
use provstream_providers::{Format, GateEvent, NoticeCode, ReadReport, StreamGate, StreamHandler};
use testkit::gate::naive::Drawn;
use testkit::gate::policies::{Stated, nothing, without};
use testkit::wire::gated::Expected;
use testkit::wire::generate::{Random, stream};
use testkit::wire::output::{Output, any};

/// Streams of each format: 150, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(150)
}

fn pushed(gate: &mut StreamGate<Drawn>, stream: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let len = [1, 3, 17, 90, 400, 5_000][random.below(6)].min(rest.len());
        let (chunk, later) = rest.split_at(len);
        gate.push(chunk, Output(&mut out));
        rest = later;
    }
    gate.finish(Output(&mut out));
    out
}

#[test]
fn a_client_reads_what_a_gate_writes_of_each_text() {
    let (mut changed, mut lacking) = (0, 0);
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = stream(format, seed);
            let policy = Drawn(seed);
            let mut random = Random::new(seed + 1);
            let expected = Expected::of(format, &stream, policy);
            changed += expected.changed;
            let mut gate = match seed % 2 {
                0 => StreamGate::new(format, Parser::new(), policy),
                _ => StreamGate::detect(Parser::new(), policy),
            };
            println!(
                "{format}, seed {seed}: {}",
                String::from_utf8_lossy(&stream)
            );
            let is_exact = expected.check(&pushed(&mut gate, &stream, &mut random));
            lacking += u64::from(!is_exact);
        }
    }
    assert!(changed > 500, "{changed}");
    println!("{lacking} texts lack more than what must be withheld");
    assert!(lacking <= seeds() / 1_000, "{lacking}");
}

#[derive(Default)]
struct Events {
    body: String,
    decided: Vec<String>,
    removed: String,
}

impl Handler for Events {}

impl StreamHandler for Events {
    fn bytes(&mut self, bytes: &[u8]) {
        self.body
            .push_str(std::str::from_utf8(bytes).expect("UTF-8"));
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        match event {
            GateEvent::Decided(question, action) => self.decided.push(format!(
                "{} {:?} {action:?}",
                question.channel(),
                question.assertion().text()
            )),
            GateEvent::Removed(text) => {
                self.removed
                    .push_str(std::str::from_utf8(text.bytes()).expect("UTF-8"));
            }
            _ => {}
        }
    }
}

/// Withholds what is asked about first, and releases everything after that, whichever clone is asked.
fn once() -> Stated {
    let was_asked = AtomicBool::new(false);
    Stated::new(move |_| match was_asked.swap(true, Ordering::Relaxed) {
        false => Action::Discard,
        true => Action::Release,
    })
}

#[test]
fn places_that_repeat_a_text_repeat_the_decisions() {
    for text in ["One. [substrate.grep] Two.", "One. [substrate.grep]"] {
        let place = r#""output_index":0,"content_index":0,"#;
        let stream = format!(
            "data: {{\"type\":\"response.output_text.delta\",{place}\"delta\":\"{text}\"}}\n\n\
             data: {{\"type\":\"response.output_text.done\",{place}\"text\":\"{text}\"}}\n\n"
        );
        let mut events = Events::default();
        let mut gate = StreamGate::new(Format::OpenAiResponses, Parser::new(), once());
        gate.push(stream.as_bytes(), any(&mut events));
        gate.finish(any(&mut events));
        assert!(!events.body.contains("One"), "{}", events.body);
        assert_eq!(
            events.body.matches("Two.").count(),
            text.matches("Two.").count() * 2
        );
        assert_eq!(events.decided, ["0/0 \"One.\" Discard"]);
        // The white space after it is left out, too.
        let removed = text.replace(" [substrate.grep]", "").replace("Two.", "");
        assert_eq!(events.removed, removed);
    }
}

#[test]
fn a_body_that_is_not_streamed_has_only_what_is_released() {
    let body = r#"{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"One. [substrate.grep] Two."},"finish_reason":"stop"}]}"#;
    let mut events = Events::default();
    let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), once());
    for byte in body.as_bytes().chunks(1) {
        gate.push(byte, any(&mut events));
    }
    gate.finish(any(&mut events));
    assert_eq!(events.body, body.replace("One. [substrate.grep] ", ""));
    assert_eq!(events.decided, ["0 \"One.\" Discard"]);
}

fn body(mut gate: StreamGate<Stated>, stream: &[u8]) -> String {
    let mut events = Events::default();
    for chunk in stream.chunks(7) {
        gate.push(chunk, any(&mut events));
    }
    gate.finish(any(&mut events));
    events.body
}

#[test]
fn what_cannot_be_read_is_withheld() {
    let delta = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}}}}]}}\n\n")
    };
    let chat = || StreamGate::new(Format::OpenAiChat, Parser::new(), once());
    let long = delta(&format!("\"{}\"", "secret ".repeat(100)));
    for (gate, stream) in [
        // Not JSON.
        (chat(), delta("\"secret\",")),
        // No string.
        (chat(), delta("{\"a\":\"secret\"}")),
        // No string, next to a text whose number is odd.
        (
            chat(),
            format!(
                "{}data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{{\"a\":\"secret\"}}}}}},\
                 {{\"index\":1,\"delta\":{{\"content\":\"b\"}}}}]}}\n\n",
                delta("\"a\"")
            ),
        ),
        // Longer than an event may be.
        (chat().with_max_event(200), long),
        // Another format than the one asked for.
        (
            StreamGate::new(Format::Anthropic, Parser::new(), once()),
            delta("\"secret\""),
        ),
        // No format at all.
        (
            StreamGate::detect(Parser::new(), once()),
            "data: {\"secret\":1}\n\n".into(),
        ),
        // Not text.
        (chat(), "\u{1f}secret".into()),
    ] {
        let written = body(gate, stream.as_bytes());
        assert!(
            !written.contains("secret"),
            "{stream}\nwas written as {written}"
        );
    }
    let stream = format!("data: {{\"note\":1}}\n\n{}", delta("\"It is.\""));
    let written = body(StreamGate::detect(Parser::new(), once()), stream.as_bytes());
    assert!(
        written.starts_with("data: {\"note\":1}\n\n") && written.contains("It is."),
        "{written}"
    );
}

/// Returns the output of a gate for a stream cut at every position and for one in one piece, which must be equal.
fn at_any_cut(gate: &dyn Fn() -> StreamGate<Stated>, stream: &[u8]) -> (String, ReadReport) {
    let run = |pieces: &[&[u8]]| {
        let (mut gate, mut events) = (gate(), Events::default());
        for piece in pieces {
            gate.push(piece, any(&mut events));
        }
        gate.finish(any(&mut events));
        (events.body, gate.report().clone())
    };
    let whole = run(&[stream]);
    for at in 1..stream.len() {
        let (start, end) = stream.split_at(at);
        assert_eq!(run(&[start, end]), whole, "at {at}");
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(run(&bytes), whole);
    whole
}

#[test]
fn what_is_no_event_of_the_format_is_withheld() {
    for format in Format::ALL {
        let asked = || StreamGate::new(format, Parser::new(), once());
        for stream in [
            "It is secret. [unverified-inference]\n",
            "It is secret.",
            "\n: secret\n\n",
            ": secret",
            "secret: It is so.\n\n",
            "event: It is secret.\n\n",
            "id: a secret\n\n",
            "[\"secret\",1]\n",
            "[\"secret\"]",
            "{\"secret\":1}\n",
            "{\"secret\":\n1}\n",
            "data: {\"secret\":1}\n\ndata: [DONE]\n\n",
            "data: \"secret\"\n\n",
            "data: secret",
        ] {
            let (written, report) = at_any_cut(&asked, stream.as_bytes());
            assert_eq!(written, "", "{format}: {stream}");
            let is_comment = stream.trim_start().starts_with(':');
            assert_eq!(report.is_complete(), is_comment, "{format}: {stream}");
            assert_eq!(report.count(NoticeCode::Comment), u64::from(is_comment));
        }
    }
}

#[test]
fn what_is_between_events_passes_if_it_cannot_be_text() {
    let delta = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is. \"}}]}\n";
    let chat = || StreamGate::new(Format::OpenAiChat, Parser::new(), once());
    let detected = || StreamGate::detect(Parser::new(), once());
    let stream = format!(
        "\u{feff}: secret\r\n:\nevent: a\nid: 1\n: secret\nsecret: 1\n{delta}secret\n\n\
         secret\n\nretry: 100\n\nevent: secret secret\n\n: secret\n\n\
         data: [\"secret\"]\n\n{delta}\ndata: [DONE]\n\n: secret"
    );
    for gate in [&chat as &dyn Fn() -> _, &detected] {
        let (written, report) = at_any_cut(gate, stream.as_bytes());
        assert!(!written.contains("secret"), "{written}");
        let start = "\u{feff}:\r\n:\nevent: a\nid: 1\n:\ndata: {";
        assert!(written.starts_with(start), "{written}");
        assert!(written.contains("\n\nretry: 100\n\n"), "{written}");
        assert!(written.ends_with("data: [DONE]\n\n:"), "{written}");
        // Both events, and one that is added for the rest of the text.
        assert_eq!(written.matches("data: {").count(), 3, "{written}");
        assert_eq!(report.count(NoticeCode::Comment), 4);
        assert_eq!(report.count(NoticeCode::WithheldData), 5);
        assert!(!report.is_complete());
    }
    let event = "{\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"text\":\"It is.\"}]}}]}";
    let gemini = || StreamGate::new(Format::Gemini, Parser::new(), once());
    let junk = format!("\u{feff}[{event} secret, the secret\n,{event}] secret");
    let clean = format!("[{event}\n,\r\n{event}\n]\n");
    for (stream, withheld) in [(junk, 2), (clean, 0)] {
        let (written, report) = at_any_cut(&gemini, stream.as_bytes());
        assert!(!written.contains("secret"), "{written}");
        // Both values, and one that is added for the rest of the text.
        assert_eq!(written.matches("candidates").count(), 3, "{written}");
        assert_eq!(report.count(NoticeCode::WithheldData), withheld);
    }
}

fn without_secret(format: Option<Format>, stream: &str) -> String {
    let gate = || match format {
        Some(format) => StreamGate::new(format, Parser::new(), without("secret")),
        None => StreamGate::detect(Parser::new(), without("secret")),
    };
    let mut bodies = [1, 7, stream.len()].map(|size| {
        let (mut gate, mut events) = (gate(), Events::default());
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, any(&mut events));
        }
        gate.finish(any(&mut events));
        events.body
    });
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let body = core::mem::take(&mut bodies[0]);
    assert!(!body.contains("secret"), "{stream}\nwas written as {body}");
    body
}

#[test]
fn a_passage_that_is_repeated_does_not_bring_back_what_was_withheld() {
    let text = "It is. [substrate.grep] A secret. [substrate.grep] Then.";
    for passage in ["A secret.", "A secret. [substrate.grep]", "secret"] {
        let gemini = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}\n\n\
             data: {{\"candidates\":[{{\"groundingMetadata\":{{\"groundingSupports\":\
             [{{\"segment\":{{\"text\":\"{passage}\"}}}}]}}}}]}}\n\n"
        );
        let cohere = format!(
            "data: {{\"type\":\"content-delta\",\"index\":0,\"delta\":{{\"message\":{{\"content\":{{\"text\":\"{text}\"}}}}}}}}\n\n\
             data: {{\"type\":\"citation-start\",\"index\":0,\"delta\":{{\"message\":{{\"citations\":{{\"text\":\"{passage}\"}}}}}}}}\n\n"
        );
        let twice = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{passage}\",\"content\":\"{text}\"}}}}]}}\n\n"
        );
        for (format, stream) in [
            (Format::Gemini, gemini),
            (Format::Cohere, cohere),
            (Format::OpenAiChat, twice),
        ] {
            let body = without_secret(Some(format), &stream);
            assert!(body.contains("It is."), "{body}");
        }
    }
}

#[test]
fn events_that_are_held_back_have_only_what_is_released() {
    let block = |number: u32, text: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{number},\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":{number},\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n\
             data: {{\"type\":\"content_block_stop\",\"index\":{number}}}\n\n"
        )
    };
    let tool = "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\"}}\n\n\
                data: {\"type\":\"content_block_stop\",\"index\":1}\n\n";
    let end = "data: {\"type\":\"message_stop\"}\n\n";
    for unread in [
        "\"A secret. [substrate.grep]\"",
        "{\"a\":\"secret\"}",
        "\"secret\",",
    ] {
        let stream = [&block(0, unread), tool, &block(2, "\"It is.\""), end].concat();
        for format in [Some(Format::Anthropic), None] {
            let body = without_secret(format, &stream);
            assert!(body.contains("It is.") && body.ends_with(end), "{body}");
        }
    }
    let withheld = [&block(0, "\"A secret. [substrate.grep]\""), tool, end].concat();
    let body = without_secret(Some(Format::Anthropic), &withheld);
    assert_eq!(
        body,
        [&tool.replace("\"index\":1", "\"index\":0"), end].concat()
    );
    // Deltas that may be the beginnings of two choices, with one between that is not JSON.
    let delta = |number: u32, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{number},\"delta\":{{\"role\":\"assistant\",\"content\":{text}}}}}]}}\n\n"
        )
    };
    let counted = [
        delta(0, "\"A \""),
        delta(1, "\"secret. \""),
        delta(2, "\"[substrate.grep] It is.\""),
    ]
    .concat();
    let broken = [
        delta(0, "\"It is.\""),
        delta(1, "\" So.\""),
        delta(2, "\"secret\","),
    ]
    .concat();
    let open = [
        delta(0, "\"It is. A\""),
        delta(1, "\" secret. [substrate.grep]\""),
    ]
    .concat();
    for stream in [counted, broken, open] {
        for format in [Some(Format::OpenAiChat), None] {
            let body = without_secret(format, &stream);
            assert!(body.contains("It is."), "{body}");
        }
    }
}

#[test]
fn the_tokens_of_a_text_do_not_pass_without_it() {
    let events = [
        r#"{"choices":[{"index":0,"delta":{"content":"It is. [substrate.grep] A secret."}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"logprobs":{"content":[{"token":" secret"}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":""},"logprobs":{"content":[{"token":"secret"}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":" [substrate.grep]"}}]}"#,
    ];
    let stream: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let body = without_secret(Some(Format::OpenAiChat), &stream);
    assert!(
        body.contains("It is.") && body.contains(r#""logprobs":null"#),
        "{body}"
    );
}

/// The number of a delta names its choice, also where an event between the first deltas cannot be read.
#[test]
fn an_event_that_cannot_be_read_does_not_join_choices() {
    let event = |index: usize, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let stream = [
        event(0, "Sent"),
        event(1, "Other. Next"),
        "data: {broken\n\n".to_owned(),
        event(0, "ence. [unverified-inference] End."),
    ]
    .concat();
    for size in [1, 7, 1_000] {
        let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), without("ence"));
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(!out.contains("Sent") && !out.contains("ence"), "{out}");
        assert!(out.contains("Other. "), "{out}");
    }
}

#[test]
fn half_of_a_surrogate_pair_waits_for_the_decision_about_it() {
    let delta = |text: &str| format!("{{\"message\":{{\"content\":\"{text}\"}},\"done\":false}}\n");
    for [first, second] in [["\\ud83d", "\\ude00 So. [substrate.grep]"], ["\\ud83d", ""]] {
        let mut events = Events::default();
        let mut gate = StreamGate::new(Format::Ollama, Parser::new(), nothing(""));
        gate.push((delta(first) + &delta(second)).as_bytes(), any(&mut events));
        gate.finish(any(&mut events));
        assert_eq!(events.body, delta("") + &delta(""));
    }
}

#[test]
fn text_in_an_event_that_shows_no_format_is_withheld() {
    for (silent, shown) in [
        (
            "{\"response\":\"secret\"}\n",
            "{\"response\":\"It is.\",\"done\":true}\n",
        ),
        (
            "data: {\"contentBlockIndex\":null,\"delta\":{\"text\":\"secret\"}}\n\n",
            "data: {\"contentBlockDelta\":{\"contentBlockIndex\":0,\"delta\":{\"text\":\"It is.\"}}}\n\n",
        ),
    ] {
        let mut events = Events::default();
        let mut gate = StreamGate::detect(Parser::new(), without("secret"));
        gate.push((silent.to_owned() + shown).as_bytes(), any(&mut events));
        gate.finish(any(&mut events));
        assert!(!events.body.contains("secret"), "{}", events.body);
        assert!(events.body.contains("It is."), "{}", events.body);
        assert_eq!(gate.report().count(NoticeCode::WithheldData), 1);
    }
}

#[test]
fn text_of_another_format_than_before_is_withheld() {
    let start = "data: {\"type\":\"message_start\",\"message\":{}}\n\n";
    let block = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"It is.\"}}\n\n";
    let other = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"secret\"}}]}\n\n";
    let asked = || StreamGate::new(Format::Anthropic, Parser::new(), without("secret"));
    // Without a format asked for, the first text decides which one it is.
    let detected = StreamGate::detect(Parser::new(), without("secret"));
    for (mut gate, stream) in [
        (asked(), [start, block, other]),
        (asked(), [start, other, block]),
        (detected, [start, block, other]),
    ] {
        let mut events = Events::default();
        gate.push(stream.concat().as_bytes(), any(&mut events));
        gate.finish(any(&mut events));
        assert!(!events.body.contains("secret"), "{}", events.body);
        assert!(events.body.contains("It is."), "{}", events.body);
        assert_eq!(gate.report().count(NoticeCode::WithheldData), 1);
    }
}

#[test]
fn many_deltas_of_one_event_give_the_text_of_one() {
    let policy = without("may be");
    let sentence = "It is so. [substrate.grep] It may be. [unverified-inference]\\n\\n";
    let text = sentence.repeat(40);
    let event = |parts: &[&str]| {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| format!("{{\"text\":\"{part}\"}}"))
            .collect();
        let parts = parts.join(",");
        format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n\n")
    };
    let read = |stream: String| {
        let (mut gate, mut out) = (
            StreamGate::new(Format::Gemini, Parser::new(), policy.clone()),
            Vec::new(),
        );
        gate.push(stream.as_bytes(), Output(&mut out));
        gate.finish(Output(&mut out));
        let client = testkit::wire::oracle::Client::of(Format::Gemini, &out);
        client.texts.into_values().collect::<String>()
    };
    let mut pieces: Vec<&str> = text.split_inclusive(' ').collect();
    pieces.extend(["So", " it", " is."].iter().cycle().take(900));
    let whole = pieces.concat();
    let expected = read(event(&[&whole]));
    assert!(expected.contains("It is so.") && !expected.contains("It may be."));
    assert_eq!(read(event(&pieces)), expected);
}
