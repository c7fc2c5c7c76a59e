//! An axum handler that streams a model's answer to its client as server-sent events, without the annotations.
//!
//! The program starts the server on a free port, asks itself, prints what a client gets, and ends.
//! `cargo run --example axum_sse --features futures`

use std::convert::Infallible;
use std::io;

use axum::Router;
use axum::response::IntoResponse;
use axum::response::sse::{Event as SseEvent, Sse};
use axum::routing::get;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use provstream::io::TextStream;
use provstream::{Event, Parser};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands for the model: its tokens as they come.
fn model() -> impl Stream<Item = Result<Bytes, Infallible>> {
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
    stream::iter(tokens).map(|token| Ok(token.into()))
}

/// What stands between the model and the client.
fn strip(
    text: impl Stream<Item = Result<Bytes, Infallible>>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let report = |event: Event<'_>| {
        if let Event::Assertion(assertion) = event {
            let count = assertion.annotations().len();
            eprintln!("{:?} has {count}", assertion.text());
        }
    };
    TextStream::new(text, Parser::new(), report)
}

async fn answer() -> impl IntoResponse {
    Sse::new(strip(model()).map(|piece| {
        piece.map(|text| {
            // As a JSON string, so that line ends in it are no line ends of the event.
            let text = String::from_utf8_lossy(&text);
            SseEvent::default().data(serde_json::Value::from(text).to_string())
        })
    }))
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
