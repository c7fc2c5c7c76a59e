//! Gates withhold words that were withheld before, in whatever event, member or number they come again.

use provstream::{Action, Parser};
use provstream_providers::{Format, NoticeCode, ReadReport, StreamGate};
use testkit::gate::policies::at_inference;
use testkit::wire::oracle::Client;
use testkit::wire::output::Output;

/// Words that a gate must not write.
const SECRET: &str = "ZQX";

fn sse(events: &[String]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

fn lines(events: &[String]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn gate_by(action: &Action, format: Format, stream: &str) -> (String, ReadReport) {
    let run = |size: usize| {
        let mut gate = StreamGate::new(
            format,
            Parser::new(),
            at_inference(action.clone()).refusing(""),
        );
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        (out, gate.report().clone())
    };
    let whole = run(stream.len());
    assert_eq!(run(61).0, whole.0, "in chunks");
    whole
}

fn gate(format: Format, stream: &str) -> (String, ReadReport) {
    gate_by(&Action::Discard, format, stream)
}

/// No policy that withholds the words releases them.
#[track_caller]
fn withheld(format: Format, stream: &str) -> ReadReport {
    let actions = [
        Action::Replace("(w)".into()),
        Action::Refuse("No.".into()),
        Action::Suspend,
        Action::Discard,
    ];
    let mut report = None;
    for action in actions {
        let (out, read) = gate_by(&action, format, stream);
        assert!(!out.contains(SECRET), "{action:?}: {}", ends(&out));
        report = Some(read);
    }
    report.expect("there are actions")
}

/// The last part of an output, which may be long.
fn ends(out: &str) -> &str {
    let from = out.len().saturating_sub(2000);
    out.get(from..).unwrap_or(out)
}

fn chat(index: &str, text: &str) -> String {
    format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#)
}

fn response(item: u32, part: u32, text: &str) -> String {
    format!(
        r#"{{"type":"response.output_text.delta","output_index":{item},"content_index":{part},"delta":"{text}"}}"#
    )
}

fn response_done(item: u32, text: &str) -> String {
    format!(
        r#"{{"type":"response.output_text.done","output_index":{item},"content_index":0,"text":"{text}"}}"#
    )
}

fn completed(texts: &[&str]) -> String {
    let items = texts.iter().map(|text| {
        format!(r#"{{"type":"message","content":[{{"type":"output_text","text":"{text}"}}]}}"#)
    });
    let items: Vec<String> = items.collect();
    format!(
        r#"{{"type":"response.completed","response":{{"output":[{}]}}}}"#,
        items.join(",")
    )
}

#[test]
fn decisions_beyond_the_limit_are_not_forgotten() {
    let number = 0..4200;
    let plain: String = number.map(|number| format!("A{number} is so. ")).collect();
    let many = plain.replace("so. ", "so. [substrate.grep] ");
    let secret = "ZQX hides here.";
    let events = |copy: String| {
        vec![
            response(0, 0, &many),
            response(
                0,
                0,
                &format!("{secret} [unverified-inference] All is well."),
            ),
            copy,
        ]
    };
    let text = format!("{plain}{secret} All is well.");
    let copies = [
        response_done(0, &text),
        completed(&[&text]),
        completed(&["Hi.", &text]),
    ];
    for copy in copies {
        withheld(Format::OpenAiResponses, &sse(&events(copy)));
    }
    // What was released is in copies, also beyond the limit.
    let released = [response(0, 0, &many), response_done(0, &plain)];
    let (out, _) = gate(Format::OpenAiResponses, &sse(&released));
    assert!(
        out.contains(&format!(r#""text":"{plain}"#)),
        "{}",
        ends(&out)
    );
}

#[test]
fn a_text_that_made_room_for_others_is_not_forgotten() {
    let secret = "The log is green. ZQX hides here. All is well.";
    let annotated = "The log is green. ZQX hides here. [unverified-inference] All is well.";
    for (others, is_forgotten) in [(250, false), (256, true), (300, true)] {
        for copies in [
            vec![completed(&[secret])],
            vec![completed(&["Hi.", secret])],
            vec![response_done(0, secret)],
            vec![response(0, 0, " More."), response_done(0, secret)],
            vec![response_done(400, secret)],
        ] {
            let mut events = vec![response(0, 0, annotated), response_done(0, annotated)];
            for item in 1..=others {
                events.extend([response(item, 0, "Item."), response_done(item, "Item.")]);
            }
            events.extend(copies);
            let report = withheld(Format::OpenAiResponses, &sse(&events));
            if is_forgotten {
                assert!(
                    !report.is_complete(),
                    "{others}: {}",
                    events.last().expect("events")
                );
            }
        }
    }
    // Nothing is lost by forgetting what was released.
    let mut events = Vec::new();
    for item in 0..=300 {
        let done = format!(r#"{{"type":"response.output_item.done","output_index":{item}}}"#);
        events.extend([response(item, 0, "Item."), done]);
    }
    events.push(completed(&["Item.", "Item."]));
    let (out, report) = gate(Format::OpenAiResponses, &sse(&events));
    assert!(report.is_complete());
    assert!(
        out.ends_with(&sse(&events[events.len() - 1..])),
        "{}",
        ends(&out)
    );
}

#[test]
fn a_text_that_makes_room_has_not_ended() {
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let mut events = vec![
        chat("0", "The log is green. ZQX hides"),
        chat("0", " here."),
        finish.into(),
    ];
    for index in 1..=256 {
        events.push(chat(&index.to_string(), "It is"));
    }
    events.push(chat("0", " [unverified-inference] All is well."));
    withheld(Format::OpenAiChat, &sse(&events));
}

#[test]
fn an_index_that_is_no_number_is_withheld() {
    let odd = ["-1", "4294967296", "0.5", r#""a""#, "true", "[1]", "{}"];
    for odd in odd {
        let events = [
            chat("0", "ZQX hides here."),
            chat(odd, " Green is on."),
            chat("0", " [unverified-inference] All is well."),
        ];
        let report = withheld(Format::OpenAiChat, &sse(&events));
        assert_eq!(report.count(NoticeCode::AmbiguousEvent), 1, "{odd}");
        let events = [
            response(0, 0, "ZQX hides here."),
            response(0, 0, " Green is on.")
                .replace(r#""output_index":0"#, &format!(r#""output_index":{odd}"#)),
            response(0, 0, " [unverified-inference] All is well."),
        ];
        let report = withheld(Format::OpenAiResponses, &sse(&events));
        assert!(!report.is_complete(), "{odd}");
        // Nothing that it says ends a text.
        let tool = r#"{"choices":[{"index":#,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"error"}]}"#;
        let events = [
            chat("0", "ZQX hides here."),
            tool.replace('#', odd),
            chat("0", " [unverified-inference] All is well."),
        ];
        let (out, _) = gate(Format::OpenAiChat, &sse(&events));
        assert!(!out.contains(SECRET), "{odd}: {out}");
        assert!(out.contains("All is well."), "{odd}: {out}");
    }
    for usual in ["0", "0.0", r#""0""#, "null"] {
        let events = [chat(usual, "It rains."), chat(usual, " Bye.")];
        let (out, report) = gate(Format::OpenAiChat, &sse(&events));
        assert!(
            out.contains("It rains.") && report.is_complete(),
            "{usual}: {out}"
        );
    }
}

#[test]
fn choices_without_an_index_are_texts_by_position() {
    let event = |one: &str, other: &str| {
        let choice = |text: &str| format!(r#"{{"delta":{{"content":"{text}"}}}}"#);
        format!(r#"{{"choices":[{},{}]}}"#, choice(one), choice(other))
    };
    let events = [
        event("ZQX hides here.", " Green is on."),
        event(" [unverified-inference] All is", " [substrate.grep] All is"),
        event(" well. Bye.", " well. Bye."),
    ];
    withheld(Format::OpenAiChat, &sse(&events));
    let (out, _) = gate(Format::OpenAiChat, &sse(&events));
    assert!(out.contains("Green is on."), "{out}");
    let gemini = events.map(|event| {
        let event = event
            .replace("choices", "candidates")
            .replace("delta", "content");
        event
            .replace(r#"{"content":""#, r#"{"parts":[{"text":""#)
            .replace(r#""}}"#, r#""}]}}"#)
    });
    withheld(Format::Gemini, &sse(&gemini));
}

#[test]
fn identifiers_are_compared_decoded() {
    for (start, delta, end) in [
        ("text-start", "text-delta", "text-end"),
        ("reasoning-start", "reasoning-delta", "reasoning-end"),
    ] {
        let event = |kind: &str, id: &str, text: &str| {
            format!(r#"{{"type":"{kind}","id":"{id}","delta":"{text}"}}"#)
        };
        let escaped = "\\u0061";
        let events = [
            event(start, "a", ""),
            event(start, "b", ""),
            event(delta, "a", "ZQX hides here."),
            event(delta, "b", "Green is on. "),
            event(delta, escaped, " [unverified-inference] All is well. "),
            event(delta, "b", "Bye."),
            event(end, escaped, ""),
            event(end, "b", ""),
        ];
        let gate = StreamGate::new(
            Format::VercelUi,
            Parser::new(),
            at_inference(Action::Discard).refusing(""),
        );
        let mut gate = gate.with_reasoning(provstream_providers::Reasoning::Rewrite);
        let mut out = Vec::new();
        gate.push(sse(&events).as_bytes(), Output(&mut out));
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(!out.contains(SECRET), "{out}");
        assert!(out.contains("All is well."), "{out}");
    }
}

#[test]
fn many_choices_are_not_counts() {
    for role in ["", r#""role":"assistant","#] {
        for number in [2, 5, 127, 128, 129, 130, 200] {
            let event = |index: u32, text: &str| {
                format!(
                    r#"{{"choices":[{{"index":{index},"delta":{{{role}"content":"{text}"}}}}]}}"#
                )
            };
            let mut events = vec![event(0, "ZQX hides here.")];
            events.extend((1..number).map(|index| event(index, " Green is on.")));
            events.push(event(0, " [unverified-inference] All is well."));
            events.push(event(0, " Bye."));
            withheld(Format::OpenAiChat, &sse(&events));
        }
    }
}

#[test]
fn a_count_is_shown_by_what_its_server_repeats() {
    let event = |index: u32, text: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"role":"assistant","content":"{text}"}},"message":{{"role":"assistant","content":"{text}"}},"index":{index},"finish_reason":null}}]}}"#
        )
    };
    let pieces = [
        "It rains. ZQX hides",
        " here. [unver",
        "ified-inference] All",
        " is well.",
    ];
    let counted: Vec<String> = (0..)
        .zip(pieces)
        .map(|(index, text)| event(index, text))
        .collect();
    withheld(Format::OpenAiChat, &sse(&counted));
    let (out, _) = gate(Format::OpenAiChat, &sse(&counted));
    assert!(out.contains("is well."), "{out}");
    // A number that is no count is not read.
    let mut events = counted.clone();
    events.extend([event(9, "ZQX hides."), event(0, "ZQX goes on.")]);
    let report = withheld(Format::OpenAiChat, &sse(&events));
    assert!(!report.is_complete());
}

#[test]
fn two_choices_that_repeat_their_deltas_are_not_counts() {
    let event = |index: u32, text: &str| {
        format!(
            r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}},"message":{{"content":"{text}"}}}}]}}"#
        )
    };
    for [one, other] in [[0, 1], [1, 2]] {
        let texts = [
            (one, "All is well. ZQX hides"),
            (other, " Snow falls."),
            (one, " here. [unverified-inference] Bye."),
            (other, " Bye."),
        ];
        let events = texts.iter().map(|(index, text)| event(*index, text));
        let ends = [one, other].map(|index| {
            format!(r#"{{"choices":[{{"index":{index},"delta":{{}},"finish_reason":"stop"}}]}}"#)
        });
        let events: Vec<String> = events.chain(ends).collect();
        withheld(Format::OpenAiChat, &sse(&events));
        let (out, _) = gate(Format::OpenAiChat, &sse(&events));
        let client = Client::of(Format::OpenAiChat, out.as_bytes());
        assert_eq!(client.texts[&other.to_string()], " Snow falls. Bye.");
        assert!(!client.is_late, "{out}");
    }
}

