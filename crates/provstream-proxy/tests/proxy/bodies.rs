//! Handling of request and response bodies.

use provstream::Parser;
use provstream_providers::StreamRewriter;

use crate::support::{
    REFUSE, Step, Upstream, WITHHOLD, chat, chunk, config, gate, last_chunk, metrics, post, proxy,
    requests, run, streamed, text_of, whole,
};
use testkit::wire::output::Output;

const TEXTS: [&str; 6] = [
    "It rains. ",
    "The build is gr",
    "een. [substrate.gr",
    "ep; ts=2026-05-28T11:40:00Z] It",
    " pours. [unverified-inference]",
    " That is all. ☂",
];

fn in_pieces(body: &str, size: usize) -> Vec<Step> {
    let mut steps = vec![streamed("text/event-stream")];
    steps.extend(body.as_bytes().chunks(size).map(chunk));
    steps.push(last_chunk());
    steps
}

#[tokio::test]
async fn a_stream_is_stripped_whatever_the_network_cuts() {
    let body = chat(&TEXTS);
    let mut expected = Vec::new();
    let mut rewriter = StreamRewriter::detect(Parser::new());
    rewriter.push(body.as_bytes(), Output(&mut expected));
    rewriter.finish(Output(&mut expected));
    let own = body.clone();
    let (running, upstream) = proxy("", move |request| {
        let size = request.split("/size/").nth(1).expect("a size");
        let size = size
            .split([' ', '/'])
            .next()
            .expect("a size")
            .parse()
            .expect("a size");
        in_pieces(&own, size)
    })
    .await;
    for size in 1..=64 {
        let path = format!("/size/{size}/v1/chat/completions");
        let answer = post(&running.address, &path, "{}").await;
        assert_eq!((answer.status, answer.is_complete), (200, true));
        assert_eq!(
            answer.text(),
            String::from_utf8_lossy(&expected),
            "pieces of {size}"
        );
        assert_eq!(answer.header("etag"), None);
        assert_eq!(answer.header("content-length"), None);
    }
    let request = upstream.seen(|seen| seen.requests[0].to_ascii_lowercase());
    assert!(
        request.contains("accept-encoding: identity\r\n"),
        "{request}"
    );
    assert!(
        request.contains("authorization: bearer sk-secret\r\n"),
        "{request}"
    );
    assert!(!request.contains("host: proxy"), "{request}");
}

#[tokio::test]
async fn a_stream_is_gated_whatever_the_network_cuts() {
    let body = chat(&TEXTS);
    for (rule, expected, end) in [
        (
            WITHHOLD,
            "It rains. (withheld) (withheld) That is all. ☂",
            "\"stop\"",
        ),
        (REFUSE, "It rains. I cannot say.", "\"content_filter\""),
    ] {
        let own = body.clone();
        let (running, _) = proxy(&gate(rule), move |request| {
            let size = request.split("size\":").nth(1).expect("a size");
            in_pieces(&own, size.trim_end_matches('}').parse().expect("a size"))
        })
        .await;
        for size in 1..=64 {
            let body = format!("{{\"size\":{size}}}");
            let answer = post(&running.address, "/v1/chat/completions", &body).await;
            assert_eq!((answer.status, answer.is_complete), (200, true));
            let text = answer.text();
            assert_eq!(text_of(&text), expected, "pieces of {size}: {text}");
            assert!(
                text.contains(end) && text.ends_with("data: [DONE]\n\n"),
                "{text}"
            );
            assert!(!text.contains("pours"));
        }
    }
}

#[tokio::test]
async fn a_whole_response_has_its_new_length() {
    let body = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"It rains. [substrate.grep] So.\"}}]}";
    let (running, _) = proxy("", move |_| whole("200 OK", "application/json", body)).await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!(answer.text(), body.replace(" [substrate.grep]", ""));
    let length = answer.body.len().to_string();
    assert_eq!(answer.header("content-length"), Some(&*length));
    assert_eq!(answer.header("etag"), None);
}

#[tokio::test]
async fn what_is_not_inspected_passes_byte_by_byte() {
    let file = "[[route]]\npath = \"/files\"\naction = \"pass\"\n";
    let body = "[substrate.grep] stays";
    let (running, upstream) = proxy(file, move |_| whole("200 OK", "text/plain", body)).await;
    let answer = post(&running.address, "/files/a?key=sk-query", "{}").await;
    assert_eq!(
        (answer.text().as_str(), answer.header("etag")),
        (body, Some("\"x\""))
    );
    assert_eq!(answer.header("content-length"), Some("22"));
    let request = upstream.seen(|seen| seen.requests[0].clone());
    assert!(
        request.starts_with("POST /files/a?key=sk-query HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(request.contains("accept-encoding: gzip\r\n"), "{request}");
}

#[tokio::test]
async fn errors_of_the_upstream_pass_untouched() {
    let error = "{\"error\":{\"message\":\"[substrate.grep] no such model\",\"code\":\"x\"}}";
    for rule in [String::new(), gate(WITHHOLD)] {
        let (running, _) = proxy(&rule, move |_| {
            whole("429 Too Many Requests", "application/json", error)
        })
        .await;
        let answer = post(&running.address, "/v1/messages", "{}").await;
        assert_eq!((answer.status, answer.text().as_str()), (429, error));
        assert_eq!(answer.header("etag"), Some("\"x\""));
    }
}

#[tokio::test]
async fn a_compressed_body_is_decompressed() {
    use std::io::Write as _;
    let body = chat(&TEXTS);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body.as_bytes()).expect("memory");
    let compressed = encoder.finish().expect("memory");
    let (running, _) = proxy(&gate(WITHHOLD), move |_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
        let mut steps = vec![Step::Send(head.into())];
        steps.extend(compressed.chunks(5).map(|piece| Step::Send(piece.to_vec())));
        steps.push(Step::Close);
        steps
    })
    .await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!(answer.header("content-encoding"), None);
    assert_eq!(
        text_of(&answer.text()),
        "It rains. (withheld) (withheld) That is all. ☂"
    );
}

