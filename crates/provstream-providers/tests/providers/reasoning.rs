//! Annotations in reasoning.

use provstream::{Action, Parser};
use provstream_providers::{Format, NoticeCode, ReadReport, Reasoning, StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::policies::no_inference;
use testkit::wire::generate::Random;
use testkit::wire::oracle::events;

use crate::shapes::secretive;
use testkit::wire::output::Output;

fn run(reasoning: Reasoning, stream: &str) -> (String, ReadReport) {
    let rewriter = StreamRewriter::detect(Parser::new()).with_reasoning(reasoning);
    let run = |size: usize| {
        let (mut rewriter, mut out) = (rewriter.clone(), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        (out, rewriter.report().clone())
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

fn sse(events: &[Value]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

/// An event with a piece of reasoning, one with text, and one that ends the reasoning.
type Sample = (Format, fn(&str) -> Value, Vec<Value>);

fn samples() -> Vec<Sample> {
    vec![
        (
            Format::OpenAiChat,
            |text| json!({"id": "c", "choices": [{"index": 0, "delta": {"reasoning_content": text}, "logprobs": null}]}),
            vec![json!({"id": "c", "choices": [{"index": 0, "delta": {"content": "It is so."}}]})],
        ),
        (
            Format::OpenAiChat,
            |text| json!({"choices": [{"index": 0, "delta": {"reasoning": text, "reasoning_content": text, "reasoning_details": [{"type": "reasoning.text", "text": text}]}}]}),
            vec![
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]}),
            ],
        ),
        (
            Format::OpenAiResponses,
            |text| json!({"type": "response.reasoning_summary_text.delta", "item_id": "r", "output_index": 0, "summary_index": 0, "delta": text}),
            vec![
                json!({"type": "response.reasoning_summary_text.done", "item_id": "r", "output_index": 0, "summary_index": 0, "text": "~"}),
            ],
        ),
        (
            Format::Anthropic,
            |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": text}}),
            vec![
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "It is so."}}),
            ],
        ),
        (
            Format::Gemini,
            |text| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": text, "thought": true}]}}]}),
            vec![
                json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "It is so."}]}}]}),
            ],
        ),
        (
            Format::Ollama,
            |text| json!({"message": {"role": "assistant", "content": "", "thinking": text}, "done": false}),
            vec![json!({"message": {"role": "assistant", "content": "So."}, "done": false})],
        ),
        (
            Format::Cohere,
            |text| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": text}}}}),
            vec![json!({"type": "content-end", "index": 0})],
        ),
        (
            Format::GeminiInteractions,
            |text| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"type": "text", "text": text}}}),
            vec![json!({"event_type": "step.stop", "index": 0})],
        ),
        (
            Format::MistralConversations,
            |text| json!({"type": "message.output.delta", "output_index": 0, "content": {"type": "thinking", "thinking": [{"type": "text", "text": text}]}}),
            vec![json!({"type": "message.output.delta", "output_index": 0, "content": "So."})],
        ),
        (
            Format::BedrockConverse,
            |text| json!({"contentBlockDelta": {"delta": {"reasoningContent": {"text": text}}, "contentBlockIndex": 0}}),
            vec![json!({"contentBlockStop": {"contentBlockIndex": 0}})],
        ),
        (
            Format::VercelUi,
            |text| json!({"type": "reasoning-delta", "id": "r", "delta": text}),
            vec![json!({"type": "reasoning-end", "id": "r"})],
        ),
    ]
}

const PIECES: [&str; 3] = ["I look. [subst", "rate.grep] Th\u{e9}n [", ""];
const CLEAN: [&str; 3] = ["I look.", " Th\u{e9}n", ""];

#[test]
fn reasoning_is_left_unless_asked_and_counted() {
    for (format, event, after) in samples() {
        let mut stream: Vec<_> = PIECES.map(event).into();
        stream.extend(after);
        let (out, report) = run(Reasoning::Leave, &sse(&stream));
        assert_eq!(out, sse(&stream), "{format}");
        let bytes: usize = PIECES.iter().map(|piece| piece.len()).sum();
        assert_eq!(report.reasoning_bytes(), bytes as u64, "{format}");
    }
}

