//! Texts that a client keeps apart (other members, refusals, ended blocks), and errors and copies that have to be reported.

use provstream::{Action, Parser};
use provstream_providers::{Format, Item, NoticeCode, ReadReport, StreamRewriter};
use serde_json::{Value, json};
use testkit::wire::oracle::events;
use testkit::wire::output::any;

use crate::shapes::{gated, sse, stripped};

/// The strings at a place in all events, joined.
fn joined(out: &str, pointer: &str) -> String {
    let all = events(out.as_bytes());
    let strings = all.iter().filter_map(|event| event.pointer(pointer));
    strings.filter_map(Value::as_str).collect()
}

/// The texts of blocks, by the number in their deltas.
fn blocks(format: Format, out: &str) -> Vec<String> {
    let mut blocks = vec![String::new(); 2];
    for event in events(out.as_bytes()) {
        let delta = match format {
            Format::Anthropic => &event,
            _ => &event["contentBlockDelta"],
        };
        let number = ["index", "contentBlockIndex"]
            .iter()
            .find_map(|name| delta[*name].as_u64());
        let text = delta["delta"]["text"].as_str();
        if let (Some(number), Some(text)) = (number, text) {
            blocks[number as usize].push_str(text);
        }
    }
    blocks
}

fn has(report: &ReadReport, code: NoticeCode) -> bool {
    report.count(code) > 0
}

#[test]
fn the_text_of_a_choice_and_of_its_delta_are_two_texts() {
    let both =
        |text: &str| json!({"choices": [{"index": 0, "text": text, "delta": {"text": text}}]});
    let stream = sse(&[both("It rains. [substrate"), both(".grep] Bye.")]);
    let (out, _) = stripped(Some(Format::OpenAiChat), &stream);
    assert_eq!(joined(&out, "/choices/0/text"), "It rains. Bye.");
    assert_eq!(joined(&out, "/choices/0/delta/text"), "It rains. Bye.");

    let of_delta = |text: &str| json!({"choices": [{"index": 0, "delta": {"text": text}}]});
    let stream = sse(&[
        of_delta("It is SECRET. [unverified-"),
        json!({"choices": [{"index": 0, "text": "Hi there, you. Next"}]}),
        of_delta("inference] Bye."),
    ]);
    let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &stream);
    assert!(!out.contains("SECRET"), "{out}");
    assert_eq!(joined(&out, "/choices/0/text"), "Hi there, you. Next");
}

