//! Log line on standard error for each request.

use std::io::Write;

use provstream_route::terminal_json;
use serde::Serialize;

/// Content of a log line. Of the text of clients and upstreams it contains only the path, without
/// its query, and the error of a certificate.
#[derive(Debug, Serialize)]
pub(crate) struct RequestLogLine<'a> {
    pub(crate) time: Option<String>,
    pub(crate) request: &'a str,
    pub(crate) route: &'a str,
    pub(crate) action: &'static str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    /// `complete`, or the reason why the response ended.
    pub(crate) end: &'a str,
    /// Connection error that ended the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<&'a str>,
    pub(crate) inspected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uninspected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<&'static str>,
    /// Additions made to the request, on a route with additions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added: Option<&'static str>,
    pub(crate) assertions: u64,
    /// Of the assertions, those with markers of citations.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) citations: u64,
    pub(crate) withheld_bytes: u64,
    pub(crate) client_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_byte_seconds: Option<f64>,
    pub(crate) seconds: f64,
}

impl RequestLogLine<'_> {
    pub(crate) fn write(&self) {
        let mut line = terminal_json(self);
        line.push(b'\n');
        // A log that cannot be written is no reason to fail a request.
        let _ = std::io::stderr().lock().write_all(&line);
    }
}

// What serde calls gets a reference.
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Logs a message about the proxy itself.
pub(crate) fn note(message: &str) {
    #[derive(Serialize)]
    struct LogNote<'a> {
        note: &'a str,
    }
    let mut line = terminal_json(&LogNote { note: message });
    line.push(b'\n');
    let _ = std::io::stderr().lock().write_all(&line);
}
