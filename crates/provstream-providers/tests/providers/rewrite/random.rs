//! Random texts, cut and escaped at random, and random bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use provstream::Parser;
use provstream_providers::{Channel, Decoder, Format, StreamRewriter};
use testkit::wire::fixtures::Read;

use super::{clean, strip};

/// A text of pieces that matter.
fn text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "It is so.",
        " ",
        "\n\n",
        "  \n",
        "[",
        "]",
        "[1]",
        "[substrate",
        "substrate.grep",
        " [substrate.grep]",
        " [substrate.grep; ts=2026-05-28T11:40:00Z]",
        "[unverified-inference; x=\u{1F600}]",
        "`",
        "\u{1F600}",
        "é",
        "\u{1F600}\u{1F44D}",
        "\"",
        "\\",
        "{\"assertion\":\"x\"}",
        ";",
        "- ",
    ]);
    vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// The text as contents of JSON strings, cut into deltas: at any UTF-16 unit, with or without escapes.
fn deltas(text: &str, cuts: &[usize], escaped: bool) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut deltas = vec![String::new()];
    let mut cuts = cuts.iter().cycle();
    let mut left = cuts.next().copied().unwrap_or(5);
    for unit in &units {
        if left == 0 {
            deltas.push(String::new());
            left = cuts.next().copied().unwrap_or(5);
        }
        left = left.saturating_sub(1);
        let delta = deltas.last_mut().expect("a delta");
        match char::from_u32((*unit).into()) {
            Some(character) if !escaped && character >= ' ' && !"\"\\".contains(character) => {
                delta.push(character);
            }
            // A pair that is not cut and not escaped would need both units at once.
            _ => delta.push_str(&format!("\\u{unit:04x}")),
        }
    }
    deltas
}

