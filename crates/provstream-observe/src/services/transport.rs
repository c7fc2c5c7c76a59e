//! HTTP transport of MCP services, over the client of this crate.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio::time::timeout;

use super::CONNECT_TIMEOUT;
use super::http::{HttpClient, HttpError, events};

/// Client of the streamable HTTP transport. It opens no stream for what a service says unasked.
#[derive(Clone)]
pub(super) struct ServiceClient(pub(super) HttpClient);

fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
    StreamableHttpError::Client(HttpError(error.into()))
}

type TransportError = StreamableHttpError<HttpError>;

/// Head of a request: what the transport adds to each of them.
struct RequestHead {
    uri: Arc<str>,
    session: Option<Arc<str>>,
    token: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
}

impl ServiceClient {
    async fn send(
        &self,
        method: Method,
        head: RequestHead,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, TransportError> {
        let mut request = Request::builder()
            .method(method)
            .uri(&*head.uri)
            .header(CONTENT_TYPE, JSON_MIME_TYPE)
            .header(
                ACCEPT,
                format!("{JSON_MIME_TYPE}, {EVENT_STREAM_MIME_TYPE}"),
            );
        for (name, value) in head.headers {
            request = request.header(name, value);
        }
        if let Some(session) = head.session {
            request = request.header(HEADER_SESSION_ID, &*session);
        }
        if let Some(token) = head.token {
            let value = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut value = value.map_err(failed)?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(failed)?;
        self.0.request(request).await.map_err(failed)
    }
}

impl StreamableHttpClient for ServiceClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let body = serde_json::to_vec(&message)?;
        let has_session = session_id.is_some();
        let head = RequestHead {
            uri,
            session: session_id,
            token: auth_header,
            headers: custom_headers,
        };
        let response = self.send(Method::POST, head, body).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            let message = format!("HTTP status {}", status.as_u16());
            return Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(
                message,
            )));
        }
        if !matches!(message, ClientJsonRpcMessage::Request(_)) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let session = header(HEADER_SESSION_ID);
        let content_type = header(CONTENT_TYPE.as_str());
        let essence = content_type
            .as_deref()
            .and_then(|value| value.split(';').next());
        match essence
            .map(|essence| essence.trim().to_ascii_lowercase())
            .as_deref()
        {
            Some(EVENT_STREAM_MIME_TYPE) => {
                let events = events(response.into_body(), limits.max_sse_event_size);
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some(JSON_MIME_TYPE) => {
                let body = Limited::new(response.into_body(), limits.max_json_response_size);
                let body = body.collect().await.map_err(failed)?.to_bytes();
                let message: ServerJsonRpcMessage = serde_json::from_slice(&body)?;
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => Err(StreamableHttpError::UnexpectedContentType(content_type)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), TransportError> {
        let head = RequestHead {
            uri,
            session: Some(session_id),
            token: auth_header,
            headers: custom_headers,
        };
        // A service that does not know the method, or does not answer, forgets the session by itself.
        let _ = timeout(CONNECT_TIMEOUT, self.send(Method::DELETE, head, Vec::new())).await;
        Ok(())
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session_id: Option<Arc<str>>,
        _last_event_id: Option<String>,
        _auth_header: Option<String>,
        _custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, TransportError> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}
