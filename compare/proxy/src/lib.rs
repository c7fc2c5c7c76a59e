//! What proxies cost in front of a streaming upstream, and whether provstream's withstands faults.
//!
//! The upstream and the clients are one process, with a thread each for requests, events and clients; the proxies are other
//! processes on the same machine.

pub mod answer;
pub mod case;
pub mod client;
pub mod clock;
pub mod faults;
pub mod histogram;
pub mod machine;
pub mod measure;
pub mod page;
mod plot;
pub mod process;
pub mod record;
pub mod response;
mod targets;
pub mod turns;
pub mod upstream;
