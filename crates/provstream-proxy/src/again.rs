//! Repeats a request to the upstream after a policy has suspended the answer.

use core::future::Future;
use core::pin::Pin;

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Request, StatusCode, request};
use hyper::body::Incoming;
use provstream_route::Draft;
use serde_json::Value;

use crate::decode::BodyDecoder;
use crate::headers;
use crate::outgoing::Outgoing;
use crate::request_json::ask_again;
use crate::tls::Client;

/// Future of the next response, or `None` if it cannot continue the answer.
pub(crate) type Asking = Pin<Box<dyn Future<Output = Option<NextAnswer>> + Send>>;

/// Body of the next response, and the decoder of its own encoding.
pub(crate) struct NextAnswer {
    pub(crate) body: Incoming,
    pub(crate) decoder: Option<Box<BodyDecoder>>,
}

/// Request to repeat, and the number of repetitions left.
pub(crate) struct RepeatableRequest {
    client: Client,
    head: request::Parts,
    body: Value,
    left: u32,
    content_type: HeaderValue,
    /// Content encoding of the first response if it names none.
    plain: Box<str>,
}

impl RepeatableRequest {
    /// Prepares at most `left` repetitions of this request.
    pub(crate) fn new(client: Client, head: request::Parts, body: Value, left: u32) -> Box<Self> {
        Box::new(Self {
            client,
            head,
            body,
            left,
            content_type: HeaderValue::from_static(""),
            plain: Box::default(),
        })
    }

    /// Sets the content type that the next response must have, and a content encoding that names none.
    pub(crate) fn set_first(&mut self, content_type: &str, plain: &str) {
        self.plain = plain.into();
        if let Ok(value) = HeaderValue::from_str(content_type) {
            self.content_type = value;
        }
    }

    /// Requests the rest of an answer. Returns `None` if no repetitions are left, or the
    /// conversation has a form that cannot be continued.
    pub(crate) fn ask(&mut self, draft: &Draft) -> Option<Asking> {
        self.left = self.left.checked_sub(1)?;
        let body = ask_again(&self.body, draft)?.to_string();
        let mut head = self.head.clone();
        head.headers.insert(CONTENT_LENGTH, body.len().into());
        let request = Request::from_parts(head, Outgoing::whole(body));
        let answer = self.client.request(request);
        let (content_type, plain) = (self.content_type.clone(), self.plain.clone());
        Some(Box::pin(async move {
            let (head, body) = answer.await.ok()?.into_parts();
            let encoding = headers::all(&head.headers, &CONTENT_ENCODING);
            let decoder = BodyDecoder::of(&encoding).map(Box::new);
            let names = ["", "identity", "none", &plain];
            let is_plain = names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&encoding));
            let is_same = head.status == StatusCode::OK
                && headers::text(&head.headers, &CONTENT_TYPE) == content_type
                && (is_plain || decoder.is_some());
            is_same.then_some(NextAnswer { body, decoder })
        }))
    }
}
