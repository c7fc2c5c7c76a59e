//! The parser in readers, writers and streams.
//!
//! | what comes in | what comes out | type | feature |
//! |---|---|---|---|
//! | [`Read`](std::io::Read) | an iterator of events | [`EventReader`] | |
//! | what is written | the text rewritten, into a [`Write`](std::io::Write) | [`RewriteWriter`] | |
#![cfg_attr(
    feature = "futures",
    doc = "| a stream of chunks | a stream of events | [`EventStream`] | `futures` |",
    doc = "| a stream of chunks | a stream of the text rewritten | [`TextStream`] | `futures` |"
)]
#![cfg_attr(
    feature = "tokio",
    doc = "| a `Framed` transport | events | [`EventDecoder`] | `tokio` |",
    doc = "| annotations and text | a `Framed` transport | [`AnnotationEncoder`] | `tokio` |",
    doc = "| `AsyncRead` | an `AsyncRead` of the text rewritten | [`RewriteReader`] | `tokio` |"
)]
//!
//! All of them take a [`Parser`](crate::Parser) that is set up as the caller wants it, and give what it gives: how the
//! bytes arrive changes nothing but the pieces in which text is handed on. What rewrites takes a [`Handler`](crate::Handler),
//! which decides what replaces each annotation and gets all events, the rewritten text included.
//!
//! What always holds:
//! - Bytes that were taken are never lost or repeated, whatever errors come between. All state is in the adapter, so a
//!   future of it that is dropped before it is ready has taken nothing.
//! - An error does not end the stream; only the end of what is inside does. An error never overtakes what was read
//!   before it.
//! - Nothing more is read before what was read is taken, so memory is bounded by one piece of input with its events, what
//!   the parser holds, and what the sink puts in the place of annotations.

#[cfg(feature = "tokio")]
mod decoder;
#[cfg(feature = "tokio")]
mod encoder;
#[cfg(feature = "futures")]
mod event_stream;
#[cfg(feature = "futures")]
mod pieces;
mod reader;
#[cfg(feature = "tokio")]
mod rewrite_reader;
#[cfg(feature = "futures")]
mod side;
#[cfg(feature = "futures")]
mod text_stream;
mod writer;

#[cfg(feature = "tokio")]
pub use decoder::EventDecoder;
#[cfg(feature = "tokio")]
pub use encoder::AnnotationEncoder;
#[cfg(feature = "futures")]
pub use event_stream::EventStream;
#[cfg(feature = "futures")]
pub use pieces::Pieces;
pub use reader::EventReader;
#[cfg(feature = "tokio")]
pub use rewrite_reader::RewriteReader;
#[cfg(feature = "futures")]
pub use side::{SideEvents, SideItem, SideSink, side_events};
#[cfg(feature = "futures")]
pub use text_stream::TextStream;
pub use writer::RewriteWriter;

/// Bytes asked of a reader, or taken from a caller, at a time.
const PIECE: usize = 8 << 10;