#[test]
fn reasoning_is_rewritten_like_text() {
    for (format, event, mut after) in samples() {
        let whole = |text: &str, after: &[Value]| {
            let all = serde_json::to_string(after)
                .expect("JSON")
                .replace('~', text);
            serde_json::from_str::<Vec<Value>>(&all).expect("JSON")
        };
        let mut stream: Vec<_> = PIECES.map(event).into();
        stream.extend(whole(&PIECES.concat(), &after));
        let (out, report) = run(Reasoning::Rewrite, &sse(&stream));
        let out = events(out.as_bytes());
        let mut expected: Vec<_> = CLEAN.map(event).into();
        after = whole(&(CLEAN.concat() + " ["), &after);
        // What was held back in all members comes in one event before what follows.
        assert_eq!(out.len(), stream.len() + 1, "{format}: {out:?}");
        // It says that it is reasoning, and of which text.
        let mut whole = event(" [");
        if let Some(message) = whole.get_mut("message") {
            message
                .as_object_mut()
                .expect("a message")
                .remove("content");
        }
        assert_eq!(out[3], whole, "{format}");
        expected.push(whole);
        expected.extend(after);
        assert_eq!(out, expected, "{format}");
        assert!(report.is_complete() && report.reasoning_bytes() > 0);
        let (end, _) = run(Reasoning::Rewrite, &sse(&PIECES.map(event)));
        let end = events(end.as_bytes());
        assert_eq!(end[..3], CLEAN.map(event), "{format}");
        assert_eq!(end.len(), 4, "{format}");
        // The last event without its blank line.
        let cut = sse(&[event(PIECES[0]), event(PIECES[1])]);
        let (cut, _) = run(Reasoning::Rewrite, cut.trim_end());
        assert_eq!(
            events(cut.as_bytes()),
            [event(CLEAN[0]), event(" Th\u{e9}n [")],
            "{format}"
        );
    }
}

/// An event with a piece of one reasoning, and an event with a piece of another one.
type Pair = (Format, fn(&str) -> Value, fn(&str) -> Value);

