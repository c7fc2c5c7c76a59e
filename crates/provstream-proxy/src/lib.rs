//! An HTTP reverse proxy for the APIs of LLM providers.
//!
//! Requests go to one upstream. [`provstream_route::Routes`] say for each path what happens to its responses: they pass, their
//! annotations are removed, or a policy decides about their text before the client reads it. Streams are not buffered: a
//! client that reads slowly slows its upstream down, and a client that goes away cancels the upstream request.
//!
//! [`Config`] has the settings, [`Proxy::bind`] opens the listeners, and [`Proxy::run`] serves until it is shut down. A
//! [`Handle`] reloads the settings and ends the proxy. [`demo`] has an upstream for trying the proxy. `docs/proxy.md` is its
//! guide.

mod admin;
mod again;
mod blocking;
mod body;
mod causes;
mod certificate;
mod config;
mod constraint;
mod decode;
pub mod demo;
mod emission;
mod evaluations;
mod handle;
mod headers;
mod inflight;
mod live;
mod log;
mod main_loop;
mod metrics;
mod outgoing;
mod record;
mod recording;
mod refusals;
mod request_json;
mod respond;
mod server;
mod service;
mod shared;
mod spans;
mod stalled;
mod tls;
mod unread;
mod waits;

pub use config::{Config, Upstream, UpstreamError};
pub use handle::Handle;
pub use main_loop::{run, run_demo};
pub use server::{Proxy, StartError};