/// A choice that is over before the other one goes on, which shows what the numbers mean: the events before had to wait.
#[test]
fn a_choice_that_ends_before_the_other_goes_on_keeps_its_text() {
    let text =
        |index: u32, text: &str| json!({"choices": [{"index": index, "delta": {"content": text}}]});
    let end =
        |index: u32| json!({"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]});
    let stream = sse(&[
        text(0, "It is "),
        text(1, "No [x"),
        end(1),
        text(0, "so. [a"),
        text(0, "b] Fine."),
        end(0),
    ]);
    let (out, _) = stripped(Some(Format::OpenAiChat), &stream);
    let of = |index: u32| -> String {
        let all = events(out.as_bytes());
        let own = all
            .iter()
            .filter(|event| event["choices"][0]["index"] == index);
        let texts = own.filter_map(|event| event["choices"][0]["delta"]["content"].as_str());
        texts.collect()
    };
    assert_eq!([of(0), of(1)], ["It is so. [ab] Fine.", "No [x"], "{out}");
}

/// Events of a part with a text from its start, without a delta.
fn initial(kind: &str, member: &str, text: &str) -> String {
    let part = json!({"type": kind, member: text});
    let events = [
        json!({"type": "response.content_part.added", "sequence_number": 4, "item_id": "m", "output_index": 0, "content_index": 0, "part": part}),
        json!({"type": format!("response.{kind}.done"), "sequence_number": 5, "item_id": "m", "output_index": 0, "content_index": 0, member: text}),
        json!({"type": "response.completed", "sequence_number": 6}),
    ];
    let event = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(event).collect()
}

#[test]
fn the_rest_of_a_text_that_came_with_its_part_has_the_type_of_the_part() {
    for (kind, member) in [("refusal", "refusal"), ("output_text", "text")] {
        let (out, _) = stripped(None, &initial(kind, member, "It rains. See [sub"));
        let added = events(out.as_bytes()).into_iter();
        let types = added.map(|event| event["type"].as_str().unwrap_or_default().to_owned());
        let expected = [
            "response.content_part.added".to_owned(),
            format!("response.{kind}.delta"),
            format!("response.{kind}.done"),
            "response.completed".to_owned(),
        ];
        assert_eq!(types.collect::<Vec<_>>(), expected, "{out}");
        let name = format!("event: response.{kind}.delta\n");
        assert!(out.contains(&name), "{out}");
    }
}

#[test]
fn more_text_of_a_block_after_a_later_one_has_begun_is_reported() {
    let text = |number: u32, text: &str| json!({"type": "content_block_delta", "index": number, "delta": {"type": "text_delta", "text": text}});
    let start = |number: u32| json!({"type": "content_block_start", "index": number, "content_block": {"type": "text", "text": ""}});
    let stop = |number: u32| json!({"type": "content_block_stop", "index": number});
    let anthropic = sse(&[
        start(0),
        text(0, "It is SECRET. [unverified"),
        stop(0),
        start(1),
        text(1, "Hello you. [sub"),
        text(0, "-inference] So."),
        stop(1),
        json!({"type": "message_stop"}),
    ]);
    let parallel = sse(&[
        start(0),
        text(0, "Hi. "),
        start(1),
        text(1, "It is SECRET. [unverified"),
        stop(1),
        text(1, "-inference] So."),
        stop(0),
        json!({"type": "message_stop"}),
    ]);
    let text = |number: u32, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": number, "delta": {"text": text}}});
    let stop = |number: u32| json!({"contentBlockStop": {"contentBlockIndex": number}});
    let lines =
        |events: &[Value]| -> String { events.iter().map(|event| format!("{event}\n")).collect() };
    let bedrock = lines(&[
        text(0, "It is SECRET. [unverified"),
        stop(0),
        text(1, "Hello you. [sub"),
        text(0, "-inference] So."),
        stop(1),
    ]);
    let after_the_end = lines(&[
        json!({"messageStart": {"role": "assistant"}}),
        text(0, "It is SECRET. [unverified"),
        stop(0),
        text(1, "Hello you."),
        stop(1),
        json!({"messageStop": {"stopReason": "end_turn"}}),
        text(0, "-inference] So."),
    ]);
    for (format, stream) in [
        (Format::Anthropic, anthropic),
        (Format::BedrockConverse, bedrock),
        (Format::Anthropic, parallel),
        (Format::BedrockConverse, after_the_end),
    ] {
        let (out, report) = stripped(Some(format), &stream);
        // Nothing moves.
        assert_eq!(blocks(format, &out), blocks(format, &stream), "{out}");
        assert!(has(&report, NoticeCode::AmbiguousEvent), "{report:?}");
        let (out, report) = gated(Some(format), &Action::Discard, &stream);
        assert!(!out.contains("-inference]"), "{out}");
        assert!(has(&report, NoticeCode::AmbiguousEvent), "{report:?}");
    }
}

#[test]
fn a_response_that_begins_again_has_blocks_from_the_first_number_on() {
    let message = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "A. "}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "B. "}}),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    let stream = sse(&[&message[..], &message[..]].concat());
    let (out, report) = gated(Some(Format::Anthropic), &Action::Discard, &stream);
    assert_eq!(joined(&out, "/delta/text"), "A. B. A. B. ");
    assert!(!has(&report, NoticeCode::AmbiguousEvent), "{report:?}");
    // Bedrock's blocks of text have no start.
    let text = |number: u32, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": number, "delta": {"text": text}}});
    let stop = |number: u32| json!({"contentBlockStop": {"contentBlockIndex": number}});
    let message = [
        json!({"messageStart": {"role": "assistant"}}),
        text(0, "A. "),
        stop(0),
        text(1, "B. "),
        stop(1),
        json!({"messageStop": {"stopReason": "end_turn"}}),
    ];
    let lines = message.iter().chain(&message);
    let stream: String = lines.map(|event| format!("{event}\n")).collect();
    let (out, report) = gated(Some(Format::BedrockConverse), &Action::Discard, &stream);
    assert_eq!(
        joined(&out, "/contentBlockDelta/delta/text"),
        "A. B. A. B. "
    );
    assert!(!has(&report, NoticeCode::AmbiguousEvent), "{report:?}");
}

