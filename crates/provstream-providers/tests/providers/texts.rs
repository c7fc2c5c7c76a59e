//! Texts that a client accumulates apart are rewritten and gated apart, and a text goes on after what seems to end it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use provstream::{Action, Event, Parser};
use provstream_providers::{
    Decoder, Format, Item, Reasoning, ResponseParser, StreamGate, StreamRewriter, WireEvent,
};
use serde_json::Value;
use testkit::gate::policies::{Stated, no_inference};
use testkit::wire::oracle::Client;
use testkit::wire::output::Output;

fn sse(events: &[&str]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

fn lines(events: &[&str]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// The stream without annotations, which is the same however it is cut.
fn strip_with(format: Format, reasoning: Reasoning, stream: &str) -> String {
    let run = |size: usize| {
        let rewriter = StreamRewriter::new(format, Parser::new());
        let (mut rewriter, mut out) = (rewriter.with_reasoning(reasoning), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        String::from_utf8(out).expect("UTF-8")
    };
    let whole = run(stream.len());
    assert_eq!(run(1), whole, "byte by byte");
    whole
}

fn strip(format: Format, stream: &str) -> String {
    strip_with(format, Reasoning::Leave, stream)
}

fn gate(format: Format, stream: &str) -> String {
    let run = |size: usize| {
        let gate = StreamGate::new(format, Parser::new(), no_inference());
        let (mut gate, mut out) = (gate.with_reasoning(Reasoning::Rewrite), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        String::from_utf8(out).expect("UTF-8")
    };
    let whole = run(stream.len());
    assert_eq!(run(1), whole, "byte by byte");
    whole
}

/// The events of what was written.
fn events(out: &str) -> Vec<Value> {
    let lines = out
        .lines()
        .filter_map(|line| match line.strip_prefix("data: ") {
            Some("[DONE]") => None,
            Some(data) => Some(data),
            None => line.starts_with('{').then_some(line),
        });
    let values = lines.map(|data| serde_json::from_str(data).unwrap_or_else(|_| panic!("{data}")));
    values.collect()
}

/// The strings at a place of all events that have these members, joined.
fn joined(out: &str, has: &[(&str, &str)], at: &str) -> String {
    let events = events(out).into_iter().filter(|event| {
        let is = |(at, value): &(&str, &str)| {
            let found = event.pointer(at).unwrap_or(&Value::Null);
            found.as_str() == Some(*value)
                || found
                    .as_u64()
                    .is_some_and(|found| value.parse() == Ok(found))
        };
        has.iter().all(is)
    });
    let pieces = events.filter_map(|event| Some(event.pointer(at)?.as_str()?.to_owned()));
    pieces.collect()
}

fn chat(out: &str, member: &str) -> String {
    joined(out, &[], &format!("/choices/0/{member}"))
}

/// A chat stream whose events have these members of the choice.
fn chat_stream(choices: &[&str]) -> String {
    let mut events: Vec<String> = choices
        .iter()
        .map(|choice| format!(r#"{{"choices":[{{"index":0,{choice}}}]}}"#))
        .collect();
    events.push("[DONE]".into());
    sse(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn two_members_with_one_piece_are_two_texts() {
    let pieces = [
        "It rains. [substrate",
        ".grep] Bye.",
        " [",
        "x] \\ud83d",
        "\\ude00 ",
    ];
    let names = [
        (
            r#""text":"#,
            r#""delta":{"content":"#,
            "text",
            "delta/content",
        ),
        (
            r#""delta":{"refusal":"#,
            r#""message":{"refusal_":"#,
            "delta/refusal",
            "message/refusal_",
        ),
    ];
    for (first, second, one, other) in names.into_iter().take(1) {
        for is_swapped in [false, true] {
            let choices: Vec<String> = pieces
                .iter()
                .map(|piece| match is_swapped {
                    false => format!(r#"{first}"{piece}",{second}"{piece}"}}"#),
                    true => format!(r#"{second}"{piece}"}},{first}"{piece}""#),
                })
                .collect();
            let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
            let stream = chat_stream(&choices);
            for out in [
                strip(Format::OpenAiChat, &stream),
                gate(Format::OpenAiChat, &stream),
            ] {
                assert_eq!(chat(&out, one), "It rains. Bye. [x] 😀 ", "{out}");
                assert_eq!(chat(&out, other), "It rains. Bye. [x] 😀 ", "{out}");
            }
        }
    }
}

#[test]
fn the_response_of_ollama_is_a_text_beside_the_message() {
    let pieces = [
        ("See [sub", "SECRET is. [unveri"),
        ("x] and", "fied-inference] Bye [su"),
        (" so.", "n]."),
    ];
    let thoughts = |(message, response): &(&str, &str)| {
        format!(r#"{{"message":{{"thinking":"{message}"}},"thinking":"{response}","done":false}}"#)
    };
    let texts = |(message, response): &(&str, &str)| {
        format!(r#"{{"message":{{"content":"{message}"}},"response":"{response}","done":false}}"#)
    };
    let mut stream: Vec<String> = pieces.iter().map(thoughts).collect();
    stream.extend(pieces.iter().map(texts));
    stream.push(r#"{"message":{"content":""},"response":"","done":true}"#.to_owned());
    let stream = stream.join("\n") + "\n";
    let stripped = strip_with(Format::Ollama, Reasoning::Rewrite, &stream);
    let gated = gate(Format::Ollama, &stream);
    for (out, response) in [(stripped, "SECRET is. Bye [sun]."), (gated, "Bye [sun].")] {
        for (name, text) in [("message", "See [subx] and so."), ("response", response)] {
            let (content, thinking) = match name {
                "message" => ("/message/content", "/message/thinking"),
                _ => ("/response", "/thinking"),
            };
            assert_eq!(joined(&out, &[], content), text, "{content}: {out}");
            assert_eq!(joined(&out, &[], thinking), text, "{thinking}: {out}");
        }
    }
}

#[test]
fn members_of_a_choice_hold_nothing_for_each_other() {
    let stream = chat_stream(&[
        r#""delta":{"content":"See [sub"}"#,
        r#""delta":{"refusal":"No. "}"#,
        r#""delta":{"audio":{"transcript":"Hm. [unverified-inference]"}}"#,
        r#""delta":{"content":"x] Bye."}"#,
        r#""text":" T "}"#.trim_end_matches('}'),
        r#""delta":{"refusal":"[substrate.grep] Sorry."}"#,
    ]);
    let out = strip(Format::OpenAiChat, &stream);
    assert_eq!(chat(&out, "delta/content"), "See [subx] Bye.", "{out}");
    assert_eq!(chat(&out, "delta/refusal"), "No. Sorry.", "{out}");
    assert_eq!(chat(&out, "delta/audio/transcript"), "Hm.", "{out}");
    assert_eq!(chat(&out, "text"), " T ", "{out}");
    let out = gate(Format::OpenAiChat, &stream);
    assert_eq!(chat(&out, "delta/content"), "See [subx] Bye.", "{out}");
    assert_eq!(chat(&out, "delta/refusal"), "No. Sorry.", "{out}");
    assert_eq!(chat(&out, "delta/audio/transcript"), "", "{out}");
}

#[test]
fn reasoning_in_two_members_keeps_the_tail_of_each() {
    let pieces = ["So. [substrate", ".grep] Then [x", " y "];
    let members = [
        ("\"reasoning\":", "", "delta/reasoning"),
        ("\"reasoning_content\":", "", "delta/reasoning_content"),
        (
            "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":",
            "}]",
            "delta/reasoning_details/0/text",
        ),
        (
            "\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":",
            "}]",
            "delta/thinking_blocks/0/thinking",
        ),
    ];
    for (first, one) in members.iter().enumerate() {
        for other in members.iter().skip(first + 1) {
            let choices: Vec<String> = pieces
                .iter()
                .map(|piece| {
                    format!(
                        r#""delta":{{{}"{piece}"{},{}"{piece}"{}}}"#,
                        one.0, one.1, other.0, other.1
                    )
                })
                .chain([r#""delta":{"content":"Done."}"#.to_owned()])
                .collect();
            let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
            let stream = chat_stream(&choices);
            let outs = [
                strip_with(Format::OpenAiChat, Reasoning::Rewrite, &stream),
                gate(Format::OpenAiChat, &stream),
            ];
            for out in outs {
                assert_eq!(chat(&out, one.2), "So. Then [x y ", "{out}");
                assert_eq!(chat(&out, other.2), "So. Then [x y ", "{out}");
                assert_eq!(chat(&out, "delta/content"), "Done.", "{out}");
            }
        }
    }
}

fn vercel(parts: &[(&str, &str)]) -> String {
    let mut events = vec![r#"{"type":"start","messageId":"m"}"#.to_owned()];
    for (part, text) in parts {
        events.push(match *text {
            "<" => format!(r#"{{"type":"text-start","id":"{part}"}}"#),
            ">" => format!(r#"{{"type":"text-end","id":"{part}"}}"#),
            text => format!(r#"{{"type":"text-delta","id":"{part}","delta":"{text}"}}"#),
        });
    }
    events.push(r#"{"type":"finish"}"#.to_owned());
    events.push("[DONE]".to_owned());
    sse(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

fn part(out: &str, id: &str) -> String {
    joined(out, &[("/type", "text-delta"), ("/id", id)], "/delta")
}

#[test]
fn parts_that_are_open_in_parallel_are_two_texts() {
    let stream = vercel(&[
        ("a", "<"),
        ("b", "<"),
        ("a", "A runs. [sub"),
        ("b", "SECRET is so. [unverified"),
        ("a", "strate.grep] Bye. "),
        ("b", "-inference] See [sub"),
        ("b", "x] "),
        ("a", "[y"),
        ("a", ">"),
        ("b", "z"),
        ("b", ">"),
    ]);
    let out = strip(Format::VercelUi, &stream);
    assert_eq!(part(&out, "a"), "A runs. Bye. [y", "{out}");
    assert_eq!(part(&out, "b"), "SECRET is so. See [subx] z", "{out}");
    let out = gate(Format::VercelUi, &stream);
    assert_eq!(part(&out, "a"), "A runs. Bye. [y", "{out}");
    assert_eq!(part(&out, "b"), "See [subx] z", "{out}");
    // What is held back for a part comes before its end.
    let end = out.find(r#""text-end","id":"a""#).expect("an end");
    assert!(out[..end].contains("[y"), "{out}");
}

/// Two parts that a broken-off answer left open begin again: each goes on, and none with the other's text.
#[test]
fn parts_that_begin_again_are_two_texts_however_they_are_read() {
    let stream = vercel(&[
        ("a", "<"),
        ("b", "<"),
        ("a", "<"),
        ("a", "A runs. [substrate.grep]"),
        ("a", ">"),
        ("b", "<"),
        ("b", "B [sub"),
        ("b", ">"),
        ("c", "<"),
        ("c", "x]"),
        ("c", ">"),
    ]);
    for size in 1..stream.len() {
        let mut decoder = Decoder::detect();
        let mut texts = BTreeMap::<_, String>::new();
        let mut take = |item: Item<'_>| {
            if let Item::Text(delta) = item {
                *texts.entry(delta.channel()).or_default() += delta.text();
            }
        };
        for chunk in stream.as_bytes().chunks(size) {
            decoder.push(chunk, &mut take);
        }
        decoder.finish(&mut take);
        let texts: Vec<String> = texts.into_values().collect();
        assert_eq!(texts, ["A runs. [substrate.grep]", "B [subx]"], "{size}");
    }
    let client = Client::of(Format::VercelUi, stream.as_bytes());
    let texts: Vec<String> = client.texts.into_values().collect();
    assert_eq!(texts, ["A runs. [substrate.grep]", "B [subx]"]);
    let out = strip(Format::VercelUi, &stream);
    assert_eq!(part(&out, "a"), "A runs.", "{out}");
    assert_eq!(part(&out, "b") + &part(&out, "c"), "B [subx]", "{out}");
}

/// The start of a text block of Anthropic's.
fn start(index: u32) -> String {
    format!(
        r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"text","text":""}}}}"#
    )
}

/// A delta of a text block of Anthropic's.
fn delta(index: u32, text: &str) -> String {
    format!(
        r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":"{text}"}}}}"#
    )
}

/// The end of a block of Anthropic's.
fn stop(index: u32) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

/// A block that is open beside another one stays even if it loses all its text.
#[test]
fn blocks_in_parallel_lose_nothing_but_annotations() {
    for (events, texts) in [
        (
            vec![
                start(0),
                delta(0, "A [sub"),
                start(1),
                delta(1, " [substrate.gr"),
                delta(0, "x]"),
                stop(0),
                delta(1, "ep] B"),
                stop(1),
            ],
            &["A [subx]", " B"][..],
        ),
        (
            vec![
                start(0),
                start(1),
                delta(0, "A [sub"),
                delta(1, " [substrate.grep]"),
                delta(0, "x] A"),
                stop(1),
                delta(0, "B"),
                stop(0),
            ],
            &["A [subx] AB", ""],
        ),
        (
            vec![
                start(0),
                start(1),
                delta(0, " [substrate.grep]"),
                delta(1, "B"),
                stop(0),
                delta(1, "C"),
                stop(1),
            ],
            &["", "BC"],
        ),
    ] {
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let stream = sse(&events);
        for out in [
            strip(Format::Anthropic, &stream),
            gate(Format::Anthropic, &stream),
        ] {
            println!("{out}");
            for (index, text) in texts.iter().enumerate() {
                let index = index.to_string();
                assert_eq!(
                    joined(&out, &[("/index", &index)], "/delta/text"),
                    *text,
                    "{out}"
                );
            }
            let starts = out.matches("content_block_start").count();
            assert_eq!(starts, texts.len(), "{out}");
            let stops = out.matches("content_block_stop").count();
            assert_eq!(stops, texts.len(), "{out}");
        }
    }
}

#[test]
fn blocks_that_are_open_in_parallel_are_two_texts() {
    let events = [
        start(0),
        start(1),
        delta(0, "A runs. [sub"),
        delta(1, "SECRET is so. [unverified"),
        delta(0, "strate.grep] Bye. "),
        delta(1, "-inference] See [sub"),
        stop(0),
        delta(1, "x] "),
        stop(1),
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.into(),
        r#"{"type":"message_stop"}"#.into(),
    ];
    let stream = sse(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let block = |out: &str, index| joined(out, &[("/index", index)], "/delta/text");
    let out = strip(Format::Anthropic, &stream);
    assert_eq!(block(&out, "0"), "A runs. Bye. ", "{out}");
    assert_eq!(block(&out, "1"), "SECRET is so. See [subx] ", "{out}");
    let out = gate(Format::Anthropic, &stream);
    assert_eq!(block(&out, "0"), "A runs. Bye. ", "{out}");
    assert_eq!(block(&out, "1"), "See [subx] ", "{out}");
}

/// A Responses stream of deltas with these numbers.
fn responses(deltas: &[(u32, u32, &str)]) -> Vec<String> {
    deltas
        .iter()
        .enumerate()
        .map(|(number, (output, content, text))| {
            format!(r#"{{"type":"response.output_text.delta","item_id":"i{number}","output_index":{output},"content_index":{content},"delta":"{text}","sequence_number":{number}}}"#)
        })
        .collect()
}

fn sse_of(events: &[String]) -> String {
    sse(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_content_index_that_counts_deltas_names_one_text() {
    let counted = responses(&[
        (0, 1, "It "),
        (0, 2, "rains. [sub"),
        (0, 3, "strate.grep] "),
        (0, 4, "now."),
    ]);
    let added = r#"{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}"#;
    for head in [vec![], vec![added.to_owned()]] {
        let mut events = head;
        events.extend(counted.iter().cloned());
        let stream = sse_of(&events);
        let out = strip(Format::OpenAiResponses, &stream);
        assert_eq!(joined(&out, &[], "/delta"), "It rains. now.", "{out}");
        if events.len() > counted.len() {
            let out = gate(Format::OpenAiResponses, &stream);
            assert_eq!(joined(&out, &[], "/delta"), "It rains. now.", "{out}");
        }
        let count = out.matches("output_text.delta").count();
        assert_eq!(count, 4, "nothing is left for the end: {out}");
    }
    // Parts that are named stay apart.
    let named = responses(&[
        (0, 0, "See [sub"),
        (0, 1, "No. "),
        (0, 0, "x] "),
        (0, 1, "[y"),
        (0, 2, "z "),
    ]);
    let out = strip(Format::OpenAiResponses, &sse_of(&named));
    let text = |index| joined(&out, &[("/content_index", index)], "/delta");
    assert_eq!(
        [text("0"), text("1"), text("2")],
        ["See [subx] ", "No. [y", "z "],
        "{out}"
    );
}

#[test]
fn initial_text_belongs_to_its_deltas() {
    let added = [
        r#"{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":"SECRET. It rains. [sub"},"sequence_number":0}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"SECRET. It rains. [sub"}]},"sequence_number":0}"#,
    ];
    for (added, at) in added
        .into_iter()
        .zip(["/part/text", "/item/content/0/text"])
    {
        let mut events = vec![added.to_owned()];
        events.extend(responses(&[(0, 0, "strate.grep] Bye. "), (0, 0, "[x")]));
        let stream = sse_of(&events);
        let text = |out: &str| joined(out, &[], at) + &joined(out, &[], "/delta");
        let out = strip(Format::OpenAiResponses, &stream);
        assert_eq!(text(&out), "SECRET. It rains. Bye. [x", "{out}");
        let withheld = stream
            .replace("SECRET. It rains. [sub", "SECRET. [unve")
            .replace("strate.grep]", "rified-inference]");
        let out = gate(Format::OpenAiResponses, &withheld);
        assert_eq!(text(&out), "Bye. [x", "{out}");
        // White space at the end of the initial text.
        let spaced = stream
            .replace("[sub", "")
            .replace("strate.grep] ", "[substrate.grep] ");
        let out = strip(Format::OpenAiResponses, &spaced);
        assert_eq!(text(&out), "SECRET. It rains. Bye. [x", "{out}");
    }
}

#[test]
fn a_message_that_repeats_the_delta_is_a_text() {
    let pieces = ["It ", "rains. [sub", "strate.grep] Bye. ", "[x", "] "];
    let choices: Vec<String> = pieces
        .iter()
        .map(|piece| {
            format!(r#""message":{{"content":"{piece}"}},"delta":{{"content":"{piece}"}}"#)
        })
        .collect();
    let stream = chat_stream(&choices.iter().map(String::as_str).collect::<Vec<_>>());
    for out in [
        strip(Format::OpenAiChat, &stream),
        gate(Format::OpenAiChat, &stream),
    ] {
        assert_eq!(chat(&out, "delta/content"), "It rains. Bye. [x] ", "{out}");
        assert_eq!(
            chat(&out, "message/content"),
            "It rains. Bye. [x] ",
            "{out}"
        );
    }
    // One that repeats the text so far is rewritten by itself.
    let mut so_far = String::new();
    let choices: Vec<String> = pieces
        .iter()
        .map(|piece| {
            so_far += piece;
            format!(r#""message":{{"content":"{so_far}"}},"delta":{{"content":"{piece}"}}"#)
        })
        .collect();
    let stream = chat_stream(&choices.iter().map(String::as_str).collect::<Vec<_>>());
    let out = strip(Format::OpenAiChat, &stream);
    assert_eq!(chat(&out, "delta/content"), "It rains. Bye. [x] ", "{out}");
    let events = events(&out);
    let messages = events
        .iter()
        .filter_map(|event| event.pointer("/choices/0/message/content")?.as_str());
    let messages: Vec<&str> = messages.collect();
    assert_eq!(
        messages,
        [
            "It",
            "It rains.",
            "It rains. Bye.",
            "It rains. Bye.",
            "It rains. Bye. [x]"
        ],
        "{out}"
    );
}

#[test]
fn an_item_id_that_changes_names_nothing() {
    // GitHub Copilot sends another `item_id` in each event.
    let stream = sse_of(&responses(&[
        (1, 0, "It rains. [sub"),
        (1, 0, "strate.grep] "),
        (1, 0, "Bye. ["),
    ]));
    for out in [
        strip(Format::OpenAiResponses, &stream),
        gate(Format::OpenAiResponses, &stream),
    ] {
        assert_eq!(joined(&out, &[], "/delta"), "It rains. Bye. [", "{out}");
    }
}

/// For each format, what may seem to end its text: the text before, the end, and the text after.
#[expect(clippy::too_many_lines, reason = "an event of each format")]
fn ends(before: &str, after: &str) -> Vec<(Format, String, &'static str)> {
    let anthropic = |text: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
        )
    };
    let chat =
        |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let response = |text: &str| responses(&[(0, 0, text)]).remove(0);
    let cohere = |text: &str| {
        format!(
            r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"{text}"}}}}}}}}"#
        )
    };
    let ollama = |text: &str| format!(r#"{{"message":{{"content":"{text}"}},"done":false}}"#);
    let llama = |text: &str| format!(r#"{{"index":0,"content":"{text}","stop":false}}"#);
    let tgi = |text: &str| {
        format!(r#"{{"token":{{"id":1,"text":"{text}","special":false}},"generated_text":null}}"#)
    };
    let bedrock = |text: &str| {
        format!(r#"{{"contentBlockDelta":{{"delta":{{"text":"{text}"}},"contentBlockIndex":0}}}}"#)
    };
    let gemini = |text: &str| {
        format!(r#"{{"candidates":[{{"index":0,"content":{{"parts":[{{"text":"{text}"}}]}}}}]}}"#)
    };
    let interactions = |text: &str| {
        format!(
            r#"{{"index":0,"delta":{{"type":"text","text":"{text}"}},"event_type":"step.delta"}}"#
        )
    };
    let with = |event: &dyn Fn(&str) -> String, ends: &[&str]| {
        let mut all = vec![event(before)];
        all.extend(ends.iter().map(|&end| end.to_owned()));
        all.push(event(after));
        sse_of(&all)
    };
    vec![
        (
            Format::Anthropic,
            with(
                &anthropic,
                &[r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#],
            ),
            "/delta/text",
        ),
        (
            Format::Anthropic,
            with(
                &anthropic,
                &[
                    r#"{"type":"content_block_stop","index":0}"#,
                    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
                ],
            ),
            "/delta/text",
        ),
        (
            Format::OpenAiChat,
            with(
                &chat,
                &[r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#],
            ),
            "/choices/0/delta/content",
        ),
        (
            Format::OpenAiChat,
            with(
                &chat,
                &[
                    r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}"#,
                    r#"{"choices":[],"usage":{"total_tokens":3}}"#,
                ],
            ),
            "/choices/0/delta/content",
        ),
        (
            Format::OpenAiResponses,
            with(
                &response,
                &[&format!(
                    r#"{{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"{before}"}}"#
                )],
            ),
            "/delta",
        ),
        (
            Format::Cohere,
            with(&cohere, &[r#"{"type":"content-end","index":0}"#]),
            "/delta/message/content/text",
        ),
        (
            Format::Ollama,
            with(&ollama, &[r#"{"message":{"content":""},"done":true}"#])
                .replace("data: ", "")
                .replace("\n\n", "\n"),
            "/message/content",
        ),
        (
            Format::LlamaCpp,
            with(&llama, &[r#"{"index":0,"content":"","stop":true}"#]),
            "/content",
        ),
        (
            Format::Tgi,
            with(
                &tgi,
                &[
                    r#"{"token":{"id":2,"text":"</s>","special":true},"generated_text":null,"details":{"finish_reason":"length"}}"#,
                ],
            ),
            "/token/text",
        ),
        (
            Format::BedrockConverse,
            with(
                &bedrock,
                &[
                    r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
                    r#"{"messageStop":{"stopReason":"end_turn"}}"#,
                ],
            ),
            "/contentBlockDelta/delta/text",
        ),
        (
            Format::Gemini,
            with(
                &gemini,
                &[r#"{"candidates":[{"index":0,"finishReason":"STOP"}]}"#],
            ),
            "/candidates/0/content/parts/0/text",
        ),
        (
            Format::GeminiInteractions,
            with(&interactions, &[r#"{"index":0,"event_type":"step.stop"}"#]),
            "/delta/text",
        ),
    ]
}

#[test]
fn text_after_an_end_goes_on() {
    let cases = [
        ("Green. [substrate.gr", "ep] Ship.", "Green. Ship."),
        ("Green.", " [substrate.grep] Ship.", "Green. Ship."),
        ("Green. ", "[substrate.grep] Ship.", "Green. Ship."),
        ("Green [", "x] Ship. ", "Green [x] Ship. "),
        ("Green", " is it. [substrate.grep]", "Green is it."),
        ("", "Green. [substrate.grep]", "Green."),
        ("Green. [substrate.grep]", " [substrate.grep]", "Green."),
    ];
    for (before, after, expected) in cases {
        for (format, stream, at) in ends(before, after) {
            let read = |out: &str| {
                let text = joined(out, &[], at);
                text.replace("</s>", "")
            };
            let out = strip(format, &stream);
            assert_eq!(read(&out), expected, "{format}: {stream}\n{out}");
            let out = gate(format, &stream);
            assert_eq!(read(&out), expected, "{format}, gated: {stream}\n{out}");
        }
    }
}

#[test]
fn nothing_is_released_at_an_end_that_text_after_it_withholds() {
    let cases = [
        ("SECRET is so. [unverified-inf", "erence] Ship.", "Ship."),
        ("SECRET is so.", " [unverified-inference] Ship.", "Ship."),
        (
            "Go on. SECRET is",
            " so. [unverified-inference] Ship.",
            "Go on. Ship.",
        ),
        (
            "SECRET is so. [substrate.grep]",
            " [unverified-inference] Ship.",
            "Ship.",
        ),
    ];
    for (before, after, expected) in cases {
        for (format, stream, at) in ends(before, after) {
            // The member that repeats the text says that it was all.
            let out = gate(format, &stream);
            let text = joined(&out, &[], at).replace("</s>", "");
            assert_eq!(text, expected, "{format}: {stream}\n{out}");
        }
    }
}

#[test]
fn what_no_text_follows_comes_before_the_end() {
    for (format, stream, at) in ends("Green. [substrate.gr", "") {
        let (out, last) = (
            strip(format, &stream),
            if format == Format::Tgi { "length" } else { "" },
        );
        assert_eq!(
            joined(&out, &[], at).replace("</s>", ""),
            "Green. [substrate.gr",
            "{format}: {out}"
        );
        let events: Vec<String> = events(&out).iter().map(Value::to_string).collect();
        let held = events
            .iter()
            .position(|event| event.contains("[substrate.gr"))
            .expect("held");
        // Its end comes after it.
        let names = [
            "message_delta",
            "finish_reason\":\"stop",
            ".done",
            "content-end",
            "done\":true",
            "stop\":true",
            "messageStop",
            "finishReason",
            "step.stop",
            "\"length\"",
        ];
        let end = events
            .iter()
            .position(|event| names.iter().any(|name| event.contains(name)));
        let end = end.expect("an end");
        assert!(
            held < end || last == "length" && held <= end,
            "{format}: {out}"
        );
    }
}

/// For each format whose parts come in order, text before and after a part.
fn parts(before: &str, part: &str, after: &str) -> String {
    sse(&[
        &format!(
            r#"{{"candidates":[{{"index":0,"content":{{"parts":[{{"text":"{before}"}}]}}}}]}}"#
        ),
        &format!(r#"{{"candidates":[{{"index":0,"content":{{"parts":[{part}]}}}}]}}"#),
        &format!(
            r#"{{"candidates":[{{"index":0,"content":{{"parts":[{{"text":"{after}"}}]}}}}]}}"#
        ),
    ])
}

#[test]
fn a_part_that_is_not_text_is_a_break_whatever_it_is_called() {
    let kinds = [
        r#"{"toolCall":{"toolType":"google_search","args":{}}}"#,
        r#"{"toolResponse":{"x":1}}"#,
        r#"{"functionCall":{"name":"f","args":{}}}"#,
        r#"{"inlineData":{"mimeType":"image/png","data":""}}"#,
        r#"{"something":{}}"#,
        r#"{"something":"x"}"#,
        r#"{"videoMetadata":{},"fileData":{}}"#,
        r#"{"thought":true,"text":"hm"}"#,
        r#"{"thoughtSignature":"x","newThing":{"a":[1]}}"#,
        r#"{"executableCode":{"code":"x"}}"#,
    ];
    for kind in kinds {
        let stream = parts("Held [x ", kind, "y] B. ");
        let out = strip(Format::Gemini, &stream);
        let at = "/candidates/0/content/parts/0/text";
        let events = events(&out);
        let part: Value = serde_json::from_str(kind).expect("JSON");
        let place = events
            .iter()
            .position(|event| event.pointer("/candidates/0/content/parts/0") == Some(&part));
        let place = place.unwrap_or_else(|| panic!("{kind}: {out}"));
        let text = |events: &[Value]| -> String {
            events
                .iter()
                .filter_map(|event| event.pointer(at)?.as_str())
                .collect()
        };
        assert_eq!(text(&events[..place]), "Held [x ", "{kind}: {out}");
        assert_eq!(text(&events[place + 1..]), "y] B. ", "{kind}: {out}");
    }
    // A signature alone is no part of the answer.
    let stream = parts(
        "Green. [substrate.gr",
        r#"{"thoughtSignature":"x"}"#,
        "ep] Ship.",
    );
    let out = strip(Format::Gemini, &stream);
    assert_eq!(
        joined(&out, &[], "/candidates/0/content/parts/0/text"),
        "Green. Ship.",
        "{out}"
    );
}

#[test]
fn a_part_with_text_is_text_whatever_else_it_has() {
    for more in [
        r#""partMetadata":{}"#,
        r#""novel":{"a":[1]}"#,
        r#""novel":7"#,
    ] {
        let part = format!(r#"{{"text":"ep] Then SECRET. [unver",{more}}}"#);
        let stream = parts("Green. [substrate.gr", &part, "ified-inference] Ship.");
        let at = "/candidates/0/content/parts/0/text";
        let out = strip(Format::Gemini, &stream);
        let text = joined(&out, &[], at);
        assert_eq!(text, "Green. Then SECRET. Ship.", "{out}");
        let out = gate(Format::Gemini, &stream);
        assert_eq!(joined(&out, &[], at), "Green. Ship.", "{out}");
    }
}

#[test]
fn a_block_of_bedrock_that_is_not_text_is_a_break() {
    let text = |index, text| {
        format!(
            r#"{{"contentBlockDelta":{{"delta":{{"text":"{text}"}},"contentBlockIndex":{index}}}}}"#
        )
    };
    let stop = |index| format!(r#"{{"contentBlockStop":{{"contentBlockIndex":{index}}}}}"#);
    let kinds = [
        r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"t","name":"f"}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockStart":{"start":{"toolResult":{"toolUseId":"t"}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockStart":{"start":{"image":{"format":"png"}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockStart":{"start":{"other":{}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"toolResult":[{"text":"x"}]},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"image":{"source":{}}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"hm"}},"contentBlockIndex":1}}"#,
        r#"{"contentBlockDelta":{"delta":{"unknown":1},"contentBlockIndex":1}}"#,
    ];
    for kind in kinds {
        for wrapped in [true, false] {
            let mut events = vec![
                text(0, "Held [x "),
                stop(0),
                kind.to_owned(),
                stop(1),
                text(2, "y] B. "),
                stop(2),
            ];
            events.push(r#"{"messageStop":{"stopReason":"end_turn"}}"#.to_owned());
            if !wrapped {
                for event in &mut events {
                    let name = event.find(':').expect("a name");
                    *event = event[name + 1..event.len() - 1].to_owned();
                }
            }
            let out = strip(Format::BedrockConverse, &sse_of(&events));
            let event = format!("data: {}", events[2]);
            let place = out.find(&event).unwrap_or_else(|| panic!("{kind}: {out}"));
            let at = if wrapped {
                "/contentBlockDelta/delta/text"
            } else {
                "/delta/text"
            };
            assert_eq!(joined(&out[..place], &[], at), "Held [x ", "{kind}: {out}");
            assert_eq!(joined(&out[place..], &[], at), "y] B. ", "{kind}: {out}");
        }
    }
}

#[test]
fn an_image_or_a_tool_of_the_server_in_a_delta_is_a_break() {
    let stream = |member: &str, before: &str, after: &str| {
        chat_stream(&[
            &format!(r#""delta":{{"content":"{before}"}}"#),
            &format!(r#""delta":{{{member}}}"#),
            &format!(r#""delta":{{"content":"{after}"}}"#),
        ])
    };
    for member in [
        r#""images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]"#,
        r#""executed_tools":[{"index":0,"type":"search"}]"#,
    ] {
        let out = strip(Format::OpenAiChat, &stream(member, "Held [x ", "y] B. "));
        let place = out.find(member).expect("the part");
        let texts = [&out[..place], &out[place..]].map(|out| {
            let start = out.find("data: ").unwrap_or(0);
            let end = out.rfind("\n\n").unwrap_or(0);
            chat(&out[start..end.max(start)], "delta/content")
        });
        assert_eq!(texts, ["Held [x ", "y] B. "], "{out}");
    }
    for member in [r#""images":[]"#, r#""executed_tools":null"#] {
        let out = strip(
            Format::OpenAiChat,
            &stream(member, "Green. [substrate.gr", "ep] B."),
        );
        assert_eq!(chat(&out, "delta/content"), "Green. B.", "{out}");
    }
}

#[test]
fn any_other_part_of_a_ui_message_is_a_break() {
    let kinds = [
        r#"{"type":"tool-input-start","toolCallId":"t","toolName":"f"}"#,
        r#"{"type":"tool-output-denied","toolCallId":"t"}"#,
        r#"{"type":"tool-approval-request","approvalId":"a","toolCallId":"t"}"#,
        r#"{"type":"reasoning-start","id":"r"}"#,
        r#"{"type":"source-url","sourceId":"s","url":"u"}"#,
        r#"{"type":"file","url":"u","mediaType":"image/png"}"#,
        r#"{"type":"something-new"}"#,
    ];
    for kind in kinds {
        let text = vercel(&[
            ("a", "<"),
            ("a", "Held [x "),
            ("a", "|"),
            ("a", "y] B. "),
            ("a", ">"),
        ]);
        let stream = text.replace(r#"{"type":"text-delta","id":"a","delta":"|"}"#, kind);
        let out = strip(Format::VercelUi, &stream);
        let place = out
            .find(&format!("data: {kind}"))
            .unwrap_or_else(|| panic!("{kind}: {out}"));
        assert_eq!(part(&out[..place], "a"), "Held [x ", "{kind}: {out}");
        assert_eq!(part(&out[place..], "a"), "y] B. ", "{kind}: {out}");
    }
    for kind in [
        r#"{"type":"message-metadata","messageMetadata":{}}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"data-progress","data":{"transient":false},"transient":true}"#,
        // An application writes them at any time, and clients go on with the part that is open.
        r#"{"type":"data-weather","data":{}}"#,
        r#"{"type":"data-weather","transient":false,"data":{"transient":true}}"#,
    ] {
        let text = vercel(&[
            ("a", "<"),
            ("a", "Green. [substrate.gr"),
            ("a", "|"),
            ("a", "ep] B."),
            ("a", ">"),
        ]);
        let stream = text.replace(r#"{"type":"text-delta","id":"a","delta":"|"}"#, kind);
        let out = strip(Format::VercelUi, &stream);
        assert_eq!(part(&out, "a"), "Green. B.", "{kind}: {out}");
    }
}

#[test]
fn an_item_of_responses_that_is_not_a_message_is_a_break() {
    for kind in [
        "function_call",
        "reasoning",
        "web_search_call",
        "image_generation_call",
        "some_new_item",
    ] {
        let added = format!(
            r#"{{"type":"response.output_item.added","output_index":1,"item":{{"type":"{kind}","id":"f"}}}}"#
        );
        let mut events = responses(&[(0, 0, "Held [x ")]);
        events.push(added.clone());
        events.extend(responses(&[(2, 0, "y] B. ")]));
        let out = strip(Format::OpenAiResponses, &sse_of(&events));
        let place = out
            .find(&format!("data: {added}"))
            .unwrap_or_else(|| panic!("{kind}: {out}"));
        assert_eq!(
            joined(&out[..place], &[], "/delta"),
            "Held [x ",
            "{kind}: {out}"
        );
        assert_eq!(
            joined(&out[place..], &[], "/delta"),
            "y] B. ",
            "{kind}: {out}"
        );
    }
}

#[test]
fn a_delta_that_is_not_of_text_carries_none() {
    let start =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let delta = |kind, text| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"{kind}","text":"{text}"}}}}"#
        )
    };
    let events = [
        start.to_owned(),
        delta("text_delta", "Held [x "),
        delta("new_delta", "hm"),
        delta("text_delta", "y] B."),
    ];
    let out = strip(Format::Anthropic, &sse_of(&events));
    let text = joined(&out, &[("/delta/type", "text_delta")], "/delta/text");
    assert_eq!(text, "Held [x y] B.", "{out}");
    assert_eq!(
        joined(&out, &[("/delta/type", "new_delta")], "/delta/text"),
        "hm",
        "{out}"
    );
}

#[test]
fn lines_of_json_end_as_events_do() {
    let stream = lines(&[
        r#"{"message":{"content":"Green. [substrate.gr"},"done":true}"#,
        r#"{"message":{"content":"ep] Ship."},"done":true}"#,
    ]);
    for out in [
        strip(Format::Ollama, &stream),
        gate(Format::Ollama, &stream),
    ] {
        assert_eq!(
            joined(&out, &[], "/message/content"),
            "Green. Ship.",
            "{out}"
        );
    }
}

/// Diagnostics of a parser of the response.
fn diagnostics(format: Format, stream: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut parsers = ResponseParser::new(Decoder::new(format), Parser::new());
    let mut sink = |event: WireEvent<'_>| {
        if let WireEvent::Parsed(_, Event::Diagnostic(diagnostic)) = event {
            found.push(diagnostic.code().to_string());
        }
    };
    parsers.push(stream.as_bytes(), &mut sink);
    parsers.finish(&mut sink);
    found
}

#[test]
fn an_annotation_that_comes_first_after_a_break_is_an_orphan() {
    let chat = chat_stream(&[
        r#""delta":{"content":"It is so."}"#,
        r#""delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}"#,
        r#""delta":{"content":" [unverified-inference] B."}"#,
    ]);
    let thinking = chat_stream(&[
        r#""delta":{"content":"It is so."}"#,
        r#""delta":{"reasoning_content":"Hm."}"#,
        r#""delta":{"content":"[unverified-inference]"}"#,
    ]);
    let mut responses_events = responses(&[(0, 0, "It is so.")]);
    responses_events.push(
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message"}}"#.into(),
    );
    responses_events.push(
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call"}}"#
            .into(),
    );
    responses_events.extend(responses(&[(2, 0, "[unverified-inference] B.")]));
    let source = vercel(&[
        ("a", "<"),
        ("a", "It is so."),
        ("a", ">"),
        ("b", "|"),
        ("b", "<"),
        ("b", "[unverified-inference]"),
        ("b", ">"),
    ])
    .replace(
        r#"{"type":"text-delta","id":"b","delta":"|"}"#,
        r#"{"type":"source-url","sourceId":"s","url":"u"}"#,
    );
    let cases = [
        (Format::OpenAiChat, chat),
        (Format::OpenAiChat, thinking),
        (Format::OpenAiResponses, sse_of(&responses_events)),
        (Format::VercelUi, source),
        (
            Format::Gemini,
            parts(
                "It is so.",
                r#"{"functionCall":{"name":"f"}}"#,
                " [unverified-inference] B.",
            ),
        ),
        (
            Format::Gemini,
            parts(
                "It is so.",
                r#"{"thought":true,"text":"Hm."}"#,
                "[unverified-inference]",
            ),
        ),
    ];
    for (format, stream) in cases {
        assert_eq!(
            diagnostics(format, &stream),
            ["orphan"],
            "{format}: {stream}"
        );
        // The sentence is out, and the policy is asked about the orphan.
        let asked = orphans(format, &stream);
        assert_eq!(asked, 1, "{format}: {stream}");
    }
}

/// Returns the number of orphans about which a policy is asked.
fn orphans(format: Format, stream: &str) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let policy = Stated::new(move |question| {
        asked.fetch_add(
            usize::from(question.assertion().is_orphan()),
            Ordering::Relaxed,
        );
        Action::Release
    });
    let mut gate = StreamGate::new(format, Parser::new(), policy);
    gate.push(stream.as_bytes(), ());
    gate.finish(());
    count.load(Ordering::Relaxed)
}

#[test]
fn a_text_is_rewritten_after_all_before_it_are_over() {
    let stream = vercel(&[
        ("a", "<"),
        ("b", "<"),
        ("a", "A."),
        ("a", ">"),
        ("b", "B. [substrate.grep] C."),
        ("b", ">"),
    ]);
    let out = strip(Format::VercelUi, &stream);
    assert_eq!([part(&out, "a"), part(&out, "b")], ["A.", "B. C."], "{out}");
}

/// Returns the output for a stream before it is known whether more follows.
fn before_its_end(format: Format, stream: &str) -> [String; 2] {
    let (mut stripped, mut gated) = (Vec::new(), Vec::new());
    let mut rewriter = StreamRewriter::new(format, Parser::new());
    rewriter.push(stream.as_bytes(), Output(&mut stripped));
    let mut gate = StreamGate::new(format, Parser::new(), no_inference());
    gate.push(stream.as_bytes(), Output(&mut gated));
    [stripped, gated].map(|out| String::from_utf8(out).expect("UTF-8"))
}

#[test]
fn an_event_after_which_no_client_reads_on_is_not_held_back() {
    const TEXT: &str = "Green. And [substrate";
    let completed = |kind: &str| {
        format!(
            r#"{{"type":"{kind}","response":{{"id":"r","output":[{{"type":"message","content":[{{"type":"output_text","text":"{TEXT}"}}]}}]}}}}"#
        )
    };
    let done = ["[DONE]".to_owned()];
    let mut cases: Vec<(Format, String, &str, String)> = Vec::new();
    for (format, stream, at) in ends(TEXT, "") {
        let markers = match format {
            Format::OpenAiChat | Format::Gemini | Format::LlamaCpp | Format::Tgi => done.to_vec(),
            Format::Anthropic => vec![r#"{"type":"message_stop"}"#.to_owned()],
            Format::OpenAiResponses => {
                let kinds = [
                    "response.completed",
                    "response.failed",
                    "response.incomplete",
                ];
                kinds.map(completed).to_vec()
            }
            Format::Cohere => {
                vec![r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#.to_owned()]
            }
            Format::GeminiInteractions => {
                vec![
                    r#"{"interaction":{"id":"i"},"event_type":"interaction.completed"}"#.to_owned(),
                ]
            }
            _ => continue,
        };
        let with = |marker: String| (format, stream.clone() + &sse(&[&marker]), at, marker);
        cases.extend(markers.into_iter().map(with));
    }
    let open = format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{TEXT}"}}}}]}}"#);
    let marker = "[DONE]".to_owned();
    cases.push((
        Format::OpenAiChat,
        sse(&[&open, &marker]),
        "/choices/0/delta/content",
        marker,
    ));
    let marker = r#"{"type":"conversation.response.done"}"#.to_owned();
    let delta = format!(
        r#"{{"type":"message.output.delta","output_index":0,"content_index":0,"content":"{TEXT}"}}"#
    );
    cases.push((
        Format::MistralConversations,
        sse(&[&delta, &marker]),
        "/content",
        marker,
    ));
    let parts = vercel(&[("a", "<"), ("a", TEXT), ("a", ">")]);
    cases.push((Format::VercelUi, parts, "/delta", "[DONE]".to_owned()));
    assert!(cases.len() > 12);
    for (format, stream, at, marker) in cases {
        let whole = [strip(format, &stream), gate(format, &stream)];
        let outs = before_its_end(format, &stream);
        assert_eq!(outs, whole, "{format}: {stream}");
        for out in outs {
            let end = format!("data: {marker}\n\n");
            assert!(out.ends_with(&end), "{format}, {marker}: {out}");
            let text = joined(&out, &[], at).replace("</s>", "");
            assert_eq!(text, TEXT, "{format}, {marker}: {out}");
        }
    }
    // Clients of these read on.
    for (format, stream, _) in ends(TEXT, "") {
        if matches!(format, Format::Ollama | Format::BedrockConverse) {
            for out in before_its_end(format, &stream) {
                assert!(!out.contains("[substrate"), "{format}: {out}");
            }
        }
    }
}

#[test]
fn an_error_is_not_held_back() {
    const TEXT: &str = "Green. And [substrate";
    for (format, stream, at) in ends(TEXT, "") {
        for error in [
            r#"{"error":{"message":"boom"}}"#,
            r#"{"error":"boom"}"#,
            r#"{"type":"error","error":{"message":"boom"}}"#,
        ] {
            let is_lines = stream.starts_with('{');
            let error = match is_lines {
                true => format!("{error}\n"),
                false => format!("event: error\ndata: {error}\n\n"),
            };
            let stream = stream.clone() + &error;
            let whole = [strip(format, &stream), gate(format, &stream)];
            let outs = before_its_end(format, &stream);
            assert_eq!(outs, whole, "{format}: {stream}");
            for out in outs {
                assert!(out.ends_with(&error), "{format}: {out}");
                let text = joined(&out, &[], at).replace("</s>", "");
                assert_eq!(text, TEXT, "{format}: {out}");
            }
        }
    }
}

/// A chat stream of two choices.
fn two_choices(choices: &[(u32, &str)]) -> String {
    let events: Vec<String> = choices
        .iter()
        .map(|(index, choice)| format!(r#"{{"choices":[{{"index":{index},{choice}}}]}}"#))
        .collect();
    sse_of(&events)
}

#[test]
fn an_error_of_a_choice_is_of_that_choice_alone() {
    for error in [
        r#""delta":{"content":""},"finish_reason":"error""#,
        r#""delta":{},"finish_reason":"error","error":{"code":502,"message":"boom"}"#,
        r#""delta":{},"error":{"code":502,"message":"boom"}"#,
    ] {
        let stream = two_choices(&[
            (0, r#""delta":{"role":"assistant","content":""}"#),
            (1, r#""delta":{"role":"assistant","content":""}"#),
            (0, r#""delta":{"content":"SECRET is so. [unverified-inf"}"#),
            (1, r#""delta":{"content":"Green. [substrate"}"#),
            (1, error),
            (0, r#""delta":{"content":"erence] Ship. [sub"}"#),
            (0, r#""delta":{"content":"x] So."}"#),
        ]);
        let at = "/choices/0/delta/content";
        for (out, first) in [
            (
                strip(Format::OpenAiChat, &stream),
                "SECRET is so. Ship. [subx] So.",
            ),
            (gate(Format::OpenAiChat, &stream), "Ship. [subx] So."),
        ] {
            let text = |index| joined(&out, &[("/choices/0/index", index)], at);
            assert_eq!(
                [text("0"), text("1")],
                [first, "Green. [substrate"],
                "{out}"
            );
        }
        // What is held back comes before the error, which is written at once.
        let until = stream.find("erence]").expect("the next event");
        let until = stream[..until].rfind("data: ").expect("its start");
        for out in before_its_end(Format::OpenAiChat, &stream[..until]) {
            assert!(out.ends_with(&format!("{error}}}]}}\n\n")), "{out}");
        }
    }
}

/// Text of a choice is written as it comes while another choice, which has a finish reason, waits for more text; all of it in order.
#[test]
fn the_end_of_a_choice_holds_back_no_other() {
    let write = |index: u32, text: &str, reason: &str| {
        let reason = if reason.is_empty() { "null" } else { reason };
        format!(
            r#"{{"object":"chat.completion.chunk","choices":[{{"index":{index},"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]}}"#
        )
    };
    let format = Format::OpenAiChat;
    let mut all = vec![
        write(0, "It rains. So", ""),
        write(1, "Snow falls. [sub", ""),
        write(0, ". [subst", r#""stop""#),
    ];
    for number in 0..30 {
        all.push(write(1, &format!("strate.grep] It is {number}. [sub"), ""));
    }
    all.push(write(1, "strate.grep] Over", r#""stop""#));
    all.push(write(0, "rate.grep]", r#""stop""#));
    let all = sse(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let before_end = all.find("Over").expect("the last text");
    let mut rewriter = StreamRewriter::new(format, Parser::new());
    let mut gated = StreamGate::new(format, Parser::new(), no_inference());
    let (mut stripped, mut released) = (Vec::new(), Vec::new());
    for part in [&all[..before_end], &all[before_end..]] {
        rewriter.push(part.as_bytes(), Output(&mut stripped));
        gated.push(part.as_bytes(), Output(&mut released));
        for out in [&stripped, &released] {
            let out = String::from_utf8_lossy(out);
            assert!(out.contains("It is 28."), "{format}: {out}");
        }
    }
    rewriter.finish(Output(&mut stripped));
    gated.finish(Output(&mut released));
    let expected = Client::of(format, all.as_bytes()).cleaned();
    for out in [stripped, released] {
        let found = Client::of(format, &out);
        let out = String::from_utf8_lossy(&out);
        assert_eq!(found.texts, expected.texts, "{format}: {out}");
        assert_eq!(found.finish, expected.finish, "{format}: {out}");
    }
}
