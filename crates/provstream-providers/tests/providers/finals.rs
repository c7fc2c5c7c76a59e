//! Copies of a text that come as a whole: before their deltas, with other words, or under other numbers.

use provstream::{Action, Gate, Handler, Parser};
use provstream_providers::{Format, GateEvent, StreamGate, StreamHandler, StreamRewriter};
use serde_json::{Value, json};

use testkit::gate::policies::{no_inference, upto_inference};

use crate::shapes::{gated, secretive, sse, stripped};
use testkit::wire::output::{Output, any};

fn delta(item: u32, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": item, "content_index": 0, "delta": text})
}

fn done(item: u32, text: &str) -> Value {
    json!({"type": "response.output_text.done", "output_index": item, "content_index": 0, "text": text})
}

fn completed(texts: &[&str]) -> Value {
    let items = texts
        .iter()
        .map(|text| json!({"type": "message", "content": [{"type": "output_text", "text": text}]}));
    json!({"type": "response.completed", "response": {"status": "completed", "output": items.collect::<Vec<_>>()}})
}

fn chat(members: &Value) -> Value {
    let mut choice = json!({"index": 0});
    let map = choice.as_object_mut().expect("an object");
    map.extend(members.as_object().expect("an object").clone());
    json!({"object": "chat.completion.chunk", "choices": [choice]})
}

fn actions() -> [Action; 5] {
    [
        Action::Discard,
        Action::Replace("(no)".into()),
        Action::Suspend,
        Action::Refuse("(end)".into()),
        Action::Mark("<".into(), ">".into()),
    ]
}

const TEXT: &str = "It rains. [substrate.grep] It is SECRET. [unverified-inference] So.";

/// A copy that has words of its own in the place of those that are withheld is emptied: nobody knows which of them repeat those.
#[test]
fn a_copy_without_the_words_that_are_withheld_is_emptied() {
    for copy in [
        "It rains. It is  SECRET. So.",
        "It rains. it is SECRET. So.",
        "It rains. It is SECRET! So.",
        "SECRET",
        "It rains. It is\nSECRET. So. [substrate.grep]",
        "It rains. [substrate.grep] It\u{a0}is SECRET. So.",
    ] {
        let steps = |delta: &str| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": delta}});
        for (format, events) in [
            (
                Format::OpenAiResponses,
                vec![delta(0, TEXT), done(0, copy), completed(&[copy])],
            ),
            (
                Format::OpenAiResponses,
                vec![delta(0, TEXT), completed(&[copy])],
            ),
            (
                Format::OpenAiChat,
                vec![
                    chat(&json!({"delta": {"content": TEXT}})),
                    chat(
                        &json!({"delta": {}, "message": {"content": copy}, "finish_reason": "stop"}),
                    ),
                ],
            ),
            // The text so far, in each event.
            (
                Format::OpenAiChat,
                vec![
                    chat(&json!({"delta": {"content": TEXT}, "message": {"content": copy}})),
                    chat(
                        &json!({"delta": {"content": " Bye."}, "message": {"content": format!("{copy} Bye.")}}),
                    ),
                    chat(&json!({"delta": {}, "finish_reason": "stop"})),
                ],
            ),
            (
                Format::Tgi,
                vec![
                    json!({"token": {"id": 1, "text": TEXT, "special": false}, "generated_text": null}),
                    json!({"token": {"id": 2, "text": "", "special": false}, "generated_text": copy}),
                ],
            ),
            (
                Format::GeminiInteractions,
                vec![
                    steps(TEXT),
                    json!({"event_type": "interaction.completed", "interaction": {"steps": [{"type": "model_output", "content": [{"type": "text", "text": copy}]}]}}),
                ],
            ),
        ] {
            let body = sse(&events);
            for action in actions() {
                let (out, _) = gated(Some(format), &action, &body);
                let marked = out.replace("<It is SECRET.>", "");
                assert!(
                    !marked.contains("SECRET"),
                    "{action:?}: {body} became {out}"
                );
                assert!(out.contains("It rains."), "{out}");
            }
            let (out, _) = gated(Some(format), &Action::Release, &body);
            assert!(out.contains("SECRET"), "{out}");
        }
    }
}

