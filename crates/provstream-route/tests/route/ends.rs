//! End of a stream that the policy ends, in the form of each API.

use provstream_providers::Format;
use provstream_route::{Cause, Flow};
use serde_json::{Value, json};

use crate::{REFUSE, filter, now, route, sse, through};

/// The beginning of a stream, with an assertion that the policy refuses in it, and its rest, which nobody reads.
struct Case {
    format: Format,
    body: &'static str,
    /// End that the client reads.
    end: &'static str,
}

const CASES: [Case; 13] = [
    Case {
        format: Format::OpenAiChat,
        body: concat!(
            "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"It rains. \"},\"finish_reason\":null}]}\n\n",
            "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It pours. [unverified-inference] SECRET\"},\"finish_reason\":null}]}\n\n",
            "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" SECRET\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
        end: "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n",
    },
    Case {
        format: Format::Anthropic,
        body: concat!(
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"It rains. It pours. [unverified-inference] SECRET\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        end: concat!(
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":1}}\n\n",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
    },
    Case {
        format: Format::OpenAiResponses,
        body: concat!(
            "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\n\n",
            "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n\n",
            "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":2,\"output_index\":0,\"content_index\":0,\"item_id\":\"i\",\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}\n\n",
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":3,\"output_index\":0,\"content_index\":0,\"item_id\":\"i\",\"delta\":\"It rains. It pours. [unverified-inference] SECRET\"}\n\n",
            "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":4,\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[]}}\n\n",
        ),
        end: "event: response.incomplete\ndata: {\"type\":\"response.incomplete\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"incomplete\",\"output\":[{\"id\":\"i\",\"type\":\"message\",\"status\":\"incomplete\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"It rains. I cannot say.\",\"annotations\":[]}]}],\"incomplete_details\":{\"reason\":\"content_filter\"}},\"sequence_number\":7}\n\n",
    },
    Case {
        format: Format::Gemini,
        body: concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"It rains. \"}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"g\",\"responseId\":\"r\"}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"It pours. [unverified-inference] SECRET\"}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"g\",\"responseId\":\"r\"}\r\n\r\n",
        ),
        end: "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"SAFETY\",\"index\":0}],\"modelVersion\":\"g\",\"responseId\":\"r\"}\n\n",
    },
    Case {
        format: Format::Ollama,
        body: concat!(
            "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"It rains. \"},\"done\":false}\n",
            "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:01Z\",\"message\":{\"role\":\"assistant\",\"content\":\"It pours. [unverified-inference] SECRET\"},\"done\":false}\n",
            "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:02Z\",\"message\":{\"role\":\"assistant\",\"content\":\"SECRET\"},\"done\":true}\n",
        ),
        end: "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"content_filter\"}\n",
    },
    Case {
        format: Format::VercelUi,
        body: concat!(
            "data: {\"type\":\"start\",\"messageId\":\"m\"}\n\ndata: {\"type\":\"start-step\"}\n\ndata: {\"type\":\"text-start\",\"id\":\"t\"}\n\n",
            "data: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"It rains. It pours. [unverified-inference] SECRET\"}\n\n",
            "data: {\"type\":\"text-end\",\"id\":\"t\"}\n\ndata: [DONE]\n\n",
        ),
        end: "data: {\"type\":\"text-end\",\"id\":\"t\"}\n\ndata: {\"type\":\"finish-step\"}\n\ndata: {\"type\":\"finish\",\"finishReason\":\"content-filter\"}\n\ndata: [DONE]\n\n",
    },
    Case {
        format: Format::Cohere,
        body: concat!(
            "event: message-start\ndata: {\"type\":\"message-start\",\"id\":\"m\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[]}}}\n\n",
            "event: content-start\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
            "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"It rains. It pours. [unverified-inference] SECRET\"}}}}\n\n",
            "event: content-end\ndata: {\"type\":\"content-end\",\"index\":0}\n\n",
            "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\n",
        ),
        end: concat!(
            "event: content-end\ndata: {\"type\":\"content-end\",\"index\":0}\n\n",
            "event: message-end\ndata: {\"id\":\"m\",\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"ERROR\",\"usage\":{\"billed_units\":{\"input_tokens\":0,\"output_tokens\":0},\"tokens\":{\"input_tokens\":0,\"output_tokens\":0}}}}\n\n",
        ),
    },
    // The second of two blocks; the first has ended.
    Case {
        format: Format::Cohere,
        body: concat!(
            "event: content-start\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
            "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"It rains. \"}}}}\n\n",
            "event: content-end\ndata: {\"type\":\"content-end\",\"index\":0}\n\n",
            "event: content-start\ndata: {\"type\":\"content-start\",\"index\":1,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
            "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":1,\"delta\":{\"message\":{\"content\":{\"text\":\"It pours. [unverified-inference] SECRET\"}}}}\n\n",
            "event: content-end\ndata: {\"type\":\"content-end\",\"index\":1}\n\n",
        ),
        end: concat!(
            "event: content-end\ndata: {\"type\":\"content-end\",\"index\":1}\n\n",
            "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"ERROR\",\"usage\":{\"billed_units\":{\"input_tokens\":0,\"output_tokens\":0},\"tokens\":{\"input_tokens\":0,\"output_tokens\":0}}}}\n\n",
        ),
    },
    Case {
        format: Format::BedrockConverse,
        body: concat!(
            "data: {\"messageStart\":{\"role\":\"assistant\"}}\n\n",
            "data: {\"contentBlockDelta\":{\"delta\":{\"text\":\"It rains. \"},\"contentBlockIndex\":0}}\n\n",
            "data: {\"contentBlockDelta\":{\"delta\":{\"text\":\"It pours. [unverified-inference] SECRET\"},\"contentBlockIndex\":0}}\n\n",
            "data: {\"contentBlockStop\":{\"contentBlockIndex\":0}}\n\ndata: {\"messageStop\":{\"stopReason\":\"end_turn\"}}\n\n",
        ),
        end: "data: {\"contentBlockStop\":{\"contentBlockIndex\":0}}\n\ndata: {\"messageStop\":{\"stopReason\":\"guardrail_intervened\"}}\n\n",
    },
    Case {
        format: Format::BedrockConverse,
        body: concat!(
            "data: {\"messageStart\":{\"role\":\"assistant\"}}\n\n",
            "data: {\"contentBlockDelta\":{\"delta\":{\"text\":\"It rains. \"},\"contentBlockIndex\":0}}\n\n",
            "data: {\"contentBlockStop\":{\"contentBlockIndex\":0}}\n\n",
            "data: {\"contentBlockDelta\":{\"delta\":{\"text\":\"It pours. [unverified-inference] SECRET\"},\"contentBlockIndex\":1}}\n\n",
            "data: {\"contentBlockStop\":{\"contentBlockIndex\":1}}\n\ndata: {\"messageStop\":{\"stopReason\":\"end_turn\"}}\n\n",
        ),
        end: "data: {\"contentBlockStop\":{\"contentBlockIndex\":1}}\n\ndata: {\"messageStop\":{\"stopReason\":\"guardrail_intervened\"}}\n\n",
    },
    // Without the names of the events, as frames have them.
    Case {
        format: Format::BedrockConverse,
        body: concat!(
            "data: {\"role\":\"assistant\"}\n\n",
            "data: {\"contentBlockIndex\":0,\"delta\":{\"text\":\"It rains. \"}}\n\n",
            "data: {\"contentBlockIndex\":0,\"delta\":{\"text\":\"It pours. [unverified-inference] SECRET\"}}\n\n",
            "data: {\"contentBlockIndex\":0}\n\ndata: {\"stopReason\":\"end_turn\"}\n\n",
        ),
        end: "data: {\"contentBlockIndex\":0}\n\ndata: {\"stopReason\":\"guardrail_intervened\"}\n\n",
    },
    Case {
        format: Format::BedrockConverse,
        body: concat!(
            "data: {\"role\":\"assistant\"}\n\n",
            "data: {\"contentBlockIndex\":0,\"delta\":{\"text\":\"It rains. \"}}\n\n",
            "data: {\"contentBlockIndex\":0}\n\n",
            "data: {\"contentBlockIndex\":1,\"delta\":{\"text\":\"It pours. [unverified-inference] SECRET\"}}\n\n",
            "data: {\"contentBlockIndex\":1}\n\ndata: {\"stopReason\":\"end_turn\"}\n\n",
        ),
        end: "data: {\"contentBlockIndex\":1}\n\ndata: {\"stopReason\":\"guardrail_intervened\"}\n\n",
    },
    Case {
        format: Format::LlamaCpp,
        body: concat!(
            "data: {\"index\":0,\"content\":\"It rains. \",\"tokens\":[1],\"stop\":false,\"id_slot\":-1,\"tokens_predicted\":1,\"tokens_evaluated\":12}\n\n",
            "data: {\"index\":0,\"content\":\"It pours. [unverified-inference] SECRET\",\"tokens\":[2],\"stop\":false,\"id_slot\":-1,\"tokens_predicted\":2,\"tokens_evaluated\":12}\n\n",
            "data: {\"index\":0,\"content\":\"\",\"tokens\":[],\"stop\":true,\"stop_type\":\"eos\"}\n\n",
        ),
        end: "data: {\"content\":\"\",\"stop\":true,\"stop_type\":\"content_filter\"}\n\n",
    },
];

