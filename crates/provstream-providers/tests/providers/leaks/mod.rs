//! Nothing of an assertion that a policy withholds is anywhere in the response, whatever member repeats it.

mod responses;

use provstream::{Action, AtLimit, Parser, Policy, Question};
use provstream_providers::{Format, StreamGate};
use serde_json::Value;
use testkit::search::is_long;
use testkit::wire::oracle::{Client, events};

use self::responses::{PIECES, Response, TOKEN, WORD, all, text};

/// Does this with assertions that have the word.
#[derive(Clone, Debug)]
struct With(Action);

impl Policy for With {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.assertion().text().contains(WORD) {
            true => self.0.clone(),
            false => Action::Release,
        }
    }

    fn limit(&mut self) -> AtLimit {
        AtLimit::Refuse("".into())
    }
}

/// The response in chunks of one size.
fn gated(response: &Response, action: &Action, size: usize) -> String {
    let mut gate = StreamGate::new(response.format, Parser::new(), With(action.clone()));
    let mut out = Vec::new();
    for chunk in response.body.as_bytes().chunks(size) {
        gate.push(chunk, |bytes: &[u8]| out.extend_from_slice(bytes));
    }
    gate.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
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
        (Action::Discard, "It is.  Then no more."),
        (Action::Replace("(no)".into()), "It is. (no) Then no more."),
        (Action::Suspend, "It is. "),
        (Action::Refuse("(end)".into()), "It is. (end)"),
    ]
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
    for response in all() {
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

#[test]
fn what_is_released_is_in_every_member_that_repeats_the_text() {
    for response in all() {
        let out = gated(&response, &Action::Release, 7);
        check_texts(&response, &out, "It is. A zebra runs. Then no more.");
    }
}
