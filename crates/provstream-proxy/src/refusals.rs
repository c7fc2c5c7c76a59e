//! Responses that the proxy generates.

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use provstream_providers::Format;
use provstream_route::{Cause, Refusal};

use crate::body::{BodyPath, ProxyBody};
use crate::headers::name_request;
use crate::record::RequestRecord;

/// Creates a response that replaces the upstream's for a cause.
pub(crate) fn refused(
    cause: Cause,
    format: Option<Format>,
    mut record: Box<RequestRecord>,
) -> Response<ProxyBody> {
    record.end = cause.as_str();
    refusal(&Refusal::new(cause, format), record)
}

/// Creates a response with an error of the proxy.
pub(crate) fn refusal(refusal: &Refusal, mut record: Box<RequestRecord>) -> Response<ProxyBody> {
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    record.status = status.as_u16();
    let body = Bytes::copy_from_slice(refusal.body());
    let length = body.len();
    let mut headers = HeaderMap::new();
    name_request(&mut headers, &record.id);
    let mut response = Response::new(ProxyBody::whole(body, Some(BodyPath::Pass(record))));
    *response.status_mut() = status;
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(refusal.content_type()),
    );
    headers.insert(CONTENT_LENGTH, length.into());
    *response.headers_mut() = headers;
    response
}
