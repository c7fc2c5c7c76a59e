//! Follow-up requests of the proxy to an upstream.

use serde_json::{Value, json};

use crate::support::{Step, chat, chunk, gate, last_chunk, post, proxy, streamed, text_of};

pub(crate) const QUESTION: &str =
    "{\"messages\":[{\"role\":\"user\",\"content\":\"Does it rain?\"}],\"stream\":true}";

pub(crate) fn body_of(request: &str) -> Value {
    let body = request.split_once("\r\n\r\n").expect("a body").1;
    serde_json::from_str(body).expect("JSON")
}

pub(crate) fn stream(text: &str) -> Vec<Step> {
    vec![
        streamed("text/event-stream"),
        chunk(chat(&[text]).as_bytes()),
        last_chunk(),
    ]
}

fn reemitting(times: u32) -> String {
    let file = gate("{ action = \"suspend\" }");
    file.replace(
        "[route.policy]",
        &format!("reemit = {times}\n[route.policy]"),
    )
}

#[tokio::test]
async fn an_answer_that_is_suspended_is_asked_for_once_more_in_the_same_stream() {
    let (running, upstream) = proxy(&reemitting(2), |request| {
        if request.contains("It was rejected") {
            return stream("So it is wet. That is all.");
        }
        stream("It rains. It pours. [unverified-inference] SECRET")
    })
    .await;
    let answer = post(&running.address, "/v1/chat/completions", QUESTION).await;
    let text = answer.text();
    assert!(
        answer.is_complete && text.ends_with("data: [DONE]\n\n"),
        "{text}"
    );
    assert_eq!(text_of(&text), "It rains. So it is wet. That is all.");
    assert!(
        !text.contains("content_filter") && !text.contains("SECRET"),
        "{text}"
    );
    let requests = upstream.seen(|seen| seen.requests.clone());
    assert_eq!(requests.len(), 2);
    let second = body_of(&requests[1]);
    let messages = second["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3);
    assert_eq!(
        (
            messages[1]["role"].as_str(),
            messages[1]["content"].as_str()
        ),
        (Some("assistant"), Some("It rains. "))
    );
    let reason = messages[2]["content"].as_str().expect("a text");
    assert!(
        reason.contains("\"It pours.\"") && reason.contains("provenance: terminal."),
        "{reason}"
    );
    assert!(
        requests[1].contains("authorization: Bearer sk-secret"),
        "{}",
        requests[1]
    );
}

#[tokio::test]
async fn an_upstream_is_asked_at_most_so_often() {
    for times in [0, 1, 3] {
        let (running, upstream) = proxy(&reemitting(times), |_| {
            stream("It rains. It pours. [unverified-inference] SECRET")
        })
        .await;
        let answer = post(&running.address, "/v1/chat/completions", QUESTION).await;
        let text = answer.text();
        assert_eq!(
            upstream.seen(|seen| seen.requests.len()),
            1 + times as usize
        );
        assert_eq!(text_of(&text), "It rains. ".repeat(1 + times as usize));
        assert!(
            text.contains("content_filter") && text.ends_with("data: [DONE]\n\n"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_upstream_that_does_not_answer_again_ends_the_stream_as_the_policy_does() {
    let (running, _) = proxy(&reemitting(2), |request| {
        if request.contains("It was rejected") {
            return crate::support::whole("500 Oops", "application/json", "{}");
        }
        stream("It rains. It pours. [unverified-inference] SECRET")
    })
    .await;
    let text = post(&running.address, "/v1/chat/completions", QUESTION)
        .await
        .text();
    assert_eq!(text_of(&text), "It rains. ");
    assert!(
        text.contains("content_filter") && text.ends_with("data: [DONE]\n\n"),
        "{text}"
    );
}

/// A stream of an API with this text, and a number for its identifiers.
fn stream_of(path: &str, number: usize, text: &str) -> String {
    let event = |data: Value| match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    };
    let id = format!("r{number}");
    if path.contains("messages") {
        return [
            json!({"type": "message_start", "message": {"id": id, "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}),
            json!({"type": "message_stop"}),
        ]
        .map(event)
        .concat();
    }
    if path.contains("responses") {
        let part = json!({"type": "output_text", "text": text, "annotations": []});
        let item = |content: Value| json!({"id": format!("{id}-m"), "type": "message", "role": "assistant", "content": content});
        let response = |output: Value| json!({"id": id, "object": "response", "output": output});
        let place = json!({"item_id": format!("{id}-m"), "output_index": 0, "content_index": 0});
        let of = |kind: &str, name: &str, value: Value| {
            let mut data = place.clone();
            data["type"] = kind.into();
            data[name] = value;
            data
        };
        let empty = json!({"type": "output_text", "text": "", "annotations": []});
        let events = [
            json!({"type": "response.created", "response": response(json!([]))}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": item(json!([]))}),
            of("response.content_part.added", "part", empty),
            of("response.output_text.delta", "delta", text.into()),
            of("response.output_text.done", "text", text.into()),
            of("response.content_part.done", "part", part.clone()),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item(json!([part]))}),
            json!({"type": "response.completed", "response": response(json!([item(json!([part]))]))}),
        ];
        let numbered = events.into_iter().enumerate().map(|(number, mut data)| {
            data["sequence_number"] = number.into();
            event(data)
        });
        return numbered.collect();
    }
    let content = json!({"parts": [{"text": text}], "role": "model"});
    event(
        json!({"candidates": [{"content": content, "index": 0, "finishReason": "STOP"}], "responseId": id}),
    )
}

#[tokio::test]
async fn each_api_is_asked_once_more_in_its_own_way() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let assistant = json!({"role": "assistant", "content": "It rains. "});
    for (path, list, question, expected, end) in [
        (
            "/v1/messages",
            "messages",
            json!([user("Does it rain?")]),
            vec![user("Does it rain?"), assistant.clone()],
            "event: message_stop",
        ),
        (
            "/v1/responses",
            "input",
            json!("Does it rain?"),
            vec![user("Does it rain?"), assistant.clone()],
            "event: response.completed",
        ),
        (
            "/v1/responses",
            "input",
            json!([user("Does it rain?")]),
            vec![user("Does it rain?"), assistant],
            "event: response.completed",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            "contents",
            json!([{"role": "user", "parts": [{"text": "Does it rain?"}]}]),
            vec![
                json!({"role": "user", "parts": [{"text": "Does it rain?"}]}),
                json!({"role": "model", "parts": [{"text": "It rains. "}]}),
            ],
            "STOP",
        ),
    ] {
        let (running, upstream) = proxy(&reemitting(1), move |request| {
            let again = request.contains("It was rejected");
            let text = if again {
                "So it is wet. Bye."
            } else {
                "It rains. It pours. [unverified-inference] SECRET"
            };
            let body = stream_of(path, usize::from(again), text);
            vec![
                streamed("text/event-stream"),
                chunk(body.as_bytes()),
                last_chunk(),
            ]
        })
        .await;
        let body = json!({list: question, "stream": true}).to_string();
        let text = post(&running.address, path, &body).await.text();
        for what in ["It rains. ", "So it is wet. ", "Bye.", end] {
            assert!(text.contains(what), "{path}: {what}\n{text}");
        }
        for never in [
            "pours",
            "SECRET",
            "refusal",
            "SAFETY",
            "response.incomplete",
        ] {
            assert!(!text.contains(never), "{path}: {never}\n{text}");
        }
        let requests = upstream.seen(|seen| seen.requests.clone());
        assert_eq!(requests.len(), 2, "{path}");
        assert!(
            requests[1].starts_with(&format!("POST {path} ")),
            "{}",
            requests[1]
        );
        let sent = body_of(&requests[1]);
        let turns = sent[list].as_array().expect("a conversation");
        assert_eq!(turns[..2], expected, "{path}");
        assert_eq!((turns.len(), turns[2]["role"].as_str()), (3, Some("user")));
        assert!(
            turns[2].to_string().contains("provenance: terminal."),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn a_request_without_a_conversation_is_not_asked_again() {
    let (running, upstream) = proxy(&reemitting(1), |_| {
        let body = stream_of(
            "/v1/responses",
            0,
            "It rains. It pours. [unverified-inference] SECRET",
        );
        vec![
            streamed("text/event-stream"),
            chunk(body.as_bytes()),
            last_chunk(),
        ]
    })
    .await;
    let text = post(
        &running.address,
        "/v1/responses",
        "{\"prompt\":{\"id\":\"p\"}}",
    )
    .await
    .text();
    assert!(
        text.contains("response.incomplete") && !text.contains("SECRET"),
        "{text}"
    );
    assert_eq!(upstream.seen(|seen| seen.requests.len()), 1);
}
