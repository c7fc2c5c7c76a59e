//! The parsers of free text, each with its own markers.

mod codex;
mod dynamo;
mod floor;
mod mdstream;
mod provstream;
mod regex;
mod smg;

use crate::adapter::Peer;

/// The parser that all others are compared with.
pub(crate) const OWN: Peer = provstream::TEXT;

/// What one would take instead.
pub(crate) const PEERS: [Peer; 9] = [
    provstream::AUTO,
    floor::PEER,
    regex::PEER,
    codex::PEER,
    dynamo::REASONING,
    dynamo::UNIFIED,
    smg::REASONING,
    smg::TOOLS,
    mdstream::PEER,
];

/// Other ways to find the markers of citations.
pub(crate) const CITING: [Peer; 2] = [codex::PEER, regex::NUMBERS];

/// The payload alone.
fn plain(payload: &str) -> String {
    payload.to_owned()
}

/// The payload as the arguments of a call in JSON.
fn call(payload: &str) -> String {
    format!(r#"{{"name": "cite", "arguments": {{"source": "{payload}"}}}}"#)
}
