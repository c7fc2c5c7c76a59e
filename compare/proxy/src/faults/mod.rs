//! Streams through `provstream proxy` while faults happen at random, and what must hold of each of them.
//!
//! Two proxies run at a time. One lives as long as the run and has its settings reloaded; the other is ended and started again,
//! by turns with and without streams in flight.

pub mod audit;
pub mod client;
pub mod life;
pub mod run;
pub mod script;
pub mod upstream;
