//! What the proxy writes into requests, and what it asks once more.

use serde_json::Value;

use crate::support::{Step, chat, chunk, gate, last_chunk, post, proxy, streamed, text_of};

const QUESTION: &str =
    "{\"messages\":[{\"role\":\"user\",\"content\":\"Does it rain?\"}],\"stream\":true}";

fn body_of(request: &str) -> Value {
    let body = request.split_once("\r\n\r\n").expect("a body").1;
    serde_json::from_str(body).expect("JSON")
}

fn stream(text: &str) -> Vec<Step> {
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

#[tokio::test]
async fn a_route_may_add_the_prompt_that_asks_for_annotations() {
    let file = "[[route]]\npath = \"/v1\"\naction = \"strip\"\nemit = \"prompt\"\n";
    let (running, upstream) = proxy(file, |_| stream("It rains. [substrate.grep] So.")).await;
    let answer = post(&running.address, "/v1/chat/completions", QUESTION).await;
    assert_eq!(text_of(&answer.text()), "It rains. So.");
    let sent = upstream.seen(|seen| body_of(&seen.requests[0]));
    assert_eq!(sent["messages"][0]["role"], "system");
    assert!(
        sent["messages"][0]["content"]
            .as_str()
            .expect("a text")
            .contains("substrate.grep")
    );
    assert_eq!(
        sent["messages"][1],
        body_of(&format!("\r\n\r\n{QUESTION}"))["messages"][0]
    );
    assert_eq!(sent["stream"], true);
    // What is not JSON goes as it is.
    let answer = post(&running.address, "/v1/chat/completions", "{not JSON").await;
    assert_eq!(answer.status, 200);
    assert!(upstream.seen(|seen| seen.requests[1].ends_with("{not JSON")));
}
