//! The bytes of a response, as an HTTP client gives them, without their annotations, and the assertions on another task.
//!
//! `cargo run --example byte_stream --features futures`

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use provstream::io::TextStream;
use provstream::{Event, Parser};
use tokio::sync::mpsc;

/// Stands for `reqwest::get(…).await?.bytes_stream()`: pieces of any size, some time apart, each of which can be an error.
fn bytes_stream() -> impl Stream<Item = io::Result<Bytes>> + Unpin {
    let answer = "CHANGELOG.md has an entry of 2026-05-25. [substrate.code.read; \
        observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z] It is the last one. [unverified-inference]\n";
    let chunks = answer.as_bytes().chunks(11).map(Bytes::from_static);
    Box::pin(stream::iter(chunks).then(|chunk| async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(chunk)
    }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let (sender, mut events) = mpsc::channel(256);
    let handler = move |event: Event<'_>| {
        // The text never waits: if the task below lags, events are dropped.
        let _ = sender.try_send(event.into_owned());
    };
    let mut text = TextStream::new(bytes_stream(), Parser::new(), handler);

    let looking = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(event) = events.recv().await {
            if let Event::Assertion(assertion) = event {
                let classes: Vec<_> = assertion.classes().map(|class| class.as_str()).collect();
                lines.push(format!("{:?}: {}", assertion.text(), classes.join(", ")));
            }
        }
        lines
    });

    let mut clean = Vec::new();
    while let Some(piece) = text.next().await {
        clean.extend_from_slice(&piece?); // or on to the client
    }
    print!("{}", String::from_utf8_lossy(&clean));
    drop(text); // and with it the sender
    for line in looking.await? {
        println!("{line}");
    }
    Ok(())
}