/// A stream of a format with these deltas in one channel.
fn stream(format: Format, deltas: &[String], end: &str, marked: bool) -> String {
    let frame = |name: &str, data: String| {
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("event: {name}{end}")
        };
        format!("{name}data: {data}{end}{end}")
    };
    let mut out = String::new();
    for delta in deltas {
        out.push_str(&match format {
            Format::OpenAiChat => frame("", format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{delta}"}}}}]}}"#)),
            Format::OpenAiResponses => frame("response.output_text.delta", format!(r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"{delta}"}}"#)),
            Format::Anthropic => frame("content_block_delta", format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{delta}"}}}}"#)),
            Format::Gemini => frame("", format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{delta}"}}]}}}}]}}"#)),
            Format::Ollama => format!("{{\"response\":\"{delta}\",\"done\":false}}\n"),
            Format::GeminiInteractions => frame("step.delta", format!(r#"{{"index":0,"delta":{{"type":"text","text":"{delta}"}},"event_type":"step.delta"}}"#)),
            Format::MistralConversations => frame("message.output.delta", format!(r#"{{"type":"message.output.delta","output_index":0,"content":"{delta}"}}"#)),
            Format::LlamaCpp => frame("", format!(r#"{{"index":0,"content":"{delta}","stop":false}}"#)),
            Format::Tgi => frame("", format!(r#"{{"index":1,"token":{{"text":"{delta}","special":false}},"generated_text":null}}"#)),
            Format::BedrockConverse => frame("", format!(r#"{{"contentBlockDelta":{{"delta":{{"text":"{delta}"}},"contentBlockIndex":0}}}}"#)),
            Format::VercelUi => frame("", format!(r#"{{"type":"text-delta","id":"0","delta":"{delta}"}}"#)),
            _ => frame("", format!(r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"{delta}"}}}}}}}}"#)),
        });
    }
    if marked {
        let whole = deltas.concat();
        out.push_str(&match format {
            Format::OpenAiChat => frame("", r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.into()),
            Format::OpenAiResponses => frame("response.output_text.done", format!(r#"{{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"{whole}"}}"#)),
            Format::Anthropic => frame("content_block_stop", r#"{"type":"content_block_stop","index":0}"#.into()),
            Format::Gemini => ": end\n\n".into(),
            Format::Ollama => "{\"response\":\"\",\"done\":true}\n".into(),
            Format::GeminiInteractions => frame("step.stop", r#"{"index":0,"event_type":"step.stop"}"#.into()),
            Format::MistralConversations => frame("", r#"{"type":"conversation.response.done"}"#.into()),
            Format::LlamaCpp => frame("", r#"{"index":0,"content":"","stop":true}"#.into()),
            Format::Tgi => frame("", format!(r#"{{"token":{{"text":"</s>","special":true}},"generated_text":"{whole}"}}"#)),
            Format::BedrockConverse => frame("", r#"{"messageStop":{"stopReason":"end_turn"}}"#.into()),
            Format::VercelUi => frame("", r#"{"type":"text-end","id":"0"}"#.into()),
            _ => frame("", r#"{"type":"content-end","index":0}"#.into()),
        });
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stripping_a_stream_is_stripping_its_text(
        text in text(), cuts in vec(1usize..12, 1..6), escaped in any::<bool>(),
        format in select(Format::ALL.to_vec()), end in select(vec!["\n", "\r", "\r\n"]), marked in any::<bool>(),
        size in 1usize..90,
    ) {
        let deltas = deltas(&text, &cuts, escaped);
        let stream = stream(format, &deltas, end, marked);
        let rewriter = StreamRewriter::new(format, Parser::new());
        let out = strip(&rewriter, stream.as_bytes(), size);
        prop_assert_eq!(&out, &strip(&rewriter, stream.as_bytes(), usize::MAX));
        let before = Read::of(Decoder::new(format), stream.as_bytes(), size);
        let after = Read::of(Decoder::detect(), &out, size);
        prop_assert_eq!(before.texts.get(&text_channel(format)).map_or("", String::as_str), &text);
        let cleaned = clean(&text);
        prop_assert_eq!(after.texts.get(&text_channel(format)).map_or("", String::as_str), &cleaned);
        if format == Format::OpenAiResponses && marked {
            let whole = serde_json::to_string(&cleaned).expect("JSON");
            let out = String::from_utf8(out.clone()).expect("UTF-8");
            let done = out.rsplit("\"text\":").next().expect("a text").trim_end().trim_end_matches('}').to_owned();
            let done: String = serde_json::from_str(&done).expect("a string");
            prop_assert_eq!(serde_json::to_string(&done).expect("JSON"), whole);
        }
        if cleaned == text && !holds(&deltas) {
            prop_assert_eq!(String::from_utf8(out).expect("UTF-8"), stream);
        }
    }

    #[test]
    fn no_bytes_make_it_fail_and_no_cut_matters(
        pieces in vec(select(vec![
            "data: ", "{\"choices\":[", "{\"index\":0,\"delta\":{\"content\":\"", "[substrate.grep]", "\"}}", "]}", "\n", "\n\n",
            "\r", "event: x\n", ":", "[DONE]", "{", "}", "[", ",", "\"error\":\"x\"", "\\ud83d", "\\", "\u{FEFF}", "x", " [",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a [\"}}]}\n\n",
            "{\"response\":\"a [\",\"done\":false}\n", "{\"type\":\"content_block_stop\"}",
        ]), 0..30),
        size in 1usize..20, limit in select(vec![10usize, 60, 1000]),
    ) {
        let stream = pieces.concat();
        let rewriter = StreamRewriter::detect(Parser::new()).with_max_event(limit);
        let whole = strip(&rewriter, stream.as_bytes(), usize::MAX);
        prop_assert_eq!(&whole, &strip(&rewriter, stream.as_bytes(), size));
        let decoder = Decoder::detect().with_max_event(limit);
        let read = Read::of(decoder.clone(), stream.as_bytes(), usize::MAX);
        prop_assert_eq!(&read, &Read::of(decoder, stream.as_bytes(), size));
    }
}

fn text_channel(format: Format) -> Channel {
    match format {
        Format::OpenAiResponses => Channel::with_part(0, 0),
        _ => Channel::new(0),
    }
}

/// Returns `true` if something is held after one of the deltas.
fn holds(deltas: &[String]) -> bool {
    let mut parser = Parser::new();
    let mut text = String::new();
    deltas.iter().any(|delta| {
        text.push_str(delta);
        let whole = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\""));
        // Cut within a pair there is an escape without its other half.
        let whole = whole(&text).or_else(|_| whole(&text[..text.len() - 6]));
        let whole = whole.expect("a string");
        parser.reset();
        parser.push(whole.as_bytes(), ());
        parser.buffered_len() > 0 || parser.strippable_whitespace() > 0
    })
}
