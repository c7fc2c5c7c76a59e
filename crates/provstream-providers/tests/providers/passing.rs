//! Members, numbers and identifiers that real servers send: none of them is withheld, emptied, moved or counted as unread.

use provstream::Parser;
use provstream_providers::{Format, ReadReport, Reasoning, StreamGate};
use testkit::gate::policies::no_inference;

use super::evidence::stripped;
use testkit::wire::output::Output;

const CHAT: Format = Format::OpenAiChat;

/// Events of a chat completion, with these members in an event, in a choice and in a delta.
fn chat(event: &str, choice: &str, delta: &str) -> String {
    format!(
        "data: {{\"object\":\"chat.completion.chunk\",{event}\"choices\":[{{\"index\":0,{choice}\"delta\":{{{delta}\"content\":\"\"}}}}]}}\n\n"
    )
}

fn gated(format: Format, body: &str, reasoning: Reasoning) -> (String, ReadReport) {
    let mut gate = StreamGate::new(format, Parser::new(), no_inference()).with_reasoning(reasoning);
    let mut out = Vec::new();
    gate.push(body.as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    (out, gate.report().clone())
}

/// Asserts that a gate that withholds nothing changes nothing, and has read everything.
fn assert_passes(format: Format, body: &str) {
    let (out, report) = gated(format, body, Reasoning::Leave);
    assert_eq!(out, body);
    let unread: Vec<_> = report.unread_members().collect();
    assert!(unread.is_empty(), "{unread:?} in {body}");
    assert!(report.is_complete(), "{report:?} for {body}");
}

#[test]
fn members_of_other_servers_pass() {
    for event in [
        // llama.cpp, LM Studio and vLLM repeat the name that they were started with, which may be a path.
        r#""model":"/home/me/My Models/größe.gguf","#,
        // Tencent Hunyuan.
        r#""note":"以上内容为AI生成，不代表开发者立场","#,
        // Zhipu, MiniMax, Groq, Fireworks, LM Studio.
        r#""content_filter":[{"role":"assistant","level":1}],"#,
        r#""base_resp":{"status_code":0,"status_msg":"invalid api key"},"#,
        r#""usage_breakdown":{"models":[{"model":"m","usage":{"total_tokens":1}}]},"#,
        r#""perf_metrics":{"server-ttft":"0.1","cached":"7"},"#,
        r#""model_info":{"arch":"qwen2","format":"gguf"},"runtime":{"name":"llama.cpp-mac","version":"1.1"},"#,
        // LiteLLM, OpenRouter, GitHub Copilot, Baidu, OpenAI.
        r#""vertex_ai_grounding_metadata":[{"webSearchQueries":["rain today"]}],"#,
        r#""debug":{"echo_upstream_body":{"model":"a b"}},"#,
        r#""copilot_usage":{"token_details":[{"token_type":"input"}]},"#,
        r#""copilot_errors":[{"message":"no such file"}],"#,
        r#""search_info":{"search_results":[{"title":"Rain today","url":"https://a.example"}]},"#,
        r#""moderation":{"input":{"type":"ok"},"output":{"category":"none"}},"#,
        // IBM watsonx, Perplexity, iFlytek Spark, Venice, DigitalOcean, Volcengine.
        r#""model_id":"ibm/granite","model_version":"1.0.0","system":{"warnings":[{"message":"This model is a preview.","id":"w"}]},"#,
        r#""images":[{"image_url":"https://a.example/a b.png","origin_url":"https://a.example","title":"Rain today"}],"#,
        r#""code":0,"message":"Success","sid":"cha000@dx","#,
        r#""venice_parameters":{"enable_web_search":"auto","web_search_citations":[{"title":"Rain today","content":"It rains."}]},"#,
        r#""retrieval":{"retrieved_data":[{"filename":"a b.pdf","page_content":"It rains."}]},"#,
        r#""bot_usage":{"model_usage":[{"name":"doubao pro"}]},"#,
    ] {
        assert_passes(CHAT, &chat(event, "", ""));
    }
    for choice in [
        // Azure.
        r#""content_filter_results":{"error":{"code":"content_filter_error","message":"The contents are not filtered"}},"#,
        r#""content_filter_results":{"protected_material_code":{"citation":{"license":"MIT License"}}},"#,
        // TabbyAPI, OpenAI's first models with vision.
        r#""stop_str":"\n\nUser:","#,
        r#""finish_details":{"type":"stop","stop":"<|im_end|>"},"#,
    ] {
        assert_passes(CHAT, &chat("", choice, ""));
    }
    for delta in [
        // Groq, MiniMax, OpenRouter, LiteLLM.
        r#""channel":"analysis","#,
        r#""audio_content":"494433","#,
        r#""annotations":[{"type":"file","file":{"hash":"a1","content":[{"type":"text","text":"a page"}]}}],"#,
        // Gemini's endpoint for OpenAI's clients.
        r#""thought_signature":"c2ln","#,
        // GitHub Copilot.
        r#""copilot_annotations":{"CodeVulnerability":[{"details":{"description":"a b"}}]},"#,
        r#""provider_specific_fields":{"web_search_results":[{"title":"Rain today"}]},"#,
        r#""padding":"abc","#,
        // MiniMax, Writer, Groq, Perplexity, Snowflake.
        r#""name":"MiniMax AI","#,
        r#""graph_data":{"status":"finished","sources":[{"file_id":"f","snippet":"It rains."}],"subqueries":[{"query":"Does it rain?"}]},"#,
        r#""annotations":[{"type":"document_citation","document_citation":{"document_id":"d1"},"function_citation":{"tool_call_id":"c1"}}],"#,
        r#""reasoning_steps":[{"type":"web_search","thought":"I look.","web_search":{"search_results":[{"title":"Rain today"}]}}],"#,
        r#""type":"text","text":"","content_list":[{"type":"text","text":""}],"#,
    ] {
        assert_passes(CHAT, &chat("", "", delta));
    }
    for part in [
        // Databricks, Mistral.
        r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"","signature":"c2ln"}]}"#,
        r#"{"type":"tool_file","tool":"code_interpreter","file_id":"f","file_name":"a chart.png"}"#,
    ] {
        let body = format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":[{part}]}}}}]}}\n\n"
        );
        assert_passes(CHAT, &body);
    }
}