fn pairs() -> [Pair; 5] {
    [
        (
            Format::OpenAiResponses,
            |text| json!({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
            |text| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": text}),
        ),
        (
            Format::Cohere,
            |text| json!({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": text}}}),
            |text| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": text}}}}),
        ),
        (
            Format::Ollama,
            |text| json!({"thinking": text, "done": false}),
            |text| json!({"message": {"thinking": text}, "done": false}),
        ),
        (
            Format::OpenAiChat,
            |text| json!({"choices": [{"index": 0, "delta": {"reasoning_details": [{"type": "reasoning.summary", "index": 0, "summary": text}]}}]}),
            |text| json!({"choices": [{"index": 0, "delta": {"reasoning_details": [{"type": "reasoning.summary", "index": 1, "summary": text}]}}]}),
        ),
        (
            Format::OpenAiChat,
            |text| json!({"choices": [{"index": 0, "delta": {"thinking_blocks": [{"type": "thinking", "index": 0, "thinking": text}]}}]}),
            |text| json!({"choices": [{"index": 0, "delta": {"thinking_blocks": [{"type": "thinking", "index": 1, "thinking": text}]}}]}),
        ),
    ]
}

#[test]
fn reasoning_that_a_client_accumulates_apart_is_two_texts() {
    for (format, one, other) in pairs() {
        let stream = [
            one("I look. [subst"),
            other("Then [x"),
            one("rate.grep] So"),
            other("] I go. [substrate"),
            one(" it is."),
            other(".grep] On."),
        ];
        let (out, _) = run(Reasoning::Rewrite, &sse(&stream));
        let expected = [
            one("I look."),
            other("Then [x"),
            one(" So"),
            other("] I go."),
            one(" it is."),
            other(" On."),
        ];
        let out = events(out.as_bytes());
        let texts = |of: fn(&str) -> Value, events: &[Value]| {
            let empty = of("").to_string();
            let (before, after) = empty.split_once("\"\"").expect("a text");
            let texts = events.iter().filter_map(|event| {
                let event = event.to_string();
                let text = event.strip_prefix(before)?.strip_suffix(after)?;
                Some(text.trim_matches('"').to_owned())
            });
            texts.collect::<String>()
        };
        for of in [one, other] {
            assert_eq!(texts(of, &out), texts(of, &expected), "{format}: {out:?}");
        }
    }
}

/// Events of the reasoning of parts, `a`, `b` or `c`: a piece, or `<` for the start and `>` for the end of a part.
fn parts(events: &[(&str, &str)]) -> String {
    let events = events.iter().map(|(part, text)| match *text {
        "<" => json!({"type": "reasoning-start", "id": part}),
        ">" => json!({"type": "reasoning-end", "id": part}),
        text => json!({"type": "reasoning-delta", "id": part, "delta": text}),
    });
    sse(&events.collect::<Vec<_>>())
}

/// Each part of a UI message is a text, however many are open.
#[test]
fn parts_of_reasoning_in_parallel_are_texts_of_their_own() {
    let stream = parts(&[
        ("a", "<"),
        ("a", "A1 [sub"),
        ("b", "<"),
        ("b", "B1 [substrate.git"),
        ("a", "strate.grep] A2 [sub"),
        ("c", "<"),
        ("b", ".log] B2"),
        ("c", "C1 [substrate.do"),
        ("a", ">"),
        ("b", " [unverified"),
        ("c", "g] C2."),
        ("b", "-inference] B3."),
        ("b", ">"),
        ("a", "<"),
        ("a", "A3 [substrate.grep]."),
        ("a", ">"),
        ("c", ">"),
    ]);
    let (out, _) = run(Reasoning::Rewrite, &stream);
    let mut texts = std::collections::BTreeMap::<String, String>::new();
    let mut open = std::collections::BTreeMap::<String, usize>::new();
    for (place, event) in events(out.as_bytes()).iter().enumerate() {
        let id = event["id"].as_str().expect("an identifier").to_owned();
        match event["type"].as_str().expect("a type") {
            "reasoning-start" => drop(open.insert(id, place)),
            "reasoning-end" => drop(open.remove(&id)),
            _ => {
                assert!(open.contains_key(&id), "{id} is not open in {out}");
                let text = event["delta"].as_str().expect("text");
                *texts.entry(id).or_default() += text;
            }
        }
    }
    let texts: Vec<_> = texts.into_values().collect();
    assert_eq!(texts, ["A1 A2 [subA3.", "B1 B2 B3.", "C1 C2."]);
    let (out, _) = run(Reasoning::Leave, &stream);
    assert_eq!(out, stream);
    // More than there may be.
    let many: Vec<String> = (0..300).map(|part| part.to_string()).collect();
    let begin = many.iter().map(|part| (&**part, "It is. [sub"));
    let end = many.iter().map(|part| (&**part, "strate.grep] So."));
    let stream = parts(&begin.chain(end).collect::<Vec<_>>());
    let (out, report) = run(Reasoning::Rewrite, &stream);
    assert_eq!(out.matches("So.").count(), 300, "{out}");
    assert_eq!(out.matches("strate.grep]").count(), 44, "{out}");
    assert_eq!(report.count(NoticeCode::LimitChannels), 88);
}

#[test]
fn reasoning_is_dropped() {
    for (format, event, after) in samples() {
        let mut stream: Vec<_> = PIECES.map(event).into();
        stream.extend(after);
        let (out, report) = run(Reasoning::Drop, &sse(&stream));
        let mut expected: Vec<_> = ["", "", ""].map(event).into();
        let rest = serde_json::to_string(&stream[3..])
            .expect("JSON")
            .replace('~', "");
        expected.extend(serde_json::from_str::<Vec<Value>>(&rest).expect("JSON"));
        assert_eq!(events(out.as_bytes()), expected, "{format}");
        assert!(report.reasoning_bytes() > 0, "{format}");
    }
}

#[test]
fn reasoning_of_whole_responses_is_rewritten_or_dropped() {
    let chat = |text: &str| json!({"object": "chat.completion", "choices": [{"message": {"content": "So.", "reasoning_content": text}, "finish_reason": "stop"}]});
    let responses = |text: &str| json!({"object": "response", "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}, {"type": "message", "content": [{"type": "output_text", "text": "So."}]}]});
    let anthropic = |text: &str| json!({"type": "message", "content": [{"type": "thinking", "thinking": text, "signature": "s"}, {"type": "text", "text": "So."}]});
    let gemini = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text, "thought": true}]}, "finishReason": "MAX_TOKENS"}]});
    let ollama =
        |text: &str| json!({"message": {"content": "So.", "thinking": text}, "done": true});
    let steps = |text: &str| json!({"object": "interaction", "steps": [{"type": "thought", "summary": [{"type": "text", "text": text}]}]});
    let bedrock = |text: &str| json!({"output": {"message": {"content": [{"reasoningContent": {"reasoningText": {"text": text}}}, {"text": "So."}]}}, "stopReason": "end_turn"});
    let vercel = |text: &str| json!({"id": "m", "role": "assistant", "parts": [{"type": "reasoning", "text": text}]});
    let all: [&dyn Fn(&str) -> Value; 8] = [
        &chat, &responses, &anthropic, &gemini, &ollama, &steps, &bedrock, &vercel,
    ];
    for response in all {
        let before = response("I look. [substrate.grep] Then [");
        for (mode, after) in [
            (Reasoning::Leave, before.clone()),
            (Reasoning::Rewrite, response("I look. Then [")),
            (Reasoning::Drop, response("")),
        ] {
            assert_eq!(
                run(mode, &before.to_string()).0,
                after.to_string(),
                "{mode:?}"
            );
            let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
            let (out, report) = run(mode, &pretty(&before));
            assert_eq!(out, pretty(&after), "{mode:?}");
            assert!(report.reasoning_bytes() > 0, "{before}");
        }
    }
}

