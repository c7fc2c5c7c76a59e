//! Strings that may be text and that no format has: a gate empties them, and everything counts them.

use provstream::{Action, Parser};
use provstream_providers::{Format, NoticeCode, ReadReport, Reasoning, StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::policies::{Stated, nothing, release_all};
use testkit::wire::fixtures;
use testkit::wire::output::Output;

fn gated(format: Option<Format>, body: &str) -> (String, ReadReport) {
    let gate = || match format {
        Some(format) => StreamGate::new(format, Parser::new(), release_all()),
        None => StreamGate::detect(Parser::new(), release_all()),
    };
    let run = |size: usize| {
        let (mut gate, mut out) = (gate().with_reasoning(Reasoning::Leave), Vec::new());
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        (
            String::from_utf8(out).expect("UTF-8"),
            gate.report().clone(),
        )
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

fn stripped(format: Option<Format>, body: &str) -> (String, ReadReport) {
    let mut rewriter = match format {
        Some(format) => StreamRewriter::new(format, Parser::new()),
        None => StreamRewriter::detect(Parser::new()),
    };
    let mut out = Vec::new();
    rewriter.push(body.as_bytes(), Output(&mut out));
    rewriter.finish(Output(&mut out));
    (
        String::from_utf8(out).expect("UTF-8"),
        rewriter.report().clone(),
    )
}

#[test]
fn no_recording_has_a_member_that_is_not_known() {
    for fixture in fixtures::all() {
        let body = std::str::from_utf8(&fixture.bytes).expect("UTF-8");
        for format in [None, Some(fixture.format)] {
            let (_, report) = gated(format, body);
            let members: Vec<_> = report.unread_members().collect();
            assert_eq!(members, [], "{}", fixture.name);
            assert_eq!(report.count(NoticeCode::UnreadText), 0, "{}", fixture.name);
            assert_eq!(stripped(format, body).1.unread(), report.unread());
        }
    }
}

/// A chunk of chat completions with this in its choice.
fn choice(members: &str) -> String {
    format!(
        "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,{members}}}]}}\n\n"
    )
}

fn delta(members: &str) -> String {
    choice(&format!("\"delta\":{{\"content\":\"It is. \",{members}}}"))
}

fn event(json: &str) -> String {
    format!("data: {json}\n\n")
}

/// Responses with a string in a member that the format does not have, and the path of that member.
#[expect(clippy::too_many_lines, reason = "an event of each format")]
fn unknown() -> Vec<(Format, String, &'static str)> {
    use Format::{
        Anthropic, BedrockConverse, Cohere, Gemini, GeminiInteractions, LlamaCpp,
        MistralConversations, Ollama, OpenAiChat, OpenAiResponses, Tgi, VercelUi,
    };
    let whole = |json: &str| format!("{json}\n");
    vec![
        (
            OpenAiChat,
            delta(r#""note":"SECRET""#),
            "choices[].delta.note",
        ),
        (
            OpenAiChat,
            delta(r#""no\u0074e":"SECRET""#),
            "choices[].delta.note",
        ),
        (
            OpenAiChat,
            delta(r#""note":{"a":[1,{"b":"SECRET"}]}"#),
            "choices[].delta.note.a[].b",
        ),
        (
            OpenAiChat,
            delta(r#""note":["SECRET"]"#),
            "choices[].delta.note[]",
        ),
        (
            OpenAiChat,
            choice(r#""note":"SECRET","delta":{"content":"It is. "}"#),
            "choices[].note",
        ),
        (
            OpenAiChat,
            choice(
                r#""delta":{"content":[{"type":"text","text":"It is. "},{"type":"new","value":"SECRET"}]}"#,
            ),
            "choices[].delta.content[].value",
        ),
        (
            OpenAiChat,
            delta(r#""provider_specific_fields":{"draft":"SECRET"}"#),
            "choices[].delta.provider_specific_fields.draft",
        ),
        (
            OpenAiChat,
            delta(r#""reasoning_content":{"more":"SECRET"}"#),
            "choices[].delta.reasoning_content.more",
        ),
        (
            OpenAiChat,
            delta(r#""role":{"a":"SECRET"}"#),
            "choices[].delta.role.a",
        ),
        (
            OpenAiChat,
            delta(r#""audio":{"subtitle":"SECRET"}"#),
            "choices[].delta.audio.subtitle",
        ),
        (
            OpenAiChat,
            whole(
                r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"It is. ","analysis":"SECRET"}}]}"#,
            ),
            "choices[].message.analysis",
        ),
        (
            OpenAiResponses,
            event(
                r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"It is. ","note":"SECRET"}"#,
            ),
            "note",
        ),
        (
            OpenAiResponses,
            event(r#"{"type":"response.new_text.delta","output_index":0,"delta":"SECRET"}"#),
            "delta",
        ),
        (
            OpenAiResponses,
            event(
                r#"{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"new","words":"SECRET"}}"#,
            ),
            "part.words",
        ),
        (
            OpenAiResponses,
            event(
                r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"new","output":"SECRET"}}"#,
            ),
            "item.output",
        ),
        (
            OpenAiResponses,
            event(
                r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"new","value":"SECRET"}]}]}}"#,
            ),
            "response.output[].content[].value",
        ),
        (
            OpenAiResponses,
            whole(
                r#"{"object":"response","output":[{"type":"message","note":"SECRET","content":[]}]}"#,
            ),
            "output[].note",
        ),
        (
            Anthropic,
            event(
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","words":"SECRET"}}"#,
            ),
            "delta.words",
        ),
        (
            Anthropic,
            event(
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"new","content":"SECRET"}}"#,
            ),
            "content_block.content",
        ),
        (
            Anthropic,
            event(r#"{"type":"message_delta","delta":{"text":"SECRET"}}"#),
            "delta.text",
        ),
        (
            Anthropic,
            whole(r#"{"type":"message","content":[{"type":"new","say":"SECRET"}]}"#),
            "content[].say",
        ),
        (
            Anthropic,
            event(
                r#"{"type":"message_start","message":{"role":"assistant","content":[],"preface":"SECRET"}}"#,
            ),
            "message.preface",
        ),
        (
            Gemini,
            event(
                r#"{"candidates":[{"content":{"parts":[{"text":"It is. "},{"note":"SECRET"}]}}]}"#,
            ),
            "candidates[].content.parts[].note",
        ),
        (
            Gemini,
            event(r#"{"candidates":[{"content":{"parts":[{"thought":"SECRET"}]}}]}"#),
            "candidates[].content.parts[].thought",
        ),
        (
            Gemini,
            event(r#"{"candidates":[{"output":"SECRET"}]}"#),
            "candidates[].output",
        ),
        (
            Ollama,
            whole(r#"{"message":{"role":"assistant","content":"","note":"SECRET"},"done":false}"#),
            "message.note",
        ),
        (
            Ollama,
            whole(r#"{"response":"","draft":"SECRET","done":false}"#),
            "draft",
        ),
        (
            Cohere,
            event(
                r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"words":"SECRET"}}}}"#,
            ),
            "delta.message.content.words",
        ),
        (
            Cohere,
            whole(
                r#"{"message":{"content":[{"type":"text","text":"a","alt":"SECRET"}]},"finish_reason":"COMPLETE"}"#,
            ),
            "message.content[].alt",
        ),
        (
            GeminiInteractions,
            event(
                r#"{"event_type":"step.delta","index":0,"delta":{"type":"new","words":"SECRET"}}"#,
            ),
            "delta.words",
        ),
        (
            GeminiInteractions,
            event(
                r#"{"event_type":"interaction.completed","interaction":{"steps":[{"type":"model_output","note":"SECRET"}]}}"#,
            ),
            "interaction.steps[].note",
        ),
        (
            MistralConversations,
            event(
                r#"{"type":"message.output.delta","output_index":0,"content":{"type":"new","words":"SECRET"}}"#,
            ),
            "content.words",
        ),
        (
            MistralConversations,
            whole(
                r#"{"object":"conversation.response","outputs":[{"type":"message.output","content":"It is. ","note":"SECRET"}]}"#,
            ),
            "outputs[].note",
        ),
        (
            LlamaCpp,
            event(r#"{"content":"It is. ","stop":false,"reasoning":"SECRET"}"#),
            "reasoning",
        ),
        (
            Tgi,
            event(
                r#"{"token":{"id":1,"text":"It is. ","special":false,"note":"SECRET"},"generated_text":null}"#,
            ),
            "token.note",
        ),
        (
            BedrockConverse,
            whole(r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"words":"SECRET"}}}"#),
            "contentBlockDelta.delta.words",
        ),
        (
            BedrockConverse,
            whole(
                r#"{"output":{"message":{"role":"assistant","content":[{"guardContent":{"text":{"text":"SECRET"}}}]}},"stopReason":"end_turn"}"#,
            ),
            "output.message.content[].guardContent.text.text",
        ),
        (
            VercelUi,
            event(r#"{"type":"text-delta","id":"0","delta":"It is. ","note":"SECRET"}"#),
            "note",
        ),
        (
            VercelUi,
            event(r#"{"type":"start","messageId":"m"}"#)
                + &event(r#"{"type":"new-delta","id":"0","delta":"SECRET"}"#),
            "delta",
        ),
        (
            VercelUi,
            whole(
                r#"{"id":"m","role":"assistant","parts":[{"type":"text","text":"a","alt":"SECRET"}]}"#,
            ),
            "parts[].alt",
        ),
    ]
}

#[test]
fn a_gate_empties_a_string_in_a_member_that_the_format_does_not_have() {
    for (format, body, path) in unknown() {
        let (out, report) = gated(Some(format), &body);
        let emptied = body.replace("SECRET", "");
        assert!(
            out == emptied || out.contains("It is.") && !out.contains("SECRET"),
            "{format}: {body} became {out}"
        );
        let members: Vec<_> = report.unread_members().collect();
        assert_eq!(members, [(path, 1)], "{format}: {body}");
        assert_eq!(report.count(NoticeCode::UnreadMember), 1, "{body}");
        assert!(!report.is_complete());
        let (out, report) = stripped(Some(format), &body);
        assert!(out.contains("SECRET"), "{out}");
        assert_eq!(report.unread_members().collect::<Vec<_>>(), members);
        assert!(!report.is_complete());
    }
}

#[test]
fn a_member_that_passes_is_neither_emptied_nor_counted() {
    for (format, body, path) in unknown() {
        let around = path.rsplit_once('.').map_or(path, |(around, _)| around);
        for passes in [path, around] {
            let gate = StreamGate::new(format, Parser::new(), release_all());
            let mut gate = gate.with_pass_members(["other.path", passes]);
            let mut out = Vec::new();
            for _ in 0..2 {
                gate.push(body.as_bytes(), Output(&mut out));
                gate.finish(Output(&mut out));
                let out = String::from_utf8(core::mem::take(&mut out)).expect("UTF-8");
                assert!(out.contains("SECRET"), "{passes}: {out}");
                assert!(gate.report().is_complete(), "{passes}: {:?}", gate.report());
                gate.reset();
            }
            let rewriter = StreamRewriter::new(format, Parser::new());
            let mut rewriter = rewriter.with_pass_members([passes]);
            rewriter.push(body.as_bytes(), ());
            rewriter.finish(());
            assert!(rewriter.report().is_complete(), "{passes}");
        }
    }
}

/// Responses in which the text has another JSON type than in the format.
#[test]
#[expect(clippy::too_many_lines, reason = "an event of each format")]
fn text_of_another_shape_is_withheld() {
    use Format::{
        Anthropic, BedrockConverse, Cohere, Gemini, GeminiInteractions, LlamaCpp,
        MistralConversations, Ollama, OpenAiChat, OpenAiResponses, Tgi, VercelUi,
    };
    for (format, json) in [
        (
            Anthropic,
            r#"{"type":"message","content":"It is SECRET. [unverified-inference]"}"#,
        ),
        (
            Anthropic,
            r#"{"type":"message","content":{"type":"text","text":"SECRET"}}"#,
        ),
        (Anthropic, r#"{"type":"message","content":["SECRET"]}"#),
        (
            Anthropic,
            r#"{"type":"message_start","message":{"content":"SECRET"}}"#,
        ),
        (Anthropic, r#"{"type":"message_start","message":"SECRET"}"#),
        (
            Anthropic,
            r#"{"type":"content_block_delta","index":0,"delta":"SECRET"}"#,
        ),
        (
            Anthropic,
            r#"{"type":"content_block_delta","index":0,"delta":{"text":{"value":"SECRET"}}}"#,
        ),
        (
            Anthropic,
            r#"{"type":"content_block_start","index":0,"content_block":"SECRET"}"#,
        ),
        (
            OpenAiResponses,
            r#"{"object":"response","output":[{"type":"message","content":"SECRET"}]}"#,
        ),
        (
            OpenAiResponses,
            r#"{"object":"response","output":["SECRET"]}"#,
        ),
        (
            OpenAiResponses,
            r#"{"object":"response","output":"SECRET"}"#,
        ),
        (
            OpenAiResponses,
            r#"{"type":"response.output_item.done","item":{"type":"message","content":"SECRET"}}"#,
        ),
        (
            OpenAiResponses,
            r#"{"type":"response.completed","response":{"output":{"content":"SECRET"}}}"#,
        ),
        (
            OpenAiResponses,
            r#"{"type":"response.output_text.delta","delta":{"text":"SECRET"}}"#,
        ),
        (
            OpenAiResponses,
            r#"{"type":"response.content_part.added","part":"SECRET"}"#,
        ),
        (OpenAiChat, r#"{"choices":[{"index":0,"delta":"SECRET"}]}"#),
        (
            OpenAiChat,
            r#"{"choices":[{"index":0,"message":"SECRET"}]}"#,
        ),
        (OpenAiChat, r#"{"choices":["SECRET"]}"#),
        (
            OpenAiChat,
            r#"{"choices":{"0":{"delta":{"content":"SECRET"}}}}"#,
        ),
        (OpenAiChat, r#"{"choices":[{"text":["SECRET"]}]}"#),
        (Gemini, r#"{"candidates":[{"content":"SECRET"}]}"#),
        (
            Gemini,
            r#"{"candidates":[{"content":{"parts":["SECRET"]}}]}"#,
        ),
        (
            Gemini,
            r#"{"candidates":[{"content":{"parts":{"text":"SECRET"}}}]}"#,
        ),
        (Ollama, r#"{"message":"SECRET","done":false}"#),
        (Ollama, r#"{"message":{"content":["SECRET"]},"done":false}"#),
        (
            Cohere,
            r#"{"type":"content-delta","delta":{"message":{"content":"SECRET"}}}"#,
        ),
        (
            Cohere,
            r#"{"message":{"content":"SECRET"},"finish_reason":"COMPLETE"}"#,
        ),
        (
            GeminiInteractions,
            r#"{"event_type":"step.delta","delta":"SECRET"}"#,
        ),
        (
            GeminiInteractions,
            r#"{"steps":[{"type":"model_output","content":"SECRET"}]}"#,
        ),
        (
            MistralConversations,
            r#"{"type":"message.output.delta","content":["SECRET"]}"#,
        ),
        (LlamaCpp, r#"{"content":{"text":"SECRET"},"stop":false}"#),
        (Tgi, r#"{"token":"SECRET","generated_text":null}"#),
        (Tgi, r#"{"generated_text":["SECRET"]}"#),
        (
            BedrockConverse,
            r#"{"contentBlockDelta":{"delta":"SECRET"}}"#,
        ),
        (
            BedrockConverse,
            r#"{"output":{"message":{"content":"SECRET"}},"stopReason":"end_turn"}"#,
        ),
        (
            BedrockConverse,
            r#"{"output":"SECRET","stopReason":"end_turn"}"#,
        ),
        (VercelUi, r#"{"type":"text-delta","delta":["SECRET"]}"#),
        (VercelUi, r#"{"type":"text-delta","parts":"SECRET"}"#),
        (VercelUi, r#"{"id":"m","parts":["SECRET"]}"#),
    ] {
        for body in [event(json), format!("{json}\n")] {
            let (out, report) = gated(Some(format), &body);
            assert!(!out.contains("SECRET"), "{format}: {body} became {out}");
            assert!(!report.is_complete(), "{format}: {body}");
            assert_eq!(report.count(NoticeCode::UnreadText), 1, "{format}: {body}");
            let (out, report) = stripped(Some(format), &body);
            assert_eq!(out, body);
            assert!(!report.is_complete(), "{format}: {body}");
        }
    }
}

#[test]
fn reasoning_is_found_in_every_member_that_has_it() {
    let members = [
        r#""reasoning_text":"~""#,
        r#""thinking":"~""#,
        r#""thought":"~""#,
        r#""reasoning_content":{"text":"~"}"#,
        r#""reasoning_content":[{"text":"~"}]"#,
        r#""thinking":{"text":"~"}"#,
        r#""reasoning":{"content":"~"}"#,
        r#""content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"~"}]}]"#,
        r#""content":[{"type":"reasoning","reasoning":"~"}]"#,
        r#""thinking_blocks":[{"type":"thinking","thinking":"~","signature":"s"}]"#,
        r#""provider_specific_fields":{"reasoning_content":"~"}"#,
        r#""provider_specific_fields":{"reasoning":"~"}"#,
        r#""provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":"~"}]}"#,
        r#""reasoning_details":[{"type":"reasoning.text","text":"~"}]"#,
    ];
    let chat = members.iter().flat_map(|member| {
        ["delta", "message"].map(|of| choice(&format!("\"{of}\":{{{member}}}")))
    });
    let part = |kind: &str| {
        event(&format!(
            r#"{{"type":"response.reasoning_part.{kind}","output_index":0,"content_index":0,"part":{{"type":"reasoning_text","text":"~"}}}}"#
        ))
    };
    let all = chat.chain(["added", "done"].map(part));
    for body in all {
        let body = body.replace('~', "It is SECRET. [unverified-inference]");
        for mode in [Reasoning::Drop, Reasoning::Rewrite] {
            let gate = StreamGate::detect(Parser::new(), Stated::new(|_| Action::Discard));
            let (mut gate, mut out) = (gate.with_reasoning(mode), Vec::new());
            gate.push(body.as_bytes(), Output(&mut out));
            gate.finish(Output(&mut out));
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(!out.contains("SECRET"), "{mode}: {body} became {out}");
            assert!(gate.report().is_complete(), "{:?}", gate.report());
            let rewriter = StreamRewriter::detect(Parser::new());
            let (mut rewriter, mut out) = (rewriter.with_reasoning(mode), Vec::new());
            rewriter.push(body.as_bytes(), Output(&mut out));
            rewriter.finish(Output(&mut out));
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(!out.contains("[unverified"), "{mode}: {body} became {out}");
            assert_eq!(out.contains("SECRET"), mode == Reasoning::Rewrite, "{out}");
        }
        let (out, report) = gated(None, &body);
        assert_eq!(out, body, "reasoning is left");
        assert!(report.is_complete(), "{report:?}");
    }
}

#[test]
fn strings_that_are_not_text_pass() {
    for (format, json) in [
        (
            Format::Anthropic,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"web_search_tool_result","tool_use_id":"t","content":[{"type":"web_search_result","title":"T","url":"u","encrypted_content":"e"}]}}"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call","id":"w","action":{"query":"q"},"results":[{"text":"t"}]}}"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"type":"response.function_call_arguments.done","item_id":"i","output_index":0,"name":"f","arguments":"{}"}"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"object":"response","id":"r","instructions":"i","text":{"format":{"type":"text"}},"tools":[{"name":"t"}],"output":[]}"#,
        ),
        (
            Format::OpenAiChat,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}],"reasoning_details":[{"type":"reasoning.encrypted","data":"d"}]},"content_filter_results":{"hate":{"severity":"safe"}},"native_finish_reason":"stop"}]}"#,
        ),
        (
            Format::Gemini,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"q":"a"}},"thoughtSignature":"s"},{"executableCode":{"code":"c"}}]},"groundingMetadata":{"webSearchQueries":["q"]}}]}"#,
        ),
        (
            Format::Anthropic,
            r#"{"type":"error","error":{"type":"t","message":"m"},"request_id":"r"}"#,
        ),
        (Format::Ollama, r#"{"error":"boom"}"#),
        (
            Format::VercelUi,
            r#"{"type":"tool-output-available","toolCallId":"t","output":{"a":"b"}}"#,
        ),
        (
            Format::BedrockConverse,
            r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"t","name":"f"}},"contentBlockIndex":1}}"#,
        ),
    ] {
        let (out, report) = gated(Some(format), &event(json));
        assert_eq!(out, event(json), "{format}");
        assert!(report.is_complete(), "{format}: {json}: {report:?}");
    }
}

