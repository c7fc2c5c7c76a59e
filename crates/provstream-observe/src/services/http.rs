//! HTTP client of channels and MCP services. It follows no redirects, since these could leave what the settings allow.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use sse_stream::{Sse, SseStream};

/// HTTP client with TLS.
pub(super) type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

pub(super) fn http_client() -> io::Result<HttpClient> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(provider)
        .map_err(|error| io::Error::other(error.to_string()))?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

/// Reads the events of a body, of at most `max` bytes.
pub(super) fn events(
    body: Incoming,
    max: usize,
) -> BoxStream<'static, Result<Sse, sse_stream::Error>> {
    let bytes = Limited::new(body, max).into_data_stream();
    SseStream::from_bytes_stream(bytes.map_err(HttpError)).boxed()
}

/// Error of a request.
#[derive(Debug)]
pub(super) struct HttpError(pub(super) Box<dyn Error + Send + Sync>);

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for HttpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
