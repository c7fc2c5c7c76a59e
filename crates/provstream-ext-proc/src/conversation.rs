//! Dialogue with Envoy about one request and its response.

use std::io::{self, Write};
use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_envoy::{
    Exchange, HeadPlan, REMOVED_REQUEST_HEADERS, REMOVED_RESPONSE_HEADERS, ResponseRecord,
};
use provstream_route::{AuditSink, Flow, Refusal, ResponseHead, Routes};

use crate::messages::{
    BodyMutation, CommonAnswer, CommonResponse, HeaderMap, HeaderMutation, HeaderValue,
    HeaderValueOption, HttpBody, HttpHeaders, HttpStatus, ImmediateResponse, MessagePart, Mutation,
    ProcessingMode, ProcessingResponse, Reply, StreamedBodyResponse, TrailersAnswer,
};

/// `append_action` that replaces the values of a header.
const OVERWRITE: i32 = 2;

/// Mode in which Envoy sends a part.
const SEND: i32 = 1;

/// Mode in which Envoy does not send a part.
const SKIP: i32 = 2;

/// Envoy sends the response body in pieces, and accepts output at any time.
const IN_PIECES: ProcessingMode = ProcessingMode {
    response_header_mode: SEND,
    request_body_mode: 1,
    response_body_mode: 4,
    response_trailer_mode: SEND,
};

/// Envoy sends the response body when it is complete, and sends the head to the client after that.
const COMPLETE: ProcessingMode = ProcessingMode {
    response_header_mode: SEND,
    request_body_mode: 1,
    response_body_mode: 2,
    response_trailer_mode: SKIP,
};

/// Audit log on standard output.
#[derive(Clone, Copy, Debug)]
struct StdoutAudit;

impl AuditSink for StdoutAudit {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(line)?;
        out.flush()
    }
}

/// One request and its response, in the parts that Envoy sends.
#[derive(Debug)]
pub(crate) struct Conversation {
    exchange: Exchange,
    /// `true` if Envoy sends the response body when it is complete.
    is_whole: bool,
    /// `true` if the body is a stream although its content type is that of a single JSON value.
    is_array: bool,
    /// Change of the parts that Envoy sends, for the next reply.
    mode: Option<ProcessingMode>,
    /// `true` after the end of the output was sent.
    is_over: bool,
}

impl Conversation {
    pub(crate) fn new(routes: Arc<Routes>) -> Self {
        Self {
            exchange: Exchange::new(routes),
            is_whole: false,
            is_array: false,
            mode: None,
            is_over: false,
        }
    }

    /// Returns the replies to the next part, or `None` if the response must be aborted.
    pub(crate) fn answer(
        &mut self,
        request: MessagePart,
        now: Timestamp,
    ) -> Option<Vec<ProcessingResponse>> {
        let mut answers = Vec::new();
        match request {
            MessagePart::RequestHeaders(head) => answers.push(self.request(head)),
            MessagePart::RequestBody(body) => {
                self.exchange.request_body(&body.body);
                answers.push(Reply::RequestBody(unchanged_but(None)));
            }
            MessagePart::RequestTrailers(_) => {
                answers.push(Reply::RequestTrailers(TrailersAnswer::default()));
            }
            MessagePart::ResponseHeaders(head) => answers.push(self.response(head)),
            MessagePart::ResponseBody(body) => self.body(body, now, &mut answers)?,
            MessagePart::ResponseTrailers(_) => {
                self.end(now, &mut answers)?;
                answers.push(Reply::ResponseTrailers(TrailersAnswer::default()));
            }
        }
        let wrap = |response| ProcessingResponse {
            mode_override: self.mode.take(),
            response: Some(response),
        };
        Some(answers.into_iter().map(wrap).collect())
    }

    /// Ends the exchange, and returns its record.
    pub(crate) fn close(&mut self, now: Timestamp) -> Option<ResponseRecord> {
        self.exchange.close(now)
    }