/// Words that are withheld may be in those of another sentence, or come again.
#[test]
fn a_copy_has_none_of_several_sentences_with_the_same_words() {
    for (text, copy, rest) in [
        (
            "SECRET. [unverified-inference] It is SECRET. [unverified-inference] So.",
            "SECRET. It is SECRET. So.",
            "So.",
        ),
        (
            "It is SECRET. [unverified-inference] SECRET. [unverified-inference] So.",
            "It is SECRET. SECRET. So.",
            "So.",
        ),
        (
            "SECRET. [unverified-inference] SECRET. [unverified-inference] So.",
            "SECRET. SECRET. So.",
            "So.",
        ),
        (
            "| SECRET. | [unverified-inference] [x] |\n| It is SECRET. | [unverified-inference] |\n\nSo.",
            "| SECRET. | [x] |\n| It is SECRET. |\n\nSo.",
            "So.",
        ),
    ] {
        for number in [0, 5] {
            let body = sse(&[delta(0, text), done(number, copy), completed(&[copy])]);
            for action in [Action::Discard, Action::Replace("(no)".into())] {
                let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
                assert!(
                    !out.contains("SECRET") && !out.contains("It is "),
                    "{action:?}: {body} became {out}"
                );
                assert_eq!(out.matches(rest).count(), 3, "{out}");
            }
        }
    }
}

/// A copy in another order that comes in mid-stream shows nothing of what is not decided, and all of it if no more comes.
#[test]
fn a_copy_in_another_order_waits_for_the_end_of_its_text() {
    let (text, copy) = ("All is well. It is SECRET.", "It is SECRET. All is well.");
    for number in [0, 5] {
        let goes_on = sse(&[
            delta(0, text),
            done(number, copy),
            delta(0, " [unverified-inference] So."),
            completed(&["It is SECRET. All is well. So."]),
        ]);
        let ends = sse(&[delta(0, text), done(number, copy), completed(&[copy])]);
        for action in actions() {
            let (out, _) = gated(Some(Format::OpenAiResponses), &action, &goes_on);
            let out = out.replace("<It is SECRET.>", "");
            assert!(
                !out.contains("SECRET"),
                "{action:?}: {goes_on} became {out}"
            );
        }
        let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Discard, &ends);
        assert_eq!(out.matches("SECRET").count(), 3, "{out}");
    }
}

/// A copy under the number of another text, which has nothing that is withheld, is no copy of that one.
#[test]
fn a_copy_under_the_number_of_another_text_repeats_the_decisions_about_its_words() {
    for copy in ["It rains. It is SECRET. So.", TEXT] {
        let body = sse(&[
            delta(0, "All is well."),
            delta(1, TEXT),
            completed(&[copy, "All is well."]),
        ]);
        for action in [Action::Discard, Action::Replace("(no)".into())] {
            let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
            assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
        }
    }
    // Of its own, each text has the decisions about it alone.
    let texts = ["It is SECRET.", "It is SECRET. [unverified-inference] So."];
    let body = sse(&[
        delta(0, texts[0]),
        delta(1, texts[1]),
        done(0, texts[0]),
        completed(&texts),
    ]);
    let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Discard, &body);
    assert_eq!(out.matches("It is SECRET.").count(), 3, "{out}");
}

