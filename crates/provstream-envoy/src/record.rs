//! Log line and metrics of a response.

use std::collections::BTreeMap;

use provstream::GateEnd;
use provstream_route::{PassReason, ResponseOutcome, Route, SourceGap, terminal_json};
use serde::Serialize;

/// Name of a counter, and its increase.
pub type Sample = (String, u64);

/// Record of a response: a log line, and increases of counters.
///
/// Contains no text of the response. The number of counter names is bounded by the vocabulary and
/// the names of dispositions, actions and reasons; only the line has the route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseRecord {
    line: String,
    inspected: bool,
    samples: Vec<Sample>,
}

/// Content of a log line.
#[derive(Serialize)]
struct ResponseLogLine<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    stream: &'a str,
    route: &'a str,
    action: &'a str,
    status: u16,
    /// `true` if the whole body was inspected.
    inspected: bool,
    /// Reason why the body was not inspected.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// Reason why the list of the request's sources is incomplete or missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_sources: Option<&'a str>,
    #[serde(flatten)]
    body: Option<BodyFields<'a>>,
}

/// Results of a body that passed through a filter.
#[derive(Serialize)]
struct BodyFields<'a> {
    format: Option<String>,
    assertions: u64,
    /// Of the assertions, those with markers of citations.
    #[serde(skip_serializing_if = "is_zero")]
    citations: u64,
    /// Number of assertions by disposition and action.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    decisions: BTreeMap<String, u64>,
    /// Kinds of ends that the policy set, one for each ended channel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ended: Vec<&'a str>,
    unread_events: u64,
    bytes_in: u64,
    bytes_out: u64,
    text_released: u64,
    text_withheld: u64,
}

impl ResponseRecord {
    /// Creates the record of a body that passed unchanged.
    pub(crate) fn passed(route: &Route, stream: &str, status: u16, reason: PassReason) -> Self {
        Self::new(route, stream, status, Some(reason.as_str()), None)
    }

    /// Creates the record of a refused response.
    pub(crate) fn refused(route: &Route, stream: &str, status: u16) -> Self {
        let mut record = Self::new(route, stream, status, Some("refused"), None);
        record.add("refused", 1);
        record
    }

    /// Creates the record of a filtered body.
    pub(crate) fn filtered(
        route: &Route,
        stream: &str,
        status: u16,
        outcome: &ResponseOutcome,
    ) -> Self {
        let name = |end: &GateEnd| match end {
            GateEnd::Suspended => "suspend",
            _ => "refuse",
        };
        let ended: Vec<&str> = outcome.ended().iter().map(|(_, end)| name(end)).collect();
        let decisions: BTreeMap<String, u64> = outcome
            .decisions()
            .map(|one| {
                (
                    format!("{}.{}", one.disposition(), one.action()),
                    one.count(),
                )
            })
            .collect();
        let body = BodyFields {
            format: outcome.format().map(|format| format.to_string()),
            assertions: outcome.assertions(),
            citations: outcome.citations(),
            decisions: decisions.clone(),
            ended: ended.clone(),
            unread_events: outcome.report().unread(),
            bytes_in: outcome.bytes_in(),
            bytes_out: outcome.bytes_out(),
            text_released: outcome.released(),
            text_withheld: outcome.removed(),
        };
        let mut record = Self::new(route, stream, status, outcome.uninspected(), Some(body));
        record.add("assertions", outcome.assertions());
        for (class, count) in outcome.classes() {
            record.add(&format!("annotations.{}", word(class.as_str())), count);
        }
        for (found, count) in outcome.cited_ids() {
            record.add(&format!("cited_ids.{}", word(found)), count);
        }
        for (decision, count) in decisions {
            record.add(&format!("decisions.{}", decision.replace('-', "_")), count);
        }
        for end in ended {
            record.add(&format!("ended.{end}"), 1);
        }
        record.add("unread_events", outcome.report().unread());
        record.add("upstream_errors", outcome.errors());
        record.add("bytes_in", outcome.bytes_in());
        record.add("bytes_out", outcome.bytes_out());
        record.add("text_released", outcome.released());
        record.add("text_withheld", outcome.removed());
        record
    }

    fn new(
        route: &Route,
        stream: &str,
        status: u16,
        reason: Option<&str>,
        body: Option<BodyFields<'_>>,
    ) -> Self {
        let gap = route.source_gap().map(SourceGap::as_str);
        let line = ResponseLogLine {
            stream,
            route: route.name(),
            action: route.action().as_str(),
            status,
            inspected: reason.is_none(),
            reason,
            incomplete_sources: gap,
            body,
        };
        let line = terminal_json(&line);
        let mut record = Self {
            line: String::from_utf8_lossy(&line).into_owned(),
            inspected: reason.is_none(),
            samples: Vec::new(),
        };
        record.add(&format!("responses.{}", route.action()), 1);
        match reason {
            None => record.add("inspected", 1),
            Some(reason) => record.add(&format!("uninspected.{}", word(reason)), 1),
        }
        if let Some(gap) = gap {
            record.add(&format!("incomplete_sources.{gap}"), 1);
        }
        record
    }

    fn add(&mut self, name: &str, count: u64) {
        if count > 0 {
            self.samples.push((format!("provstream.{name}"), count));
        }
    }

    /// Returns the line: JSON without a line feed.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Returns `true` if the whole body was inspected.
    #[must_use]
    pub const fn is_inspected(&self) -> bool {
        self.inspected
    }

    /// Returns the increases of counters.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

// What serde calls gets a reference.
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Replaces full stops and hyphens, so that a name is one segment of a counter name.
fn word(name: &str) -> String {
    name.replace(['.', '-'], "_")
}
