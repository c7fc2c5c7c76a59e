//! State of one request and its response.

use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_route::{
    AuditSink, BodyFilter, Flow, PassReason, Plan, Refusal, ResponseHead, Route, RouteAction,
    Routes,
};

use crate::choices::ChoiceCountReader;
use crate::record::ResponseRecord;
use crate::request_body::RequestBody;

/// Headers to remove from a request whose response is inspected, because a partial body cannot be
/// inspected. Also set `accept-encoding` to `identity`.
pub const REMOVED_REQUEST_HEADERS: [&str; 2] = ["range", "if-range"];

/// Headers to remove from a response whose body passes through a filter. They describe the
/// upstream's bytes.
pub const REMOVED_RESPONSE_HEADERS: [&str; 7] = [
    "content-length",
    "content-md5",
    "content-digest",
    "repr-digest",
    "digest",
    "etag",
    "accept-ranges",
];

/// Treatment of a response, determined by its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadPlan {
    /// Send the head and the body unchanged.
    Pass,
    /// Send the head without the [removed headers](REMOVED_RESPONSE_HEADERS), and pass the body
    /// through [`push`](Exchange::push).
    Filter,
    /// Like `Filter`, but with output only at the end of the body. The head may wait for that,
    /// because [`status`](Exchange::status) can replace its status.
    FilterWhole,
    /// Send this response instead.
    Refuse(Refusal),
}

/// Treatment of the body, determined by the head of the response.
#[derive(Debug)]
enum BodyState {
    /// The head of the response has not arrived.
    Awaited,
    /// The response has no body, or the request has no route.
    Absent,
    Passed(PassReason),
    Refused,
    Filtered(Box<BodyFilter>),
}

/// One request and its response, which a gateway passes part by part.
#[derive(Debug)]
pub struct Exchange {
    routes: Arc<Routes>,
    route: Option<Route>,
    path: String,
    stream: String,
    choices: ChoiceCountReader,
    request_body: RequestBody,
    status: u16,
    body: BodyState,
    /// Result of the filter at its end; after that, further input is ignored.
    over: Option<Flow>,
}

impl Exchange {
    /// Creates an exchange for a new request.
    #[must_use]
    pub fn new(routes: Arc<Routes>) -> Self {
        Self {
            routes,
            route: None,
            path: String::new(),
            stream: String::new(),
            choices: ChoiceCountReader::default(),
            request_body: RequestBody::default(),
            status: 0,
            body: BodyState::Awaited,
            over: None,
        }
    }

    /// Sets the method and path of the request, and its name in logs. Invalid UTF-8 is replaced.
    ///
    /// Returns `true` if the response will be inspected. Then change the request's headers, see
    /// [`REMOVED_REQUEST_HEADERS`].
    pub fn request(&mut self, method: &[u8], path: &[u8], stream: &[u8]) -> bool {
        self.path = String::from_utf8_lossy(path).into_owned();
        self.stream = String::from_utf8_lossy(stream).into_owned();
        let route = self
            .routes
            .route(&String::from_utf8_lossy(method), &self.path);
        self.route = Some(route.clone());
        route.action() != RouteAction::Pass
    }

    /// Returns `true` if the exchange needs the body of the request: a gate depends on the number
    /// of answers, and a route may have the sources of requests.
    #[must_use]
    pub fn reads_request(&self) -> bool {
        let reads =
            |route: &Route| route.action() == RouteAction::Gate || route.has_request_sources();
        self.route.as_ref().is_some_and(reads)
    }

    /// Processes the next bytes of the request's body, if the exchange [needs](Self::reads_request)
    /// it. Bytes after the head of the response are ignored.
    ///
    /// At most 16 MiB are buffered, and only if the route has the sources of requests. A longer request has no list of sources.
    pub fn request_body(&mut self, bytes: &[u8]) {
        let is_awaited = matches!(self.body, BodyState::Awaited);
        let Some(route) = self.route.as_ref().filter(|_| is_awaited) else {
            return;
        };
        if route.action() == RouteAction::Gate {
            self.choices.push(bytes);
        }
        if route.has_request_sources() {
            self.request_body.push(bytes);
        }
    }

