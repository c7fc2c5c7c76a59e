//! Streaming, zero-copy parser for per-assertion provenance annotations in LLM output.
//!
//! A model can mark every single assertion of its answer with where it comes from: a substrate class out of a closed
//! vocabulary, or one of two terminal states, in brackets behind the assertion or in JSON. This crate reads such a stream
//! in whatever pieces it arrives and reports, at the earliest byte where it is certain, the annotations and the assertion
//! each belongs to, while the text itself is handed on without delay.
//!
//! What always holds:
//! - No input is an error. What is odd gives a [`Diagnostic`] with its place.
//! - Memory is bounded by the [`Limits`], whatever the length of the stream.
//! - No byte is lost: texts, bracketed annotations and held records cover the stream without gap or overlap.
//! - How the stream is cut into chunks changes nothing but the pieces in which text is handed on.
//!
//! # The tour
//!
//! [`Parser`] is the core: [`push`](Parser::push) chunks and get [`Event`]s that borrow from them; [`QueuedParser`] is
//! the same with owned chunks and events. [`Rewriter`] hands on the text with its annotations kept, removed or
//! replaced. [`sentence`] finds the last sentence before an annotation. [`OffsetMap`] turns byte offsets into code points
//! and UTF-16 units, [`ChunkIndex`] into tokens. [`io`] puts a parser into a reader, a writer or a stream of chunks.
//!
//! [`provenance`] can be used without the parser: the closed vocabulary and newer ones from a file, strict RFC 3339
//! timestamps, the grammar of one annotation, writing annotations and escaping foreign text, and the admissibility
//! discipline that decides on an assertion by what was declared about it.
//!
//! [`marc`] neither needs the parser: records of decisions under uncertainty and their disclosures, read, held against their
//! draft, built, decided on, worded and carried.
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
//! says where JSON is: in free text, beside brackets ([`Mode::Auto`], the default), as the whole stream ([`Mode::Json`]),
//! or one value a line ([`Mode::Ndjson`]). Objects are found wherever in a value they stand and reported at their closing
//! brace, with the JSON Pointer of their text ([`provenance::Assertion::pointer`]); so are MARC objects, as [`Event::Marc`], which
//! [`marc::MarcObject::validate`] holds against a draft. No tree is built, and nothing is held back, unless
//! [records are to be removed](ParserBuilder::hold_records). [`provenance::JsonForm`] writes what is read here.
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
//! # What it is worth
//!
//! An annotation says what the emitter declared about its own behaviour. It is never evidence that the observation took
//! place (`provenance memo 11.1`).
//!
//! # Features
//!
//! - `citation` (default): the citation formats of providers and of the W3C, module `citation`.
//! - `futures`: `io::EventStream` and `io::TextStream` around a stream of chunks, and with `wire` also
//!   `io::WireStream`.
//! - `marc` (default): all of the module [`marc`] but finding MARC objects, which the parser always does.
//! - `marc-deployment` (default): reading a deployment's description from a TOML file, and reporting on its conformance.
//! - `metrics`: counters and histograms of a parser through the `metrics` facade, module `metered`.
//! - `tokio`: `io::EventDecoder`, `io::AnnotationEncoder` and `io::RewriteReader`.
//! - `vocabulary-file` (default): loading a vocabulary from a TOML file.
//! - `wire` (default): the wire formats of providers, module `wire`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod borrow;
mod chunk_index;
mod event;
mod extract;
mod gate;
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
pub use gate::{Action, AtLimit, Gate, GateEnd, GateHandler, Policy, Question, Unannotated};
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
