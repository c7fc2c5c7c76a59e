//! Streaming, zero-copy parser for per-assertion provenance annotations in LLM output.
//!
//! A model can annotate each assertion of its answer with its source: a substrate class of a closed vocabulary, or one of
//! two terminals, in brackets after the assertion or in JSON. This crate finds the annotations in a stream and reports each
//! one, with the assertion it belongs to, as soon as it is unambiguous. The text itself passes through without delay.
//!
//! What always holds:
//! - No input is an error. Anything odd is reported as a [`Diagnostic`] with its position.
//! - Memory is bounded by the [`Limits`], whatever the length of the stream.
//! - No byte is lost: texts, bracketed annotations and removed records cover the stream without gap or overlap.
//! - Chunk boundaries affect only the pieces in which text is emitted.
//!
//! # The tour
//!
//! [`Parser`] is the core: [`push`](Parser::push) chunks and get [`Event`]s that borrow from them; [`QueuedParser`] is
//! the same with owned chunks and events. [`Rewriter`] emits the text with its annotations kept, removed or
//! replaced. [`sentence`] finds the last sentence before an annotation. [`OffsetMap`] converts byte offsets to code points
//! and UTF-16 units, [`ChunkIndex`] to tokens. [`io`] puts a parser into a reader, a writer or a stream of chunks.
//!
//! [`provenance`] can be used without the parser. It has the closed vocabulary and newer ones from a file, strict RFC 3339
//! timestamps, the grammar of one annotation, writing annotations, escaping untrusted text, and the admissibility
//! discipline, which judges an assertion by its annotations.
//!
//! Other crates build on this one: `provstream-providers` reads and rewrites the responses of LLM providers and their
//! citations, `provstream-marc` handles MARC records, and `provstream-emit` makes models write annotations.
//!
//! ```
//! use provstream::provenance::{Class, Discipline, Timestamp};
//! use provstream::{Event, Parser};
//! use std::time::Duration;
//!
//! let discipline = Discipline::own_state() // two distinct classes needed
//!     .default_window(Duration::from_secs(3_600))
//!     .build()?;
//! let now: Timestamp = "2026-05-28T12:00:00Z".parse()?;
//! let text = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] \
//!             [substrate.git.log; ts=2026-05-28T11:41:00Z]";
//! let mut parser = Parser::new();
//! let mut admitted = None;
//! let mut judge = |event: Event<'_>| {
//!     if let Event::Assertion(assertion) = event {
//!         admitted = Some(discipline.judge(&assertion, now).admitted());
//!     }
//! };
//! parser.push(text.as_bytes(), &mut judge);
//! parser.finish(&mut judge);
//! assert_eq!(admitted, Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # JSON
//!
//! In JSON an object with a string `assertion` is the assertion, and its member `provenance` has the annotations. [`Mode`]
//! says where JSON is expected: in free text, together with brackets ([`Mode::Auto`], the default), as the whole stream
//! ([`Mode::Json`]), or one value a line ([`Mode::Ndjson`]). Objects are found at any depth and reported at their closing
//! brace, with the JSON Pointer of their text ([`provenance::Assertion::pointer`]). MARC objects are reported as
//! [`Event::Marc`]; `provstream_marc::validate` checks one against a draft. No tree is built, and nothing is held back
//! unless [records are to be removed](ParserBuilder::hold_records). [`provenance::JsonForm`] writes this form.
//!
//! ```
//! use provstream::{Event, Parser};
//!
//! let text = r#"As asked: {"claims": [{"assertion": "The build is green.",
//!     "provenance": {"substrate_class": "substrate.grep"}}]} That is all."#;
//! let mut parser = Parser::new();
//! let mut found = Vec::new();
//! let mut sink = |event: Event<'_>| {
//!     if let Event::Assertion(assertion) = event {
//!         found.push(assertion.into_owned());
//!     }
//! };
//! for chunk in text.as_bytes().chunks(5) {
//!     parser.push(chunk, &mut sink);
//! }
//! parser.finish(&mut sink);
//! assert_eq!(found[0].text(), "The build is green.");
//! assert_eq!(found[0].pointer(), Some("/claims/0/assertion"));
//! assert_eq!(found[0].annotations().len(), 1);
//! ```
//!
//! # What an annotation means
//!
//! An annotation is what the emitter declares about its own behaviour. It is never evidence that the observation took
//! place (`provenance memo 11.1`).
//!
//! # Features
//!
//! No feature is on by default.
//!
//! - `futures`: `io::EventStream`, `io::TextStream` and `io::side_events`, around a stream of chunks.
//! - `metrics`: counters and histograms of a parser through the `metrics` facade, module `metered`.
//! - `serde`: `Serialize` for events and values: the JSON that the command line prints.
//! - `settings`: settings in TOML files, module [`settings`]; `Vocabulary::from_toml` loads a vocabulary.
//! - `tokio`: `io::EventDecoder`, `io::AnnotationEncoder` and `io::RewriteReader`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod borrow;
mod chunk_index;
mod event;
mod extract;
mod handler;
pub mod io;
pub mod json;
mod lex;
mod limits;
mod marc_object;
#[cfg(feature = "metrics")]
pub mod metered;
mod names;
mod offset_map;
mod one_shot;
mod parser;
pub mod provenance;
mod queue;
mod rewrite;
#[cfg(feature = "serde")]
mod serial;
pub mod settings;
mod span;
mod steps;

pub use chunk_index::ChunkIndex;
pub use event::{
    BracketAnnotation, Diagnostic, DiagnosticCode, Event, EventBytes, JsonRecord, OwnedEvent,
    TextChunk,
};
pub use extract::sentence;
pub use handler::{ByClosure, ByHandler, Handler, HandlerFn, IntoHandler, Replacement, handler_fn};
pub use limits::{LimitError, Limits};
pub use marc_object::{MarcKind, MarcObject};
pub use names::UnknownNameError;
pub use offset_map::OffsetMap;
pub use one_shot::{parse, strip};
pub use parser::{Mode, OffsetError, Parser, ParserBuilder};
pub use queue::QueuedParser;
pub use rewrite::Rewriter;
pub use span::Span;

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
struct Guide;