#[test]
fn names_of_the_option_are_read_back() {
    for mode in Reasoning::ALL {
        assert_eq!(mode.as_str().parse(), Ok(mode));
    }
    assert!("hide".parse::<Reasoning>().is_err());
    assert_eq!(Reasoning::default(), Reasoning::Leave);
}

/// Gates the reasoning, at several cuts.
fn gated(format: Format, action: &Action, body: &str) -> String {
    let run = |size: usize| {
        let policy = secretive(action);
        let gate = StreamGate::new(format, Parser::new(), policy);
        let (mut gate, mut out) = (gate.with_reasoning(Reasoning::Rewrite), Vec::new());
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        String::from_utf8(out).expect("UTF-8")
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

const BEFORE: &str = "It rains. [substrate.grep] It is SECRET.";
const AFTER: &str = " [unverified-inference] So. [substrate.grep]";
const PLAIN: &str = "It rains. It is SECRET. So.";

fn delta(delta: &Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]})
}

fn chat_message(message: &Value) -> Value {
    json!({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

/// Streams of chat completions in which one member of reasoning has the annotation, and another one not.
fn twins() -> Vec<Vec<Value>> {
    let details = |text: &str| json!([{"type": "reasoning.text", "index": 0, "text": text}]);
    let text = delta(&json!({"content": "Hi."}));
    let whole = format!("{BEFORE}{AFTER}");
    let mut streams = Vec::new();
    for (one, other) in [
        ("reasoning", "reasoning_content"),
        ("reasoning_content", "reasoning"),
        ("thinking", "reasoning_text"),
        ("thought", "reasoning"),
    ] {
        streams.extend([
            // One has the annotation.
            vec![
                delta(&json!({one: BEFORE, other: BEFORE})),
                delta(&json!({one: AFTER})),
                text.clone(),
            ],
            // The other one goes on before it comes.
            vec![
                delta(&json!({one: BEFORE, other: BEFORE})),
                delta(&json!({other: " So. [substrate.grep]"})),
                delta(&json!({one: AFTER})),
                text.clone(),
            ],
            // It is in the same event as a text.
            vec![
                delta(&json!({one: BEFORE})),
                delta(&json!({"content": "Hi.", one: AFTER})),
            ],
            vec![delta(&json!({one: PLAIN, other: whole, "content": "Hi."}))],
            vec![delta(&json!({one: PLAIN, other: whole})), text.clone()],
            // A copy in another member.
            vec![
                delta(&json!({one: whole})),
                delta(&json!({other: PLAIN})),
                text.clone(),
            ],
            vec![
                delta(&json!({one: whole})),
                text.clone(),
                delta(&json!({other: PLAIN})),
            ],
            vec![chat_message(
                &json!({"content": "Hi.", one: whole, other: PLAIN}),
            )],
            vec![chat_message(
                &json!({"content": "Hi.", one: PLAIN, other: whole}),
            )],
        ]);
    }
    streams.extend([
        vec![
            delta(&json!({"reasoning": BEFORE, "reasoning_details": details(BEFORE)})),
            delta(&json!({"reasoning_details": details(AFTER)})),
            text.clone(),
        ],
        vec![
            delta(&json!({"reasoning": BEFORE, "reasoning_details": details(BEFORE)})),
            delta(&json!({"reasoning": AFTER})),
            text.clone(),
        ],
        vec![chat_message(
            &json!({"content": "Hi.", "reasoning": PLAIN, "reasoning_details": details(&whole)}),
        )],
        vec![
            delta(&json!({"reasoning_content": BEFORE, "provider_specific_fields": {"thinking_blocks": [{"type": "thinking", "thinking": BEFORE}]}})),
            delta(&json!({"reasoning_content": AFTER})),
            text,
        ],
    ]);
    streams
}

/// Clients show one of the members that reasoning is in.
#[test]
fn words_that_are_withheld_in_one_member_of_reasoning_are_withheld_in_the_others() {
    for stream in &twins() {
        let is_body = stream.len() == 1 && stream[0]["choices"][0].get("message").is_some();
        for action in [
            Action::Discard,
            Action::Replace("(no)".into()),
            Action::Refuse("(end)".into()),
        ] {
            let body = match is_body {
                true => format!("{}\n", stream[0]),
                false => sse(stream),
            };
            let out = gated(Format::OpenAiChat, &action, &body);
            assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
            assert!(
                out.contains("It rains.") && out.contains("Hi."),
                "{body} became {out}"
            );
        }
    }
    let ollama = |members: &Value| {
        let mut event = json!({"model": "m", "done": false});
        let event_members = event.as_object_mut().expect("an object");
        event_members.extend(members.as_object().expect("an object").clone());
        event.to_string() + "\n"
    };
    let copy = [
        json!({"response": "", "thinking": BEFORE}),
        json!({"response": "", "thinking": AFTER}),
        json!({"response": "Hi."}),
        json!({"response": "", "thinking": PLAIN, "done": true}),
    ];
    let body = copy.iter().map(ollama).collect::<String>();
    let out = gated(Format::Ollama, &Action::Discard, &body);
    assert!(!out.contains("SECRET") && out.contains("Hi."), "{out}");
}

/// Members that repeat each other are written as soon as one of them would be.
#[test]
fn reasoning_in_two_members_is_not_held_back_longer() {
    let piece = |text: &str| {
        delta(
            &json!({"reasoning": text, "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": text}]}),
        )
    };
    let gate = StreamGate::new(
        Format::OpenAiChat,
        Parser::new(),
        secretive(&Action::Discard),
    );
    let (mut gate, mut out) = (gate.with_reasoning(Reasoning::Rewrite), Vec::new());
    for text in [BEFORE, AFTER, " Then", " it is."] {
        gate.push(sse(&[piece(text)]).as_bytes(), Output(&mut out));
    }
    let written = String::from_utf8(out.clone()).expect("UTF-8");
    assert_eq!(written.matches("So.").count(), 2, "{written}");
    gate.push(
        sse(&[delta(&json!({"content": "Hi."}))]).as_bytes(),
        Output(&mut out),
    );
    let out = String::from_utf8(out).expect("UTF-8");
    let last = "Then it is.";
    let added: Vec<_> = events(out.as_bytes())
        .into_iter()
        .filter(|event| event.to_string().contains(last))
        .collect();
    assert_eq!(added, [piece(last)]);
}

/// A block of thinking that begins with text, in whatever order its members are.
#[test]
fn the_text_that_a_block_of_thinking_begins_with_goes_on() {
    let delta = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": text}});
    let rest = [
        delta(AFTER),
        json!({"type": "content_block_stop", "index": 0}),
    ];
    for block in [
        format!(r#"{{"type":"thinking","thinking":"{BEFORE}","signature":""}}"#),
        format!(r#"{{"thinking":"{BEFORE}","type":"thinking"}}"#),
    ] {
        let body = format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{block}}}\n\n{}",
            sse(&rest)
        );
        let out = gated(Format::Anthropic, &Action::Discard, &body);
        assert!(
            !out.contains("SECRET") && out.contains("So."),
            "{body} became {out}"
        );
    }
}