/// Everything that has begun in a stream ends exactly once.
#[test]
fn blocks_end_once() {
    let routes = route("gate", "", REFUSE);
    for case in CASES {
        let (out, _) = through(&mut filter(&routes, &sse("/")), case.body.as_bytes(), 9);
        let text = String::from_utf8(out).expect("UTF-8");
        let ends = text.lines().filter(|line| {
            let named = [
                "contentBlockStop",
                "content-end",
                "content_block_stop",
                "text-end",
            ];
            let is_named = named.iter().any(|name| line.contains(name));
            let is_alone =
                line.starts_with("data: {\"contentBlockIndex\"") && !line.contains("delta");
            line.starts_with("data:") && (is_named || is_alone)
        });
        let mut ends: Vec<&str> = ends.collect();
        let count = ends.len();
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(ends.len(), count, "{}: {text}", case.format);
    }
}

#[test]
fn a_refusal_ends_the_stream_in_the_shape_of_its_api_at_every_cut() {
    let routes = route("gate", "", REFUSE);
    for case in CASES {
        let whole = {
            let mut filter = filter(&routes, &sse("/"));
            through(&mut filter, case.body.as_bytes(), case.body.len()).0
        };
        let whole = String::from_utf8(whole).expect("UTF-8");
        let format = case.format;
        assert!(whole.ends_with(case.end), "{format}: {whole}");
        assert!(whole.contains("It rains. "), "{format}: {whole}");
        assert!(whole.contains("I cannot say."), "{format}: {whole}");
        assert!(
            !whole.contains("SECRET") && !whole.contains("pours"),
            "{format}: {whole}"
        );
        for size in 1..=64 {
            let mut filter = filter(&routes, &sse("/"));
            let (out, flow) = through(&mut filter, case.body.as_bytes(), size);
            assert_eq!(flow, Flow::Done);
            let outcome = filter.outcome();
            assert_eq!(outcome.ended().len(), 1, "{format}, pieces of {size}");
            assert!(
                outcome.is_inspected(),
                "{format}: {:?}",
                outcome.uninspected()
            );
            // What is in one delta and what is in two depends on the pieces of text; the events do not.
            assert_eq!(
                String::from_utf8_lossy(&out),
                whole,
                "{format}, pieces of {size}"
            );
        }
    }
}

