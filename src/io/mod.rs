//! Adapters that rewrite or gate the text of readers, writers and streams.
//!
//! | what comes in | what comes out | type | feature |
//! |---|---|---|---|
//! | bytes that are written to it | the rewritten text, into a [`Write`](std::io::Write) | [`RewriteWriter`] | |
//! | [`Read`](std::io::Read), or `AsyncRead` with `tokio` | a reader of the text that a gate releases | [`GateReader`] | |
//! | bytes that are written to it | the text that a gate releases, into a [`Write`](std::io::Write) | [`GateWriter`] | |
#![cfg_attr(
    feature = "futures",
    doc = "| a stream of chunks | a stream of the rewritten text | [`TextStream`] | `futures` |",
    doc = "| a stream of chunks | a stream of the text that a gate releases | [`GateStream`] | `futures` |"
)]
#![cfg_attr(
    feature = "tokio",
    doc = "| `AsyncRead` | an `AsyncRead` of the rewritten text | [`RewriteReader`] | `tokio` |"
)]
//!
//! Each takes a [`Parser`](crate::Parser) with the caller's settings; chunk boundaries affect only the pieces into which text
//! is cut. Each also takes a [`Handler`](crate::Handler), which gets all events, the rewritten text included. A handler of an
//! adapter that rewrites decides what replaces each annotation. To get the events on another task, let the handler send
//! [owned](crate::Event::into_owned) events through a channel.
//!
//! # What the bytes must be
//!
//! These adapters read the *text* of an answer. They find nothing in:
//! - the body of a provider's response, which carries the text inside JSON or server-sent events: use `WireStream` of the
//!   crate `provstream-providers`;
//! - a compressed body: decompress it first, for example by the HTTP client, or send `accept-encoding: identity`.
//!
//! # Guarantees
//!
//! - Bytes that were taken are never lost or repeated, whatever errors occur. All state is in the adapter: a future that is
//!   dropped before it is ready has taken nothing.
//! - Readers and streams finish at the end of the reader or stream inside and at its first error. All events and text of
//!   what was read come before the error, what was held back included; nothing comes after it. Errors of a reader that
//!   say that it would block or was interrupted end nothing.
//! - A handler gets all events of what was taken, and then its [`end`](crate::Handler::end), once, also when the adapter is
//!   dropped early. Text that is still held back is lost, and so are the events of an adapter without a handler. Only
//!   [`GateWriter`] writes when it is dropped; finish a [`RewriteWriter`] by [`finish`](RewriteWriter::finish).
//! - An adapter that rewrites is at its end when its handler panics, and does not call it again.
//! - No more input is read until the caller has taken the output of the input before. Memory is bounded by one piece of
//!   input with its events, what the parser buffers, and what the handler writes in the place of annotations.

use std::io::{self, ErrorKind};

mod gate;
#[cfg(feature = "futures")]
mod pieces;
#[cfg(feature = "tokio")]
mod rewrite_reader;
mod rewritten;
#[cfg(feature = "futures")]
mod text_stream;
mod writer;

#[cfg(feature = "futures")]
pub use gate::GateStream;
pub use gate::{GateReader, GateWriter};
#[cfg(feature = "futures")]
pub use pieces::Pieces;
#[cfg(feature = "tokio")]
pub use rewrite_reader::RewriteReader;
#[cfg(feature = "futures")]
pub use text_stream::TextStream;
pub use writer::RewriteWriter;

/// Returns `true` for an error after which the reader can be read again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Bytes asked of a reader, or taken from a caller, at a time.
const PIECE: usize = 8 << 10;