    /// Determines the treatment of the response by its head. `has_body` is `false` if the response
    /// ends with its head. `log` receives the decisions of a gate.
    pub fn response(
        &mut self,
        head: ResponseHead,
        status: u16,
        has_body: bool,
        log: impl AuditSink + Send + Sync + 'static,
    ) -> HeadPlan {
        self.status = status;
        let request = core::mem::take(&mut self.request_body);
        let Some(route) = self.route.as_mut().filter(|_| has_body) else {
            self.body = BodyState::Absent;
            return HeadPlan::Pass;
        };
        if route.has_request_sources() {
            *route = route.with_request(request.bytes());
        }
        let head = head.with_path(&self.path).with_choices(self.choices.get());
        match route.response(&head) {
            Plan::Pass(reason) => {
                self.body = BodyState::Passed(reason);
                HeadPlan::Pass
            }
            Plan::Refuse(refusal) => {
                self.body = BodyState::Refused;
                HeadPlan::Refuse(refusal)
            }
            Plan::Filter(filter) => {
                let filter = filter.with_audit(log, "the audit log", &self.stream);
                let waits = filter.awaits_end();
                self.body = BodyState::Filtered(Box::new(filter));
                if waits {
                    HeadPlan::FilterWhole
                } else {
                    HeadPlan::Filter
                }
            }
        }
    }

    /// Processes the next bytes of the response's body, and appends released bytes to `out`;
    /// without a filter, all bytes. After any result except [`Flow::More`] there is no more output.
    pub fn push(&mut self, bytes: &[u8], end: bool, now: Timestamp, out: &mut Vec<u8>) -> Flow {
        let BodyState::Filtered(filter) = &mut self.body else {
            out.extend_from_slice(bytes);
            return Flow::More;
        };
        if let Some(flow) = self.over {
            return flow;
        }
        let mut flow = filter.push(bytes, now, out);
        if end && flow == Flow::More {
            flow = filter.finish(now, out);
        }
        if flow != Flow::More {
            self.over = Some(flow);
        }
        flow
    }

    /// Processes the next bytes like [`push`](Self::push), if they are not the last. Returns `None` if
    /// the output is exactly `bytes`, as for most events of a stream: the gateway can let its own
    /// buffer pass.
    #[must_use = "`None` says that the bytes are to be sent"]
    pub fn push_or_pass(
        &mut self,
        bytes: &[u8],
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Option<Flow> {
        match (&mut self.body, self.over) {
            (BodyState::Filtered(filter), None) => {
                let flow = filter.push_or_pass(bytes, now, out)?;
                if flow != Flow::More {
                    self.over = Some(flow);
                }
                Some(flow)
            }
            _ => Some(self.push(bytes, false, now, out)),
        }
    }

    /// Returns `true` if the output depends on the time, which a gate compares with annotations.
    #[must_use]
    pub const fn needs_time(&self) -> bool {
        matches!(&self.body, BodyState::Filtered(filter) if filter.is_gate())
    }

    /// Returns `true` if the body passes through a filter.
    #[must_use]
    pub const fn is_filtered(&self) -> bool {
        matches!(self.body, BodyState::Filtered(_))
    }

    /// Returns the number of held bytes.
    #[must_use]
    pub fn held(&self) -> usize {
        match &self.body {
            BodyState::Filtered(filter) => filter.held(),
            _ => 0,
        }
    }

    /// Returns `true` if the status in the head may still be replaced, so that the head should
    /// wait.
    #[must_use]
    pub fn awaits_end(&self) -> bool {
        matches!(&self.body, BodyState::Filtered(filter) if filter.awaits_end())
    }

    /// Returns the status that replaces the upstream's, if any, after the end of a body whose head
    /// waits. The content type is then `application/json`.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match &self.body {
            BodyState::Filtered(filter) => filter.status(),
            _ => None,
        }
    }

    /// Ends the exchange and returns its record, even if the response has not ended. Returns `None`
    /// if there was no response, or no head of a request.
    pub fn close(&mut self, now: Timestamp) -> Option<ResponseRecord> {
        let route = self.route.take()?;
        if let BodyState::Filtered(filter) = &mut self.body {
            // A client that goes once the end of a stream was written has all of it.
            if filter.has_ended() {
                let _ = filter.finish(now, &mut Vec::new());
            }
            filter.cancel(now);
        }
        let (stream, status) = (&self.stream, self.status);
        match core::mem::replace(&mut self.body, BodyState::Absent) {
            BodyState::Awaited | BodyState::Absent => None,
            BodyState::Passed(reason) => {
                Some(ResponseRecord::passed(&route, stream, status, reason))
            }
            BodyState::Refused => Some(ResponseRecord::refused(&route, stream, status)),
            BodyState::Filtered(filter) => Some(ResponseRecord::filtered(
                &route,
                stream,
                status,
                filter.outcome(),
            )),
        }
    }
}