/// The last sentence of a message is refused when the provider has ended the part itself.
#[test]
fn the_last_event_has_the_text_of_parts_that_the_provider_ended() {
    let event = |data: &Value| {
        let kind = data["type"].as_str().expect("a type");
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let text = "It rains. It pours. [unverified-inference]";
    let of = |kind: &str, part: u32, name: &str, value: Value| {
        let mut data =
            json!({"type": kind, "item_id": "i", "output_index": 0, "content_index": part});
        data[name] = value;
        event(&data)
    };
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let refusal = json!({"type": "refusal", "refusal": "No."});
    let item = |content: Value| json!({"id": "i", "type": "message", "role": "assistant", "content": content});
    let response = |output: Value| json!({"id": "r", "object": "response", "output": output});
    let all = json!([refusal, part(text)]);
    let body = [
        event(&json!({"type": "response.created", "response": response(json!([]))})),
        event(&json!({"type": "response.output_item.added", "output_index": 0, "item": item(json!([]))})),
        of("response.content_part.added", 0, "part", json!({"type": "refusal", "refusal": ""})),
        of("response.refusal.delta", 0, "delta", "No.".into()),
        of("response.refusal.done", 0, "refusal", "No.".into()),
        of("response.content_part.done", 0, "part", refusal.clone()),
        of("response.content_part.added", 1, "part", part("")),
        of("response.output_text.delta", 1, "delta", text.into()),
        of("response.output_text.done", 1, "text", text.into()),
        of("response.content_part.done", 1, "part", part(text)),
        event(&json!({"type": "response.output_item.done", "output_index": 0, "item": item(all.clone())})),
        event(&json!({"type": "response.completed", "response": response(json!([item(all)]))})),
    ]
    .concat();
    for size in [1, 7, body.len()] {
        let mut filter = filter(&route("gate", "", REFUSE), &sse("/"));
        let (out, _) = through(&mut filter, body.as_bytes(), size);
        let out = String::from_utf8(out).expect("UTF-8");
        let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = data
            .map(|data| serde_json::from_str(data).expect("JSON"))
            .collect();
        let [.., item, last] = &events[..] else {
            panic!("{out}");
        };
        let expected = json!([refusal, part("It rains. I cannot say.")]);
        assert_eq!(item["item"]["content"], expected, "{out}");
        assert_eq!(last["type"], "response.incomplete");
        assert_eq!(last["response"]["output"][0]["content"], expected, "{out}");
        let ends = events
            .iter()
            .filter(|event| event["type"] == "response.content_part.done");
        assert_eq!(ends.count(), 2, "{out}");
    }
}

/// The sentence before a tool call is refused at the event that begins the call.
#[test]
fn a_tool_call_after_a_refused_sentence_is_not_begun() {
    let text = "It rains. It pours. [unverified-inference]";
    let chat = |delta: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]});
    let call = json!([{"index": 0, "id": "SECRET", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let item = |kind: &str| json!({"type": "response.output_item.added", "output_index": u32::from(kind != "message"), "item": {"id": kind, "type": kind, "name": "SECRET"}});
    let part = json!({"type": "response.content_part.added", "item_id": "message", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": ""}});
    let gemini = |parts: Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]});
    let streams = [
        vec![
            chat(json!({"content": text})),
            chat(json!({"tool_calls": call})),
        ],
        vec![chat(json!({"content": text, "tool_calls": call}))],
        vec![
            json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "SECRET", "name": "f", "input": {}}}),
        ],
        vec![
            json!({"type": "response.created", "response": {"id": "r", "object": "response", "output": []}}),
            item("message"),
            part,
            json!({"type": "response.output_text.delta", "item_id": "message", "output_index": 0, "content_index": 0, "delta": text}),
            item("function_call"),
        ],
        vec![
            gemini(json!([{"text": text}])),
            gemini(json!([{"functionCall": {"name": "SECRET", "args": {}}}])),
        ],
        vec![
            json!({"type": "start"}),
            json!({"type": "text-start", "id": "a"}),
            json!({"type": "text-delta", "id": "a", "delta": text}),
            json!({"type": "text-end", "id": "a"}),
            json!({"type": "tool-input-start", "toolCallId": "SECRET", "toolName": "f"}),
        ],
        vec![
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "SECRET", "name": "f"}}}}),
        ],
    ];
    for stream in streams {
        let events = stream.iter().map(|event| match event["type"].as_str() {
            Some(kind) if kind.contains(['_', '.']) => format!("event: {kind}\ndata: {event}\n\n"),
            _ => format!("data: {event}\n\n"),
        });
        let body: String = events.collect();
        for size in [1, body.len()] {
            let mut filter = filter(&route("gate", "", REFUSE), &sse("/"));
            let (out, flow) = through(&mut filter, body.as_bytes(), size);
            let out = String::from_utf8(out).expect("UTF-8");
            assert_eq!(flow, Flow::Done);
            assert!(
                out.contains("I cannot say.") && !out.contains("SECRET"),
                "{body} became {out}"
            );
            let stops = [
                "content_block_stop\",\"index\":1",
                "contentBlockStop\":{\"contentBlockIndex\":1",
            ];
            assert!(stops.iter().all(|stop| !out.contains(stop)), "{out}");
        }
    }
}

