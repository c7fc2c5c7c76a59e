//! Nothing of an assertion that a policy withholds is anywhere in the response, whatever member repeats it.

mod offsets;
mod responses;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use provstream::{Action, Handler, Parser, Policy, Question, Unannotated};
use provstream_providers::{Format, GateEvent, Reasoning, StreamGate, StreamHandler};
use serde_json::Value;
use testkit::gate::policies::at_word;
use testkit::search::is_long;
use testkit::wire::oracle::{Client, events};

use self::responses::{PIECES, Response, TOKEN, WORD, all, reasoning, text};
use crate::notation::{NOTATIONS, parser};
use testkit::wire::output::{Output, any};

/// The response in chunks of one size.
fn gated(response: &Response, action: &Action, size: usize) -> String {
    let parser = parser(response.notation);
    let mut gate = StreamGate::new(
        response.format,
        parser,
        at_word(WORD, action.clone()).refusing(""),
    );
    let mut out = Vec::new();
    for chunk in response.body.as_bytes().chunks(size) {
        gate.push(chunk, Output(&mut out));
    }
    gate.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

/// All strings of a value, decoded, and all numbers.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.push(name.clone());
            leaves(value, found);
        }),
        _ => {}
    }
}

fn has_word(body: &str) -> bool {
    let mut found = vec![body.to_owned()];
    events(body.as_bytes())
        .iter()
        .for_each(|event| leaves(event, &mut found));
    let token = TOKEN.to_string();
    found
        .iter()
        .any(|leaf| leaf.contains(WORD) || leaf.contains(&token))
}

/// Sizes of chunks: all of the shorter ones and some of the others, or all with a longer search.
fn sizes(len: usize) -> Vec<usize> {
    match is_long() {
        true => (1..=len).collect(),
        false => (1..24).chain([64, 211, 1_000, len]).collect(),
    }
}