/// Parts of one event are one reasoning, as those of two events are.
#[test]
fn parts_of_reasoning_in_one_event_are_one_text() {
    let gemini = |parts: &[Value]| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]});
    let thought = |text: &str| json!({"text": text, "thought": true});
    let parts = [thought(BEFORE), thought(AFTER), json!({"text": "Hi."})];
    let chat = delta(
        &json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]}, {"type": "text", "text": "Hi."}]}),
    );
    for (format, event) in [(Format::Gemini, gemini(&parts)), (Format::OpenAiChat, chat)] {
        for body in [sse(core::slice::from_ref(&event)), format!("{event}\n")] {
            let out = gated(format, &Action::Discard, &body);
            assert!(!out.contains("SECRET"), "{body} became {out}");
            assert!(
                out.contains("So.") && out.contains("Hi."),
                "{body} became {out}"
            );
        }
    }
}

/// A text with these annotations after its sentences, cut into pieces.
fn cut(annotations: &[&str], random: &mut Random) -> Vec<String> {
    let sentences = annotations.iter().enumerate();
    let sentences = sentences.map(|(number, annotation)| match *annotation {
        "" => format!("It is Z{number}z."),
        annotation => format!("It is Z{number}z. [{annotation}]"),
    });
    let text = sentences.collect::<Vec<_>>().join(" ");
    let (mut pieces, mut rest) = (Vec::new(), &*text);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + random.below(rest.len().min(30)));
        pieces.push(piece.to_owned());
        rest = after;
    }
    pieces
}

