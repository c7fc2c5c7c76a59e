//! Facts about a request, for the log, the metrics and the span.

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use provstream::GateEnd;
use provstream::provenance::Timestamp;
use provstream_providers::{Format, NoticeCode};
use provstream_route::{PassReason, ResponseOutcome, Route};

use crate::evaluations::evaluations;
use crate::live::Watched;
use crate::log::RequestLogLine;
use crate::metrics::{Histogram, Metrics};
use crate::spans::{EndedRequest, Traced, provider};

/// A request from its head to the end of its response. Counted, traced and logged when it is
/// dropped.
#[derive(Debug)]
pub(crate) struct RequestRecord {
    metrics: Arc<Metrics>,
    pub(crate) id: String,
    route: Box<str>,
    action: &'static str,
    method: Box<str>,
    path: Box<str>,
    started: Instant,
    is_logged: bool,
    pub(crate) status: u16,
    pub(crate) upstream_head: Option<Duration>,
    first: Option<Duration>,
    last: Option<Instant>,
    between: Histogram,
    client_bytes: u64,
    held: usize,
    pub(crate) keep_alives: u64,
    pub(crate) reemissions: u64,
    /// Additions made to the request, on a route with additions.
    pub(crate) added: Option<&'static str>,
    pub(crate) traced: Option<Traced>,
    /// Handle of the stream on the page about streams in flight.
    pub(crate) live: Option<Watched>,
    /// Reason of the response's end; `client_gone` unless another is set.
    pub(crate) end: &'static str,
    /// Connection error that ended the response.
    pub(crate) cause: Option<Box<str>>,
    pub(crate) passed: Option<PassReason>,
    pub(crate) outcome: Option<ResponseOutcome>,
}

impl RequestRecord {
    pub(crate) fn new(
        metrics: &Arc<Metrics>,
        id: String,
        route: &Route,
        request: (&http::Method, &http::Uri),
        is_logged: bool,
    ) -> Self {
        metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        Self {
            metrics: Arc::clone(metrics),
            id,
            route: route.name().into(),
            action: route.action().as_str(),
            method: request.0.as_str().into(),
            path: request.1.path().into(),
            started: Instant::now(),
            is_logged,
            status: 0,
            upstream_head: None,
            first: None,
            last: None,
            between: Histogram::default(),
            client_bytes: 0,
            held: 0,
            keep_alives: 0,
            reemissions: 0,
            added: None,
            traced: None,
            live: None,
            end: "client_gone",
            cause: None,
            passed: None,
            outcome: None,
        }
    }

    pub(crate) const fn started(&self) -> Instant {
        self.started
    }

    /// Records the time of the upstream's response head.
    pub(crate) fn has_head(&mut self) {
        self.upstream_head = Some(self.started.elapsed());
    }

    /// Records that bytes of the body are sent to the client.
    pub(crate) fn delivers(&mut self, bytes: usize, now: Instant) {
        self.client_bytes += bytes as u64;
        if let Some(live) = &self.live {
            live.sends(bytes);
        }
        match self.last.replace(now) {
            Some(last) => self.between.observe(now - last),
            None => self.first = Some(now - self.started),
        }
    }

    /// Sets the number of bytes held back.
    pub(crate) fn holds(&mut self, bytes: usize) {
        let change = bytes as i64 - self.held as i64;
        if change != 0 {
            self.metrics.held.fetch_add(change, Ordering::Relaxed);
            self.held = bytes;
        }
    }