/// Undecided text is left out of a copy under another number, as under its own.
#[test]
fn a_copy_under_another_number_has_nothing_that_is_undecided() {
    for (first, copy, later) in [
        (
            "It rains. It is SECRET.",
            "It rains. It is SECRET.",
            " [unverified-inference] So.",
        ),
        (
            "It rains. It is SECRET. ",
            "It rains. It is SECRET.",
            "[unverified-inference] So.",
        ),
        (
            "It rains. It is SECRET. [unverified",
            "It rains. It is SECRET.",
            "-inference] So.",
        ),
        (
            "It rains. It is SECRET. [unverified-inference]",
            "It rains. It is SECRET.",
            " So.",
        ),
        (
            "It rains. It is SECRET",
            "It rains. It is SECRET",
            ". [unverified-inference] So.",
        ),
        (
            "It rains. It is SECRET. [unverified-inference]",
            "It rains. It is SECRET. [unverified-inference]",
            " So.",
        ),
    ] {
        for number in [1, 5] {
            let body = sse(&[
                delta(0, first),
                done(number, copy),
                delta(0, later),
                completed(&[&format!("{first}{later}")]),
            ]);
            for action in actions()
                .into_iter()
                .filter(|action| !matches!(action, Action::Mark(..)))
            {
                let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
                assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
                assert!(out.contains("\"text\":\"It rains. "), "{out}");
            }
            let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Release, &body);
            assert!(out.contains("It is SECRET. So."), "{out}");
        }
    }
}

/// Members of a choice of which one ends at an annotation without an assertion: each has the refusal once at most, however many
/// deltas come after it.
#[test]
fn a_refusal_is_written_once_in_each_member() {
    let both = |text: &str| chat(&json!({"text": text, "delta": {"content": text}}));
    let mut events = vec![
        both(" [unverified-inference]"),
        chat(&json!({"delta": {"refusal": "No [unverified-inference] so."}})),
        chat(&json!({"delta": {}, "finish_reason": "length"})),
    ];
    events.extend([" It rains. ", "Snow falls. ", "So."].map(both));
    let body = sse(&events);
    let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), upto_inference());
    let mut out = Vec::new();
    gate.push(body.as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    for member in ["text", "content", "refusal"] {
        let refusals = out.matches(&format!("\"{member}\":\"(end)\"")).count();
        assert!(refusals <= 1, "{member}: {out}");
    }
    assert!(out.contains("(end)"), "{out}");
}

/// Withheld words in a copy may end like text that the gate holds back elsewhere; they are withheld as a whole.
#[test]
fn a_copy_has_nothing_withheld_that_ends_like_what_is_held_back() {
    for held in [
        ".",
        "T.",
        "is SECRET.",
        "It is SECRET.",
        "SECRET. So.",
        "So.",
    ] {
        let body = sse(&[
            delta(0, TEXT),
            delta(1, held),
            done(5, "It rains. It is SECRET. So."),
        ]);
        for action in [Action::Discard, Action::Replace("(no)".into())] {
            let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
            let copy = out.rsplit("data: ").next().unwrap_or_default();
            assert!(!copy.contains("SECRE"), "{action:?}: {body} became {out}");
        }
    }
}

/// A copy comes at what seems to be the end of its text, and the text goes on with an annotation: it has no end. If the text does not
/// go on, the copy has all of it.
#[test]
fn a_copy_has_the_end_of_its_text_only_if_the_text_does_not_go_on() {
    for (first, later) in [
        ("It rains. It is SECRET.", " [unverified-inference] So."),
        ("It rains. It is SECRET. [unverified", "-inference] So."),
        ("It rains. It is SECRET", ". [unverified-inference] So."),
        ("It is SECRET.", " [unverified-inference]"),
    ] {
        let chunk = |delta: &str, so_far: &str| {
            chat(
                &json!({"delta": {"content": delta}, "message": {"content": so_far}, "finish_reason": "stop"}),
            )
        };
        let whole = format!("{first}{later}");
        for (format, start, rest) in [
            (
                Format::OpenAiResponses,
                vec![delta(0, first), done(0, first)],
                vec![delta(0, later), done(0, &whole), completed(&[&whole])],
            ),
            (
                Format::OpenAiChat,
                vec![chunk(first, first)],
                vec![chunk(later, &whole)],
            ),
            (
                Format::Tgi,
                vec![
                    json!({"token": {"id": 1, "text": first, "special": false}, "generated_text": first}),
                ],
                vec![
                    json!({"token": {"id": 1, "text": later, "special": false}, "generated_text": whole}),
                ],
            ),
        ] {
            let all = sse(&[start.clone(), rest].concat());
            for action in actions()
                .into_iter()
                .filter(|action| !matches!(action, Action::Mark(..)))
            {
                let (out, _) = gated(Some(format), &action, &all);
                assert!(!out.contains("SECRET"), "{action:?}: {all} became {out}");
            }
            let (out, _) = gated(Some(format), &Action::Release, &all);
            let clean = testkit::wire::oracle::clean(&whole);
            assert!(out.contains(&format!("\"{clean}\"")), "{out}");
            let (out, _) = gated(Some(format), &Action::Discard, &sse(&start));
            assert!(
                out.contains(&format!("\"{}\"", testkit::wire::oracle::clean(first))),
                "{out}"
            );
        }
    }
}