#[test]
fn members_of_new_versions_pass() {
    for member in [
        r#""access_programs":{"cyber":"a"}"#,
        r#""input_transformations":[{"type":"a"}]"#,
        r#""moderation":{"input":{"type":"a"}}"#,
        r#""prompt_cache_diagnostics":{"reason":"a","type":"b"}"#,
    ] {
        let body = format!(
            "data: {{\"type\":\"response.created\",\"response\":{{\"id\":\"r\",\"object\":\"response\",{member},\"output\":[]}}}}\n\n"
        );
        assert_passes(Format::OpenAiResponses, &body);
    }
    for member in [
        r#""diagnostics":{"cache_miss_reason":{"type":"a"}}"#,
        r#""input_transformations":[{"type":"a"}]"#,
    ] {
        let body = format!(
            "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",{member},\"content\":[]}}}}\n\n"
        );
        assert_passes(Format::Anthropic, &body);
    }
    let body = r#"data: {"type":"response.output_item.done","output_index":0,"copilot_usage":{"token_details":[{"token_type":"input"}]},"item":{"type":"program","id":"p","code":"print(1 + 1)","call_id":"c","fingerprint":"f"}}"#;
    assert_passes(Format::OpenAiResponses, &format!("{body}\n\n"));
    let body = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}}}"#;
    assert_passes(Format::Anthropic, &format!("{body}\n\n"));
    let body = r#"{"output":{"message":{"role":"assistant","content":[{"type":"text","text":""}]}},"stopReason":"end_turn"}"#;
    assert_passes(Format::BedrockConverse, body);
    let body = r#"data: {"candidates":[{"index":0,"continuationToken":"a","content":{"role":"model","parts":[{"text":"","mediaProcessing":{"type":"a"}}]}}]}"#;
    assert_passes(Format::Gemini, &format!("{body}\n\n"));
}

#[test]
fn members_of_servers_with_other_apis_pass() {
    // OpenRouter's endpoints for the clients of Anthropic and of Responses, and mistral.rs.
    let body = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"provider\":\"Amazon Bedrock\",\"role\":\"assistant\",\"content\":[]}}\n\n";
    assert_passes(Format::Anthropic, body);
    let body = r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","format":"google-gemini-v1","encrypted_content":"c2ln","summary":[]}}"#;
    assert_passes(Format::OpenAiResponses, &format!("{body}\n\n"));
    let body = r#"{"object":"response","id":"r","reasoning":"I look.","output":[{"type":"message","content":[{"type":"output_text","text":"It rains."}]}]}"#;
    assert_passes(Format::OpenAiResponses, body);
    let body = body.replace("I look.", "I look. [substrate.grep]");
    let (out, _) = gated(Format::OpenAiResponses, &body, Reasoning::Rewrite);
    assert!(out.contains("\"I look.\""), "{out}");
    let (out, _) = gated(Format::OpenAiResponses, &body, Reasoning::Drop);
    assert!(!out.contains("I look."), "{out}");
}

