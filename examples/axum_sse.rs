//! An axum handler that hands on a provider's event stream without the annotations in its text.
//!
//! The program starts the server on a free port, asks itself, prints what a client gets, and ends.
//! `cargo run --example axum_sse --features wire`

use std::convert::Infallible;
use std::io;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use provstream::wire::{Channel, Format, StreamRewriter, StreamSink};
use provstream::{Event, Parser};
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

/// Takes the rewritten event stream, and tells what the annotations say.
#[derive(Default)]
struct Sink {
    out: Vec<u8>,
}

impl StreamSink for Sink {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn event(&mut self, channel: Channel, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            let count = assertion.annotations().len();
            eprintln!("channel {channel}: {:?} has {count}", assertion.text());
        }
    }
}

/// What stands between the provider and the client: each piece gives at once what is certain with it.
fn strip<E>(
    response: impl Stream<Item = Result<Bytes, E>>,
) -> impl Stream<Item = Result<Bytes, E>> {
    let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let end = stream::iter([None]);
    response.map(Some).chain(end).map(move |piece| {
        let mut sink = Sink::default();
        match piece {
            Some(piece) => rewriter.push(&piece?, &mut sink),
            None => rewriter.finish(&mut sink),
        }
        Ok(sink.out.into())
    })
}

async fn answer() -> impl IntoResponse {
    let events = [(CONTENT_TYPE, "text/event-stream")];
    (events, Body::from_stream(strip(provider())))
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
