//! The bytes of a response, as an HTTP client gives them, without their annotations, and what those say on the side.
//!
//! `cargo run --example byte_stream --features futures`

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use provstream::io::{SideItem, TextStream, side_events};
use provstream::{Event, Parser};

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
    let (sink, mut events) = side_events(256);
    let mut text = TextStream::new(bytes_stream(), Parser::new(), sink);

    // Whoever looks at the events takes as long as it likes: the text does not wait.
    let looking = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(item) = events.next().await {
            match item {
                SideItem::Event(Event::Assertion(assertion)) => {
                    let classes: Vec<_> = assertion
                        .annotations()
                        .map(|annotation| annotation.class().to_string())
                        .collect();
                    lines.push(format!("{:?}: {}", assertion.text(), classes.join(", ")));
                }
                SideItem::Lost(events) => lines.push(format!("{events} events were not seen")),
                _ => {}
            }
        }
        lines
    });

    let mut clean = Vec::new();
    while let Some(piece) = text.next().await {
        clean.extend_from_slice(&piece?); // or on to the client
    }
    print!("{}", String::from_utf8_lossy(&clean));
    for line in looking.await? {
        println!("{line}");
    }
    Ok(())
}
