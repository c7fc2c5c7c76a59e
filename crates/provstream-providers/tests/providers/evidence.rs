//! Members that decide which text a string belongs to: `type`, `object`, `index`, `thought`, `special`, the event's name.

use provstream::{Parser, Policy};
use provstream_providers::{Format, NoticeCode, ReadReport, StreamGate, StreamRewriter};
use testkit::gate::policies::{no_inference, nothing};
use testkit::wire::output::Output;

const ANTHROPIC: Format = Format::Anthropic;
const BEDROCK: Format = Format::BedrockConverse;
const CHAT: Format = Format::OpenAiChat;
const GEMINI: Format = Format::Gemini;
const INTERACTIONS: Format = Format::GeminiInteractions;
const MISTRAL: Format = Format::MistralConversations;
const RESPONSES: Format = Format::OpenAiResponses;
const TGI: Format = Format::Tgi;
const VERCEL: Format = Format::VercelUi;

/// Annotated text that a gate must not release, in a JSON string.
const SECRET: &str = "SECRET here. [unverified-inference]";

fn gated(format: Format, policy: impl Policy + Clone, body: &str) -> (String, ReadReport) {
    let run = |size: usize| {
        let mut gate = StreamGate::new(format, Parser::new(), policy.clone());
        let mut out = Vec::new();
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        (out, gate.report().clone())
    };
    let whole = run(usize::MAX);
    if body.len() < 4_096 {
        assert_eq!(run(7), whole, "{body}");
    }
    whole
}

pub(super) fn stripped(format: Format, body: &str) -> (String, ReadReport) {
    let mut rewriter = StreamRewriter::new(format, Parser::new());
    let mut out = Vec::new();
    rewriter.push(body.as_bytes(), Output(&mut out));
    rewriter.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    (out, rewriter.report().clone())
}

fn event(json: &str) -> String {
    format!("data: {}\n\n", json.replace("SECRET", SECRET))
}

/// An event of Responses with a delta of text and these members.
fn delta(members: &str) -> String {
    event(&format!(
        r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"SECRET",{members}}}"#
    ))
}

/// A delta of Anthropic, with this in place of its type.
fn block_delta(kind: &str) -> String {
    event(&format!(
        r#"{{"type":"content_block_delta","index":0,"delta":{{{kind}"text":"SECRET"}}}}"#
    ))
}

fn part(members: &str) -> String {
    event(&format!(
        r#"{{"candidates":[{{"index":0,"content":{{"role":"model","parts":[{{"text":"SECRET",{members}}}]}}}}]}}"#
    ))
}

fn choice(members: &str) -> String {
    event(&format!(
        r#"{{"object":"chat.completion.chunk","choices":[{{{members}}}]}}"#
    ))
}

fn token(members: &str) -> String {
    event(&format!(
        r#"{{"index":1,"token":{{"id":1,{members}}},"generated_text":null,"details":null}}"#
    ))
}

fn named(name: &str, event: &str) -> String {
    format!("event: {name}\n{event}")
}

const DELTA: &str = r#""delta":{"content":"SECRET"}"#;