#[test]
fn parts_in_parallel_are_not_counts() {
    let events = [
        response(0, 1, "ZQX hides here."),
        response(0, 2, " Item is on."),
        response(0, 1, " [unverified-inference] All is well."),
        response(0, 2, " [substrate.grep] Bye."),
    ];
    let report = withheld(Format::OpenAiResponses, &sse(&events));
    assert!(!report.is_complete());
    // Those of a server that announces its only part count.
    let added = r#"{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}"#;
    let counted = [
        added.into(),
        response(0, 1, "It rains. ZQX hides"),
        response(0, 2, " here. [unverified-"),
        response(0, 3, "inference] All is"),
        response(0, 4, " well."),
    ];
    withheld(Format::OpenAiResponses, &sse(&counted));
    let (out, report) = gate(Format::OpenAiResponses, &sse(&counted));
    assert!(out.contains("It rains.") && report.is_complete(), "{out}");
}

#[test]
fn members_of_a_choice_that_were_equal_are_decided_about_together() {
    let twins = [
        r#""delta":{"content":#},"text":@"#,
        r#""delta":{"content":#,"refusal":@}"#,
        r#""delta":{"content":#,"audio":{"transcript":@}}"#,
        r#""delta":{"content":#},"message":{"content":@}"#,
    ];
    for twin in twins {
        let event_of = |content: &str, other: &str| {
            let choice = twin.replace('#', &format!("\"{content}\""));
            let choice = choice.replace('@', &format!("\"{other}\""));
            format!(r#"{{"choices":[{{"index":0,{choice}}}]}}"#)
        };
        let event = |text: &str| event_of(text, text);
        let only = |text: &str| event_of("", text);
        let stop = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
        let annotation = " [unverified-inference] All is well.";
        let secret = || event("ZQX hides here.");
        let both = |one: String, other: String| vec![secret(), one, other, stop.clone()];
        let mut streams = vec![
            both(chat("0", annotation), chat("0", " Bye.")),
            both(only(" Green is on."), chat("0", annotation)),
            vec![event("It rains. "), secret(), chat("0", annotation)],
        ];
        // One that does not repeat the delta repeats all of the text.
        if !twin.contains("message") {
            streams.push(both(chat("0", " Green is on."), only(annotation)));
            streams.push(both(only(annotation), only(" Bye.")));
        }
        for events in streams {
            withheld(Format::OpenAiChat, &sse(&events));
        }
        // Equal members are written as they come.
        let events = [event("It rains. "), event("Snow falls. "), event("Bye.")];
        let (out, _) = gate(Format::OpenAiChat, &sse(&events));
        assert_eq!(out.matches("It rains.").count(), 2, "{out}");
        let at = out.find("It rains.").expect("released");
        let last = out.find("Bye.").expect("released");
        assert!(at < last, "{out}");
    }
}

#[test]
fn copies_in_lines_are_copies() {
    let text = "The log is green. ZQX hides here. All is well.";
    let copies = [
        response_done(0, text),
        format!(
            r#"{{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{{"type":"output_text","text":"{text}"}}}}"#
        ),
        format!(
            r#"{{"type":"response.output_item.done","output_index":0,"item":{{"type":"message","content":[{{"type":"output_text","text":"{text}"}}]}}}}"#
        ),
        completed(&[text]),
    ];
    let mut events = vec![
        response(0, 0, "The log is green. ZQX hides here."),
        response(0, 0, " [unverified-inference] All is well."),
    ];
    events.extend(copies);
    for stream in [lines(&events), sse(&events)] {
        withheld(Format::OpenAiResponses, &stream);
    }
    let cohere = |kind: &str, text: &str| {
        format!(
            r#"{{"type":"{kind}","index":0,"delta":{{"message":{{"content":{{"type":"text","text":"{text}"}}}}}}}}"#
        )
    };
    let events = [
        cohere("content-delta", "The log is green. ZQX hides here."),
        cohere("content-delta", " [unverified-inference] All is well."),
        r#"{"type":"content-end","index":0}"#.to_owned(),
        r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#.to_owned(),
        format!(
            r#"{{"message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        ),
    ];
    withheld(Format::Cohere, &lines(&events));
    // Each line of a file of responses is one of its own.
    let body = |text: &str| {
        format!(
            r#"{{"object":"chat.completion","choices":[{{"index":0,"message":{{"content":"{text}"}}}}]}}"#
        )
    };
    let bodies = [
        body("It rains. [unverified-inference] Bye."),
        body("Snow falls."),
    ];
    let (out, _) = gate(Format::OpenAiChat, &lines(&bodies));
    assert!(out.ends_with(&lines(&bodies[1..])), "{out}");
}

#[test]
fn short_last_deltas_that_repeat_the_text_are_copies() {
    let last = |text: &str| format!(r#"{{"response":"{text}","done":true}}"#);
    let copies = [
        "ZQX is it.",
        "ZQX is it",
        "ZQX\u{A0}is it.",
        "\u{200E}ZQX is it.",
        "\\u200EZQX is it.",
        "zQX is it.",
        "**ZQX** is it.",
    ];
    for copy in copies {
        let events = [
            r#"{"response":"ZQX is it.[unverified-inference]","done":false}"#.to_owned(),
            last(copy),
        ];
        let (out, _) = gate(Format::Ollama, &lines(&events));
        assert!(!out.to_lowercase().contains("zqx"), "{copy}: {out}");
    }
    // A last delta with more text is not a copy.
    let events = [
        r#"{"response":"It is so. [unverified-inference] Ha","done":false}"#.to_owned(),
        last("ha."),
    ];
    let (out, _) = gate(Format::Ollama, &lines(&events));
    assert!(out.contains("Ha") && out.contains("ha."), "{out}");
}

#[test]
fn copies_under_the_number_of_an_open_text_are_copies() {
    let annotated = "The log is green. ZQX hides here. [unverified-inference] All is well. ";
    let copies = [
        "The log is green. zqx hides here. All is well.",
        "ZQX  hides here.",
    ];
    for copy in copies {
        let events = [
            response(0, 0, annotated),
            response(1, 0, "Item is on. "),
            response_done(1, copy),
        ];
        let (out, _) = gate(Format::OpenAiResponses, &sse(&events));
        assert!(!out.to_lowercase().contains("zqx"), "{copy}: {out}");
    }
    let item = |text: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":1,"item":{{"type":"message","content":[{{"type":"output_text","text":"{text}"}}]}}}}"#
        )
    };
    let copy = "The log is green. ZQX hides here. All is well.";
    withheld(
        Format::OpenAiResponses,
        &sse(&[response(0, 0, annotated), item(copy)]),
    );
}

#[test]
fn many_copies_take_no_longer_than_a_stream() {
    let withheld: String = (0..4000)
        .map(|number| format!("a{number}. [unverified-inference] "))
        .collect();
    let mut events: Vec<String> = (0..17)
        .map(|index| chat(&index.to_string(), &withheld))
        .collect();
    let copies = vec![r#"{"index":0,"message":{"content":"x"}}"#; 3000];
    events.push(format!(r#"{{"choices":[{}]}}"#, copies.join(",")));
    let mut gate = StreamGate::new(
        Format::OpenAiChat,
        Parser::new(),
        at_inference(Action::Discard).refusing(""),
    );
    let mut out = Vec::new();
    gate.push(sse(&events).as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(!gate.report().is_complete());
    assert!(
        out.contains(r#""message":{"content":""}"#),
        "{}",
        ends(&out)
    );
}

/// More blocks than are remembered do not end the first of them, while its text waits for an annotation.
#[test]
fn a_block_goes_on_beside_more_open_blocks_than_are_remembered() {
    let secret = "ZQX hides here.";
    let mark = " [unverified-inference]";
    for count in [250, 255, 256, 257, 300] {
        let start = |index: usize| {
            format!(
                r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"text","text":""}}}}"#
            )
        };
        let delta = |text: &str| {
            format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
            )
        };
        let mut events = vec![start(0), delta(secret)];
        events.extend((1..=count).map(start));
        events.push(delta(mark));
        withheld(Format::Anthropic, &sse(&events));

        let start = |index: usize| format!(r#"{{"type":"text-start","id":"t{index}"}}"#);
        let delta = |text: &str| format!(r#"{{"type":"text-delta","id":"t0","delta":"{text}"}}"#);
        let mut events = vec![start(0), delta(secret)];
        events.extend((1..=count).map(start));
        events.push(delta(mark));
        withheld(Format::VercelUi, &sse(&events));
    }
}
