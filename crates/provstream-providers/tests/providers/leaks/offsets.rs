//! Offsets into a gated text point to what they pointed to before, or to nothing where that is withheld.

use provstream::{Action, Parser};
use provstream_providers::{Format, StreamGate};
use serde_json::{Value, json};
use testkit::gate::policies::at_word;
use testkit::wire::oracle::events;

use super::WORD;
use testkit::wire::output::Output;

/// The answer, with a character of two bytes, in pieces.
const PIECES: [&str; 5] = [
    "Gr\u{fc}n. [substrate",
    ".grep] A ze",
    "bra runs. [substrate.grep]",
    " Then it",
    " ends.",
];

/// The passages that are cited, with what is left of them where the zebra is withheld.
const CITED: [(&str, &str); 4] = [
    ("Gr\u{fc}n.", "Gr\u{fc}n."),
    ("zebra", ""),
    ("A zebra runs. [substrate.grep]", ""),
    ("it ends", "it ends"),
];

/// Returns the position of a passage in a text, in bytes or characters.
fn place(text: &str, passage: &str, in_bytes: bool) -> (u64, u64) {
    let start = text.find(passage).expect("a passage of the text");
    let units = |text: &str| match in_bytes {
        true => text.len() as u64,
        false => text.chars().count() as u64,
    };
    let before = units(&text[..start]);
    (before, before + units(passage))
}

/// The passage between two offsets.
fn passage(text: &str, start: u64, end: u64, in_bytes: bool) -> String {
    let (start, end) = (start as usize, end as usize);
    match in_bytes {
        true => text[start..end].to_owned(),
        false => text.chars().skip(start).take(end - start).collect(),
    }
}

/// Start and end of a citation.
type Place = (u64, u64);

/// A format with offsets: whether they count bytes, an event with a piece, one with citations, and what ends the text. A
/// response that is not streamed has an event that is all of it.
struct Sample {
    format: Format,
    in_bytes: bool,
    delta: fn(&str) -> Value,
    cite: fn(&[Place]) -> Vec<Value>,
    whole: fn(&str, &[Place]) -> Value,
    /// The names of the offsets.
    names: (&'static str, &'static str),
    /// The member of the last event of a stream that has all of the response.
    completed: Option<&'static str>,
}

fn urls(spans: &[(u64, u64)]) -> Vec<Value> {
    let citation = |&(start, end): &(u64, u64)| json!({"type": "url_citation", "start_index": start, "end_index": end, "url": "u"});
    spans.iter().map(citation).collect()
}

fn nested(spans: &[(u64, u64)]) -> Vec<Value> {
    urls(spans)
        .into_iter()
        .map(|citation| json!({"type": "url_citation", "url_citation": citation}))
        .collect()
}

fn supports(spans: &[(u64, u64)]) -> Value {
    let support = |&(start, end): &(u64, u64)| json!({"segment": {"startIndex": start, "endIndex": end, "text": "zebra"}});
    json!({"groundingSupports": spans.iter().map(support).collect::<Vec<_>>()})
}

fn cohere(spans: &[(u64, u64)]) -> Vec<Value> {
    let citation = |&(start, end): &(u64, u64)| json!({"start": start, "end": end, "text": "zebra", "content_index": 0});
    spans.iter().map(citation).collect()
}

fn samples() -> Vec<Sample> {
    vec![
        Sample {
            format: Format::OpenAiChat,
            in_bytes: false,
            delta: |piece| json!({"choices": [{"index": 0, "delta": {"content": piece}}]}),
            cite: |spans| {
                vec![json!({"choices": [{"index": 0, "delta": {"annotations": nested(spans)}}]})]
            },
            whole: |text, spans| json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"annotations": nested(spans), "content": text}}]}),
            names: ("start_index", "end_index"),
            completed: None,
        },
        Sample {
            format: Format::OpenAiResponses,
            in_bytes: false,
            delta: |piece| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}),
            cite: |spans| {
                let added = |citation: Value| json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0, "annotation": citation});
                urls(spans).into_iter().map(added).collect()
            },
            whole: |text, spans| json!({"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "annotations": urls(spans), "text": text}]}]}),
            names: ("start_index", "end_index"),
            completed: Some("response"),
        },
        Sample {
            format: Format::Gemini,
            in_bytes: true,
            delta: |piece| json!({"candidates": [{"index": 0, "content": {"parts": [{"text": piece}]}}]}),
            cite: |spans| {
                vec![
                    json!({"candidates": [{"index": 0, "content": {"parts": [{"text": ""}]}, "groundingMetadata": supports(spans), "finishReason": "STOP"}]}),
                ]
            },
            whole: |text, spans| json!({"candidates": [{"groundingMetadata": supports(spans), "content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}),
            names: ("startIndex", "endIndex"),
            completed: None,
        },
        Sample {
            format: Format::Cohere,
            in_bytes: false,
            delta: |piece| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}}),
            cite: |spans| {
                let start = |citation: Value| json!({"type": "citation-start", "index": 0, "delta": {"message": {"citations": citation}}});
                cohere(spans).into_iter().map(start).collect()
            },
            whole: |text, spans| json!({"finish_reason": "COMPLETE", "message": {"citations": cohere(spans), "content": [{"type": "text", "text": text}]}}),
            names: ("start", "end"),
            completed: None,
        },
        Sample {
            format: Format::GeminiInteractions,
            in_bytes: true,
            delta: |piece| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": piece}}),
            cite: |spans| {
                vec![
                    json!({"event_type": "step.delta", "index": 0, "delta": {"annotations": urls(spans)}}),
                ]
            },
            whole: |text, spans| json!({"object": "interaction", "steps": [{"type": "model_output", "content": [{"annotations": urls(spans), "type": "text", "text": text}]}]}),
            names: ("start_index", "end_index"),
            completed: Some("interaction"),
        },
    ]
}

