//! `substrate.do.sse-count`: events of a channel.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, StatusCode};
use http_body_util::Full;
use tokio::time::{Instant, timeout, timeout_at};

use super::http::{HttpClient, events};
use super::{CONNECT_TIMEOUT, short};
use crate::substrate::{SseCount, SubstrateError};

/// Most bytes of a subscription.
const MAX_BYTES: usize = 1 << 20;

/// Subscribes, and counts events until the time is over, there are enough, or the channel ends. The result is a line
/// `events NUMBER`, and a line `data TEXT` for each line of the data of the last event that was counted.
pub(super) async fn count(client: HttpClient, query: SseCount) -> Result<String, SubstrateError> {
    let url = short(&query.url);
    let fail = |what: &dyn std::fmt::Display| SubstrateError::unreachable(format!("{url}: {what}"));
    let request = Request::get(&query.url)
        .header(ACCEPT, "text/event-stream")
        .body(Full::<Bytes>::default())
        .map_err(|error| fail(&error))?;
    let response = timeout(CONNECT_TIMEOUT, client.request(request)).await;
    let response = response.map_err(|_| fail(&"expected a response within 10 s, found none"))?;
    let response = response.map_err(|error| fail(&error))?;
    if response.status() == StatusCode::NOT_FOUND || response.status() == StatusCode::GONE {
        return Err(SubstrateError::gone(format!("{url}: no such channel")));
    }
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    if response.status() != StatusCode::OK || !content_type.is_some_and(is_event_stream) {
        return Err(fail(&format_args!(
            "expected a stream of events, found status {} and content of the type {:?}",
            response.status().as_u16(),
            content_type.unwrap_or_default()
        )));
    }
    let mut events = events(response.into_body(), MAX_BYTES);
    let deadline = Instant::now() + Duration::from_secs(query.seconds as u64);
    let (mut counted, mut last) = (0, String::new());
    while counted < query.limit {
        match timeout_at(deadline, events.next()).await {
            Err(_) | Ok(None) => break,
            Ok(Some(Err(error))) => return Err(fail(&error)),
            Ok(Some(Ok(event))) => {
                // An event without data is none (HTML standard, 9.2.6).
                let Some(data) = event.data else { continue };
                let name = event.event.as_deref().filter(|name| !name.is_empty());
                if query.event.is_none()
                    || query.event.as_deref() == Some(name.unwrap_or("message"))
                {
                    counted += 1;
                    last = data;
                }
            }
        }
    }
    let mut result = format!("events {counted}\n");
    for line in last.lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(result, "data {line}");
    }
    Ok(result)
}

fn is_event_stream(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
}
