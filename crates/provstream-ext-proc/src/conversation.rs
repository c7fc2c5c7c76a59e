//! What Envoy sends about one request and its response, and what it is answered.

use std::io::{self, Write};
use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_envoy::{
    Exchange, HeadPlan, REMOVED_REQUEST_HEADERS, REMOVED_RESPONSE_HEADERS, Record,
};
use provstream_route::{AuditLog, Flow, Refusal, ResponseHead, Routes};

use crate::messages::{
    BodyMutation, CommonAnswer, CommonResponse, HeaderMap, HeaderMutation, HeaderValue,
    HeaderValueOption, HttpBody, HttpHeaders, HttpStatus, ImmediateResponse, ProcessingMode,
    ProcessingResponse,
    Request, Response, StreamedBodyResponse, TrailersAnswer,
};

/// Replaces the values that a header has.
const OVERWRITE: i32 = 2;

/// A part is not sent.
const SKIP: i32 = 2;

/// Nothing more is to be sent, so that Envoy passes it as it is.
const NOTHING: ProcessingMode = ProcessingMode {
    response_header_mode: SKIP,
    request_body_mode: 0,
    response_body_mode: 0,
    response_trailer_mode: SKIP,
};

/// Audit lines on standard output.
#[derive(Clone, Copy, Debug)]
struct Lines;

impl AuditLog for Lines {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(line)?;
        out.flush()
    }
}

/// One request and its response, as Envoy sends them.
#[derive(Debug)]
pub(crate) struct Conversation {
    exchange: Exchange,
    /// The head of the response, which is sent at the end of a body that awaits it.
    awaited: Option<HeaderMutation>,
    /// What Envoy is to send from now on, which the next answer says.
    mode: Option<ProcessingMode>,
    /// Envoy has all of the body.
    is_over: bool,
}

impl Conversation {
    pub(crate) fn new(routes: Arc<Routes>) -> Self {
        Self {
            exchange: Exchange::new(routes),
            awaited: None,
            mode: None,
            is_over: false,
        }
    }

    /// The answers to the next part, or `None` if the response is to be broken off.
    pub(crate) fn answer(&mut self, request: Request, now: Timestamp) -> Option<Vec<ProcessingResponse>> {
        let mut answers = Vec::new();
        match request {
            Request::RequestHeaders(head) => answers.push(self.request(head)),
            Request::RequestBody(body) => {
                self.exchange.request_body(&body.body);
                answers.push(Response::RequestBody(streamed(body.body, body.end_of_stream)));
            }
            Request::RequestTrailers(_) => {
                answers.push(Response::RequestTrailers(TrailersAnswer::default()));
            }
            Request::ResponseHeaders(head) => answers.extend(self.response(head)),
            Request::ResponseBody(body) => self.body(&body, now, &mut answers)?,
            Request::ResponseTrailers(_) => {
                self.end(now, &mut answers)?;
                answers.push(Response::ResponseTrailers(TrailersAnswer::default()));
            }
        }
        let wrap = |response| ProcessingResponse {
            mode_override: self.mode.take(),
            response: Some(response),
        };
        Some(answers.into_iter().map(wrap).collect())
    }

    /// Ends the exchange, and returns what became of it.
    pub(crate) fn close(&mut self, now: Timestamp) -> Option<Record> {
        self.exchange.close(now)
    }

    fn request(&mut self, head: HttpHeaders) -> Response {
        let headers = head.headers.unwrap_or_default();
        let get = |name| headers.get(name).unwrap_or_default();
        let inspects = self
            .exchange
            .request(get(":method"), get(":path"), get("x-request-id"));
        if !inspects {
            self.mode = Some(NOTHING);
        }
        let mutation = inspects.then(|| HeaderMutation {
            set_headers: vec![header("accept-encoding", "identity")],
            remove_headers: REMOVED_REQUEST_HEADERS.map(str::to_owned).into(),
        });
        Response::RequestHeaders(headers_answer(mutation))
    }

