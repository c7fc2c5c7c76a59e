//! Informational responses, and connections that are to change their protocol.

use crate::support::{
    Step, WITHHOLD, chat, chunk, gate, last_chunk, post, proxy, send, streamed, text_of, whole,
};

const PASS: &str = "[[route]]\npath = \"*\"\naction = \"pass\"\n";

fn raw(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

#[tokio::test]
async fn informational_responses_do_not_pass_and_the_one_after_them_does() {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n";
    for settings in [PASS.to_owned(), gate(WITHHOLD)] {
        let (running, _) = proxy(&settings, move |_| {
            let body = chat(&["It rains."]);
            vec![
                raw("HTTP/1.1 100 Continue\r\n\r\n"),
                raw("HTTP/1.1 102 Processing\r\n\r\n"),
                raw(hints),
                raw(hints),
                Step::Wait(20),
                streamed("text/event-stream"),
                chunk(body.as_bytes()),
                last_chunk(),
            ]
        })
        .await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(answer.status, 200);
        assert!(
            !answer.head.contains("103") && answer.header("link").is_none(),
            "{}",
            answer.head
        );
        assert!(answer.is_complete);
        assert_eq!(text_of(&answer.text()), "It rains.");
    }
}

#[tokio::test]
async fn informational_responses_without_end_are_a_stall() {
    let (running, upstream) = proxy("[timeouts]\nidle = \"1s\"\n", |_| {
        let hints = raw("HTTP/1.1 103 Early Hints\r\n\r\n");
        (0..1_000)
            .flat_map(|_| [hints.clone(), Step::Wait(20)])
            .collect()
    })
    .await;
    let answer = post(&running.address, "/v1/messages", "{}").await;
    assert_eq!(answer.status, 504);
    assert!(answer.text().contains("timeout_error"), "{}", answer.text());
    upstream.wait_for(|seen| seen.cancelled == 1).await;
}

#[tokio::test]
async fn an_upstream_that_changes_the_protocol_unasked_is_an_error() {
    for settings in [PASS.to_owned(), String::new(), gate(WITHHOLD)] {
        let (running, _) = proxy(&settings, |_| {
            vec![
                raw("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nSECRET"),
                Step::Hang,
            ]
        })
        .await;
        let answer = post(&running.address, "/v1/messages", "{}").await;
        assert_eq!(answer.status, 502, "{}", answer.head);
        assert!(
            answer.text().contains("api_error") && !answer.text().contains("SECRET"),
            "{}",
            answer.text()
        );
        let metrics = send(
            &running.admin,
            b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        )
        .await
        .text();
        let line = "provstream_uninspected_total{route=";
        assert!(
            metrics.contains(line) && metrics.contains("end=\"unexpected_upgrade\""),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn a_websocket_is_refused_whatever_the_route_does() {
    for settings in [PASS.to_owned(), String::new(), gate(WITHHOLD)] {
        let (running, upstream) = proxy(&settings, |_| whole("200 OK", "text/plain", "x")).await;
        for (connection, upgrade) in [
            ("Upgrade", "websocket"),
            ("close, upgrade", "WebSocket"),
            ("upgrade", "h2c, websocket/13"),
        ] {
            let request = format!(
                "GET /v1/realtime?model=m HTTP/1.1\r\nHost: x\r\nConnection: {connection}\r\nConnection: close\r\nUpgrade: {upgrade}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            let answer = send(&running.address, request.as_bytes()).await;
            assert_eq!(answer.status, 501, "{}", answer.head);
            let id = answer.header("provstream-request");
            assert!(id.is_some(), "{}", answer.head);
            assert!(
                answer.text().contains("\"code\":\"websocket\""),
                "{}",
                answer.text()
            );
        }
        assert_eq!(upstream.seen(|seen| seen.requests.len()), 0);
    }
}

#[tokio::test]
async fn other_protocols_are_not_changed_to() {
    let (running, upstream) = proxy("", |_| whole("200 OK", "text/plain", "x")).await;
    // As clients of HTTP/2 over TCP begin, and a header that is not about the connection.
    for headers in [
        "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
        "Connection: close\r\nUpgrade: websocket",
    ] {
        let request = format!("GET /v1/models HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n");
        let answer = send(&running.address, request.as_bytes()).await;
        assert_eq!((answer.status, &*answer.text()), (200, "x"));
    }
    let sent = upstream.seen(|seen| seen.requests.join("").to_ascii_lowercase());
    assert!(
        !sent.contains("upgrade") && !sent.contains("http2-settings"),
        "{sent}"
    );
}
