//! Upstream for demonstrations: answers requests with an annotated text, or with a text that cites sources, word by word or as a whole,
//! and has a page that shows what routes make of them.

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
use http_body_util::{BodyExt as _, Collected, Limited};
use hyper::body::Incoming;
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

/// Longest body of a request.
const MAX_BODY: usize = 1 << 20;

/// Path of the page.
pub const PAGE: &str = "/demo";

/// Settings of a demonstration: `/raw` passes responses, `/gated` applies a policy, `/cited` one about sources, [`PAGE`] has the page,
/// and all other paths strip annotations.
pub const SETTINGS: &str = r#"log = false

[live]
text = 4096
ended = 10

[[route]]
path = "/demo"
action = "pass"

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

[[route]]
path = "/cited"
action = "gate"
dialects = ["numeric"]
sources = ["1", "2"]

[route.policy]
version = "demo"
floor = 1
default_window = "1h"
inadmissible = { action = "release" }
unknown_source = { action = "replace", text = "(withheld)" }
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
            let service =
                service_fn(|request| async move { Ok::<_, Infallible>(respond(request).await) });
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
        let then = then.and_then(Timestamp::to_rfc3339).unwrap_or_default();
        // Whole seconds are easier to read.
        then.split_once('.')
            .map_or_else(|| then.clone(), |(seconds, _)| format!("{seconds}Z"))
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

/// Text that cites the sources 1 and 2, and one that the model was not given.
const CITED: &str = "Lisbon is the capital of Portugal [1]. It lies at the mouth of the Tagus [2]. \
                     Its trams are still pulled by horses [7]. Ask me for more.";

async fn respond(request: http::Request<Incoming>) -> Response<PacedEvents> {
    if request.uri().path() == PAGE {
        let page = include_str!("demo.html").to_owned();
        return paced(vec![page], "text/html; charset=utf-8");
    }
    let path = request.uri().path();
    let format = format_of_path(path).unwrap_or(Format::OpenAiChat);
    let text = match path.split('/').any(|name| name == "cited") {
        true => CITED.to_owned(),
        false => text(),
    };
    let body = Limited::new(request.into_body(), MAX_BODY).collect().await;
    let body = body.map(Collected::to_bytes).unwrap_or_default();
    if !is_streamed(format, &body) {
        return paced(vec![whole(format, &text).to_string()], "application/json");
    }
    let mut events = before(format);
    events.extend(text.split_inclusive(' ').map(|word| delta(format, word)));
    events.extend(after(format));
    let content_type = match format {
        Format::Ollama => "application/x-ndjson",
        _ => "text/event-stream",
    };
    paced(events, content_type)
}

/// Returns `true` if a request asks for a stream, as the providers' endpoints read it. A request without a body does.
fn is_streamed(format: Format, body: &[u8]) -> bool {
    match serde_json::from_slice::<Value>(body) {
        Ok(request) => request["stream"]
            .as_bool()
            .unwrap_or(format == Format::Ollama),
        Err(_) => true,
    }
}

fn paced(events: Vec<String>, content_type: &'static str) -> Response<PacedEvents> {
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
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Returns a response that is not streamed.
fn whole(format: Format, text: &str) -> Value {
    let message = json!({"role": "assistant", "content": text});
    match format {
        Format::Anthropic => {
            json!({"id": "msg_demo", "type": "message", "role": "assistant", "model": "demo",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 50}})
        }
        Format::Ollama => {
            json!({"model": "demo", "message": message, "done": true, "done_reason": "stop"})
        }
        _ => json!({"id": "demo", "object": "chat.completion", "created": 0, "model": "demo",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 50, "total_tokens": 51}}),
    }
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