#[test]
fn json_that_is_no_object_is_reported_if_it_may_be_text() {
    for format in Format::ALL {
        for (data, is_reported) in [
            ("[{\"text\":\"It rains. [unverified-inference]\"}]", true),
            ("\"It rains. [unverified-inference]\"", true),
            ("\"ping\"", false),
            ("\" \"", false),
            ("[]", false),
            ("null", false),
            ("1", false),
            ("true", false),
        ] {
            let end = match format {
                Format::Ollama | Format::BedrockConverse => format!("{{\"a\":1}}\n{data}\n"),
                _ => format!("data: {data}\n\n"),
            };
            let (out, report) = stripped(Some(format), &end);
            assert_eq!(out, end, "{format}");
            let is_unread = has(&report, NoticeCode::UnreadText);
            assert_eq!(is_unread, is_reported, "{format}, {data}: {report:?}");
        }
    }
}

#[test]
fn an_error_by_its_number_is_an_error() {
    let mini_max = |code: u32, words: &str| json!({"choices": null, "object": "chat.completion.chunk", "base_resp": {"status_code": code, "status_msg": words}});
    // Spark and SiliconFlow; some gateways write HTTP's number into each event.
    let bare =
        |code: u32, words: &str| json!({"code": code, "message": words, "sid": "x", "data": null});
    for (event, error) in [
        (mini_max(1002, "rate limit"), Some("rate limit")),
        (mini_max(0, "success"), None),
        (bare(10013, "boom"), Some("boom")),
        (bare(0, "Success"), None),
        (bare(200, "OK"), None),
    ] {
        let text = json!({"choices": [{"index": 0, "delta": {"content": "It is SECRET. [unver"}}]});
        let body = sse(&[text, event.clone()]);
        let mut errors = Vec::new();
        let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
        rewriter.push(body.as_bytes(), any(&mut Errors(&mut errors)));
        assert_eq!(errors.len(), usize::from(error.is_some()), "{event}");
        let has_words = |words: &str| errors.iter().all(|error| error.contains(words));
        assert!(error.is_none_or(has_words), "{errors:?}");
        // An annotation may be missing.
        let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &body);
        assert_eq!(out.contains("SECRET"), error.is_none(), "{out}");
    }
}

/// Keeps the errors of a stream.
struct Errors<'a>(&'a mut Vec<String>);

impl provstream::Handler for Errors<'_> {}

impl provstream_providers::StreamHandler for Errors<'_> {
    fn bytes(&mut self, _: &[u8]) {}

    fn item(&mut self, item: Item<'_>) {
        if let Item::Error(error) = item {
            self.0.push(format!("{error:?}"));
        }
    }
}

#[test]
fn data_between_two_parts_of_a_ui_message_are_a_break() {
    let part = |id: &str, text: &str| {
        [
            json!({"type": "text-start", "id": id}),
            json!({"type": "text-delta", "id": id, "delta": text}),
            json!({"type": "text-end", "id": id}),
        ]
    };
    let data = [json!({"type": "data-progress", "data": {"done": 1}})];
    let all = [
        &part("a", "It is SECRET.")[..],
        &data,
        &part("b", " [unverified-inference] So."),
    ];
    let (out, _) = gated(
        Some(Format::VercelUi),
        &Action::Discard,
        &sse(&all.concat()),
    );
    assert_eq!(joined(&out, "/delta"), "It is SECRET. So.");
}

/// An error in mid-stream, as each API writes it, with the events that come before it.
fn broken_off(text: &str) -> Vec<(Format, String)> {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}});
    let line = |event: &Value| format!("{event}\n");
    vec![
        (
            Format::OpenAiChat,
            sse(&[
                json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
                json!({"error": {"message": "boom"}}),
            ]),
        ),
        (
            Format::OpenAiChat,
            sse(&[
                json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "error", "error": {"message": "boom"}}]}),
            ]),
        ),
        (
            Format::Anthropic,
            sse(&[
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
                error,
            ]),
        ),
        (
            Format::OpenAiResponses,
            sse(&[
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
                json!({"type": "response.failed", "response": {"error": {"message": "boom"}}}),
            ]),
        ),
        (
            Format::BedrockConverse,
            [
                json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}),
                json!({"throttlingException": {"message": "boom"}}),
            ]
            .iter()
            .map(line)
            .collect(),
        ),
    ]
}

