//! One request and its response.

use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_route::{
    AuditLog, BodyFilter, Flow, PassReason, Plan, Refusal, ResponseHead, Route, RouteAction, Routes,
};

use crate::choices::Choices;
use crate::record::Record;

/// Headers of a request that are removed if its response is to be inspected: no part of a body can be. Its `accept-encoding`
/// becomes `identity`.
pub const REMOVED_REQUEST_HEADERS: [&str; 2] = ["range", "if-range"];

/// Headers of a response that are removed if its body goes through a filter: they are about the bytes that the upstream sent.
pub const REMOVED_RESPONSE_HEADERS: [&str; 7] = [
    "content-length",
    "content-md5",
    "content-digest",
    "repr-digest",
    "digest",
    "etag",
    "accept-ranges",
];

/// What is done with the head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadPlan {
    /// It is sent as it is, and so is the body.
    Pass,
    /// It is sent without the [removed headers](REMOVED_RESPONSE_HEADERS), and the body goes through
    /// [`push`](Exchange::push).
    Filter,
    /// As `Filter`, and nothing is written before the end of the body. The head may wait for that:
    /// [`status`](Exchange::status) may replace its status.
    FilterWhole,
    /// This response takes its place.
    Refuse(Refusal),
}

/// What becomes of the body.
#[derive(Debug)]
enum Body {
    /// The head of the response has not come.
    Awaited,
    /// It does not exist, or the request never had a route.
    Absent,
    Passed(PassReason),
    Refused,
    Filtered(Box<BodyFilter>),
}

/// One request and its response, as they pass a gateway part by part.
#[derive(Debug)]
pub struct Exchange {
    routes: Arc<Routes>,
    route: Option<Route>,
    path: String,
    stream: String,
    choices: Choices,
    status: u16,
    body: Body,
    /// The filter takes nothing any more.
    over: Option<Flow>,
}

impl Exchange {
    /// An exchange before its first header.
    #[must_use]
    pub fn new(routes: Arc<Routes>) -> Self {
        Self {
            routes,
            route: None,
            path: String::new(),
            stream: String::new(),
            choices: Choices::default(),
            status: 0,
            body: Body::Awaited,
            over: None,
        }
    }

    /// Takes the head of the request: its method, its path, and what logs call it. Bytes that are not UTF-8 are replaced.
    ///
    /// Returns whether the response is to be inspected; then the request's headers are to be changed, see
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

    /// Whether the body of the request matters: a gate has to know how many answers it asks for.
    #[must_use]
    pub fn reads_request(&self) -> bool {
        let is_gate = |route: &Route| route.action() == RouteAction::Gate;
        self.route.as_ref().is_some_and(is_gate)
    }

    /// Takes the next bytes of the request's body, if it [matters](Self::reads_request).
    pub fn request_body(&mut self, bytes: &[u8]) {
        if self.reads_request() {
            self.choices.push(bytes);
        }
    }

    /// Takes the head of the response. `has_body` is false if the response ends with its head, and `log` takes the decisions
    /// of a gate.
    pub fn response(
        &mut self,
        head: ResponseHead,
        status: u16,
        has_body: bool,
        log: impl AuditLog + Send + Sync + 'static,
    ) -> HeadPlan {
        self.status = status;
        let Some(route) = self.route.as_ref().filter(|_| has_body) else {
            self.body = Body::Absent;
            return HeadPlan::Pass;
        };
        let head = head.with_path(&self.path).with_choices(self.choices.get());
        match route.response(&head) {
            Plan::Pass(reason) => {
                self.body = Body::Passed(reason);
                HeadPlan::Pass
            }
            Plan::Refuse(refusal) => {
                self.body = Body::Refused;
                HeadPlan::Refuse(refusal)
            }
            Plan::Filter(filter) => {
                let filter = filter.with_audit(log, "the audit log", &self.stream);
                let waits = filter.awaits_end();
                self.body = Body::Filtered(Box::new(filter));
                if waits {
                    HeadPlan::FilterWhole
                } else {
                    HeadPlan::Filter
                }
            }
        }
    }

    /// Takes the next bytes of the response's body, and appends what is released to `out`. After anything but
    /// [`Flow::More`], nothing more is written.
    pub fn push(&mut self, bytes: &[u8], end: bool, now: Timestamp, out: &mut Vec<u8>) -> Flow {
        let Body::Filtered(filter) = &mut self.body else {
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

    /// Whether the body goes through a filter.
    #[must_use]
    pub const fn is_filtered(&self) -> bool {
        matches!(self.body, Body::Filtered(_))
    }

    /// Bytes that are held back.
    #[must_use]
    pub fn held(&self) -> usize {
        match &self.body {
            Body::Filtered(filter) => filter.held(),
            _ => 0,
        }
    }

    /// Whether the head of the response is not to be sent yet.
    #[must_use]
    pub fn awaits_end(&self) -> bool {
        matches!(&self.body, Body::Filtered(filter) if filter.awaits_end())
    }

    /// The status to be sent instead of the upstream's, with the content type `application/json`, once nothing is awaited.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match &self.body {
            Body::Filtered(filter) => filter.status(),
            _ => None,
        }
    }

    /// Ends the exchange, whether or not the response has ended, and returns what became of it; `None` if there was no
    /// response, or the request was not seen.
    pub fn close(&mut self, now: Timestamp) -> Option<Record> {
        let route = self.route.take()?;
        if let Body::Filtered(filter) = &mut self.body {
            // A client that goes once the end of a stream was written has all of it.
            if filter.has_ended() {
                let _ = filter.finish(now, &mut Vec::new());
            }
            filter.cancel(now);
        }
        let (stream, status) = (&self.stream, self.status);
        match core::mem::replace(&mut self.body, Body::Absent) {
            Body::Awaited | Body::Absent => None,
            Body::Passed(reason) => Some(Record::passed(&route, stream, status, reason)),
            Body::Refused => Some(Record::refused(&route, stream, status)),
            Body::Filtered(filter) => {
                Some(Record::filtered(&route, stream, status, filter.outcome()))
            }
        }
    }
}