#[tokio::test]
async fn trailers_come_through() {
    let text = with_trailers("").await;
    assert!(text.ends_with("0\r\nx-cost: 5\r\n\r\n"), "{text}");
}

#[tokio::test]
async fn trailers_do_not_pass_a_gate() {
    let text = with_trailers(&gate(WITHHOLD)).await;
    assert!(text.ends_with("0\r\n\r\n"), "{text}");
    assert!(text.contains("It rains."), "{text}");
}

/// Returns the bytes of a response whose upstream sends trailers.
async fn with_trailers(routes: &str) -> String {
    let body = chat(&["It rains."]);
    let (running, _) = proxy(routes, move |_| {        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nTrailer: x-cost\r\n\r\n";
        vec![
            Step::Send(head.into()),
            chunk(body.as_bytes()),
            Step::Send(b"0\r\nx-cost: 5\r\n\r\n".to_vec()),
        ]
    })
    .await;
    let request = crate::support::request("/v1/chat/completions", "{}")
        .replace("Host:", "TE: trailers\r\nHost:");
    let mut stream = tokio::net::TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    stream
        .read_to_end(&mut bytes)
        .await
        .expect("the proxy closes");
    String::from_utf8(bytes).expect("UTF-8")
}

#[tokio::test]
async fn each_line_of_the_audit_log_names_its_request() {
    let folder = std::env::temp_dir().join(format!("provstream-audit-{}", std::process::id()));
    let name = folder.to_str().expect("UTF-8").to_owned();
    let upstream = Upstream::start(|_| in_pieces(&chat(&TEXTS), 30)).await;
    let running = run(config(
        &upstream,
        &format!("audit = \"{name}\"\n{}", gate(WITHHOLD)),
    ))
    .await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    let id = answer
        .header("provstream-request")
        .expect("the name of the request")
        .to_owned();
    let log = std::fs::read_to_string(&folder).expect("the log");
    std::fs::remove_file(&folder).expect("the log goes");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{log}");
    for line in &lines {
        assert_eq!(
            (line["stream"].as_str(), line["action"].as_str()),
            (Some(&*id), Some("replace"))
        );
    }
}

/// Bodies that are longer than what goes to a client at a time.
#[tokio::test]
async fn long_bodies_arrive_whole_and_are_counted_once() {
    let words = "It rains. [substrate.grep] ".repeat(20_000);
    let answer = serde_json::json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}]}).to_string();
    let own = answer.clone();
    let file = "[[route]]\npath = \"/pass\"\naction = \"pass\"\n";
    let (running, _) = proxy(file, move |request| {
        if request.contains("chunked") {
            let pieces = own.as_bytes().chunks(150_000).map(chunk);
            let head = [streamed("application/json")];
            return head
                .into_iter()
                .chain(pieces)
                .chain([last_chunk()])
                .collect();
        }
        whole("200 OK", "application/json", &own)
    })
    .await;
    let plain = "It rains. ".repeat(20_000);
    let plain = plain.trim_end();
    for (path, body) in [
        ("/v1/chat/completions", "{}"),
        ("/pass", "{}"),
        ("/pass", "{\"chunked\":1}"),
        ("/v1/chat/completions", "{\"chunked\":1}"),
    ] {
        let received = post(&running.address, path, body).await;
        assert!(received.is_complete, "{path} {body}");
        if path == "/pass" {
            assert!(received.body == answer.as_bytes(), "{path} {body}");
            continue;
        }
        let length = received.header("content-length").map(str::parse);
        assert_eq!(length, Some(Ok(received.body.len())));
        let read: serde_json::Value = serde_json::from_slice(&received.body).expect("JSON");
        let text = read["choices"][0]["message"]["content"].as_str();
        assert!(text.is_some_and(|text| text.trim_end() == plain), "{path}");
    }
    let metrics = metrics(&running.admin).await;
    assert_eq!(requests(&metrics), 4, "{metrics}");
    assert_eq!(metrics.matches("end=\"complete\"").count(), 2, "{metrics}");
}