/// If too many events are held, a copy has the end of its text if the policy releases it.
#[test]
fn a_copy_at_the_limit_of_held_events_has_what_is_released() {
    let text = "It rains. So it is.";
    let filler = json!({"choices": [], "usage": vec![0; 1_000]});
    let message = json!({"content": text});
    let mut events = vec![
        chat(&json!({"delta": {"content": text}})),
        chat(&json!({"delta": {}, "message": message, "finish_reason": "stop"})),
    ];
    events.extend(vec![filler; 100]);
    let body = sse(&events);
    let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &body);
    assert!(
        out.contains("(limit)") && !out.contains("So it is."),
        "{out}"
    );
    let mut out = Vec::new();
    let mut gate = StreamGate::new(Format::OpenAiChat, Parser::new(), no_inference());
    gate.push(body.as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(out.contains(&message.to_string()), "{out}");
}

/// A whole text that comes before the deltas repeats nothing. It is judged as any text, and so are the deltas.
#[test]
fn a_whole_text_before_its_deltas_is_judged_as_a_text_of_its_own() {
    let released = |text: &str| {
        let mut gate = Gate::new(Parser::new(), secretive(&Action::Discard));
        let mut out = Vec::new();
        gate.push(text.as_bytes(), &mut out);
        gate.finish(&mut out);
        String::from_utf8(out).expect("UTF-8")
    };
    for text in [
        TEXT,
        "It rains. It is SECRET. So.",
        "It is SECRET. [unverified-inference]",
    ] {
        for number in [0, 5] {
            let body = sse(&[done(number, text), delta(0, TEXT), completed(&[TEXT])]);
            let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Discard, &body);
            let events = testkit::wire::oracle::events(out.as_bytes());
            assert_eq!(events[0]["text"], released(text), "{out}");
            let rest = json!(events[1..]).to_string();
            assert!(!rest.contains("SECRET"), "{out}");
            assert!(rest.contains(&released(TEXT)), "{out}");
        }
    }
}

/// Counts the decisions that are reported.
#[derive(Default)]
struct Decided(usize);

impl Handler for Decided {}

impl StreamHandler for Decided {
    fn gate(&mut self, event: GateEvent<'_>) {
        self.0 += usize::from(matches!(event, GateEvent::Decided(..)));
    }
}

