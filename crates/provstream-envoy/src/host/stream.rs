//! HTTP context of the filter.

use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use provstream::provenance::Timestamp;
use provstream_route::{Flow, Refusal, ResponseHead};
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::{Action, LogLevel};

use super::log::{self, HostAuditLog};
use super::shared::PluginState;
use crate::{Exchange, HeadPlan, REMOVED_REQUEST_HEADERS, REMOVED_RESPONSE_HEADERS};

/// HTTP context: one request and its response.
#[derive(Debug)]
pub(super) struct HttpExchange {
    shared: Rc<PluginState>,
    exchange: Exchange,
    /// `true` if the stream is counted as in flight.
    is_counted: bool,
    /// Time of the head, until the first output of the body.
    head_at: Option<SystemTime>,
    /// Most bytes held so far.
    held: usize,
    /// `true` if the head is held back.
    waits: bool,
    /// `true` if Envoy buffers the body until the filter continues.
    is_paused: bool,
    /// `true` if the response must be aborted once the client has received the output so far.
    resets: bool,
}

impl HttpExchange {
    pub(super) fn new(shared: Rc<PluginState>) -> Self {
        Self {
            exchange: Exchange::new(Arc::clone(&shared.routes)),
            shared,
            is_counted: false,
            head_at: None,
            held: 0,
            waits: false,
            is_paused: false,
            resets: false,
        }
    }

    fn request_header(&self, name: &str) -> Vec<u8> {
        self.get_http_request_header_bytes(name).unwrap_or_default()
    }

    /// Joins all values of a header. All are used because receivers differ in which of several
    /// values counts.
    fn response_header(&self, name: &str) -> String {
        let headers = self.get_http_response_headers_bytes();
        let values = headers.iter().filter(|(found, _)| found == name);
        let values = values.map(|(_, value)| String::from_utf8_lossy(value));
        values.collect::<Vec<_>>().join(", ")
    }

    fn refuse(&self, refusal: &Refusal) -> Action {
        let headers = vec![("content-type", refusal.content_type())];
        self.send_http_response(u32::from(refusal.status()), headers, Some(refusal.body()));
        Action::Pause
    }

    /// Lets Envoy's current body buffer pass, which the output equals.
    fn pass(&mut self, out: &[u8]) -> Action {
        self.held = self.held.max(self.exchange.held());
        self.sends(out);
        self.is_paused = false;
        Action::Continue
    }

