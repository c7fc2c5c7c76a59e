//! Upstream for demonstrations: answers every request with the same annotated text, word by word.

use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body::{Body, Frame};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use provstream::provenance::Timestamp;
use provstream_providers::Format;
use provstream_route::format_of_path;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Time between two words.
const PACE: Duration = Duration::from_millis(30);

/// Settings of a demonstration: `/raw` passes responses, `/gated` applies a policy, and all other
/// paths strip annotations.
pub const SETTINGS: &str = r#"log = false

[[route]]
path = "/raw"
action = "pass"

[[route]]
path = "/gated"
action = "gate"

[route.policy]
version = "demo"
floor = 1
default_window = "1h"
inadmissible = { action = "replace", text = "(withheld)" }
"#;

/// Starts the upstream on a free local port, and returns its address.
///
/// Call it in a tokio runtime. The upstream ends with the runtime.
///
/// # Errors
///
/// If no port is available.
pub async fn upstream() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(|request: http::Request<hyper::body::Incoming>| {
                let answer = answer(request.uri().path());
                async move { Ok::<_, Infallible>(answer) }
            });
            tokio::spawn(async move {
                // A client that goes away ends its answer.
                let _ = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    Ok(address)
}

/// Returns a text with admitted, stale, uncorroborated and unannotated sentences.
fn text() -> String {
    let at = |minutes: u64| {
        let then = Timestamp::now().checked_sub(Duration::from_secs(60 * minutes));
        then.and_then(Timestamp::to_rfc3339).unwrap_or_default()
    };
    format!(
        "I looked at the repository. The last release is tagged v0.1.0. [substrate.git.log; ts={}] \
         The parser has no unsafe code. [substrate.grep; observation-id=src; ts={}] \
         The tests took four minutes. [substrate.fs.mtime; ts={}] \
         Nobody will ever find a bug in it. [unverified-inference] \
         Ask me for more.",
        at(2),
        at(5),
        at(600),
    )
}

fn answer(path: &str) -> Response<PacedEvents> {
    let format = format_of_path(path).unwrap_or(Format::OpenAiChat);
    let mut events = Vec::new();
    events.extend(before(format));
    let text = text();
    events.extend(text.split_inclusive(' ').map(|word| delta(format, word)));
    events.extend(after(format));
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        for event in events {
            if sender.send(event).await.is_err() {
                return;
            }
            tokio::time::sleep(PACE).await;
        }
    });
    let mut response = Response::new(PacedEvents(receiver));
    let content_type = match format {
        Format::Ollama => "application/x-ndjson",
        _ => "text/event-stream",
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

fn event(data: &Value) -> String {
    match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

fn before(format: Format) -> Vec<String> {
    match format {
        Format::Anthropic => {
            let message = json!({"id": "msg_demo", "type": "message", "role": "assistant", "model": "demo",
                "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": 1}});
            let block = json!({"type": "text", "text": ""});
            vec![
                event(&json!({"type": "message_start", "message": message})),
                event(&json!({"type": "content_block_start", "index": 0, "content_block": block})),
            ]
        }
        _ => Vec::new(),
    }
}

fn delta(format: Format, word: &str) -> String {
    match format {
        Format::Anthropic => event(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": word}})),
        Format::Ollama => {
            let message = json!({"role": "assistant", "content": word});
            format!(
                "{}\n",
                json!({"model": "demo", "message": message, "done": false})
            )
        }
        _ => event(&chunk(&json!({"content": word}), &Value::Null)),
    }
}

fn chunk(delta: &Value, finish: &Value) -> Value {
    json!({"id": "demo", "object": "chat.completion.chunk", "created": 0, "model": "demo",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn after(format: Format) -> Vec<String> {
    match format {
        Format::Anthropic => vec![
            event(&json!({"type": "content_block_stop", "index": 0})),
            event(
                &json!({"type": "message_delta", "usage": {"output_tokens": 50},
                "delta": {"stop_reason": "end_turn", "stop_sequence": null}}),
            ),
            event(&json!({"type": "message_stop"})),
        ],
        Format::Ollama => {
            let message = json!({"role": "assistant", "content": ""});
            let last =
                json!({"model": "demo", "message": message, "done": true, "done_reason": "stop"});
            vec![format!("{last}\n")]
        }
        _ => vec![
            event(&chunk(&json!({}), &"stop".into())),
            "data: [DONE]\n\n".to_owned(),
        ],
    }
}

/// Body of events that arrive one by one.
struct PacedEvents(mpsc::Receiver<String>);

impl Body for PacedEvents {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = self.0.poll_recv(cx);
        event.map(|event| Some(Ok(Frame::data(event?.into()))))
    }
}
