//! Envoy's log.

use std::io;

use provstream_route::AuditSink;
use proxy_wasm::hostcalls;
use proxy_wasm::types::LogLevel;

/// Logs a line.
pub(super) fn line(level: LogLevel, text: &str) {
    // Envoy takes every line.
    let _ = hostcalls::log(level, text);
}

/// Audit log as lines of Envoy's log, at the level `info`.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostAuditLog;

impl AuditSink for HostAuditLog {
    fn line(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes.trim_ascii_end());
        let written = hostcalls::log(LogLevel::Info, &format!("audit {text}"));
        written.map_err(|status| io::Error::other(format!("status {}", status as u32)))
    }
}
