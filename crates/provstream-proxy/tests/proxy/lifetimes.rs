//! When things end: clients that go, upstreams that stall, shutdown, reload.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Answer, LONG, REFUSE, Step, WITHHOLD, chat, chunk, config, gate, last_chunk, metrics, post,
    proxy, request, requests, streamed, text_of, whole,
};

/// The beginning of a stream whose text is held back, without its end.
fn begun() -> Vec<Step> {
    let body = chat(&["It rains. It is so"]);
    let first = body
        .split_inclusive("\n\n")
        .next()
        .expect("an event")
        .to_owned();
    vec![streamed("text/event-stream"), chunk(first.as_bytes())]
}

async fn open(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("the proxy");
    let request = request("/v1/chat/completions", "{}");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    stream
}

async fn rest(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let read = timeout(LONG, stream.read_to_end(&mut bytes)).await;
    let _ = read.expect("the proxy closes the connection");
    Answer::of(&bytes)
}

#[tokio::test]
async fn a_client_that_goes_away_at_once_is_counted() {
    const CLIENTS: usize = 300;
    let (running, _upstream) = proxy("", |_| whole("200 OK", "text/plain", "It rains.")).await;
    for _ in 0..CLIENTS {
        drop(open(&running.address).await);
    }
    let counted = async {
        while requests(&metrics(&running.admin).await) != CLIENTS {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, counted).await.expect("all are counted");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_the_upstream() {
    for begins in [true, false] {
        let (running, upstream) = proxy("", move |_| {
            let mut steps = if begins { begun() } else { Vec::new() };
            steps.push(Step::Hang);
            steps
        })
        .await;
        let mut stream = open(&running.address).await;
        upstream.wait_for(|seen| seen.requests.len() == 1).await;
        if begins {
            let _ = stream.read(&mut [0; 64]).await.expect("the head");
        }
        drop(stream);
        upstream.wait_for(|seen| seen.cancelled == 1).await;
    }
}

#[tokio::test]
async fn a_policy_that_ends_the_stream_cancels_the_upstream() {
    let (running, upstream) = proxy(&gate(REFUSE), |_| {
        let body = chat(&["It rains. It pours. [unverified-inference] So"]);
        vec![
            streamed("text/event-stream"),
            chunk(
                body.split_inclusive("\n\n")
                    .next()
                    .expect("an event")
                    .as_bytes(),
            ),
            Step::Hang,
        ]
    })
    .await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert!(answer.is_complete);
    assert_eq!(text_of(&answer.text()), "It rains. I cannot say.");
    upstream.wait_for(|seen| seen.cancelled == 1).await;
}

#[tokio::test]
async fn an_upstream_that_breaks_off_is_an_error_of_a_gate_and_a_cut_without_one() {
    let script = |_: &str| {
        let mut steps = begun();
        steps.push(Step::Close);
        steps
    };
    let (running, _) = proxy(&gate(WITHHOLD), script).await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert!(answer.is_complete);
    let text = answer.text();
    assert_eq!(text_of(&text), "It rains. ", "{text}");
    assert!(
        text.contains("\"code\":\"upstream_cut\"") && !text.contains("[DONE]"),
        "{text}"
    );
    let (running, _) = proxy("", script).await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert!(!answer.is_complete);
    assert_eq!(text_of(&answer.text()), "It rains. It is so");
}

#[tokio::test]
async fn an_upstream_that_stalls_is_given_up_and_clients_are_kept_until_then() {
    let settings = format!(
        "[timeouts]\nidle = \"3s\"\nkeep_alive = \"1s\"\n{}",
        gate(WITHHOLD)
    );
    let (running, upstream) = proxy(&settings, |_| {
        let mut steps = begun();
        steps.push(Step::Hang);
        steps
    })
    .await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    let text = answer.text();
    assert!(answer.is_complete);
    assert_eq!(text.matches(":\n\n").count(), 2, "{text}");
    assert!(text.contains("idle_timeout"), "{text}");
    assert_eq!(text_of(&text), "It rains. ");
    upstream.wait_for(|seen| seen.cancelled == 1).await;
}

#[tokio::test]
async fn held_text_is_not_a_stall() {
    let settings = format!(
        "[timeouts]\nidle = \"2s\"\ntotal = \"4s\"\n{}",
        gate(WITHHOLD)
    );
    let (running, _) = proxy(&settings, |_| {
        let mut steps = vec![streamed("text/event-stream")];
        // Half a second a word, of a sentence that does not end: nothing is released for longer than `idle`.
        for event in chat(&["a "; 6]).split_inclusive("\n\n") {
            steps.extend([chunk(event.as_bytes()), Step::Wait(450)]);
        }
        steps.push(last_chunk());
        steps
    })
    .await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!(text_of(&answer.text()), "a a a a a a ", "{}", answer.text());
    assert!(answer.text().ends_with("[DONE]\n\n"));
}

#[tokio::test]
async fn a_response_may_take_only_so_long() {
    let settings = "[timeouts]\ntotal = \"1s\"\n";
    let (running, _) = proxy(settings, |_| vec![Step::Hang]).await;
    let answer = post(&running.address, "/v1/messages", "{}").await;
    assert_eq!(answer.status, 504);
    assert!(answer.text().contains("timeout_error"), "{}", answer.text());
}

#[tokio::test]
async fn a_client_that_does_not_read_stops_its_upstream() {
    let (running, upstream) = proxy("[timeouts]\nclient = \"1s\"\n", |_| {
        let mut steps = vec![streamed("text/event-stream")];
        let event = chat(&["It rains. "])
            .split_inclusive("\n\n")
            .next()
            .expect("an event")
            .to_owned();
        let many = event.repeat(400);
        steps.extend(std::iter::repeat_n(chunk(many.as_bytes()), 2_000));
        steps
    })
    .await;
    let stream = open(&running.address).await;
    upstream.wait_for(|seen| seen.cancelled == 1).await;
    let sent = upstream.seen(|seen| seen.sent);
    // What fits into the buffers of four sockets; all of it would be 75 MB.
    assert!(
        sent < 40 << 20,
        "{sent} bytes were read for a client that does not read"
    );
    drop(stream);
}

#[tokio::test]
async fn a_shutdown_lets_streams_end_and_takes_no_more() {
    let (running, _) = proxy("", |_| {
        let mut steps = begun();
        steps.extend([
            Step::Wait(600),
            chunk(chat(&["."]).as_bytes()),
            last_chunk(),
        ]);
        steps
    })
    .await;
    let mut stream = open(&running.address).await;
    let _ = stream.read(&mut [0; 1]).await.expect("the head");
    running.handle.shutdown();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(TcpStream::connect(&running.address).await.is_err());
    let mut bytes = b"H".to_vec();
    timeout(LONG, stream.read_to_end(&mut bytes))
        .await
        .expect("an end")
        .expect("the rest");
    let answer = Answer::of(&bytes);
    assert!(
        answer.is_complete && answer.text().ends_with("[DONE]\n\n"),
        "{}",
        answer.text()
    );
    timeout(LONG, running.task)
        .await
        .expect("the proxy ends")
        .expect("no panic");
}

#[tokio::test]
async fn a_shutdown_ends_streams_that_do_not_end() {
    let settings = format!("[timeouts]\ndrain = \"1s\"\n{}", gate(WITHHOLD));
    let (running, upstream) = proxy(&settings, |_| {
        let mut steps = begun();
        steps.push(Step::Hang);
        steps
    })
    .await;
    let stream = open(&running.address).await;
    upstream.wait_for(|seen| seen.sent > 0).await;
    running.handle.shutdown();
    let answer = rest(stream).await;
    assert!(
        answer.text().contains("\"code\":\"shutdown\""),
        "{}",
        answer.text()
    );
    assert_eq!(text_of(&answer.text()), "It rains. ");
    timeout(LONG, running.task)
        .await
        .expect("the proxy ends")
        .expect("no panic");
}

#[tokio::test]
async fn a_reload_changes_the_next_response_and_not_the_one_that_has_begun() {
    let (running, upstream) = proxy("", |_| {
        let body = chat(&["It rains. [substrate.grep] So."]);
        vec![
            streamed("text/event-stream"),
            Step::Wait(400),
            chunk(body.as_bytes()),
            last_chunk(),
        ]
    })
    .await;
    let stream = open(&running.address).await;
    upstream.wait_for(|seen| seen.requests.len() == 1).await;
    let pass = "[[route]]\npath = \"*\"\naction = \"pass\"\n";
    running
        .handle
        .reload(config(&upstream, pass))
        .expect("settings");
    assert_eq!(text_of(&rest(stream).await.text()), "It rains. So.");
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!(text_of(&answer.text()), "It rains. [substrate.grep] So.");
}

#[tokio::test]
async fn a_reload_that_fails_keeps_the_settings() {
    let (running, upstream) = proxy("", |_| whole("200 OK", "text/plain", "x")).await;
    let missing = config(&upstream, "upstream_ca = \"/nowhere/ca.pem\"\n");
    assert!(running.handle.reload(missing).is_err());
    assert_eq!(post(&running.address, "/x", "{}").await.text(), "x");
}