    fn response(&mut self, head: HttpHeaders) -> Option<Response> {
        let headers = head.headers.unwrap_or_default();
        let status = text(&headers, ":status").parse().unwrap_or(0);
        let read = ResponseHead::new(status)
            .with_content_type(&text(&headers, "content-type"))
            .with_content_encoding(&text(&headers, "content-encoding"));
        let removed = HeaderMutation {
            set_headers: Vec::new(),
            remove_headers: REMOVED_RESPONSE_HEADERS.map(str::to_owned).into(),
        };
        match self.exchange.response(read, status, !head.end_of_stream, Lines) {
            HeadPlan::Refuse(refusal) => Some(Response::Immediate(immediate(&refusal))),
            HeadPlan::Filter => Some(Response::ResponseHeaders(headers_answer(Some(removed)))),
            HeadPlan::FilterWhole => {
                self.awaited = Some(removed);
                None
            }
            HeadPlan::Pass => {
                self.mode = Some(NOTHING);
                Some(Response::ResponseHeaders(headers_answer(None)))
            }
        }
    }

    fn body(&mut self, body: &HttpBody, now: Timestamp, answers: &mut Vec<Response>) -> Option<()> {
        if self.is_over {
            return Some(());
        }
        let mut out = Vec::new();
        let flow = self.exchange.push(&body.body, body.end_of_stream, now, &mut out);
        self.write(out, flow, body.end_of_stream, answers)
    }

    /// The body ends with trailers.
    fn end(&mut self, now: Timestamp, answers: &mut Vec<Response>) -> Option<()> {
        if self.is_over || !self.exchange.is_filtered() {
            return Some(());
        }
        let mut out = Vec::new();
        let flow = self.exchange.push(&[], true, now, &mut out);
        self.write(out, flow, false, answers)
    }

    fn write(&mut self, out: Vec<u8>, flow: Flow, end: bool, answers: &mut Vec<Response>) -> Option<()> {
        if flow == Flow::Reset {
            return None;
        }
        if self.exchange.awaits_end() {
            return Some(());
        }
        if let Some(mut head) = self.awaited.take() {
            if let Some(status) = self.exchange.status() {
                head.set_headers.push(header(":status", &status.to_string()));
                head.set_headers.push(header("content-type", "application/json"));
            }
            answers.push(Response::ResponseHeaders(headers_answer(Some(head))));
        }
        // Envoy takes no body that is empty, unless it is the end.
        if !out.is_empty() || end {
            answers.push(Response::ResponseBody(streamed(out, end)));
        }
        self.is_over = end;
        Some(())
    }
}

fn text(headers: &HeaderMap, name: &str) -> String {
    String::from_utf8_lossy(headers.get(name).unwrap_or_default()).into_owned()
}

fn header(name: &str, value: &str) -> HeaderValueOption {
    HeaderValueOption {
        header: Some(HeaderValue {
            key: name.to_owned(),
            value: String::new(),
            raw_value: value.as_bytes().to_vec(),
        }),
        append_action: OVERWRITE,
    }
}

fn headers_answer(header_mutation: Option<HeaderMutation>) -> CommonAnswer {
    CommonAnswer {
        response: Some(CommonResponse {
            header_mutation,
            body_mutation: None,
        }),
    }
}

fn streamed(body: Vec<u8>, end_of_stream: bool) -> CommonAnswer {
    CommonAnswer {
        response: Some(CommonResponse {
            header_mutation: None,
            body_mutation: Some(BodyMutation {
                streamed_response: Some(StreamedBodyResponse { body, end_of_stream }),
            }),
        }),
    }
}

fn immediate(refusal: &Refusal) -> ImmediateResponse {
    ImmediateResponse {
        status: Some(HttpStatus {
            code: i32::from(refusal.status()),
        }),
        headers: Some(HeaderMutation {
            set_headers: vec![header("content-type", refusal.content_type())],
            remove_headers: Vec::new(),
        }),
        body: refusal.body().to_vec(),
        details: "provstream_refused".to_owned(),
    }
}
