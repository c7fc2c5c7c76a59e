//! An axum handler that passes a provider's event stream through without the annotations in its text.
//!
//! The program starts the server on a free port, asks itself, prints what a client gets, and ends.
//! `cargo run --example axum_sse --features futures`

use std::convert::Infallible;
use std::io;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use provstream::{Event, Handler, Parser};
use provstream_providers::{
    Channel, ChannelPosition, Format, StreamHandler, StreamRewriter, WireStream,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands for the response of a provider: server-sent events, each with a few characters of the answer.
fn provider() -> impl Stream<Item = Result<Bytes, Infallible>> {
    let tokens = [
        "The build",
        " is",
        " green",
        ".",
        " [",
        "substrate",
        ".grep",
        "]",
        " The tests",
        " pass",
        ". [sub",
        "strate.code.read]",
    ];
    let event = |token| {
        let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": token}}]});
        format!("data: {delta}\n\n")
    };
    let events = tokens.into_iter().map(event).collect::<String>() + "data: [DONE]\n\n";
    // The network cuts where it likes.
    let pieces: Vec<Bytes> = events
        .as_bytes()
        .chunks(50)
        .map(Bytes::copy_from_slice)
        .collect();
    stream::iter(pieces).map(Ok)
}

/// Reports what the annotations say; the rewritten stream itself goes to the client.
#[derive(Default)]
struct Report {
    channel: Channel,
}

impl Handler for Report {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            let count = assertion.annotations().len();
            eprintln!(
                "channel {}: {:?} has {count}",
                self.channel,
                assertion.text()
            );
        }
    }
}

impl StreamHandler for Report {
    fn channel(&mut self, position: ChannelPosition) {
        self.channel = position.channel;
    }
}

async fn answer() -> impl IntoResponse {
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let events = WireStream::new(provider(), rewriter, Report::default());
    let head = [(CONTENT_TYPE, "text/event-stream")];
    (head, Body::from_stream(events))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/", get(answer))).await });

    let mut client = TcpStream::connect(address).await?;
    client
        .write_all(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        .await?;
    let mut response = String::new();
    client.read_to_string(&mut response).await?;
    let (_, events) = response
        .split_once("\r\n\r\n")
        .ok_or(io::ErrorKind::InvalidData)?;
    print!("{events}");
    Ok(())
}