    /// Measures the time until the first output.
    fn sends(&mut self, out: &[u8]) {
        if let (Some(at), false) = (self.head_at, out.is_empty()) {
            let since = self
                .get_current_time()
                .duration_since(at)
                .unwrap_or_default();
            self.shared
                .meter
                .first(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
            self.head_at = None;
        }
    }

    /// Replaces Envoy's current body buffer by the output, and determines if Envoy continues.
    fn write(&mut self, size: usize, out: &[u8], end: bool) -> Action {
        self.held = self.held.max(self.exchange.held());
        self.set_http_response_body(0, size, out);
        if self.waits {
            if !end && self.exchange.awaits_end() {
                self.is_paused = true;
                return Action::Pause;
            }
            self.send_head(out.len(), end);
        }
        self.sends(out);
        // Paused with an empty body, Envoy takes more of it at the trailers, if there are any.
        self.is_paused = out.is_empty() && !end;
        if self.is_paused {
            Action::Pause
        } else {
            Action::Continue
        }
    }

    /// Prepares the held head for sending, with the status of an error and the length of a complete
    /// body.
    fn send_head(&mut self, length: usize, is_whole: bool) {
        self.waits = false;
        if let Some(status) = self.exchange.status() {
            self.set_http_response_header(":status", Some(&status.to_string()));
            self.set_http_response_header("content-type", Some("application/json"));
        }
        if is_whole {
            self.set_http_response_header("content-length", Some(&length.to_string()));
        }
    }

    /// Aborts the response, so that the client notices that it is incomplete.
    fn reset(&mut self) -> Action {
        self.resets = false;
        log::line(LogLevel::Warn, "provstream: the response is broken off");
        self.reset_http_response();
        Action::Pause
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    time.into()
}

impl Context for HttpExchange {
    fn on_done(&mut self) -> bool {
        let now = timestamp(self.get_current_time());
        let is_filtered = self.exchange.is_filtered();
        if let Some(record) = self.exchange.close(now) {
            let level = if record.is_inspected() {
                LogLevel::Info
            } else {
                LogLevel::Warn
            };
            log::line(level, &format!("response {}", record.line()));
            self.shared.meter.count(record.samples());
        }
        if is_filtered {
            self.shared.meter.held(self.held);
        }
        if core::mem::take(&mut self.is_counted) {
            self.shared.meter.streams(-1);
        }
        true
    }
}

impl HttpContext for HttpExchange {
    fn on_http_request_headers(&mut self, _: usize, _: bool) -> Action {
        let (method, path) = (self.request_header(":method"), self.request_header(":path"));
        let id = self.request_header("x-request-id");
        if self.exchange.request(&method, &path, &id) {
            self.set_http_request_header("accept-encoding", Some("identity"));
            for name in REMOVED_REQUEST_HEADERS {
                self.remove_http_request_header(name);
            }
        }
        Action::Continue
    }

    fn on_http_request_body(&mut self, size: usize, _: bool) -> Action {
        if self.exchange.reads_request() {
            let bytes = self.get_http_request_body(0, size).unwrap_or_default();
            self.exchange.request_body(&bytes);
        }
        Action::Continue
    }

    fn on_http_response_headers(&mut self, _: usize, end: bool) -> Action {
        let status = self.response_header(":status").parse().unwrap_or(0);
        let head = ResponseHead::new(status)
            .with_content_type(&self.response_header("content-type"))
            .with_content_encoding(&self.response_header("content-encoding"));
        let plan = self.exchange.response(head, status, !end, HostAuditLog);
        if let HeadPlan::Refuse(refusal) = &plan {
            return self.refuse(refusal);
        }
        if plan == HeadPlan::Pass {
            return Action::Continue;
        }
        for name in REMOVED_RESPONSE_HEADERS {
            self.remove_http_response_header(name);
        }
        self.shared.meter.streams(1);
        self.is_counted = true;
        self.head_at = Some(self.get_current_time());
        self.waits = self.shared.waits && plan == HeadPlan::FilterWhole;
        if self.waits {
            Action::Pause
        } else {
            Action::Continue
        }
    }

    fn on_http_response_body(&mut self, size: usize, end: bool) -> Action {
        if !self.exchange.is_filtered() {
            return Action::Continue;
        }
        if self.resets {
            return self.reset();
        }
        let bytes = self.get_http_response_body(0, size).unwrap_or_default();
        // Each call of Envoy costs more than most events.
        let now = match end || self.exchange.needs_time() {
            true => timestamp(self.get_current_time()),
            false => Timestamp::MIN,
        };
        let mut out = Vec::new();
        let flow = if end || self.waits || bytes.is_empty() {
            self.exchange.push(&bytes, end, now, &mut out)
        } else if let Some(flow) = self.exchange.push_or_pass(&bytes, now, &mut out) {
            flow
        } else {
            return self.pass(&bytes);
        };
        // Without its head, an error in the place of the body would pass for an answer.
        if self.exchange.status().is_some() && !self.waits {
            return self.reset();
        }
        if flow == Flow::Reset {
            if end {
                return self.reset();
            }
            self.resets = true;
        }
        self.write(size, &out, end)
    }

    fn on_http_response_trailers(&mut self, _: usize) -> Action {
        if !self.exchange.is_filtered() {
            return Action::Continue;
        }
        let (mut out, now) = (Vec::new(), timestamp(self.get_current_time()));
        let flow = self.exchange.push(&[], true, now, &mut out);
        let is_error = self.exchange.status().is_some() && !self.waits;
        // Without a pause, Envoy takes nothing more of the body.
        let is_lost = !out.is_empty() && !self.is_paused;
        if self.resets || flow == Flow::Reset || is_error || is_lost {
            return self.reset();
        }
        if self.is_paused {
            self.write(usize::MAX, &out, true);
        }
        Action::Continue
    }
}