#[test]
fn what_an_annotation_may_be_missing_for_is_not_released_at_an_error() {
    for (format, stream) in broken_off("It is good. [substrate.grep] It is SECRET. [unver") {
        let (out, _) = gated(Some(format), &Action::Discard, &stream);
        assert!(
            !out.contains("SECRET") && out.contains("boom"),
            "{format}: {out}"
        );
        assert!(out.contains("It is good."), "{format}: {out}");
        // Without a gate, nothing is lost.
        let (out, _) = stripped(Some(format), &stream);
        assert!(
            out.contains("It is SECRET.") && out.contains("[unver"),
            "{format}: {out}"
        );
    }
}

#[test]
fn a_text_that_goes_on_in_the_next_block_has_not_ended_before_an_error() {
    let stream = sse(&[
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It is good. [substrate.grep] It is SECRET."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ""}}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}),
    ]);
    let (out, report) = gated(Some(Format::Anthropic), &Action::Discard, &stream);
    assert!(!out.contains("SECRET") && out.contains("boom"), "{out}");
    assert!(!has(&report, NoticeCode::AmbiguousEvent), "{report:?}");
}

#[test]
fn a_text_that_ended_before_an_error_is_decided_about_as_at_its_end() {
    let stream = sse(&[
        json!({"choices": [{"index": 0, "delta": {"content": "It is good."}}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        json!({"error": {"message": "boom"}}),
    ]);
    let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &stream);
    assert!(out.contains("It is good.") && out.contains("boom"), "{out}");
}

#[test]
fn an_assertion_that_only_a_copy_has_is_reported() {
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "It is good."});
    let done = |text: &str| json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": text});
    let completed = |text: &str| json!({"type": "response.completed", "response": {"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}});
    let more = "It is good. It is SECRET. [unverified-inference]";
    for (text, count) in [("It is good.", 0), (more, 1)] {
        let stream = sse(&[delta.clone(), done(text), completed(text)]);
        let (out, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &stream);
        assert!(!out.contains("SECRET"), "{out}");
        assert_eq!(report.count(NoticeCode::WithheldData), count, "{report:?}");
    }
    // An assertion that the deltas have is decided about there.
    let annotated = sse(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": more}),
        done(more),
        completed(more),
    ]);
    let (_, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &annotated);
    assert_eq!(report.count(NoticeCode::WithheldData), 0, "{report:?}");
    // A part, an item and a refusal that have no delta.
    let part = |text: &str| json!({"type": "output_text", "text": text});
    let message = |parts: &[Value]| json!({"type": "message", "content": parts});
    let good = message(&[part("It is good.")]);
    for (output, count) in [
        (vec![message(&[part("It is good."), part(more)])], 1),
        (vec![good.clone(), message(&[part(more)])], 1),
        (
            vec![message(&[
                part("It is good."),
                json!({"type": "refusal", "refusal": more}),
            ])],
            1,
        ),
        (
            vec![
                good.clone(),
                message(&[part("It is good, too. [substrate.grep]")]),
            ],
            0,
        ),
        (vec![good.clone(), good], 0),
    ] {
        let completed = json!({"type": "response.completed", "response": {"output": output}});
        let stream = sse(&[delta.clone(), completed]);
        let (out, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &stream);
        assert!(!out.contains("SECRET"), "{out}");
        assert_eq!(report.count(NoticeCode::WithheldData), count, "{report:?}");
    }
    // A stream that was resumed in mid-sentence: the copies begin earlier, with another assertion at the place of the first one.
    let resumed = "it is good. [substrate.grep]";
    let all = "So is that. [substrate.grep] And so it is good. [substrate.grep]";
    let stream = sse(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": resumed}),
        done(all),
        completed(all),
    ]);
    let (_, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &stream);
    assert!(has(&report, NoticeCode::WithheldData), "{report:?}");
    let sequences = r#"[{"generated_text":"It is good."},{"generated_text":"Other text. It is SECRET. [unverified-inference]"}]"#;
    let (out, report) = gated(Some(Format::Tgi), &Action::Discard, sequences);
    assert!(!out.contains("SECRET"), "{out}");
    assert_eq!(report.count(NoticeCode::WithheldData), 1, "{report:?}");
}