    /// Returns the reason why a part of the response was not inspected, if so.
    fn uninspected(&self) -> Option<&'static str> {
        match (&self.outcome, self.passed) {
            (Some(outcome), _) => outcome.uninspected(),
            (None, Some(reason)) => Some(reason.as_str()),
            (None, None) => Some("no_response"),
        }
    }

    fn count_outcome(&self, outcome: &ResponseOutcome) {
        let (metrics, route) = (&self.metrics, ("route", &*self.route));
        for (class, count) in outcome.classes() {
            let labels = [route, ("class", class.as_str())];
            metrics.count("provstream_annotations_total", &labels, count);
        }
        for found in outcome.decisions() {
            let labels = [
                route,
                ("disposition", found.disposition()),
                ("action", found.action()),
            ];
            metrics.count("provstream_decisions_total", &labels, found.count());
        }
        for (found, count) in outcome.observations() {
            let labels = [route, ("outcome", found.as_str())];
            metrics.count("provstream_observations_total", &labels, count);
        }
        for (source, count) in outcome.cited_ids() {
            let labels = [route, ("source", source)];
            metrics.count("provstream_cited_ids_total", &labels, count);
        }
        for code in NoticeCode::ALL.into_iter().filter(|code| code.is_unread()) {
            let count = outcome.report().count(code);
            let labels = [route, ("kind", code.as_str())];
            metrics.count("provstream_unread_events_total", &labels, count);
        }
        for (_, end) in outcome.ended() {
            let end = if *end == GateEnd::Suspended {
                "suspend"
            } else {
                "refuse"
            };
            let labels = [route, ("end", end)];
            metrics.count("provstream_streams_ended_total", &labels, 1);
        }
        let upstream = [route];
        metrics.count(
            "provstream_upstream_bytes_total",
            &upstream,
            outcome.bytes_in(),
        );
        for (what, bytes) in [
            ("released", outcome.released()),
            ("withheld", outcome.removed()),
        ] {
            let labels = [route, ("what", what)];
            metrics.count("provstream_text_bytes_total", &labels, bytes);
        }
    }

    /// Records the durations of the request.
    fn observe_times(&self) {
        let route = ("route", &*self.route);
        let once = |time| {
            let mut times = Histogram::default();
            times.observe(time);
            times
        };
        let durations = [
            (
                "provstream_time_to_first_byte_seconds",
                self.first.map(once),
            ),
            (
                "provstream_time_to_upstream_head_seconds",
                self.upstream_head.map(once),
            ),
            (
                "provstream_time_between_chunks_seconds",
                Some(self.between.clone()),
            ),
            (
                "provstream_request_duration_seconds",
                Some(once(self.started.elapsed())),
            ),
        ];
        for (family, times) in durations {
            if let Some(times) = times {
                self.metrics.observe(family, &[route], &times);
            }
        }
    }

    /// Sends the span of the request.
    fn trace(&self, uninspected: Option<&str>) {
        let Some((spans, context)) = &self.traced else {
            return;
        };
        let outcome = self.outcome.as_ref();
        let format = outcome.and_then(ResponseOutcome::format);
        let is_error =
            self.status >= 500 || !matches!(self.end, "complete" | "policy" | "client_gone");
        let error = is_error.then_some(self.end);
        let attributes = [
            ("gen_ai.operation.name", format.map(|_| "chat").into()),
            ("gen_ai.provider.name", format.and_then(provider).into()),
            (
                "gen_ai.response.time_to_first_chunk",
                self.first.map(|time| time.as_secs_f64()).into(),
            ),
            ("http.request.method", (*self.method).into()),
            ("http.response.status_code", self.status.into()),
            ("http.route", (*self.route).into()),
            ("url.path", (*self.path).into()),
            ("error.type", error.into()),
            ("provstream.request", (*self.id).into()),
            ("provstream.action", self.action.into()),
            ("provstream.end", self.end.into()),
            ("provstream.inspected", uninspected.is_none().into()),
            ("provstream.uninspected", uninspected.into()),
            ("provstream.format", format.map(Format::as_str).into()),
            (
                "provstream.assertions",
                outcome.map_or(0, ResponseOutcome::assertions).into(),
            ),
            (
                "provstream.released_bytes",
                outcome.map_or(0, ResponseOutcome::released).into(),
            ),
            (
                "provstream.withheld_bytes",
                outcome.map_or(0, ResponseOutcome::removed).into(),
            ),
            (
                "provstream.unread_events",
                outcome
                    .map_or(0, |outcome| outcome.report().unread())
                    .into(),
            ),
        ];
        let name = format!("{} {}", self.method, self.route);
        let events = outcome.map(evaluations).unwrap_or_default();
        let took = self.started.elapsed();
        spans.push(context.span(&EndedRequest {
            name: &name,
            took,
            is_error,
            attributes: &attributes,
            events: &events,
        }));
    }

    fn log(&self, uninspected: Option<&str>) {
        let outcome = self.outcome.as_ref();
        RequestLogLine {
            time: Timestamp::now().to_rfc3339(),
            request: &self.id,
            route: &self.route,
            action: self.action,
            method: &self.method,
            path: &self.path,
            status: self.status,
            end: self.end,
            cause: self.cause.as_deref(),
            inspected: uninspected.is_none(),
            uninspected,
            format: outcome
                .and_then(ResponseOutcome::format)
                .map(Format::as_str),
            added: self.added,
            assertions: outcome.map_or(0, ResponseOutcome::assertions),
            citations: outcome.map_or(0, ResponseOutcome::citations),
            withheld_bytes: outcome.map_or(0, ResponseOutcome::removed),
            client_bytes: self.client_bytes,
            first_byte_seconds: self.first.map(|time| time.as_secs_f64()),
            seconds: self.started.elapsed().as_secs_f64(),
        }
        .write();
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        self.holds(0);
        if let Some(live) = self.live.take() {
            live.end(self.end);
        }
        let metrics = &self.metrics;
        metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        let route = ("route", &*self.route);
        let status = match self.status {
            100..=199 => "1xx",
            200..=299 => "2xx",
            300..=399 => "3xx",
            400..=499 => "4xx",
            500.. => "5xx",
            _ => "none",
        };
        let request = [
            route,
            ("action", self.action),
            ("status", status),
            ("end", self.end),
        ];
        metrics.count("provstream_requests_total", &request, 1);
        metrics.count("provstream_client_bytes_total", &[route], self.client_bytes);
        metrics.count("provstream_keep_alives_total", &[route], self.keep_alives);
        let reemissions = [route];
        metrics.count(
            "provstream_reemissions_total",
            &reemissions,
            self.reemissions,
        );
        if let Some(added) = self.added {
            let labels = [route, ("added", added)];
            metrics.count("provstream_emissions_total", &labels, 1);
        }
        let uninspected = self.uninspected();
        if let Some(reason) = uninspected {
            let labels = [route, ("reason", reason)];
            metrics.count("provstream_uninspected_total", &labels, 1);
        }
        if let Some(outcome) = &self.outcome {
            self.count_outcome(outcome);
        }
        self.observe_times();
        self.trace(uninspected);
        if self.is_logged {
            self.log(uninspected);
        }
    }
}