fn text_in(out: &[Value], pointer: &str) -> String {
    let texts = out
        .iter()
        .filter_map(|event| event.pointer(pointer)?.as_str());
    texts.collect()
}

/// Two members whose pieces come in the same events, cut in different places, with annotations of their own.
#[test]
fn random_members_of_reasoning_are_gated_together() {
    const KINDS: [&str; 3] = ["", "substrate.grep", "unverified-inference"];
    for seed in 0..testkit::search::seeds(300) {
        let mut random = Random::new(seed);
        let len = 1 + random.below(5);
        let one: Vec<_> = (0..len).map(|_| KINDS[random.below(3)]).collect();
        let is_equal = random.one_in(3);
        let other = one.iter().map(|kind| match random.below(3) {
            _ if is_equal => *kind,
            0 => *kind,
            1 => "",
            _ => KINDS[random.below(3)],
        });
        let other: Vec<_> = other.collect();
        let pieces = cut(&one, &mut random);
        let others = match is_equal && random.one_in(2) {
            true => pieces.clone(),
            false => cut(&other, &mut random),
        };
        let is_first = random.one_in(2);
        let is_beside = random.one_in(2);
        let last = pieces.len().max(others.len()) - 1;
        let mut stream = Vec::new();
        for place in 0..=last {
            let mut members = Vec::new();
            members.extend(
                pieces
                    .get(place)
                    .map(|piece| format!("\"reasoning\":{}", json!(piece))),
            );
            members.extend(others.get(place).map(|piece| {
                let details = json!([{"type": "reasoning.text", "index": 0, "text": piece}]);
                format!("\"reasoning_details\":{details}")
            }));
            if is_beside && place == last {
                members.push("\"content\":\"Hi.\"".to_owned());
            }
            if is_first {
                members.reverse();
            }
            stream.push(format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{{}}}}}]}}\n\n",
                members.join(",")
            ));
        }
        if !is_beside {
            stream.push(sse(&[delta(&json!({"content": "Hi."}))]));
        }
        let body = stream.concat();
        let size = 1 + random.below(80);
        let gate = StreamGate::new(Format::OpenAiChat, Parser::new(), no_inference());
        let (mut gate, mut out) = (gate.with_reasoning(Reasoning::Rewrite), Vec::new());
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let written = String::from_utf8(out).expect("UTF-8");
        for number in 0..len {
            let is_withheld = [one[number], other[number]].contains(&"unverified-inference");
            let count = written.matches(&format!("Z{number}z")).count();
            let expected = if is_withheld { 0 } else { 2 };
            assert_eq!(count, expected, "seed {seed}: {body} became {written}");
        }
        let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        let (mut rewriter, mut out) = (rewriter.with_reasoning(Reasoning::Rewrite), Vec::new());
        for chunk in body.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        let clean: Vec<_> = (0..len)
            .map(|number| format!("It is Z{number}z."))
            .collect();
        let written = events(&out);
        for pointer in ["reasoning", "reasoning_details/0/text"] {
            let text = text_in(&written, &format!("/choices/0/delta/{pointer}"));
            assert_eq!(text, clean.join(" "), "seed {seed}, {pointer}: {body}");
        }
    }
}
