//! Provider streams and citations.

mod api;
mod citation_read;
mod citation_write;
mod fixtures;
mod gate;
mod limits;
mod oracle;
mod review;
mod rewrite;
mod sse;
mod wire_stream;