/// All pairs of offsets in a value, in order.
fn spans(value: &Value, names: (&str, &str), found: &mut Vec<(u64, u64)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| spans(value, names, found)),
        Value::Object(members) => {
            if let (Some(start), Some(end)) = (members.get(names.0), members.get(names.1)) {
                let number = |value: &Value| value.as_u64().expect("a number");
                found.push((number(start), number(end)));
            }
            members
                .values()
                .for_each(|value| spans(value, names, found));
        }
        _ => {}
    }
}

fn gated(format: Format, stream: &str, action: &Action) -> Vec<Value> {
    let run = |size: usize| {
        let mut gate = StreamGate::new(
            format,
            Parser::new(),
            at_word(WORD, action.clone()).refusing(""),
        );
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        events(&out)
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

/// Checks the citations in some events, with the text that a client has.
fn check(sample: &Sample, out: &[Value], action: &Action, label: &str) {
    let text = match action {
        Action::Release => "Gr\u{fc}n. A zebra runs. Then it ends.",
        Action::Mark(..) => "Gr\u{fc}n. \u{27e6}A zebra runs.\u{27e7} Then it ends.",
        Action::Replace(_) => "Gr\u{fc}n. (n\u{f6}) Then it ends.",
        _ => "Gr\u{fc}n. Then it ends.",
    };
    let mut found = Vec::new();
    out.iter()
        .for_each(|event| spans(event, sample.names, &mut found));
    assert_eq!(found.len(), CITED.len(), "{label}: {out:?}");
    for ((start, end), (cited, withheld)) in found.into_iter().zip(CITED) {
        let is_kept = matches!(action, Action::Release | Action::Mark(..));
        let expected = match is_kept {
            true => cited.trim_end_matches(" [substrate.grep]"),
            false => withheld,
        };
        let has = passage(text, start, end, sample.in_bytes);
        // A passage that begins with a marked assertion begins with its mark.
        let has = has.trim_start_matches('\u{27e6}');
        assert_eq!(has, expected, "{label}, {cited:?} as {start}..{end}");
    }
}

fn actions() -> [Action; 4] {
    [
        Action::Release,
        Action::Discard,
        Action::Replace("(n\u{f6})".into()),
        Action::Mark("\u{27e6}".into(), "\u{27e7}".into()),
    ]
}

fn sse(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

#[test]
fn citations_follow_the_text_wherever_they_come() {
    let text = PIECES.concat();
    for sample in samples() {
        let all: Vec<(u64, u64)> = CITED
            .iter()
            .map(|(cited, _)| place(&text, cited, sample.in_bytes))
            .collect();
        for action in actions() {
            // Cited after all of the text, or as soon as the text is there.
            let mut late: Vec<Value> = PIECES.iter().map(|piece| (sample.delta)(piece)).collect();
            late.extend((sample.cite)(&all));
            let mut early = Vec::new();
            let (mut there, mut cited) = (0, 0);
            for piece in PIECES {
                early.push((sample.delta)(piece));
                there += place(piece, piece, sample.in_bytes).1;
                while let Some(span) = all.get(cited).filter(|span| span.1 <= there) {
                    early.extend((sample.cite)(&[*span]));
                    cited += 1;
                }
            }
            // No client reads on after the marker, so nothing waits for what follows it.
            for (stream, end) in [&late, &early]
                .into_iter()
                .flat_map(|stream| ["", "data: [DONE]\n\n"].map(|end| (stream, end)))
            {
                let label = format!("{}, {action:?}, {stream:?}{end}", sample.format);
                let out = gated(sample.format, &(sse(stream) + end), &action);
                check(&sample, &out, &action, &label);
            }
            if let Some(kind) = sample.completed {
                let mut stream: Vec<Value> =
                    PIECES.iter().map(|piece| (sample.delta)(piece)).collect();
                let body = (sample.whole)(&text, &all);
                stream.push(match kind {
                    "response" => json!({"type": "response.completed", "response": body}),
                    _ => json!({"event_type": "interaction.completed", "interaction": body}),
                });
                let label = format!("{}, {action:?}, completed", sample.format);
                let out = gated(sample.format, &sse(&stream), &action);
                check(&sample, &out, &action, &label);
            }
            let whole = (sample.whole)(&text, &all);
            let label = format!("{}, {action:?}, whole", sample.format);
            let out = gated(sample.format, &whole.to_string(), &action);
            check(&sample, &out, &action, &label);
        }
    }
}