/// Some servers send no deltas: then the first whole text is the text itself.
#[test]
fn a_text_without_deltas_is_reported_once_and_its_copies_repeat_the_decisions() {
    let whole = |text: &str| chat(&json!({"message": {"content": text}}));
    let item = |text: &str| json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": [{"type": "output_text", "text": text}]}});
    let clean = "It rains. It is SECRET. So.";
    for (format, events) in [
        (Format::OpenAiResponses, vec![completed(&[TEXT])]),
        (
            Format::OpenAiResponses,
            vec![done(0, TEXT), item(clean), completed(&[clean])],
        ),
        (
            Format::OpenAiResponses,
            vec![item(TEXT), completed(&["", clean])],
        ),
        (
            Format::OpenAiResponses,
            vec![item(TEXT), completed(&["It is  SECRET."])],
        ),
        (Format::OpenAiChat, vec![whole(TEXT), whole(clean)]),
        (
            Format::GeminiInteractions,
            vec![
                json!({"event_type": "interaction.completed", "interaction": {"steps": [{"type": "model_output", "content": [{"type": "text", "text": TEXT}]}]}}),
            ],
        ),
    ] {
        let body = sse(&events);
        for action in actions() {
            let (out, report) = gated(Some(format), &action, &body);
            let marked = out.replace("<It is SECRET.>", "");
            assert!(
                !marked.contains("SECRET"),
                "{action:?}: {body} became {out}"
            );
            assert!(out.contains("It rains."), "{out}");
            assert!(report.text_bytes() > 0, "{body}");
        }
        let mut gate = StreamGate::new(format, Parser::new(), secretive(&Action::Discard));
        let mut decided = Decided::default();
        gate.push(body.as_bytes(), any(&mut decided));
        gate.finish(any(&mut decided));
        assert_eq!(decided.0, 2, "{body}");
    }
}

/// A copy under a number that no text had may have the words in another form: nobody knows which text it repeats.
#[test]
fn a_copy_under_another_number_that_equals_no_text_is_emptied() {
    let reasoning = json!({"type": "reasoning", "summary": []});
    for copy in [
        "It rains. It is  SECRET. So.",
        "It rains. It is \u{201C}SECRET\u{201D}. So.",
        "It rains. It is SECR",
    ] {
        let message =
            json!({"type": "message", "content": [{"type": "output_text", "text": copy}]});
        let last = json!({"type": "response.completed", "response": {"status": "completed", "output": [reasoning, message]}});
        let body = sse(&[delta(0, TEXT), last]);
        for action in actions() {
            let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
            let out = out.replace("<It is SECRET.>", "");
            assert!(!out.contains("SECR"), "{action:?}: {body} became {out}");
        }
    }
    // One that equals a text has what is admitted of it.
    let texts = [delta(0, TEXT), delta(1, "Snow falls.")];
    let last = completed(&["", "It rains. It is SECRET. So.", "Snow falls."]);
    let body = sse(&[&texts[..], &[last]].concat());
    let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Discard, &body);
    assert!(!out.contains("SECRET"), "{out}");
    let copies = out.lines().rfind(|line| !line.is_empty());
    let copies = copies.expect("an event");
    assert!(
        copies.contains("It rains.") && copies.contains("Snow falls."),
        "{out}"
    );
}

/// A whole answer after its deltas, in a member of responses that are not streamed, is no more text of the answer.
#[test]
fn a_whole_answer_after_its_deltas_is_an_excerpt() {
    let clean = "It rains. It is SECRET. So.";
    let anthropic = |copy: &str| {
        [
            json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": copy}]}),
        ]
    };
    let bedrock = |copy: &str| {
        [
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": TEXT}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"output": {"message": {"content": [{"text": copy}]}}, "stopReason": "end_turn"}),
        ]
    };
    let vercel = |copy: &str| {
        [
            json!({"type": "text-start", "id": "a"}),
            json!({"type": "text-delta", "id": "a", "delta": TEXT}),
            json!({"type": "text-end", "id": "a"}),
            json!({"type": "finish", "parts": [{"type": "text", "text": copy}]}),
        ]
    };
    let mistral = |copy: &str| {
        [
            json!({"type": "message.output.delta", "output_index": 0, "content": TEXT}),
            json!({"type": "conversation.response.done", "usage": {}, "outputs": [{"type": "message.output", "content": copy}]}),
        ]
    };
    for (format, events) in [
        (Format::Anthropic, anthropic(clean).to_vec()),
        (Format::BedrockConverse, bedrock(clean).to_vec()),
        (Format::VercelUi, vercel(clean).to_vec()),
        (Format::MistralConversations, mistral(clean).to_vec()),
    ] {
        let body = sse(&events);
        for action in actions() {
            let (out, _) = gated(Some(format), &action, &body);
            let out = out.replace("<It is SECRET.>", "");
            assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
        }
        let mut rewriter = StreamRewriter::new(format, Parser::new());
        let mut out = Vec::new();
        rewriter.push(body.as_bytes(), Output(&mut out));
        rewriter.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out.matches(clean).count(), 2, "{body} became {out}");
    }
}

