//! Observations, ledgers, substrates and checks.

mod checking;
mod crash;
mod escapes;
mod gating;
mod ids;
mod imports;
mod ledgers;
mod parsing;
#[cfg(target_os = "linux")]
mod peercred;
mod random;
mod repository;
#[cfg(feature = "mcp")]
mod services;
mod substrates;

use provstream::provenance::Timestamp;
use provstream_observe::{Observation, Query};

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

fn noon() -> Timestamp {
    time("2026-05-28T12:00:00Z")
}

/// An observation of a file whose name has a number.
fn numbered(number: u64) -> Observation {
    let query = format!(r#"{{"path": "file-{number}"}}"#);
    let query = Query::parse(&query).expect("a query");
    let content = format!("content {number}\n");
    Observation::new("substrate.code.read", query, content, noon()).expect("an observation")
}
