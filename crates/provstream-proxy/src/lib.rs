//! An HTTP proxy in front of LLM endpoints.
//!
//! Requests go to one upstream. Responses pass, lose their annotations, or go through a policy that decides about their text
//! before the client reads it, as [`provstream_route::Routes`] say for each path. Streams are not buffered: a client that
//! reads slowly slows its upstream down, and one that goes away cancels it. A request is never sent twice.
//!
//! [`Config`] has the settings, [`Proxy::bind`] opens the listeners, [`Proxy::run`] serves until it is shut down, and a
//! [`Handle`] reloads the settings and ends the proxy. [`demo`] has an upstream for trying it.

mod admin;
mod again;
mod body;
mod config;
mod decode;
pub mod demo;
mod emission;
mod handle;
mod headers;
mod inflight;
mod live;
mod log;
mod main_loop;
mod metrics;
mod outgoing;
mod record;
mod refusals;
mod request_json;
mod respond;
mod server;
mod service;
mod shared;
mod spans;
mod stalled;
mod tls;

pub use config::{Config, Upstream, UpstreamError};
pub use handle::Handle;
pub use main_loop::{run, run_demo};
pub use server::{Proxy, StartError};