/// Bodies whose last event repeats the text of the events before it.
fn with_copy(text: &str, copy: &str) -> Vec<(Format, String)> {
    let steps = |delta: &str| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": delta}});
    let token = |text: &str| json!({"token": {"id": 1, "text": text, "special": false}, "generated_text": null});
    let cohere = |text: &str| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}});
    let (first, second) = text.split_at(text.find("SECRET").expect("a secret") + 3);
    vec![
        (
            Format::OpenAiResponses,
            sse(&[
                delta(0, first),
                delta(0, second),
                done(0, copy),
                completed(&[copy]),
            ]),
        ),
        (
            Format::OpenAiResponses,
            sse(&[
                delta(1, first),
                delta(1, second),
                done(4, copy),
                completed(&[copy]),
            ]),
        ),
        (
            Format::OpenAiChat,
            sse(&[
                chat(&json!({"delta": {"content": first}})),
                chat(&json!({"delta": {"content": second}, "message": {"content": copy}})),
                chat(&json!({"delta": {}, "message": {"content": copy}, "finish_reason": "stop"})),
            ]),
        ),
        (
            Format::Tgi,
            sse(&[
                token(first),
                token(second),
                json!({"token": {"id": 2, "text": "", "special": false}, "generated_text": copy}),
            ]),
        ),
        (
            Format::Cohere,
            sse(&[
                cohere(first),
                cohere(second),
                json!({"message": {"role": "assistant", "content": [{"type": "text", "text": copy}]}, "finish_reason": "COMPLETE"}),
            ]),
        ),
        (
            Format::GeminiInteractions,
            sse(&[
                steps(first),
                steps(second),
                json!({"event_type": "interaction.completed", "interaction": {"steps": [{"type": "model_output", "content": [{"type": "text", "text": copy}]}]}}),
            ]),
        ),
    ]
}

/// After a policy ended a text, a copy has at most what was released of it, whatever the order of its sentences.
#[test]
fn a_copy_has_nothing_of_what_comes_after_the_end_of_its_text() {
    let text = "It rains. [substrate.grep] It is SECRET. [unverified-inference] AFTER it is so. \
                [substrate.grep] AFTER all.";
    for copy in [
        "AFTER all. AFTER it is so. It is SECRET. It rains.",
        "AFTER it is so. It is SECRET. It rains.",
        "AFTER it is so. [substrate.grep] It is SECRET. [unverified-inference] It rains.",
        "AFTER it is so. [substrate.grep] It is SECRET. It rains. AFTER all.",
        "It rains. AFTER it is so. It is SECRET.",
        "It rains. [substrate.grep] AFTER it is so. It is SECRET. [unverified-inference]",
        "It rains. It is  secret. AFTER it is so. AFTER all.",
        "AFTER all.",
        "AFTER all. [substrate.grep]",
    ] {
        for (format, body) in with_copy(text, copy) {
            for action in [Action::Suspend, Action::Refuse("(end)".into())] {
                let (out, _) = gated(Some(format), &action, &body);
                let leaks = out.contains("AFTER") || out.contains("SECRET");
                assert!(!leaks, "{action:?}: {body} became {out}");
            }
        }
    }
    let copy = "It rains. It is SECRET. AFTER it is so. AFTER all.";
    for (format, body) in with_copy(text, copy) {
        let (out, _) = gated(Some(format), &Action::Refuse("(end)".into()), &body);
        let ends = out.matches("It rains. (end)").count();
        assert!(ends >= 1, "{body} became {out}");
        assert!(!out.contains("AFTER") && !out.contains("SECRET"), "{out}");
    }
}

