//! Messages of Envoy's external processing protocol, as far as they are used.
//!
//! `envoy/service/ext_proc/v3/external_processor.proto` defines the messages. Fields that are
//! missing here are skipped when a message is parsed. Generating all of Envoy's messages would take
//! longer to compile than everything else here.

use prost::{Message, Oneof};

/// Message from Envoy with a part of a request or response.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessingRequest {
    #[prost(oneof = "MessagePart", tags = "2, 3, 4, 5, 6, 7")]
    pub(crate) request: Option<MessagePart>,
}

/// Part of a request or response.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum MessagePart {
    #[prost(message, tag = "2")]
    RequestHeaders(HttpHeaders),
    #[prost(message, tag = "3")]
    ResponseHeaders(HttpHeaders),
    #[prost(message, tag = "4")]
    RequestBody(HttpBody),
    #[prost(message, tag = "5")]
    ResponseBody(HttpBody),
    #[prost(message, tag = "6")]
    RequestTrailers(HttpTrailers),
    #[prost(message, tag = "7")]
    ResponseTrailers(HttpTrailers),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HttpHeaders {
    #[prost(message, optional, tag = "1")]
    pub(crate) headers: Option<HeaderMap>,
    #[prost(bool, tag = "3")]
    pub(crate) end_of_stream: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HeaderMap {
    #[prost(message, repeated, tag = "1")]
    pub(crate) headers: Vec<HeaderValue>,
}

impl HeaderMap {
    /// Returns the value of the first header with this name, given in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// Iterates over the values of all headers with this name, given in lower case.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let found = self.headers.iter().filter(move |header| header.key == name);
        found.map(|header| match header.raw_value.is_empty() {
            true => header.value.as_bytes(),
            false => &header.raw_value,
        })
    }
}

/// A header. Envoy sends the value as bytes, in `raw_value`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HeaderValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) raw_value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HttpBody {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) body: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub(crate) end_of_stream: bool,
}

/// Trailers, whose values are not used.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HttpTrailers {}

/// Reply to Envoy.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessingResponse {
    #[prost(message, optional, tag = "9")]
    pub(crate) mode_override: Option<ProcessingMode>,
    #[prost(oneof = "Reply", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub(crate) response: Option<Reply>,
}

/// Parts that Envoy sends from now on, of those that it has not sent yet.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessingMode {
    /// 1: send; 2: do not send.
    #[prost(int32, tag = "2")]
    pub(crate) response_header_mode: i32,
    /// 0: do not send; 1: send in pieces; 2: send when complete; 4: send in pieces, and accept
    /// output at any time.
    #[prost(int32, tag = "3")]
    pub(crate) request_body_mode: i32,
    #[prost(int32, tag = "4")]
    pub(crate) response_body_mode: i32,
    #[prost(int32, tag = "6")]
    pub(crate) response_trailer_mode: i32,
}

/// Reply to a part of a request or response.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Reply {
    #[prost(message, tag = "1")]
    RequestHeaders(CommonAnswer),
    #[prost(message, tag = "2")]
    ResponseHeaders(CommonAnswer),
    #[prost(message, tag = "3")]
    RequestBody(CommonAnswer),
    #[prost(message, tag = "4")]
    ResponseBody(CommonAnswer),
    #[prost(message, tag = "5")]
    RequestTrailers(TrailersAnswer),
    #[prost(message, tag = "6")]
    ResponseTrailers(TrailersAnswer),
    #[prost(message, tag = "7")]
    Immediate(ImmediateResponse),
}

/// `HeadersResponse` or `BodyResponse`, which have the same field.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommonAnswer {
    #[prost(message, optional, tag = "1")]
    pub(crate) response: Option<CommonResponse>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommonResponse {
    #[prost(message, optional, tag = "2")]
    pub(crate) header_mutation: Option<HeaderMutation>,
    #[prost(message, optional, tag = "3")]
    pub(crate) body_mutation: Option<BodyMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrailersAnswer {
    #[prost(message, optional, tag = "1")]
    pub(crate) header_mutation: Option<HeaderMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HeaderMutation {
    #[prost(message, repeated, tag = "1")]
    pub(crate) set_headers: Vec<HeaderValueOption>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) remove_headers: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HeaderValueOption {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<HeaderValue>,
    /// 2: replace the values of the header.
    #[prost(int32, tag = "3")]
    pub(crate) append_action: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BodyMutation {
    #[prost(oneof = "Mutation", tags = "1, 3")]
    pub(crate) mutation: Option<Mutation>,
}

/// Replacement of a body.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Mutation {
    /// Replacement of a complete body.
    #[prost(bytes = "vec", tag = "1")]
    Body(Vec<u8>),
    /// Replacement of a body that is sent in pieces.
    #[prost(message, tag = "3")]
    Streamed(StreamedBodyResponse),
}

/// Bytes that follow those of earlier replies. They need not correspond to a piece of Envoy's.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct StreamedBodyResponse {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) body: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub(crate) end_of_stream: bool,
}

/// A response that replaces the upstream's.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImmediateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<HttpStatus>,
    #[prost(message, optional, tag = "2")]
    pub(crate) headers: Option<HeaderMutation>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) body: Vec<u8>,
    /// Text for Envoy's access log.
    #[prost(string, tag = "5")]
    pub(crate) details: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HttpStatus {
    #[prost(int32, tag = "1")]
    pub(crate) code: i32,
}