#[test]
fn many_strings_are_read_in_linear_time_and_bounded_memory() {
    for many in [
        format!("\"note\":[{}\"SECRET\"]", "\"SECRET\",".repeat(40_000)),
        "\"note\":\"SECRET\",".repeat(40_000) + "\"a\":1",
        format!("\"note\":{}\"SECRET\"{}", "[".repeat(100), "]".repeat(100)),
        format!(
            "\"note\":{{{}\"b\":1}}",
            "\"a\":{\"type\":\"SECRET\"},".repeat(40_000)
        ),
    ] {
        let (out, report) = gated(Some(Format::OpenAiChat), &delta(&many));
        assert!(!out.contains("SECRET"));
        assert!(!report.is_complete());
        assert!(report.unread_members().count() <= 32);
    }
    let many = "\"content\":\"SECRET\",\"citations\":[{}],".repeat(20_000);
    let block = format!(
        "{{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{{many}\"type\":\"new\"}}}}"
    );
    let (out, _) = gated(Some(Format::Anthropic), &event(&block));
    assert!(!out.contains("SECRET"));
}

/// For each format, its first event with text.
fn first_events() -> Vec<(Format, String)> {
    let own = fixtures::all();
    let mut all = Vec::new();
    for format in Format::ALL {
        let mut of_format = own.iter().filter(|fixture| fixture.format == format);
        let stream = of_format.find(|fixture| !fixture.bytes.starts_with(b"["));
        let stream = stream.expect("a recording of the format");
        all.push((
            format,
            String::from_utf8(stream.bytes.clone()).expect("UTF-8"),
        ));
    }
    all
}