    fn request(&mut self, head: HttpHeaders) -> Reply {
        let headers = head.headers.unwrap_or_default();
        let get = |name| headers.get(name).unwrap_or_default();
        // Gemini's stream without `alt=sse` is one JSON array.
        self.is_array = text(&headers, ":path").contains(":streamGenerateContent");
        let inspects = self
            .exchange
            .request(get(":method"), get(":path"), get("x-request-id"));
        let mutation = inspects.then(|| HeaderMutation {
            set_headers: vec![header("accept-encoding", "identity")],
            remove_headers: REMOVED_REQUEST_HEADERS.map(str::to_owned).into(),
        });
        Reply::RequestHeaders(unchanged_but(mutation))
    }

    fn response(&mut self, head: HttpHeaders) -> Reply {
        let headers = head.headers.unwrap_or_default();
        let status = text(&headers, ":status").parse().unwrap_or(0);
        let read = ResponseHead::new(status)
            .with_content_type(&text(&headers, "content-type"))
            .with_content_encoding(&text(&headers, "content-encoding"));
        let removed = HeaderMutation {
            set_headers: Vec::new(),
            remove_headers: REMOVED_RESPONSE_HEADERS.map(str::to_owned).into(),
        };
        let plan = self
            .exchange
            .response(read, status, !head.end_of_stream, StdoutAudit);
        self.is_whole = plan == HeadPlan::FilterWhole && !self.is_array;
        match plan {
            HeadPlan::Refuse(refusal) => Reply::Immediate(immediate(&refusal)),
            HeadPlan::Pass => Reply::ResponseHeaders(unchanged_but(None)),
            HeadPlan::Filter | HeadPlan::FilterWhole => {
                self.mode = Some(if self.is_whole { COMPLETE } else { IN_PIECES });
                Reply::ResponseHeaders(unchanged_but(Some(removed)))
            }
        }
    }

    fn body(&mut self, body: HttpBody, now: Timestamp, answers: &mut Vec<Reply>) -> Option<()> {
        if self.is_over {
            return Some(());
        }
        let (end, mut out) = (body.end_of_stream, Vec::new());
        let flow = match end || self.is_whole {
            true => Some(self.exchange.push(&body.body, end, now, &mut out)),
            false => self.exchange.push_or_pass(&body.body, now, &mut out),
        };
        match flow {
            Some(flow) => self.write(out, flow, end, answers),
            None => self.write(body.body, Flow::More, end, answers),
        }
    }

    /// Ends a body that has trailers.
    fn end(&mut self, now: Timestamp, answers: &mut Vec<Reply>) -> Option<()> {
        if self.is_over || !self.exchange.is_filtered() {
            return Some(());
        }
        let mut out = Vec::new();
        let flow = self.exchange.push(&[], true, now, &mut out);
        self.write(out, flow, false, answers)
    }

    fn write(
        &mut self,
        out: Vec<u8>,
        flow: Flow,
        end: bool,
        answers: &mut Vec<Reply>,
    ) -> Option<()> {
        // Once the head is sent, an error in the place of the body would pass for an answer.
        if flow == Flow::Reset || !self.is_whole && self.exchange.status().is_some() {
            return None;
        }
        self.is_over = end;
        if self.is_whole {
            answers.push(Reply::ResponseBody(self.complete(out)));
        } else if !out.is_empty() || end {
            // Envoy takes no piece that is empty, unless it is the end.
            answers.push(Reply::ResponseBody(streamed(out, end)));
        }
        Some(())
    }

    /// Builds the reply to a complete body, with the status of an error if there is one.
    fn complete(&self, body: Vec<u8>) -> CommonAnswer {
        let header_mutation = self.exchange.status().map(|status| HeaderMutation {
            set_headers: vec![
                header(":status", &status.to_string()),
                header("content-type", "application/json"),
            ],
            remove_headers: Vec::new(),
        });
        CommonAnswer {
            response: Some(CommonResponse {
                header_mutation,
                body_mutation: Some(BodyMutation {
                    mutation: Some(Mutation::Body(body)),
                }),
            }),
        }
    }
}

