//! Long events: other clients do not wait until one is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    LONG, WITHHOLD, chat, chunk, gate, last_chunk, post, proxy, request, streamed,
};

/// An event with many texts, which takes long to read.
fn long_event() -> Vec<u8> {
    let texts = format!("{{\"text\":\"a \"}},{}", " ".repeat(128)).repeat(14_000);
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":[{texts}\"\"]}}}}]}}\n\n").into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn another_client_has_its_answer_before_a_long_event_is_read() {
    for settings in [
        gate(WITHHOLD),
        "[[route]]\npath = \"*\"\naction = \"strip\"\n".to_owned(),
    ] {
        let event = long_event();
        let long = event.len();
        let (running, upstream) = proxy(&settings, move |request| {
            let mut steps = vec![streamed("text/event-stream")];
            if request.contains("long") {
                steps.push(chunk(&event));
            } else {
                steps.push(chunk(chat(&["Yes."]).as_bytes()));
            }
            steps.push(last_chunk());
            steps
        })
        .await;
        let received = Arc::new(AtomicUsize::new(0));
        let client = tokio::spawn(read(
            running.address.clone(),
            request("/v1/chat/completions", "long"),
            Arc::clone(&received),
        ));
        upstream.wait_for(|seen| seen.sent > long).await;
        let answer = post(&running.address, "/v1/chat/completions", "short").await;
        assert!(answer.text().contains("Yes."), "{answer:?}");
        let before = received.load(Ordering::Relaxed);
        assert!(
            before < long / 2,
            "{before} bytes of the long event came first"
        );
        timeout(LONG, client)
            .await
            .expect("the event is read")
            .expect("no panic");
        assert!(received.load(Ordering::Relaxed) > long / 2);
    }
}

async fn read(address: String, request: String, received: Arc<AtomicUsize>) {
    let mut stream = TcpStream::connect(address).await.expect("the proxy");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut buffer = vec![0; 1 << 16];
    while let Ok(len @ 1..) = stream.read(&mut buffer).await {
        received.fetch_add(len, Ordering::Relaxed);
    }
}