/// Azure's first event has no identity. OpenAI's SDK passes over events whose `object` is another one.
#[test]
fn the_end_of_a_stream_has_the_identity_of_its_events() {
    let [case, ..] = &CASES;
    let copilot = "data: {\"choices\":[],\"created\":0,\"id\":\"\",\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n";
    let azure = "data: {\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n";
    for first in [azure, copilot] {
        let body = format!("{first}{}", case.body);
        for size in [1, 7, body.len()] {
            let mut filter = filter(&route("gate", "", REFUSE), &sse("/"));
            let (out, _) = through(&mut filter, body.as_bytes(), size);
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(out.ends_with(case.end), "{out}");
        }
    }
}

/// The policy decides about the last sentence when the provider's own end has been read.
#[test]
fn a_stream_whose_last_sentence_is_refused_ends_once() {
    const ENDS: [&str; 11] = [
        "[DONE]",
        "event: message_stop",
        "event: message_delta",
        "event: message-end",
        "event: response.completed",
        "\"done\":true",
        "\"finishReason\":\"",
        "\"finish_reason\":\"",
        "\"stopReason\":",
        "\"type\":\"finish\"",
        "\"stop\":true",
    ];
    let routes = route("gate", "", REFUSE);
    for case in CASES {
        let body = case.body.replace(" SECRET", "").replace("SECRET", "");
        for size in [1, 9, body.len()] {
            let mut filter = filter(&routes, &sse("/"));
            let (out, flow) = through(&mut filter, body.as_bytes(), size);
            assert_eq!(flow, Flow::Done);
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(out.contains("It rains. "), "{out}");
            assert!(!out.contains("pours"), "{out}");
            for end in ENDS {
                let of_case = case.end.matches(end).count();
                assert_eq!(
                    out.matches(end).count(),
                    of_case,
                    "{end} of {}: {out}",
                    case.format
                );
            }
        }
    }
}

