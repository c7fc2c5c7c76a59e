//! Provenance annotations in the responses of LLM providers, without I/O: read, remove or replace them.
//!
//! A provider streams an answer as events: server-sent events (SSE), one JSON value a line, or the objects of one JSON
//! array. An event usually carries a few characters of one [`Channel`], such as a choice, a content block or a candidate.
//! Responses that are not streamed are read as well. Each layer is usable on its own:
//!
//! - [`StreamRewriter`] writes the same response with the annotations in its text removed or replaced;
//! - [`StreamGate`] also holds text back until a policy has decided about it, and removes or changes what the policy
//!   withholds;
//! - `WireStream` (feature `futures`) is a [`StreamRewriter`] for a stream of chunks, such as the body of a response;
//! - [`ResponseParser`] has a [`Parser`](provstream::Parser) for each channel;
//! - [`Decoder`] reads a [`Format`] and gives [`Item`]s: text, reasoning and tool calls, by channel;
//! - [`SseDecoder`] cuts an SSE stream into events, per the HTML standard.
//!
//! Guarantees:
//! - Every input is accepted. A [`ReadReport`] counts what was not read.
//! - Results do not depend on chunk boundaries.
//! - Memory is bounded: an event by [`DEFAULT_MAX_EVENT`] or the limit that was set, channels by [`MAX_CHANNELS`].
//!
//! ```
//! use provstream::Parser;
//! use provstream_providers::{Format, StreamRewriter};
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
//!
//! A closure takes the rewritten bytes. A handler that also wants the assertions implements two traits:
//!
//! ```
//! use provstream::{Event, Handler, Parser};
//! use provstream_providers::{ChannelPosition, Format, StreamHandler, StreamRewriter};
//!
//! #[derive(Default)]
//! struct Proxy {
//!     body: Vec<u8>,
//!     channel: String,
//!     found: Vec<String>,
//! }
//!
//! impl Handler for Proxy {
//!     fn event(&mut self, event: Event<'_>) {
//!         if let Event::Assertion(assertion) = event {
//!             self.found.push(format!("{}: {}", self.channel, assertion.text()));
//!         }
//!     }
//! }
//!
//! impl StreamHandler for Proxy {
//!     fn bytes(&mut self, bytes: &[u8]) {
//!         self.body.extend_from_slice(bytes); // goes to the client
//!     }
//!
//!     fn channel(&mut self, position: ChannelPosition) {
//!         self.channel = position.channel.to_string();
//!     }
//! }
//!
//! let line = br#"{"message":{"content":"It is so. [substrate.grep]"},"done":true}"#;
//! let mut proxy = Proxy::default();
//! let mut rewriter = StreamRewriter::new(Format::Ollama, Parser::new());
//! rewriter.push(line, &mut proxy);
//! rewriter.finish(&mut proxy);
//! assert_eq!(proxy.found, ["0: It is so."]);
//! ```

mod again;
mod blocks;
mod channel;
pub mod citation;
mod copy_changes;
mod counting;
mod decoder;
mod deferred;
mod elements;
mod escape;
mod event;
mod fields;
mod format;
mod formats;
mod found;
mod frame;
mod framer;
mod gate;
mod gate_event;
mod guard;
mod halves;
mod harmless;
mod item;
mod lines;
mod message;
mod numbering;
mod pass_members;
mod places;
mod pointer;
mod reader;
mod reasoning;
mod remembering;
mod removed;
#[cfg(feature = "dialects")]
mod rendered;
mod report;
mod response_parser;
mod rewriter;
mod rewriting;
mod seams;
mod sink;
mod sse;
mod steps;
mod template;
mod text;
mod text_id;
#[cfg(feature = "futures")]
mod through;
mod walk;
mod whole;
#[cfg(feature = "futures")]
mod wire_gate_stream;
#[cfg(feature = "futures")]
mod wire_stream;
mod words;

pub use channel::{Channel, ChannelError, MAX_CHANNELS};
pub use decoder::Decoder;
pub use format::Format;
pub use gate::StreamGate;
pub use gate_event::GateEvent;
pub use item::{Delta, Item, Notice, NoticeCode};
pub use pass_members::PassMembers;
pub use pointer::{Pointer, PointerError, PointerText, PointerTexts};
pub use reasoning::Reasoning;
#[cfg(feature = "dialects")]
pub use rendered::ChannelRenderer;
pub use report::ReadReport;
pub use response_parser::{ResponseParser, WireEvent};
pub use rewriter::StreamRewriter;
pub use sink::{
    ByBytes, ByStreamHandler, BytesFn, ChannelPosition, IntoStreamHandler, StreamHandler,
};
pub use sse::{DEFAULT_MAX_EVENT, SseDecoder, SseEvent, SsePiece};
#[cfg(feature = "futures")]
pub use wire_gate_stream::WireGateStream;
#[cfg(feature = "futures")]
pub use wire_stream::WireStream;
