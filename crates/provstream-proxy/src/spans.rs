//! Spans of requests, sent to a collector as OTLP over HTTP in JSON.

use core::hash::{BuildHasher, Hasher};
use core::time::Duration;
use std::hash::RandomState;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Uri};
use http_body_util::BodyExt as _;
use provstream_providers::Format;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::evaluations::{EVENT, EventAttributes};
use crate::outgoing::Outgoing;
use crate::tls::Client;

/// Most spans that wait for the collector. Further ones are dropped, so that telemetry delays
/// nothing.
const MAX_WAITING: usize = 2_048;

/// Most spans in one batch.
const MAX_BATCH: usize = 256;

/// Pause between two batches.
const BATCH_PAUSE: Duration = Duration::from_millis(500);

/// Longest time for the collector to accept a batch.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Queue of spans for a collector.
#[derive(Clone, Debug)]
pub(crate) struct Spans(mpsc::Sender<Value>);

impl Spans {
    /// Starts a task that sends spans to the collector at this URL. Call it in a tokio runtime.
    pub(crate) fn new(client: Client, collector: Uri) -> Self {
        let (sender, mut receiver) = mpsc::channel(MAX_WAITING);
        tokio::spawn(async move {
            let mut batch = Vec::new();
            while receiver.recv_many(&mut batch, MAX_BATCH).await > 0 {
                let sent = send(&client, &collector, core::mem::take(&mut batch));
                // A collector that is not there costs nobody anything but the spans.
                let _ = tokio::time::timeout(SEND_TIMEOUT, sent).await;
                tokio::time::sleep(BATCH_PAUSE).await;
            }
        });
        Self(sender)
    }

    pub(crate) fn push(&self, span: Value) {
        let _ = self.0.try_send(span);
    }
}

async fn send(client: &Client, collector: &Uri, spans: Vec<Value>) {
    let service = json!([{"key": "service.name", "value": {"stringValue": "provstream-proxy"}}]);
    let body = json!({"resourceSpans": [{
        "resource": {"attributes": service},
        "scopeSpans": [{
            "scope": {"name": "provstream-proxy", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans,
        }],
    }]});
    let mut request = Request::new(Outgoing::whole(body.to_string()));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = collector.clone();
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(CONTENT_TYPE, json);
    if let Ok(mut answer) = client.request(request).await {
        // Read to its end, so that the connection can be used again.
        while answer.body_mut().frame().await.is_some() {}
    }
}

/// Trace context of a request.
#[derive(Clone, Debug)]
pub(crate) struct TraceContext {
    trace: String,
    span: String,
    parent: Option<String>,
}

impl TraceContext {
    /// Parses the client's `traceparent` (W3C Trace Context 3.2), or starts a new trace.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let named = headers
            .get("traceparent")
            .and_then(|value| value.to_str().ok());
        let mut parts = named.unwrap_or_default().split('-').skip(1);
        let hex = |text: &&str, length| {
            text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let trace = parts.next().filter(|trace| hex(trace, 32));
        let parent = parts.next().filter(|parent| hex(parent, 16));
        match trace.zip(parent) {
            Some((trace, parent)) => Self {
                trace: trace.to_owned(),
                span: random(),
                parent: Some(parent.to_owned()),
            },
            None => Self {
                trace: random() + &random(),
                span: random(),
                parent: None,
            },
        }
    }

    /// Returns the `traceparent` header for the upstream.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&format!("00-{}-{}-01", self.trace, self.span)).ok()
    }

    /// Builds the span of a request that ends now, with events that are as late.
    pub(crate) fn span(&self, of: &EndedRequest<'_>) -> Value {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let at = |time: Duration| time.as_nanos().to_string();
        let events: Vec<Value> = of
            .events
            .iter()
            .map(|event| {
                let attributes = convert(event);
                json!({"timeUnixNano": at(since), "name": EVENT, "attributes": attributes})
            })
            .collect();
        json!({
            "traceId": self.trace,
            "spanId": self.span,
            "parentSpanId": self.parent.as_deref().unwrap_or_default(),
            "name": of.name,
            "kind": 2,
            "startTimeUnixNano": at(since.saturating_sub(of.took)),
            "endTimeUnixNano": at(since),
            "attributes": convert(of.attributes),
            "events": events,
            "status": {"code": if of.is_error { 2 } else { 0 }},
        })
    }
}

/// Request of which a span is built.
#[derive(Debug)]
pub(crate) struct EndedRequest<'a> {
    pub(crate) name: &'a str,
    pub(crate) took: Duration,
    pub(crate) is_error: bool,
    pub(crate) attributes: &'a [(&'a str, Value)],
    pub(crate) events: &'a [EventAttributes],
}

/// Converts attributes to OTLP. Those without a value are left out.
fn convert(attributes: &[(&str, Value)]) -> Vec<Value> {
    attributes
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| json!({"key": key, "value": attribute(value)}))
        .collect()
}

/// Converts a value to OTLP, in which integers are strings.
fn attribute(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"stringValue": text}),
        Value::Bool(yes) => json!({"boolValue": yes}),
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        other => json!({"intValue": other.to_string()}),
    }
}

/// Returns 16 random hexadecimal digits.
fn random() -> String {
    let hash = RandomState::new().build_hasher().finish();
    format!("{:016x}", hash.max(1))
}

/// Returns the well-known name of a provider (`gen_ai.provider.name`), or `None` for formats that
/// several providers use.
pub(crate) const fn provider(format: Format) -> Option<&'static str> {
    match format {
        Format::OpenAiResponses => Some("openai"),
        Format::Anthropic => Some("anthropic"),
        Format::Gemini | Format::GeminiInteractions => Some("gcp.gemini"),
        Format::Cohere => Some("cohere"),
        Format::MistralConversations => Some("mistral_ai"),
        Format::BedrockConverse => Some("aws.bedrock"),
        _ => None,
    }
}

/// Queue of spans, and the trace context of a request.
pub(crate) type Traced = (Arc<Spans>, TraceContext);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_one_provider_have_its_well_known_name() {
        for (format, name) in [
            (Format::OpenAiChat, None),
            (Format::OpenAiResponses, Some("openai")),
            (Format::Anthropic, Some("anthropic")),
            (Format::Gemini, Some("gcp.gemini")),
            (Format::GeminiInteractions, Some("gcp.gemini")),
            (Format::Cohere, Some("cohere")),
            (Format::MistralConversations, Some("mistral_ai")),
            (Format::BedrockConverse, Some("aws.bedrock")),
            (Format::Ollama, None),
        ] {
            assert_eq!(provider(format), name, "{format}");
        }
    }
}
