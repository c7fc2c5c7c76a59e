//! The providers' wire formats, without I/O: from the bytes of a streamed response to text by channel, and back.
//!
//! A provider streams an answer as events, each with a piece of JSON in it, as server-sent events (SSE) or one JSON value a
//! line. Every event has a few characters of one [`Channel`]: a choice, a content block, a candidate. The layers, each
//! usable alone:
//!
//! - [`SseDecoder`] cuts an SSE stream into events, per the HTML standard;
//! - [`Decoder`] reads a [`Format`] and gives [`Item`]s: text, reasoning and tool calls, kept apart, by channel;
//! - [`ResponseParser`] has a [`Parser`](provstream::Parser) for each channel;
//! - [`StreamRewriter`] writes the same event stream with the annotations in its text removed or replaced.
//!
//! What always holds:
//! - No input is an error. What is odd gives a [`Notice`] with its place.
//! - How the stream is cut into chunks changes nothing.
//! - Memory is bounded: an event by [`DEFAULT_MAX_EVENT`] or what was set, channels by [`MAX_CHANNELS`].
//!
//! ```
//! use provstream_providers::{Format, StreamRewriter};
//! use provstream::Parser;
//!
//! let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is so. [substrate\"}}]}\n\n\
//!               data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\".grep] Really.\"}}]}\n\n\
//!               data: [DONE]\n\n";
//! let mut clean = Vec::new();
//! let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
//! for chunk in stream.as_bytes().chunks(7) {
//!     rewriter.push(chunk, |bytes: &[u8]| clean.extend_from_slice(bytes));
//! }
//! rewriter.finish(|bytes: &[u8]| clean.extend_from_slice(bytes));
//! let expected = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is so.\"}}]}\n\n\
//!                 data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" Really.\"}}]}\n\n\
//!                 data: [DONE]\n\n";
//! assert_eq!(String::from_utf8(clean).unwrap(), expected);
//! ```

mod again;
mod channel;
pub mod citation;
mod decoder;
mod deferred;
mod escape;
mod format;
mod formats;
mod found;
mod frame;
mod framer;
mod halves;
mod item;
mod lines;
mod message;
mod numbering;
mod reader;
mod removed;
mod report;
mod response_parser;
mod rewriter;
mod sink;
mod sse;
mod template;
mod text;
mod walk;
#[cfg(feature = "futures")]
mod wire_stream;

pub use channel::{Channel, ChannelError};
pub use decoder::Decoder;
pub use format::{Format, UnknownFormat};
pub use item::{Delta, Item, Notice, NoticeCode};
pub use reader::MAX_CHANNELS;
pub use report::ReadReport;
pub use response_parser::{ResponseParser, WireEvent};
pub use rewriter::StreamRewriter;
pub use sink::{
    ByBytes, ByStreamHandler, BytesFn, ChannelPosition, IntoStreamHandler, StreamHandler,
};
pub use sse::{DEFAULT_MAX_EVENT, SseDecoder, SseEvent, SsePiece};
#[cfg(feature = "futures")]
pub use wire_stream::WireStream;