/// Joins all values of a header. All are used because receivers differ in which of several values
/// counts.
fn text(headers: &HeaderMap, name: &str) -> String {
    let values = headers.all(name).map(String::from_utf8_lossy);
    values.collect::<Vec<_>>().join(", ")
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

fn unchanged_but(header_mutation: Option<HeaderMutation>) -> CommonAnswer {
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
                mutation: Some(Mutation::Streamed(StreamedBodyResponse {
                    body,
                    end_of_stream,
                })),
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

#[cfg(test)]
mod tests {
    use provstream_route::Routes;

    use super::*;

    const ROUTES: &[u8] = b"[[route]]\npath = \"/v1/pass\"\naction = \"pass\"\n[[route]]\npath = \"/*\"\naction = \"strip\"\nfail = \"closed\"\n";

    fn now() -> Timestamp {
        "2026-05-28T12:00:00Z".parse().expect("a time")
    }

    fn head(headers: &[(&str, &str)]) -> HttpHeaders {
        let headers = headers.iter().map(|(key, value)| HeaderValue {
            key: (*key).to_owned(),
            value: String::new(),
            raw_value: value.as_bytes().to_vec(),
        });
        HttpHeaders {
            headers: Some(HeaderMap {
                headers: headers.collect(),
            }),
            end_of_stream: false,
        }
    }

    fn body(bytes: &str, end_of_stream: bool) -> MessagePart {
        MessagePart::ResponseBody(HttpBody {
            body: bytes.as_bytes().to_vec(),
            end_of_stream,
        })
    }

    fn event(text: &str) -> String {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    }

    /// Splits a body into pieces, none of which is the last.
    fn pieces(bytes: &str, size: usize) -> impl Iterator<Item = HttpBody> {
        bytes.as_bytes().chunks(size).map(|piece| HttpBody {
            body: piece.to_vec(),
            end_of_stream: false,
        })
    }

    /// A conversation up to the head of the response, and the last answer.
    fn begun(path: &str, response: &[(&str, &str)]) -> (Conversation, ProcessingResponse) {
        let vocabulary = provstream::provenance::Vocabulary::memo();
        let no_files = |_: &str| Err("no files");
        let routes = Routes::from_toml(ROUTES, &vocabulary, no_files).expect("routes");
        let mut conversation = Conversation::new(Arc::new(routes));
        let request = MessagePart::RequestHeaders(head(&[(":method", "POST"), (":path", path)]));
        conversation.answer(request, now()).expect("an answer");
        let response = MessagePart::ResponseHeaders(head(response));
        let mut answers = conversation.answer(response, now()).expect("an answer");
        assert_eq!(answers.len(), 1);
        (conversation, answers.remove(0))
    }

    /// The bodies of answers, and whether the last is the end.
    fn streamed_bodies(answers: &[ProcessingResponse]) -> (String, bool) {
        let (mut text, mut ends) = (String::new(), false);
        for answer in answers {
            let Some(Reply::ResponseBody(body)) = &answer.response else {
                continue;
            };
            let response = body.response.as_ref().expect("a response");
            let mutation = response.body_mutation.as_ref().expect("a body");
            let Some(Mutation::Streamed(streamed)) = &mutation.mutation else {
                panic!("expected a piece, found {mutation:?}");
            };
            text += std::str::from_utf8(&streamed.body).expect("UTF-8");
            ends = streamed.end_of_stream;
        }
        (text, ends)
    }

    const SSE: [(&str, &str); 2] = [(":status", "200"), ("content-type", "text/event-stream")];

    #[test]
    fn a_stream_is_asked_for_in_pieces_and_answered_when_text_is_certain() {
        let (mut conversation, answer) = begun("/v1/x", &SSE);
        assert_eq!(answer.mode_override, Some(IN_PIECES));
        let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"So. [substrate.grep] \"}}]}\n\n";
        let mut answers = Vec::new();
        for piece in event.as_bytes().chunks(5) {
            let piece = std::str::from_utf8(piece).expect("ASCII");
            answers.extend(
                conversation
                    .answer(body(piece, false), now())
                    .expect("answers"),
            );
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
        // The end comes before the trailers.
        let trailers = MessagePart::ResponseTrailers(crate::messages::HttpTrailers {});
        let last = conversation.answer(trailers, now()).expect("answers");
        assert!(matches!(
            last.last().expect("one").response,
            Some(Reply::ResponseTrailers(_))
        ));
        answers.extend(last);
        let (text, ends) = streamed_bodies(&answers);
        assert!(
            text.contains("So.") && !text.contains("substrate") && !ends,
            "{text}"
        );
        assert!(conversation.close(now()).expect("a record").is_inspected());
    }

    #[test]
    fn a_sentence_with_an_invented_citation_is_withheld() {
        const FILE: &str = include_str!("../tests/cited/routes.toml");
        let list = include_str!("../tests/cited/sources.json");
        let of_requests = FILE.replace("\"sources.json\"", "\"request\"");
        let vocabulary = provstream::provenance::Vocabulary::memo();
        let read = |_: &str| Ok::<_, &str>(list.to_owned());
        let request = r#"{"messages":[{"role":"user","content":"[1] Cities\n[2] Rivers\n"}]}"#;
        for (file, request) in [(FILE, "{}"), (&of_requests, request)] {
            let routes = Routes::from_toml(file.as_bytes(), &vocabulary, read).expect("routes");
            let routes = Arc::new(routes);
            for size in [1, 64] {
                let mut conversation = Conversation::new(Arc::clone(&routes));
                let text = ["Old [1]. Fine.[", "2] Never [7", "]. So."]
                    .map(event)
                    .concat();
                let mut parts = vec![MessagePart::RequestHeaders(head(&[
                    (":method", "POST"),
                    (":path", "/v1/x"),
                ]))];
                parts.extend(pieces(request, size).map(MessagePart::RequestBody));
                parts.push(MessagePart::ResponseHeaders(head(&SSE)));
                parts.extend(pieces(&text, size).map(MessagePart::ResponseBody));
                parts.push(body("data: [DONE]\n\n", true));
                let answers = parts.into_iter().flat_map(|part| {
                    let answers = conversation.answer(part, now());
                    answers.expect("answers")
                });
                let (text, ends) = streamed_bodies(&answers.collect::<Vec<_>>());
                let is_gated = text.contains("(withheld)") && !text.contains("Never");
                assert!(is_gated && ends, "pieces of {size}: {text}");
                let is_clean = !text.contains("[1]") && text.contains("So.");
                assert!(is_clean && text.contains("Fine."), "{text}");
            }
        }
    }

    #[test]
    fn heads_with_two_meanings_are_refused() {
        let status = (":status", "200");
        let (sse, json) = ("text/event-stream", "application/json");
        for headers in [
            &[("content-type", "text/event-stream; charset=utf-16")][..],
            &[("content-type", sse), ("content-type", json)],
            &[
                ("content-type", sse),
                ("content-encoding", "identity"),
                ("content-encoding", "gzip"),
            ],
        ] {
            let (_, answer) = begun("/v1/x", &[&[status], headers].concat());
            let is_refused = matches!(&answer.response, Some(Reply::Immediate(_)));
            assert!(is_refused, "{headers:?}: {answer:?}");
        }
    }

    #[test]
    fn an_answer_that_is_not_streamed_is_asked_for_when_it_is_complete() {
        let json = [(":status", "200"), ("content-type", "application/json")];
        let (mut conversation, answer) = begun("/v1/x", &json);
        assert_eq!(answer.mode_override, Some(COMPLETE));
        let answers = conversation
            .answer(body("{no JSON", true), now())
            .expect("answers");
        let Some(Reply::ResponseBody(answer)) = &answers[0].response else {
            panic!("expected a body, found {answers:?}");
        };
        let response = answer.response.as_ref().expect("a response");
        let headers = response.header_mutation.as_ref().expect("headers");
        let status = headers.set_headers[0].header.as_ref().expect("a header");
        assert_eq!(
            (status.key.as_str(), &status.raw_value[..]),
            (":status", &b"502"[..])
        );
        // Gemini's array is a stream of the same type.
        let (_, answer) = begun("/v1beta/models/m:streamGenerateContent", &json);
        assert_eq!(answer.mode_override, Some(IN_PIECES));
    }

    #[test]
    fn what_passes_is_not_asked_for() {
        let (_, answer) = begun("/v1/pass", &SSE);
        assert_eq!(answer.mode_override, None);
        let (_, answer) = begun(
            "/v1/x",
            &[(":status", "404"), ("content-type", "application/json")],
        );
        assert_eq!(answer.mode_override, None);
        let gzip = [SSE[0], SSE[1], ("content-encoding", "gzip")];
        let (mut conversation, answer) = begun("/v1/x", &gzip);
        assert!(
            matches!(answer.response, Some(Reply::Immediate(_))),
            "{answer:?}"
        );
        assert!(!conversation.close(now()).expect("a record").is_inspected());
    }
}