#[test]
fn members_of_the_types_of_interactions_pass() {
    let interaction = r#"{"object":"interaction","status":"completed","continuation_token":"dG9rZW4=","steps":[{"type":"model_output","error":{"message":"no such file","details":[{"reason":"a b"}]},"content":[{"type":"image","mime_type":"image/png","uri":"gs://a","resolution":"high","raw":"AAAA"}]},{"type":"thought","summary":[{"type":"image","mime_type":"image/png","data":"AAAA","resolution":"low"}]}]}"#;
    assert_passes(Format::GeminiInteractions, interaction);
    for event in [
        format!(r#""event_type":"interaction.completed","interaction":{interaction}"#),
        r#""event_type":"step.start","index":0,"step":{"type":"model_output","error":{"message":"no such file"},"content":[{"type":"text","text":"","annotations":[{"type":"x","custom_metadata":{"a":"b c"},"media_id":"m","speaker":"Speaker 1","style":"s","start_offset":"1s","raw":"AAAA"}]}]}"#.to_owned(),
    ] {
        assert_passes(Format::GeminiInteractions, &format!("data: {{{event}}}\n\n"));
    }
    let body = r#"data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":""}]}}],"automaticFunctionCallingHistory":[{"role":"user","parts":[{"text":"Does it rain?"}]}]}"#;
    assert_passes(Format::Gemini, &format!("{body}\n\n"));
}

#[test]
fn events_of_codex_pass() {
    let created = "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}\n\n";
    for members in [
        r#""type":"codex.rate_limits","plan_type":"plus plan","metered_limit_name":"codex","rate_limits":{"allowed":true,"primary":{"used_percent":3,"window_minutes":300}},"credits":{"balance":"5 USD"}"#,
        r#""type":"response.metadata","headers":{"x-codex-turn-state":"gAAAAABo==","date":"Thu, 26 Nov 2026"}"#,
        r#""type":"codex.response.metadata","headers":{"x-models-etag":"W/\"a\""},"metadata":{"a":"b c"},"etag":"e"}"#.trim_end_matches('}'),
        r#""type":"keepalive","sequence_number":3"#,
    ] {
        assert_passes(
            Format::OpenAiResponses,
            &format!("{created}data: {{{members}}}\n\n"),
        );
    }
}

/// The AI SDK reads no stream with an empty `inputEncoding`, and refuses an approval without its signature.
#[test]
fn members_of_tool_parts_pass() {
    for members in [
        r#""type":"tool-input-start","toolCallId":"c","toolName":"f","inputEncoding":"json","toolMetadata":{"app":"my app"}"#,
        r#""type":"tool-input-available","toolCallId":"c","toolName":"f","input":{},"toolMetadata":{"app":"my app"}"#,
        r#""type":"tool-output-error","toolCallId":"c","errorText":"no file","toolMetadata":{"app":"my app"}"#,
        r#""type":"tool-approval-request","approvalId":"a","toolCallId":"c","signature":"Ab+/==","approvalDescriptor":{"title":"Run it"},"inputSchemaInput":{"a":"b c"}"#,
    ] {
        assert_passes(Format::VercelUi, &format!("data: {{{members}}}\n\n"));
    }
}

/// Snowflake writes its text three times.
#[test]
fn text_in_three_members_is_read_in_each() {
    let delta = |text: &str| {
        format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"type\":\"text\",\"content\":\"{text}\",\"content_list\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"text\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let body = [
        "It rains. [unverified-",
        "inference]",
        " So. [sub",
        "strate.grep] Bye.",
    ]
    .map(delta)
    .concat();
    for out in [
        gated(CHAT, &body, Reasoning::Leave).0,
        stripped(CHAT, &body).0,
    ] {
        assert_eq!(out.matches("Bye.").count(), 3, "{out}");
        assert!(!out.contains("[sub") && !out.contains("[unv"), "{out}");
    }
    let (out, report) = gated(CHAT, &body, Reasoning::Leave);
    assert!(!out.contains("It rains.") && report.is_complete(), "{out}");
}

/// Portkey's checks quote the text that they are about.
#[test]
fn results_of_checks_are_emptied() {
    let body = chat(
        r#""hook_results":{"after_request_hooks":[{"checks":[{"data":{"explanation":"It is SECRET."}}]}]},"#,
        "",
        "",
    );
    let (out, report) = gated(CHAT, &body, Reasoning::Leave);
    assert!(
        out.contains("\"hook_results\":{}") && report.is_complete(),
        "{out}"
    );
}

#[test]
fn a_response_of_cohere_without_text_is_recognised() {
    let body = r#"{"finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"I will search.","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"usage":{"tokens":{"input_tokens":1}}}"#;
    assert_eq!(Format::detect(body.as_bytes()), Some(Format::Cohere));
    assert_passes(Format::Cohere, body);
}

/// GLM, and proxies to Bedrock and Anthropic, number the only tool call with -1.
#[test]
fn an_odd_number_of_a_tool_call_passes() {
    let call = r#""tool_calls":[{"index":-1,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"#;
    let details = r#""reasoning_details":[{"index":-1,"type":"reasoning.text","text":"So."}],"#;
    for delta in [call, details] {
        assert_passes(CHAT, &chat("", "", delta));
    }
    let body = chat("", "", call);
    let (out, report) = gated(CHAT, &body, Reasoning::Rewrite);
    assert_eq!((&*out, report.is_complete()), (&*body, true));
    // Numbers of reasoning that a gate reads do say to which text it belongs.
    let (out, report) = gated(CHAT, &chat("", "", details), Reasoning::Rewrite);
    assert!(!out.contains("So."), "{out}");
    assert!(!report.is_complete());
}

/// GitHub Copilot's identifiers are encrypted, and have some 400 characters.
#[test]
fn long_identifiers_pass_and_are_repeated() {
    let id = "QkQk".repeat(125);
    let delta = |text: &str| {
        format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"item_id\":\"{id}\",\"output_index\":0,\"content_index\":0,\"delta\":\"{text}\"}}\n\n"
        )
    };
    let body = format!(
        "data: {{\"type\":\"response.created\",\"response\":{{\"id\":\"{id}\",\"object\":\"response\",\"output\":[]}}}}\n\n{}",
        delta("")
    );
    assert_passes(Format::OpenAiResponses, &body);
    let out = stripped(Format::OpenAiResponses, &delta("It rains. [sub")).0;
    assert_eq!(out, delta("It rains.") + &delta(" [sub"));
}

#[test]
fn the_identifier_of_a_part_is_repeated() {
    let long = "QkQk".repeat(600);
    for id in ["text 1", "größe", &long] {
        let event = |rest: &str| format!("data: {{\"type\":\"text-{rest}\",\"id\":\"{id}\"}}\n\n");
        let delta = |text: &str| {
            format!("data: {{\"type\":\"text-delta\",\"id\":\"{id}\",\"delta\":\"{text}\"}}\n\n")
        };
        let (start, end) = (event("start"), event("end"));
        assert_passes(Format::VercelUi, &format!("{start}{}{end}", delta("")));
        let body = format!("{start}{}{end}", delta("It rains. [sub"));
        let expected = format!("{start}{}{}{end}", delta("It rains."), delta(" [sub"));
        assert_eq!(stripped(Format::VercelUi, &body).0, expected);
    }
}

#[test]
fn names_with_escapes_are_repeated() {
    let with = |text: &str| {
        format!(
            "data: {{\"choices\":[{{\"inde\\u0078\":1,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let out = stripped(CHAT, &with("It rains. [sub")).0;
    assert_eq!(out, with("It rains.") + &with(" [sub"));
    let with = |text: &str| {
        format!(
            "data: {{\"ty\\u0070e\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"{text}\"}}\n\n"
        )
    };
    let out = stripped(Format::OpenAiResponses, &with("It rains. [sub")).0;
    assert_eq!(out, with("It rains.") + &with(" [sub"));
}

/// Together writes its text in `delta.content` and `text`. OpenAI's clients read both.
#[test]
fn an_added_event_has_all_members_that_clients_read() {
    let event = |text: &str| {
        format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"text\":\"{text}\",\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let body = [event("It rains. "), event("The cat sat.")].concat();
    let (out, _) = gated(CHAT, &body, Reasoning::Leave);
    let mut texts = [String::new(), String::new()];
    for data in out.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: serde_json::Value = serde_json::from_str(data).expect("JSON");
        let choice = &event["choices"][0];
        assert!(choice["delta"].is_object(), "{data}");
        texts[0] += choice["text"].as_str().expect("a string");
        texts[1] += choice["delta"]["content"].as_str().unwrap_or("");
    }
    assert_eq!(texts, ["It rains. The cat sat.", "It rains. The cat sat."]);
}