/// The actions that withhold, with what the text of the answer is then.
fn actions() -> [(Action, &'static str); 4] {
    [
        (Action::Discard, "It is. Then no more."),
        (Action::Replace("(no)".into()), "It is. (no) Then no more."),
        (Action::Suspend, "It is. "),
        (Action::Refuse("(end)".into()), "It is. (end)"),
    ]
}

/// All responses with annotations, and with markers in their place.
fn in_all_notations() -> Vec<Response> {
    let notations = NOTATIONS.iter();
    notations
        .flat_map(|notation| {
            all()
                .into_iter()
                .flat_map(|response| response.written_in(*notation))
        })
        .collect()
}

/// Checks that all texts that a client reads are these. A place that repeats the text so far, before its end, may have less.
fn check_texts(response: &Response, out: &str, expected: &str) {
    let label = format!("{} {}: {out}", response.format, response.name);
    let client = Client::of(response.format, out.as_bytes());
    if client.texts.is_empty() && client.repeats.is_empty() {
        // The naive client does not read texts that are spoken, and not all whole responses.
        let before = Client::of(response.format, response.body.as_bytes());
        assert!(before.texts.is_empty(), "{label}");
        assert!(out.contains("It is."), "{label}");
    }
    for text in client.texts.values() {
        assert_eq!(text, expected, "{label}");
    }
    let may_be_short = response.format == Format::OpenAiChat && response.name == "streamed";
    for text in &client.repeats {
        assert!(
            text == expected || may_be_short && expected.starts_with(&**text),
            "{text:?} in {label}"
        );
    }
}

#[test]
fn no_member_repeats_what_is_withheld() {
    assert!(!PIECES.iter().any(|piece| piece.contains(WORD)) && text().contains(WORD));
    for response in in_all_notations() {
        let label = format!("{} {}", response.format, response.name);
        let client = Client::of(response.format, response.body.as_bytes());
        let is_in_text = client.texts.values().any(|text| text.contains(WORD));
        assert!(is_in_text || has_word(&response.body), "{label}");
        for (action, expected) in actions() {
            let whole = gated(&response, &action, usize::MAX);
            for size in sizes(response.body.len()) {
                let out = gated(&response, &action, size);
                assert_eq!(out, whole, "{label}, {action:?}, by {size}");
            }
            assert!(!has_word(&whole), "{label}, {action:?}: {whole}");
            check_texts(&response, &whole, expected);
        }
    }
}

/// Returns the body with the JSON of each event over as many lines of data as possible.
fn over_lines(body: &str) -> String {
    let lines = body.split_inclusive('\n').map(|line| {
        let data = line
            .strip_prefix("data: ")
            .map(serde_json::from_str::<Value>);
        let Some(Ok(json)) = data else {
            return line.to_owned();
        };
        let pretty = format!("{json:#}");
        pretty
            .lines()
            .map(|line| format!("data: {line}\n"))
            .collect()
    });
    lines.collect()
}

#[test]
fn no_member_over_several_lines_of_data_repeats_what_is_withheld() {
    let mut count = 0;
    for mut response in in_all_notations() {
        response.body = over_lines(&response.body);
        count += usize::from(response.body.contains("\ndata: }"));
        let label = format!("{} {}", response.format, response.name);
        for (action, expected) in actions() {
            let whole = gated(&response, &action, usize::MAX);
            assert_eq!(gated(&response, &action, 1), whole, "{label}");
            assert!(!has_word(&whole), "{label}, {action:?}: {whole}");
            check_texts(&response, &whole, expected);
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn what_is_released_is_in_every_member_that_repeats_the_text() {
    for response in in_all_notations() {
        let out = gated(&response, &Action::Release, 7);
        check_texts(&response, &out, "It is. A zebra runs. Then no more.");
    }
}

fn without_word(mode: Reasoning, stream: &str) -> (String, Vec<String>) {
    let run = |size: usize| {
        let mut gate =
            StreamGate::detect(Parser::new(), at_word(WORD, Action::Discard).refusing(""))
                .with_reasoning(mode);
        let mut kept = Kept::default();
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, any(&mut kept));
        }
        gate.finish(any(&mut kept));
        (kept.body, kept.decided)
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

/// Keeps the response and the decisions.
#[derive(Default)]
struct Kept {
    body: String,
    decided: Vec<String>,
}

impl Handler for Kept {}

impl StreamHandler for Kept {
    fn bytes(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        self.body.push_str(text);
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        if let GateEvent::Decided(question, action) = event {
            let text = question.assertion().text();
            let line = format!("{}: {text} {action:?}", question.channel());
            self.decided.push(line);
        }
    }
}

#[test]
fn reasoning_of_every_format_is_left_gated_or_dropped() {
    for (place, response) in reasoning().into_iter().enumerate() {
        let label = format!("{place}: {}", response.body);
        let (left, decided) = without_word(Reasoning::Leave, &response.body);
        assert!(left.contains("[substrate"), "{label}");
        assert!(decided.is_empty(), "{label}: {decided:?}");

        let (gated, decided) = without_word(Reasoning::Rewrite, &response.body);
        assert!(!has_word(&gated), "{label}: {gated}");
        let strings: String = strings_of(&gated).concat();
        assert!(
            strings.contains("It is.") && strings.contains("Then"),
            "{label}: {gated}"
        );
        let index = response.name;
        let expected = [
            format!("{index} reasoning: It is. Release"),
            format!("{index} reasoning: A zebra runs. Discard"),
        ];
        assert_eq!(decided, expected, "{label}");

        let (dropped, decided) = without_word(Reasoning::Drop, &response.body);
        assert!(
            !has_word(&dropped) && !dropped.contains("It is."),
            "{label}: {dropped}"
        );
        assert!(decided.is_empty(), "{label}: {decided:?}");
    }
}

fn strings_of(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in events(body.as_bytes()) {
        leaves(&event, &mut found);
    }
    found
}

/// Withholds what is asked about first, of assertions and of other text, and releases everything after that.
#[derive(Clone, Debug, Default)]
struct Changeable(Arc<AtomicUsize>);

impl Policy for Changeable {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0..2 => Action::Discard,
            _ => Action::Release,
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0..2 => Unannotated::Discard,
            _ => Unannotated::Release,
        }
    }
}

#[test]
fn a_policy_that_changes_its_mind_does_not_release_what_it_withheld() {
    let place = r#""output_index":0,"content_index":0,"#;
    let stream = |delta: &str, done: &str| {
        format!(
            "data: {{\"type\":\"response.output_text.delta\",{place}\"delta\":\"{delta}\"}}\n\n\
             data: {{\"type\":\"response.output_text.done\",{place}\"text\":\"{done}\"}}\n\n"
        )
    };
    let text = "It is. [substrate.grep] A zebra. Then.";
    let other = "A zebra. [substrate.grep] It is. Then.";
    for (delta, done) in [(text, text), (other, other)] {
        let mut gate = StreamGate::new(
            Format::OpenAiResponses,
            Parser::new(),
            Changeable::default(),
        );
        let mut kept = Kept::default();
        gate.push(stream(delta, done).as_bytes(), any(&mut kept));
        gate.finish(any(&mut kept));
        assert!(!has_word(&kept.body), "{}", kept.body);
    }
    // What is said to repeat a text is another one.
    let policy = at_word(WORD, Action::Discard).refusing("");
    let mut gate = StreamGate::new(Format::OpenAiResponses, Parser::new(), policy);
    let mut kept = Kept::default();
    let before = "It runs. [substrate.grep] Then.";
    gate.push(
        stream(before, "A zebra. [substrate.grep] Then.").as_bytes(),
        any(&mut kept),
    );
    gate.finish(any(&mut kept));
    assert!(
        !has_word(&kept.body) && kept.body.contains("It runs."),
        "{}",
        kept.body
    );
}

#[test]
fn earlier_ones_of_repeated_members_are_not_left() {
    for members in [
        r#""content":"zebra","content":"It is.""#,
        r#""reasoning":"zebra","reasoning":"","content":"It is.""#,
        r#""reasoning_content":"zebra","reasoning_content":"So.","content":"It is.""#,
        r#""content":"It is.","audio":{"data":"zebra","data":""}"#,
    ] {
        let delta = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{{members}}},\"logprobs\":\"zebra\",\"logprobs\":null}}]}}\n\n"
        );
        let (out, _) = without_word(Reasoning::Rewrite, &delta);
        assert!(!has_word(&out) && out.contains("It is."), "{out}");
    }
}

/// Lines of an event that no data are in have no meaning for a client, and could have anything in them.
#[test]
fn lines_without_data_are_removed_from_an_event_that_is_cut_short() {
    let event = r#"data: {"choices":[{"index":0,"delta":{"content":"It rains. "}}]}"#;
    for line in [": SECRET", "SECRET: x", "nothing SECRET"] {
        for end in ["", "\n", "\n\n"] {
            let stream = format!("{line}\n{event}{end}");
            let mut gate = StreamGate::new(
                Format::OpenAiChat,
                Parser::new(),
                at_word(WORD, Action::Discard).refusing(""),
            );
            let mut out = Vec::new();
            gate.push(stream.as_bytes(), Output(&mut out));
            gate.finish(Output(&mut out));
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(!out.contains("SECRET"), "{stream:?} became {out:?}");
        }
    }
}