#[test]
fn a_stream_with_two_choices_ends_with_the_second() {
    let routes = route("gate", "", REFUSE);
    let event = |index: u32, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let body = [
        event(0, "A is so. "),
        event(1, "B is so. "),
        event(0, "C is so. [unverified-inference] D is so. "),
        event(
            1,
            "E is so. [substrate.grep; ts=2026-05-28T11:59:00Z] F is so. ",
        ),
        event(1, "G is so. [unverified-inference] H is so. "),
        event(1, "I is so. "),
    ]
    .concat();
    let mut filter = filter(&routes, &sse("/v1/chat/completions").with_choices(2));
    let (out, _) = through(&mut filter, body.as_bytes(), 11);
    let text = String::from_utf8(out).expect("UTF-8");
    for kept in ["A is so", "B is so", "E is so", "F is so"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    for gone in ["C is so", "D is so", "G is so", "H is so", "I is so"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    assert_eq!(text.matches("\"content_filter\"").count(), 2, "{text}");
    assert!(text.ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_refused_answer_that_is_not_streamed_names_the_reason() {
    let routes = route("gate", "", REFUSE);
    let body = "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"It rains. It pours. [unverified-inference] SECRET\"},\"finish_reason\":\"stop\"}],\"usage\":{\"total_tokens\":3}}";
    let head = sse("/v1/chat/completions").with_content_type("application/json");
    let mut filter = filter(&routes, &head);
    assert!(filter.awaits_end());
    let (out, flow) = through(&mut filter, body.as_bytes(), 9);
    assert_eq!(
        (
            String::from_utf8(out).expect("UTF-8").as_str(),
            flow,
            filter.status()
        ),
        (
            "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"It rains. I cannot say.\"},\"finish_reason\":\"content_filter\"}],\"usage\":{\"total_tokens\":3}}",
            Flow::Done,
            None
        )
    );
}

/// Beginning of the error event of an API if the upstream broke off.
fn error_of(format: Format) -> &'static str {
    match format {
        Format::Anthropic => r#"{"type":"error","error":{"type":"api_error","#,
        Format::OpenAiResponses => r#"{"type":"error","code":"upstream_cut","#,
        Format::Gemini => r#"{"error":{"code":502,"#,
        Format::GeminiInteractions => r#"{"event_type":"error","error":{"code":"upstream_cut","#,
        Format::Ollama => r#"{"error":"the upstream"#,
        Format::Cohere => {
            r#"{"type":"message-end","delta":{"finish_reason":"ERROR","error":"the upstream"#
        }
        Format::Tgi => r#"{"error":"the upstream"#,
        Format::BedrockConverse => r#"{"internalServerException":{"message":"#,
        Format::MistralConversations => r#"{"type":"conversation.response.error","#,
        Format::VercelUi => r#"{"type":"error","errorText":"#,
        _ => r#"{"error":{"message":"#,
    }
}

#[test]
fn an_upstream_that_breaks_off_ends_with_an_error_after_what_is_released() {
    let routes = route("gate", "", REFUSE);
    for case in CASES {
        let cut = case.body.find("It pours").expect("the text") + 4;
        for size in 1..=64 {
            let mut filter = filter(&routes, &sse("/"));
            let mut out = Vec::new();
            for piece in case.body.as_bytes()[..cut].chunks(size) {
                assert_eq!(filter.push(piece, now(), &mut out), Flow::More);
            }
            assert!(!filter.outcome().is_inspected(), "{}", case.format);
            assert_eq!(
                filter.abort(Cause::UpstreamCut, now(), &mut out),
                Flow::Done
            );
            let text = String::from_utf8(out).expect("UTF-8");
            assert!(text.contains("broke off"), "{}: {text}", case.format);
            assert!(!text.contains("It p"), "{}: {text}", case.format);
            let error = error_of(case.format);
            assert!(text.contains(error), "{}: {text}", case.format);
            let outcome = filter.outcome();
            assert_eq!(outcome.cause(), Some(Cause::UpstreamCut));
            assert!(!outcome.is_inspected());
        }
    }
}

#[test]
fn a_stripped_stream_that_breaks_off_is_broken_off_as_it_was() {
    let routes = route("strip", "", "");
    let case = &CASES[0];
    let cut = case.body.find("It pours").expect("the text") + 4;
    let mut filter = filter(&routes, &sse("/"));
    let mut out = Vec::new();
    assert_eq!(
        filter.push(&case.body.as_bytes()[..cut], now(), &mut out),
        Flow::More
    );
    assert_eq!(
        filter.abort(Cause::UpstreamCut, now(), &mut out),
        Flow::Reset
    );
    assert!(case.body.as_bytes().starts_with(&out[..100]));
}

#[test]
fn what_is_not_decided_when_the_upstream_breaks_off_depends_on_the_fail_mode() {
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let body = [event("It rains. "), event("It pours, says the model")].concat();
    for (fail, is_released) in [("fail = \"closed\"", false), ("fail = \"open\"", true)] {
        let routes = route("gate", fail, REFUSE);
        for size in [1, 13, body.len()] {
            let mut filter = filter(&routes, &sse("/"));
            let mut out = Vec::new();
            for piece in body.as_bytes().chunks(size) {
                assert_eq!(filter.push(piece, now(), &mut out), Flow::More);
            }
            assert_eq!(
                filter.abort(Cause::UpstreamCut, now(), &mut out),
                Flow::Done
            );
            let text = String::from_utf8(out).expect("UTF-8");
            assert!(
                text.contains("It rains. ") && text.contains("upstream_cut"),
                "{text}"
            );
            assert_eq!(text.contains("pours"), is_released, "{fail}: {text}");
        }
    }
}

#[test]
fn a_stream_that_is_suspended_goes_on_with_another_response() {
    let routes = route("gate", "", "{ action = \"suspend\" }");
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let first = [
        event("It rains. "),
        event("It pours. [unverified-inference] So"),
        event(" SECRET"),
    ]
    .concat();
    let second = [
        event("It is wet. [substrate.grep; ts=2026-05-28T11:59:00Z] "),
        event("Bye. "),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    for size in [1, 9, first.len()] {
        let mut filter = filter(&routes, &sse("/")).with_suspension();
        let (mut out, flow) = through(&mut filter, first.as_bytes(), size);
        assert_eq!(flow, Flow::Suspended);
        assert_eq!(filter.outcome().uninspected(), Some("unfinished"));
        let draft = filter.draft().expect("a draft");
        assert_eq!(
            (draft.text().as_str(), draft.rejected(), draft.reason()),
            ("It rains. ", "It pours.", "terminal")
        );
        filter.resume(&mut out);
        let (more, flow) = through(&mut filter, second.as_bytes(), size);
        assert_eq!(flow, Flow::Done);
        out.extend_from_slice(&more);
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            text.contains("It rains. ")
                && text.contains("It is wet.")
                && text.ends_with("[DONE]\n\n"),
            "{text}"
        );
        assert!(
            !text.contains("pours") && !text.contains("SECRET"),
            "{text}"
        );
        // Nobody resumes this one.
        let mut filter = self::filter(&routes, &sse("/")).with_suspension();
        let (_, flow) = through(&mut filter, first.as_bytes(), size);
        assert_eq!(flow, Flow::Suspended);
        let mut out = Vec::new();
        assert_eq!(filter.stop(&mut out), Flow::Done);
        assert!(String::from_utf8_lossy(&out).contains("content_filter"));
    }
}

const REFUSED: &str = "It pours. [unverified-inference]";

/// Returns an event with its type as its name.
fn block(event: &str) -> String {
    let kind = event.split('"').nth(3).unwrap_or_default();
    format!("event: {kind}\ndata: {event}\n\n")
}

/// Answers whose last sentence is refused: the provider's own end, the one that takes its place, and what comes once.
fn refused_at_the_end() -> Vec<(Format, String, [&'static str; 3])> {
    let text = REFUSED;
    let sse_of = |events: &[String]| -> String {
        events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect()
    };
    let chat = |delta: &str, reason: &str| {
        format!(
            "{{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}]}}"
        )
    };
    let content = |text: &str| format!("{{\"content\":\"{text}\"}}");
    let gemini = |text: &str, reason: &str| {
        format!(
            "{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}],\"role\":\"model\"}}{reason},\"index\":0}}]}}"
        )
    };
    vec![
        (
            Format::OpenAiChat,
            sse_of(&[chat(&content("It rains. "), "null"), chat(&content(text), "null"), chat("{}", "\"stop\""), "[DONE]".into()]),
            ["\"stop\"", "content_filter", "[DONE]"],
        ),
        (
            Format::OpenAiChat,
            sse_of(&[chat(&content("It rains. "), "null"), chat(&content(text), "\"stop\""), "[DONE]".into()]),
            ["\"stop\"", "content_filter", "[DONE]"],
        ),
        (
            Format::Gemini,
            sse_of(&[gemini("It rains. ", ""), gemini(text, ",\"finishReason\":\"STOP\"")]),
            ["\"STOP\"", "SAFETY", "SAFETY"],
        ),
        (
            Format::Anthropic,
            [
                r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"output_tokens":1}}}"#.to_owned(),
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#.to_owned(),
                format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"It rains. {text}"}}}}"#),
                r#"{"type":"content_block_stop","index":0}"#.to_owned(),
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#.to_owned(),
                r#"{"type":"message_stop"}"#.to_owned(),
            ]
            .iter()
            .map(|event| block(event))
            .collect(),
            ["end_turn", "\"refusal\"", "event: message_stop"],
        ),
        (
            Format::Cohere,
            [
                r#"{"type":"message-start","id":"m"}"#.to_owned(),
                r#"{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}"#.to_owned(),
                format!(r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"It rains. {text}"}}}}}}}}"#),
                r#"{"type":"content-end","index":0}"#.to_owned(),
                r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#.to_owned(),
            ]
            .iter()
            .map(|event| block(event))
            .collect(),
            ["COMPLETE", "\"ERROR\"", "event: message-end"],
        ),
        (
            Format::VercelUi,
            sse_of(&[
                r#"{"type":"start"}"#.into(),
                r#"{"type":"start-step"}"#.into(),
                r#"{"type":"text-start","id":"t"}"#.into(),
                format!(r#"{{"type":"text-delta","id":"t","delta":"It rains. {text}"}}"#),
                r#"{"type":"text-end","id":"t"}"#.into(),
                r#"{"type":"finish-step"}"#.into(),
                r#"{"type":"finish","finishReason":"stop"}"#.into(),
                "[DONE]".into(),
            ]),
            ["\"stop\"", "\"finish\"", "\"finish-step\""],
        ),
    ]
}

/// A policy decides about the last sentence at the end of the answer. The provider's own end, which says that the answer is
/// complete, is not written then.
#[test]
fn a_refusal_of_the_last_sentence_takes_the_place_of_the_providers_end() {
    let routes = route("gate", "", REFUSE);
    for (format, body, [own, end, once]) in refused_at_the_end() {
        for size in [1, 7, body.len()] {
            let mut filter = filter(&routes, &sse("/"));
            let (out, flow) = through(&mut filter, body.as_bytes(), size);
            let out = String::from_utf8(out).expect("UTF-8");
            assert_eq!(flow, Flow::Done);
            assert!(
                !out.contains(own) && !out.contains("pours"),
                "{format}: {out}"
            );
            assert_eq!(out.matches(end).count(), 1, "{format}: {out}");
            assert_eq!(out.matches(once).count(), 1, "{format}: {out}");
            assert!(
                out.contains("It rains. ") && out.contains("I cannot say."),
                "{format}: {out}"
            );
        }
    }
}