/// Events that clients can read as different texts.
fn ambiguous() -> Vec<(Format, String)> {
    let text = r#""type":"text_delta","#;
    vec![
        (
            RESPONSES,
            delta(r#""type":"response.reasoning_text.delta""#),
        ),
        (RESPONSES, delta(r#""type":null"#)),
        (
            RESPONSES,
            delta(r#""t\u0079pe":"response.output_text.delta""#),
        ),
        (RESPONSES, delta(r#""output_index":1"#)),
        (
            RESPONSES,
            event(
                r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","type":"reasoning","content":[{"type":"output_text","text":"SECRET"}]}}"#,
            ),
        ),
        (
            RESPONSES,
            event(
                r#"{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"SECRET"},"part":{"type":"reasoning_text","text":"x"}}"#,
            ),
        ),
        (
            RESPONSES,
            named("response.reasoning_text.delta", &delta(r#""a":1"#)),
        ),
        (ANTHROPIC, block_delta(r#""type":"text_delta","type":"x","#)),
        (ANTHROPIC, block_delta(r#""type":"x","type":"text_delta","#)),
        (ANTHROPIC, named("ping", &block_delta(text))),
        (ANTHROPIC, named("Content_block_delta", &block_delta(text))),
        (
            ANTHROPIC,
            event(
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","type":"tool_use","text":"SECRET"}}"#,
            ),
        ),
        (
            CHAT,
            named("thread.message", &choice(&format!(r#""index":0,{DELTA}"#))),
        ),
        (CHAT, choice(&format!(r#""index":0,"index":1,{DELTA}"#))),
        (
            CHAT,
            choice(&format!(r#""index":0,"ind\u0065x":0,{DELTA}"#)),
        ),
        (GEMINI, part(r#""thought":true,"thought":false"#)),
        (GEMINI, part(r#""thought":false,"th\u006fught":true"#)),
        (
            TGI,
            token(r#""text":"SECRET","special":false,"special":true"#),
        ),
        (CHAT, choice(&format!(r#""index":-1,{DELTA}"#))),
        (CHAT, choice(&format!(r#""index":4294967296,{DELTA}"#))),
        (CHAT, choice(&format!(r#""index":[1],{DELTA}"#))),
        (
            VERCEL,
            event(r#"{"type":"text-delta","id":"a","id":"b","delta":"SECRET"}"#),
        ),
        (
            VERCEL,
            event(r#"{"type":"text-delta","id":7,"delta":"SECRET"}"#),
        ),
        (
            INTERACTIONS,
            event(
                r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"SECRET"},"event_type":"step.stop"}"#,
            ),
        ),
    ]
}

#[test]
fn a_gate_withholds_an_event_with_conflicting_evidence() {
    for (format, body) in ambiguous() {
        let (out, report) = gated(format, nothing(""), &body);
        assert!(!out.contains("here"), "{body}{out}");
        assert!(
            !out.contains("type") && !out.contains("index"),
            "{body}{out}"
        );
        assert_eq!(report.count(NoticeCode::AmbiguousEvent), 1, "{body}");
        let report = stripped(format, &body).1;
        assert_eq!(report.count(NoticeCode::AmbiguousEvent), 1, "{body}");
        assert!(!report.is_complete());
    }
}

/// Events with a member that resembles evidence, but that says nothing about the text, and evidence with escapes.
fn texts() -> Vec<(Format, String)> {
    vec![
        (
            RESPONSES,
            delta(r#""part":{"type":"reasoning_text","text":""}"#),
        ),
        (RESPONSES, delta(r#""item":{"type":"reasoning"}"#)),
        (RESPONSES, delta(r#""object":"response""#)),
        (
            RESPONSES,
            event(
                r#"{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"SECRET"},"item":{"type":"reasoning"}}"#,
            ),
        ),
        (
            RESPONSES,
            event(
                r#"{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"SECRET","part":{"type":"thinking"}}"#,
            ),
        ),
        (RESPONSES, named("message", &delta(r#""a":1"#))),
        (ANTHROPIC, block_delta(r#""type":"text\u005fdelta","#)),
        (ANTHROPIC, block_delta(r#""type":null,"#)),
        (ANTHROPIC, block_delta(r#""type":5,"#)),
        (ANTHROPIC, block_delta(r#""type":{"a":1},"#)),
        (GEMINI, part(r#""thought":[true]"#)),
        (GEMINI, part(r#""thought":1"#)),
        (TGI, token(r#""text":"SECRET","special":1"#)),
        (
            ANTHROPIC,
            named(
                "content_block_delta",
                &block_delta(r#""type":"text_delta","#),
            ),
        ),
        (GEMINI, part(r#""thought":null"#)),
        (TGI, token(r#""text":"SECRET","special":true"#)),
        (
            CHAT,
            named("chunk", &choice(&format!(r#""index":0,{DELTA}"#))),
        ),
    ]
}

#[test]
fn evidence_that_is_not_about_a_text_does_not_change_it() {
    for (format, body) in texts() {
        let (out, report) = gated(format, nothing(""), &body);
        assert!(!out.contains("here"), "{body}{out}");
        assert_eq!(report.unread(), 0, "{body}");
        let (out, report) = stripped(format, &body);
        assert_eq!(out, body.replace(" [unverified-inference]", ""));
        assert_eq!(report.unread(), 0, "{body}");
    }
}

#[test]
fn a_type_wins_over_an_object() {
    for (format, json) in [
        (
            RESPONSES,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","object":"x_call","content":"SECRET"}}"#,
        ),
        (
            RESPONSES,
            r#"{"type":"response.completed","response":{"object":"response","output":[{"type":"message","object":"mcp_x","note":"SECRET"}]}}"#,
        ),
        (
            RESPONSES,
            r#"{"object":"response","output":[{"type":"message","object":"x_call","content":"SECRET"}]}"#,
        ),
        (
            RESPONSES,
            r#"{"type":"response.output_text.delta","object":"response","output_index":0,"content_index":0,"delta":"","text":"SECRET"}"#,
        ),
        (
            ANTHROPIC,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","object":"x_tool_result","text":"","content":"SECRET"}}"#,
        ),
        (
            ANTHROPIC,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","object":"compaction_delta","text":"","content":"SECRET"}}"#,
        ),
        (
            ANTHROPIC,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"x","text":"SECRET"}}"#,
        ),
        (
            ANTHROPIC,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"Text_Delta","text":"SECRET"}}"#,
        ),
        (
            GEMINI,
            r#"{"candidates":[{"content":{"parts":[{"text":"SECRET","thought":"true"}]}}]}"#,
        ),
    ] {
        let body = event(json);
        let (out, report) = gated(format, nothing(""), &body);
        assert!(!out.contains("here"), "{body}{out}");
        assert!(report.unread() > 0, "{body}");
        assert!(stripped(format, &body).1.unread() > 0, "{body}");
    }
}

/// Bytes that are not JSON pass nowhere in an event.
#[test]
fn words_outside_of_strings_are_not_json() {
    for value in [
        "[SECRET]",
        "{SECRET}",
        "{\"a\":SECRET}",
        "[1,\"a\",[it is a true fairy tale]]",
        "[nullx]",
        "[-x]",
        "[\u{201c}]",
    ] {
        for member in ["x", "usage", "metadata"] {
            let body = choice(r#""index":0,"delta":{"content":"Hi."}"#)
                .replace("}]}", &format!("}}],\"{member}\":{value}}}"));
            let (out, report) = gated(CHAT, nothing(""), &body);
            let malformed = report.count(NoticeCode::MalformedEvent);
            assert_eq!((&*out, malformed), ("", 1), "{body}");
        }
    }
    let value = r#"[1,-2.5e+3,true,false,null,NaN,-Infinity,{"a":{},"b":[]} , "c" ]"#;
    let body = choice(r#""index":0,"delta":{"content":"Hi."}"#)
        .replace("}]}", &format!("}}],\"metadata\":{value}}}"));
    let (out, report) = gated(CHAT, nothing(""), &body);
    assert_eq!((out, report.unread()), (body.replace("Hi.", ""), 0));
}

/// More elements of arrays than are read.
#[test]
fn an_event_with_too_many_parts_is_not_read() {
    let fill = "{},".repeat(16_400);
    for (format, json) in [
        (
            GEMINI,
            r#"{"candidates":[{"content":{"parts":[FILL{"text":"SECRET"},{"text":"x","thought":true}]}}]}"#,
        ),
        (
            GEMINI,
            r#"{"candidates":[{"content":{"parts":[{"text":"SECRET"},FILL{"text":"x","thought":true}]}}]}"#,
        ),
        (
            RESPONSES,
            r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[FILL{"type":"output_text","text":"SECRET"},{"type":"thinking","text":"x"}]}]}}"#,
        ),
        (
            VERCEL,
            r#"{"id":"x","role":"assistant","parts":[FILL{"type":"text","text":"SECRET"},{"type":"reasoning","text":"x"}]}"#,
        ),
        (
            INTERACTIONS,
            r#"{"object":"interaction","steps":[FILL{"type":"model_output","content":[{"type":"text","text":"SECRET"}]},{"type":"user_input","content":[]}]}"#,
        ),
        (
            CHAT,
            r#"{"choices":[FILL{"index":0,"delta":{"content":"SECRET"}},{"index":3,"delta":{"content":"x"}}]}"#,
        ),
    ] {
        let body = event(json).replace("FILL", &fill);
        let (out, report) = gated(format, nothing(""), &body);
        let ambiguous = report.count(NoticeCode::AmbiguousEvent);
        assert_eq!((&*out, ambiguous), ("", 1), "{json}");
        let report = stripped(format, &body).1;
        assert_eq!(report.unread(), 1, "{json}");
    }
    // Elements that name no text have no limit.
    let offsets = "7,".repeat(20_000);
    let body = event(&format!(
        r#"{{"object":"text_completion","choices":[{{"index":0,"text":"SECRET","logprobs":{{"text_offset":[{offsets}7]}}}}]}}"#
    ));
    let (out, report) = gated(CHAT, nothing(""), &body);
    assert!(!out.contains("here") && report.is_complete(), "{report:?}");
}

#[test]
fn elements_without_a_number_are_texts_by_their_position() {
    let chat = |first: &str, second: &str| {
        format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"delta\":{{\"content\":\"{first}\"}}}},{{\"delta\":{{\"content\":\"{second}\"}}}}]}}\n\n"
        )
    };
    let gemini = |first: &str, second: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{first}\"}}]}}}},{{\"content\":{{\"parts\":[{{\"text\":\"{second}\"}}]}}}}]}}\n\n"
        )
    };
    type Event<'a> = &'a dyn Fn(&str, &str) -> String;
    for (format, event) in [(CHAT, &chat as Event<'_>), (GEMINI, &gemini)] {
        let body = [
            event("SECRET here.", " Green is on."),
            event(" [unverified-inference] Bye.", " [substrate.grep]"),
        ]
        .concat();
        let (out, report) = gated(format, no_inference(), &body);
        assert!(!out.contains("SECRET"), "{out}");
        assert!(out.contains("Green is on."), "{out}");
        assert!(report.is_complete(), "{report:?}");
        let (out, _) = stripped(format, &body);
        assert!(!out.contains('[') || !out.contains("grep"), "{out}");
    }
}

/// Clients show the special tokens that are words, too.
#[test]
fn special_tokens_are_text_unless_they_are_marks() {
    let body = [
        token(r#""text":"SECRET here.","special":true"#).replace(SECRET, "SECRET"),
        token(r#""text":" [unverified-inference]","special":true"#),
        token(r#""text":"</s>","special":true"#),
    ]
    .concat();
    let (out, report) = gated(TGI, no_inference(), &body);
    assert!(!out.contains("SECRET") && out.contains("</s>"), "{out}");
    assert!(report.is_complete());
    let (out, _) = stripped(TGI, &body);
    assert!(!out.contains("inference"), "{out}");
}

/// JSON with an escape in the name or the kind of a part reads like that without.
#[test]
#[expect(clippy::too_many_lines, reason = "an event of each format")]
fn an_escape_does_not_make_a_part_a_break() {
    let chat = |part: &str| choice(&format!(r#""index":0,"delta":{{"content":[{part}]}}"#));
    let gemini = |part: &str| {
        event(&format!(
            r#"{{"candidates":[{{"index":0,"content":{{"parts":[{part}]}}}}]}}"#
        ))
    };
    let mistral = |part: &str| {
        event(&format!(
            r#"{{"type":"message.output.delta","output_index":0,"content":{part}}}"#
        ))
    };
    let bedrock = |part: &str| {
        event(&format!(
            r#"{{"contentBlockDelta":{{"contentBlockIndex":0,"delta":{part}}}}}"#
        ))
    };
    let vercel = |part: &str| event(part);
    let anthropic = |part: &str| {
        event(&format!(
            r#"{{"type":"content_block_start","index":0,"content_block":{part}}}"#
        ))
    };
    let tail = r#" [unverified-inference] Bye."#;
    type Event<'a> = &'a dyn Fn(&str) -> String;
    for (format, event, first, between, last) in [
        (
            CHAT,
            &chat as Event<'_>,
            r#"{"type":"text","text":"TEXT"}"#,
            "",
            r#"{"t\u0079pe":"text","text":"TEXT"}"#,
        ),
        (
            CHAT,
            &chat,
            r#"{"type":"text","text":"TEXT"}"#,
            "",
            r#"{"type":"t\u0065xt","text":"TEXT"}"#,
        ),
        (
            GEMINI,
            &gemini,
            r#"{"text":"TEXT"}"#,
            "",
            r#"{"te\u0078t":"TEXT"}"#,
        ),
        (
            GEMINI,
            &gemini,
            r#"{"text":"TEXT"}"#,
            r#"{"thoughtSi\u0067nature":"abc="}"#,
            r#"{"text":"TEXT"}"#,
        ),
        (
            MISTRAL,
            &mistral,
            r#"{"type":"text","text":"TEXT"}"#,
            r#"{"type":"tool_r\u0065ference","tool":"x"}"#,
            r#"{"type":"t\u0065xt","text":"TEXT"}"#,
        ),
        (
            BEDROCK,
            &bedrock,
            r#"{"text":"TEXT"}"#,
            "",
            r#"{"te\u0078t":"TEXT"}"#,
        ),
        (
            VERCEL,
            &vercel,
            r#"{"type":"text-delta","id":"a","delta":"TEXT"}"#,
            r#"{"type":"message-metad\u0061ta","messageMetadata":{}}"#,
            r#"{"type":"text-delta","id":"\u0061","delta":"TEXT"}"#,
        ),
        (
            VERCEL,
            &vercel,
            r#"{"type":"text-delta","id":"a","delta":"TEXT"}"#,
            r#"{"type":"data-x","tr\u0061nsient":true,"data":1}"#,
            r#"{"type":"text-delta","id":"a","delta":"TEXT"}"#,
        ),
        (
            ANTHROPIC,
            &anthropic,
            r#"{"type":"text","text":"TEXT"}"#,
            "",
            r#"{"type":"t\u0065xt","text":"TEXT"}"#,
        ),
    ] {
        let mut body = event(
            &first
                .replace("TEXT", "SECRET_ is here.")
                .replace("SECRET_", "Zqx"),
        );
        if !between.is_empty() {
            body += &event(between);
        }
        body += &event(&last.replace("TEXT", tail));
        let (out, report) = gated(format, no_inference(), &body);
        assert!(!out.contains("Zqx"), "{body}{out}");
        assert!(report.is_complete(), "{body}{report:?}");
        let (out, _) = stripped(format, &body);
        assert!(!out.contains("inference"), "{body}{out}");
    }
}