/// A whole message after deltas of an open text ends that text.
#[test]
fn a_whole_message_after_an_open_delta_has_all_of_the_text() {
    let text = "It rains. It is SECRET. All is well.";
    let cohere = |text: &str| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}});
    let whole = |text: &str| json!({"message": {"role": "assistant", "content": [{"type": "text", "text": text}]}, "finish_reason": "COMPLETE"});
    let body = sse(&[cohere(text), whole(text)]);
    let (out, _) = gated(Some(Format::Cohere), &Action::Release, &body);
    let place = out.find("\"COMPLETE\"").expect("the whole message");
    let (before, after) = out.split_at(out[..place].rfind("data:").expect("an event"));
    let deltas: String = before
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let text = &event["delta"]["message"]["content"]["text"];
            text.as_str().expect("a delta").to_owned()
        })
        .collect();
    assert_eq!(deltas, text);
    assert!(
        after.contains(text) && after.matches("data:").count() == 1,
        "{out}"
    );
    let text = "It rains. [substr";
    let (out, _) = stripped(Some(Format::Cohere), &sse(&[cohere(text), whole(text)]));
    assert_eq!(
        out.matches(text).count() + out.matches("\" [substr\"").count(),
        2,
        "{out}"
    );
    assert!(
        out.rfind(text) > out.find("COMPLETE").map(|at| at - 200),
        "{out}"
    );
}

/// A delta that ends a text and has all its words once more is a copy of it, also in another member.
#[test]
fn a_delta_at_the_end_that_repeats_all_the_text_is_a_copy() {
    let text = "It rains. It is SECRET. [unverified-inference] All is well.";
    let copy = "It rains. It is SECRET. All is well.";
    let candidate = |text: &str, more: Value| {
        let mut candidate =
            json!({"index": 0, "content": {"role": "model", "parts": [{"text": text}]}});
        let members = candidate.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        json!({"candidates": [candidate]})
    };
    let ollama = |member: &str, text: &str, done: bool| match member {
        "response" => json!({"model": "m", "response": text, "done": done}),
        _ => json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": done}),
    };
    let llama = |text: &str, stop: bool| json!({"index": 0, "content": text, "stop": stop});
    let stop = || json!({"finishReason": "STOP"});
    for (format, events) in [
        (
            Format::Gemini,
            vec![candidate(text, json!({})), candidate(copy, stop())],
        ),
        (
            Format::Gemini,
            vec![candidate(text, stop()), candidate(copy, json!({}))],
        ),
        (
            Format::Gemini,
            vec![candidate(text, stop()), candidate(copy, stop())],
        ),
        (
            Format::LlamaCpp,
            vec![llama(text, false), llama(copy, true)],
        ),
        (Format::LlamaCpp, vec![llama(text, true), llama(copy, true)]),
        (
            Format::Ollama,
            vec![ollama("", text, false), ollama("", copy, true)],
        ),
        (
            Format::Ollama,
            vec![ollama("", text, false), ollama("response", copy, true)],
        ),
        (
            Format::Ollama,
            vec![ollama("response", text, false), ollama("", copy, true)],
        ),
        (
            Format::OpenAiChat,
            vec![
                chat(&json!({"delta": {"content": text}})),
                chat(&json!({"delta": {"content": copy}, "finish_reason": "stop"})),
            ],
        ),
    ] {
        let body = sse(&events);
        for action in actions() {
            let (out, _) = gated(Some(format), &action, &body);
            let out = out.replace("<It is SECRET.>", "");
            assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
            assert!(out.contains("It rains."), "{out}");
        }
        let (out, _) = stripped(Some(format), &body);
        assert_eq!(out.matches("SECRET").count(), 2, "{out}");
    }
    // Text that goes on is no copy.
    for more in ["It rains. It is dry. All is well here.", "It rains."] {
        let first = "It rains. It is dry. All is well.";
        let body = sse(&[llama(first, false), llama(more, true)]);
        let (out, _) = gated(Some(Format::LlamaCpp), &Action::Discard, &body);
        assert_eq!(out.matches("It rains.").count(), 2, "{out}");
    }
}