#[test]
fn what_comes_before_the_first_evidence_is_read_once_the_format_is_known() {
    let preludes = [
        r#"{"note":"SECRET"}"#,
        r#"{"delta":{"note":"SECRET"}}"#,
        r#"{"a":{"b":["SECRET"]},"id":"x"}"#,
        r#"{"thinking":"SECRET"}"#,
        r#"{"trace":{"a":"SECRET"}}"#,
        r#"{"type":"note","text":"SECRET"}"#,
        r#"{"context":["SECRET"]}"#,
        r#"{"error":null,"message":{"a":"SECRET"}}"#,
        r#"{"type":"ping","note":"SECRET"}"#,
        r#"{"type":"ping"}"#,
        r#"{"error":{"message":"SECRET"}}"#,
        r#"{"id":"SECRET","created":1}"#,
    ];
    let mut passed = 0;
    for (format, stream) in first_events() {
        for prelude in preludes {
            let prelude = match stream.starts_with('{') {
                true => format!("{prelude}\n"),
                false => event(prelude),
            };
            let body = prelude.clone() + &stream;
            let (named, of_named) = gated(Some(format), &body);
            let (auto, of_auto) = gated(None, &body);
            let is_as_named = auto == named && of_auto.unread() == of_named.unread();
            let line = if stream.starts_with('{') {
                "\n"
            } else {
                "\n\n"
            };
            let (_, rest) = named.split_once(line).expect("an event");
            let is_withheld = auto.trim_start() == rest
                && of_auto.unread() >= of_named.unread()
                && !of_auto.is_complete();
            assert!(
                is_as_named || is_withheld,
                "{format}: {prelude}{auto}\n{named}"
            );
            assert!(
                !auto.contains("SECRET") || named.contains("SECRET"),
                "{format}: {auto}"
            );
            passed += usize::from(is_as_named);
        }
    }
    assert!(passed > 30, "{passed}");
    let stream = "{\"thinking\":\"SECRET\"}\n{\"response\":\"It is.\",\"done\":true}\n";
    for (reasoning, passes) in [(Reasoning::Leave, true), (Reasoning::Drop, false)] {
        let gate = StreamGate::detect(Parser::new(), release_all());
        let (mut gate, mut out) = (gate.with_reasoning(reasoning), Vec::new());
        gate.push(stream.as_bytes(), Output(&mut out));
        gate.finish(Output(&mut out));
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out.contains("SECRET"), passes, "{out}");
    }
}

