//! Responses that are complete although the client, or the upstream, does not wait for their end.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    LONG, Running, Step, WITHHOLD, chat, chunk, gate, last_chunk, metrics, proxy, request,
    requests, streamed,
};

/// Waits until all requests have ended; the metrics.
async fn settled(running: &Running, count: usize) -> String {
    let settled = async {
        loop {
            let text = metrics(&running.admin).await;
            if requests(&text) == count && text.contains("provstream_requests_in_flight 0\n") {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, settled).await.expect("all end")
}

/// Reads until the marker has come, and goes.
async fn client(running: &Running, path: &str, marker: &str) {
    let mut stream = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    let request = request(path, "{}");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    let reads = async {
        while !String::from_utf8_lossy(&bytes).contains(marker) {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).await.expect("bytes");
            assert_ne!(count, 0, "{marker}: {}", String::from_utf8_lossy(&bytes));
            bytes.extend_from_slice(&buffer[..count]);
        }
    };
    let is_read = timeout(LONG, reads).await.is_ok();
    assert!(
        is_read,
        "{path} {marker}: {}",
        String::from_utf8_lossy(&bytes)
    );
}

/// A stream of each API, with what it ends with.
fn streams() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let recorded = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/wire/");
        std::fs::read_to_string(format!("{folder}{name}")).expect(name)
    };
    let sse = "text/event-stream";
    vec![
        (
            "/v1/chat/completions",
            sse,
            chat(&["It rains. [substrate.grep]"]),
            "[DONE]",
        ),
        (
            "/v1/chat/completions",
            sse,
            recorded("openai-chat.plain.sse"),
            "[DONE]",
        ),
        (
            "/v1/messages",
            sse,
            recorded("anthropic.plain.sse"),
            "\"message_stop\"",
        ),
        (
            "/v1/responses",
            sse,
            recorded("openai-responses.plain.sse"),
            "\"response.completed\"",
        ),
        (
            "/api/chat",
            "application/x-ndjson",
            recorded("ollama.plain.ndjson"),
            "\"done\":true",
        ),
        (
            "/v2/chat",
            sse,
            recorded("cohere.plain.sse"),
            "\"message-end\"",
        ),
        (
            "/v1/x",
            sse,
            recorded("bedrock-converse.plain.sse"),
            "\"messageStop\"",
        ),
        (
            "/v1/conversations",
            sse,
            recorded("mistral-conversations.plain.sse"),
            "conversation.response.done",
        ),
        (
            "/v1beta/interactions",
            sse,
            recorded("gemini-interactions.plain.sse"),
            "interaction.complete",
        ),
        ("/api/chat", sse, recorded("vercel-ui.plain.sse"), "[DONE]"),
    ]
}

#[tokio::test]
async fn a_client_that_goes_after_the_end_has_all_of_it() {
    let strip = "[[route]]\npath = \"*\"\naction = \"strip\"\n".to_owned();
    let strict = strip.clone() + "fail = \"closed\"\n";
    let gating = gate(WITHHOLD);
    for settings in [&strip, &strict, &gating] {
        for (path, content_type, body, marker) in streams() {
            // Text may follow these, so a gate waits for the end of the body.
            let goes_on = ["\"done\":true", "\"messageStop\""].contains(&marker);
            let waits = goes_on && *settings == gating;
            // What comes with the marker is all there is, in one piece or in many.
            for size in [64, 1 << 20] {
                let body = body.clone();
                let (running, _) = proxy(settings, move |_| {
                    let mut steps = vec![streamed(content_type)];
                    steps.extend(body.as_bytes().chunks(size).map(chunk));
                    // The upstream does not end its response.
                    steps.push(if waits { last_chunk() } else { Step::Hang });
                    steps
                })
                .await;
                client(&running, path, marker).await;
                let text = settled(&running, 1).await;
                let about = format!("{settings}{path} {marker}, pieces of {size}\n{text}");
                assert!(text.contains("end=\"complete\"} 1"), "{about}");
                assert!(!text.contains("provstream_uninspected_total{"), "{about}");
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_goes_before_the_end_has_gone() {
    let pass = "[[route]]\npath = \"*\"\naction = \"pass\"\n".to_owned();
    for settings in [String::new(), pass, gate(WITHHOLD)] {
        let body = chat(&["It rains. ", "So. [substrate.grep]"]).replace("data: [DONE]\n\n", "");
        let (running, _) = proxy(&settings, move |_| {
            vec![
                streamed("text/event-stream"),
                chunk(body.as_bytes()),
                Step::Hang,
            ]
        })
        .await;
        client(&running, "/v1/chat/completions", "It rains.").await;
        let text = settled(&running, 1).await;
        assert!(
            text.contains("end=\"client_gone\"} 1"),
            "{settings}\n{text}"
        );
    }
}

#[tokio::test]
async fn responses_without_a_body_are_complete() {
    for (method, status) in [
        ("HEAD", "200 OK"),
        ("HEAD", "404 Not Found"),
        ("GET", "204 No Content"),
        ("GET", "304 Not Modified"),
        ("HEAD", "304 Not Modified"),
        ("DELETE", "204 No Content"),
    ] {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n");
        for settings in [
            String::new(),
            gate(WITHHOLD),
            "[[route]]\npath = \"*\"\naction = \"pass\"\n".to_owned(),
        ] {
            let head = head.clone();
            let (running, _) = proxy(&settings, move |_| {
                vec![Step::Send(head.clone().into_bytes()), Step::Wait(20)]
            })
            .await;
            let request =
                format!("{method} /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            let answer = crate::support::send(&running.address, request.as_bytes()).await;
            assert!(status.starts_with(&answer.status.to_string()), "{answer:?}");
            let text = settled(&running, 1).await;
            assert!(
                text.contains("end=\"complete\"} 1"),
                "{method} {status} {settings}\n{text}"
            );
        }
    }
}