#[test]
fn an_error_before_the_first_evidence_is_written_at_once() {
    for (error, is_written) in [
        (r#"{"error":{"message":"boom","code":429}}"#, true),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"boom"},"request_id":"r"}"#,
            true,
        ),
        (r#"{"type":"error","message":"boom"}"#, true),
        (r#"{"error":"boom"}"#, true),
        (r#"{"error":"boom","note":"SECRET"}"#, false),
        (r#"{"error":"boom","response":"SECRET"}"#, false),
    ] {
        for error in [
            event(error),
            format!("event: error\n{}", event(error)),
            format!("{error}\n"),
        ] {
            let note = match error.starts_with('{') {
                true => "{\"note\":\"SECRET\"}\n".to_owned(),
                false => event(r#"{"note":"SECRET"}"#),
            };
            for before in ["", &note] {
                let body = before.to_owned() + &error;
                let mut gate = StreamGate::detect(Parser::new(), release_all());
                let mut out = Vec::new();
                gate.push(body.as_bytes(), Output(&mut out));
                let out = String::from_utf8(out).expect("UTF-8");
                assert_eq!(out, if is_written { &error } else { "" }, "{body}");
                let (whole, report) = gated(None, &body);
                assert_eq!(whole, out, "{body}");
                let is_complete = is_written && before.is_empty();
                assert_eq!(report.is_complete(), is_complete, "{report:?}");
            }
        }
    }
}

/// Parts of the paths at which texts pass: those of tools, reasoning, errors, sources and the request.
const OPEN: [&str; 22] = [
    "arguments",
    "citation.document_title",
    "citations.sources",
    "content.source",
    "content.text",
    "content.title",
    "content.tool",
    "content.url",
    "error",
    "functionCall",
    "generation_settings",
    "info",
    "input",
    "model",
    "partial_json",
    "prompt",
    "reasoning",
    "start",
    "stop",
    "summary",
    "thinking",
    "tool",
];

/// Wherever a recorded event has a value, text in its place does not pass, neither as a string nor in an object or array,
/// unless it is of others than the model, or is a special token or a thought.
#[test]
fn text_in_the_place_of_another_value_does_not_pass() {
    let texts = [
        json!("It is SECRET."),
        json!({"text": "It is SECRET."}),
        json!({"type": "text", "id": [{"text": "It is SECRET."}]}),
        json!([{"text": "It is SECRET."}]),
        json!(["It is SECRET."]),
    ];
    let mut tried = 0;
    for fixture in fixtures::own() {
        let body = std::str::from_utf8(&fixture.bytes).expect("UTF-8");
        for line in body.lines() {
            let data = line.strip_prefix("data:").unwrap_or(line).trim();
            let Ok(value) = serde_json::from_str::<Value>(data) else {
                continue;
            };
            let kind = value.get("type").and_then(Value::as_str).unwrap_or("");
            let is_other = kind.contains("reasoning") || kind.contains("function_call");
            let is_special = data.contains("\"thought") || data.contains("\"special\":true");
            let is_call = data.contains("\"type\":\"function_call\"");
            if is_other || is_special || is_call {
                continue;
            }
            for path in places(&value, "") {
                // The identifier of a part, by which clients join deltas; nobody reads it.
                if fixture.format == Format::VercelUi && path == "/id" {
                    continue;
                }
                if OPEN
                    .iter()
                    .any(|open| path.replace('/', ".").contains(open))
                {
                    continue;
                }
                for text in &texts {
                    tried += 1;
                    let mut changed = value.clone();
                    *changed.pointer_mut(&path).expect("a value") = text.clone();
                    // The event before it is what other events are compared with.
                    let body = format!("data: {data}\n\ndata: {changed}\n\n");
                    let gate = StreamGate::new(fixture.format, Parser::new(), nothing(""));
                    let (mut gate, mut out) = (gate, Vec::new());
                    gate.push(body.as_bytes(), Output(&mut out));
                    gate.finish(Output(&mut out));
                    let out = String::from_utf8(out).expect("UTF-8");
                    assert!(!out.contains("SECRET"), "{path}: {body} became {out}");
                }
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
}

/// The JSON pointers of all values inside of one.
fn places(value: &Value, path: &str) -> Vec<String> {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .map(|(place, value)| (place.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (name, value) in inside {
        let path = format!("{path}/{name}");
        all.extend(places(value, &path));
        all.push(path);
    }
    all
}

/// The first of two members with one name, or the second, has another type than the format's.
#[test]
#[expect(clippy::too_many_lines, reason = "an event of each format")]
fn a_repeated_member_of_another_type_does_not_pass() {
    let events = [
        (
            Format::OpenAiChat,
            "id",
            r#"{@,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"It rains."}}]}"#,
        ),
        (
            Format::OpenAiChat,
            "object",
            r#"{@,"choices":[{"index":0,"delta":{"content":"It rains."}}]}"#,
        ),
        (
            Format::OpenAiChat,
            "choices",
            r#"{"object":"chat.completion.chunk",@}"#,
        ),
        (
            Format::OpenAiResponses,
            "item_id",
            r#"{"type":"response.output_text.delta","output_index":0,@,"delta":"It rains."}"#,
        ),
        (
            Format::Ollama,
            "model",
            r#"{@,"message":{"role":"assistant","content":"It rains."},"done":false}"#,
        ),
        (
            Format::Gemini,
            "role",
            r#"{"candidates":[{"content":{@,"parts":[{"text":"It rains."}]}}]}"#,
        ),
        (
            Format::Anthropic,
            "type",
            r#"{"index":0,"delta":{"type":"text_delta","text":"It rains."},@}"#,
        ),
        (
            Format::Cohere,
            "type",
            r#"{@,"index":0,"delta":{"message":{"content":{"text":"It rains."}}}}"#,
        ),
        (
            Format::VercelUi,
            "type",
            r#"{@,"id":"a","delta":"It rains."}"#,
        ),
        (
            Format::VercelUi,
            "id",
            r#"{"type":"text-delta",@,"delta":"It rains."}"#,
        ),
        (
            Format::GeminiInteractions,
            "event_type",
            r#"{@,"index":0,"delta":{"type":"text","text":"It rains."}}"#,
        ),
    ];
    let wrong = [
        r#"{"text":"It is SECRET."}"#,
        r#"["It is SECRET."]"#,
        r#""It is SECRET.""#,
    ];
    for (format, name, template) in events {
        let right = match (format, name) {
            (_, "choices") => r#"[{"index":0,"delta":{"content":"It rains."}}]"#,
            (Format::Anthropic, _) => "\"content_block_delta\"",
            (Format::Cohere, _) => "\"content-delta\"",
            (Format::VercelUi, "type") => "\"text-delta\"",
            (Format::GeminiInteractions, _) => "\"step.delta\"",
            _ => "\"a\"",
        };
        for wrong in wrong {
            for of in [
                format!("\"{name}\":{wrong},\"{name}\":{right}"),
                format!("\"{name}\":{right},\"{name}\":{wrong}"),
                format!("\"{}\":{wrong},\"{name}\":{right}", name.to_uppercase()),
            ] {
                let body = event(&template.replace('@', &of));
                let gate = StreamGate::new(format, Parser::new(), nothing(""));
                let (mut gate, mut out) = (gate, Vec::new());
                gate.push(body.as_bytes(), Output(&mut out));
                gate.finish(Output(&mut out));
                let out = String::from_utf8(out).expect("UTF-8");
                assert!(!out.contains("SECRET"), "{body} became {out}");
                assert!(!gate.report().is_complete(), "{body}");
            }
        }
    }
}

/// Quotes of the answer or of a source are emptied, in every place for citations.
#[test]
fn what_a_citation_quotes_is_emptied() {
    let chat = |members: &str| delta(&format!("\"annotations\":[{{{members}}}]"));
    for (format, body) in [
        (
            Format::OpenAiChat,
            chat(
                r#""type":"url_citation","url_citation":{"url":"https://a.b","title":"A b","content":"SECRET"}"#,
            ),
        ),
        (
            Format::OpenAiChat,
            chat(
                r#""type":"file_citation","text":"SECRET","file_citation":{"file_id":"f","quote":"SECRET"}"#,
            ),
        ),
        (
            Format::OpenAiChat,
            chat(r#""type":"url_citation","snippet":"SECRET""#),
        ),
        (
            Format::GeminiInteractions,
            event(
                r#"{"event_type":"step.delta","index":0,"delta":{"type":"text_annotation","annotations":[{"type":"url_citation","url":"https://a.b","start_index":0,"end_index":3,"snippet":"SECRET","text":"SECRET"}]}}"#,
            ),
        ),
        (
            Format::Cohere,
            event(
                r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"It rains."},"citations":{"start":0,"end":2,"text":"SECRET"}}}}"#,
            ),
        ),
        (
            Format::Cohere,
            event(
                r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"It rains."},"citations":[{"start":0,"end":2,"text":"SECRET"}]}}}"#,
            ),
        ),
        (
            Format::Anthropic,
            event(
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"It rains.","citations":[{"type":"char_location","cited_text":"SECRET","text":"SECRET","document_title":"A b"}]}}"#,
            ),
        ),
        (
            Format::OpenAiResponses,
            event(
                r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation":{"type":"file_citation","file_id":"f","filename":"a b","quote":"SECRET"}}"#,
            ),
        ),
    ] {
        let (out, _) = gated(Some(format), &body);
        assert!(!out.contains("SECRET"), "{body} became {out}");
        let kept = ["https://a.b", "A b", "a b"]
            .iter()
            .filter(|kept| body.contains(**kept));
        for kept in kept {
            assert!(out.contains(kept), "{body} became {out}");
        }
    }
}

/// Members of a response that the format does not have.
#[test]
fn members_of_a_response_that_are_not_known_are_emptied_and_counted() {
    for member in ["output_parsed", "choices", "title", "novel"] {
        for value in [
            r#""It is SECRET.""#,
            r#"{"a":"SECRET"}"#,
            r#"[{"message":{"content":"SECRET"}}]"#,
        ] {
            let body = event(&format!(
                r#"{{"type":"response.completed","response":{{"id":"r","output":[],"{member}":{value}}}}}"#
            ));
            let (out, report) = gated(Some(Format::OpenAiResponses), &body);
            assert!(!out.contains("SECRET"), "{out}");
            let path = report
                .unread_members()
                .next()
                .map(|(path, _)| path.to_owned());
            assert!(path.is_some_and(|path| path.starts_with(&format!("response.{member}"))));
        }
    }
}
