//! Finds provenance annotations in streamed LLM output and reports each one, with the sentence it belongs to, as soon as
//! it is unambiguous.
//!
//! ```text
//! in      The file has an entry. [substrate.grep; ts=2026-05-28T11:40:00Z] It is the last one.
//! text    The file has an entry. It is the last one.
//! events  assertion "The file has an entry." bytes 0..22, declared class substrate.grep
//! ```
//!
//! ```toml
//! [dependencies]
//! provstream = { path = "../provstream" } # a checkout: version 0.1 is not released yet
//! # Optional: features = ["futures", "serde", "settings", "tokio"]
//! ```
//!
//! ```
//! use provstream::{Event, Parser};
//!
//! let mut parser = Parser::new();
//! let mut report = |event: Event<'_>| {
//!     if let Event::Assertion(assertion) = event {
//!         let classes: Vec<_> = assertion.classes().map(|class| class.as_str()).collect();
//!         println!("{:?}: {}", assertion.text(), classes.join(", "));
//! #       assert_eq!((assertion.text(), &classes[..]), ("The file has an entry.", &["substrate.grep"][..]));
//!     }
//! };
//! for chunk in ["The file has an ent", "ry. [substrate.gr", "ep] It is the last one."] {
//!     parser.push(chunk.as_bytes(), &mut report); // the third chunk prints "The file has an entry.": substrate.grep
//! }
//! parser.finish(&mut report); // reports what the end of the stream completes
//! ```
//!
//! Memory use is bounded by the [`Limits`], every input is accepted, every byte is accounted for, and results do not depend
//! on chunk boundaries. No error stops the parser; [`DiagnosticCode`] lists what is reported as a [`Diagnostic`].
//!
//! The *provenance memo*, an Internet-Draft that this documentation also calls "the memo", defines the annotations and their
//! vocabulary. The wire profile in `docs/wire.md` defines how they are read from a stream.
//!
//! The *emitter* is the model, or the system around it, that writes the stream. In an annotation, the emitter declares
//! which class of *substrate* (a source outside the model, such as a commit log) it consulted. Instead of a class, an
//! annotation can have a *terminal*, which says that no source corroborates the assertion, or that the observation is too
//! old. An annotation is never evidence that an observation took place (provenance memo, section 11.1).
//!
//! # What to use
//!
//! | to | use |
//! |---|---|
//! | remove the annotations from a text | [`strip`] |
//! | get all events of a stream that is in memory | [`parse`] |
//! | get events while a stream arrives | [`Parser`]; [`Event::into_owned`] makes an event that can be kept or sent |
//! | remove, replace or keep annotations while a stream arrives | [`Rewriter`] |
//! | get clean text from a reader or a stream of chunks, or write clean text to a writer | [`io`] |
//! | decide whether an assertion may be acted on | [`provenance::Discipline`] |
//! | withhold or change assertions before anyone reads them | [`Gate`] with a [`Policy`], or a policy file: `Rules` (feature `settings`) |
//! | parse text that the model did not write, such as tool output | [`Parser::push_untrusted`], [`provenance::escape`] |
//! | convert offsets to code points or UTF-16 code units | [`OffsetMap`] |
//! | write annotations | [`provenance::BracketedForm`], [`provenance::JsonForm`] |
//! | read the event stream of a provider (OpenAI, Anthropic, Gemini, Ollama, Cohere and others) | the crate `provstream-providers` |
//! | read or write citations of providers | `citation` of the crate `provstream-providers` |
//! | ask a model for annotations, or enforce them | the crate `provstream-emit` |
//! | read, validate and write MARC objects (records of a system's control decisions) | the crate `provstream-marc` |
//!
//! # Verdicts
//!
//! A [`Discipline`](provenance::Discipline) decides whether an assertion may be acted on: its annotations must name enough
//! distinct classes, each with a recent enough time.
//!
//! ```
//! use provstream::Event;
//! use provstream::provenance::{Discipline, Timestamp};
//! use std::time::Duration;
//!
//! let discipline = Discipline::own_state() // needs two distinct classes
//!     .default_window(Duration::from_secs(3_600))
//!     .build()?;
//! let now: Timestamp = "2026-05-28T12:00:00Z".parse()?; // or `Timestamp::now()`
//! let answer = b"The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] \
//!                [substrate.git.log; ts=2026-05-28T11:41:00Z]";
//! for event in provstream::parse(answer) {
//!     if let Event::Assertion(assertion) = event {
//!         let verdict = discipline.judge(&assertion, now);
//!         let expected = "admitted: 2 of 2 classes: substrate.git.log, substrate.grep";
//!         assert_eq!(verdict.to_string(), expected);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # JSON
//!
//! In JSON, an object with a string member `assertion` is an assertion, and its member `provenance` has the annotations.
//! [`Mode`] says where to expect JSON: mixed with free text ([`Mode::Auto`], the default), as the whole stream
//! ([`Mode::Json`]), or as one value on each line ([`Mode::Ndjson`]). Objects are found at any depth and reported at their
//! closing brace, with the JSON Pointer of their text ([`provenance::Assertion::pointer`]). MARC objects are reported as
//! [`Event::Marc`]. The parser builds no tree. It passes JSON through as text at once, unless you ask it to
//! [hold back records](ParserBuilder::hold_records), so that they can be removed. A record is a JSON value whose root is an
//! assertion or a MARC object.
//!
//! ```
//! use provstream::Event;
//!
//! let answer = br#"As asked: {"claims": [{"assertion": "The build is green.",
//!     "provenance": {"substrate_class": "substrate.grep"}}]} That is all."#;
//! for event in provstream::parse(answer) {
//!     if let Event::Assertion(assertion) = event {
//!         assert_eq!(assertion.text(), "The build is green.");
//!         assert_eq!(assertion.pointer(), Some("/claims/0/assertion"));
//!     }
//! }
//! ```
//!
//! # Features
//!
//! No feature is on by default.
//!
//! - `dialects`: markers of citations as models write them (`Dialects`, `ParserBuilder::dialects`).
//! - `futures`: adapters for streams of chunks: `io::TextStream` and `io::GateStream`.
//! - `serde`: `Serialize` for events and values, in the JSON that the command line prints.
//! - `settings`: TOML files for vocabularies (`Vocabulary::from_toml`) and for policies of a gate (`Rules`), and the parts of
//!   module [`settings`] that read them.
//! - `tokio`: adapters for tokio: `io::RewriteReader`, and `AsyncRead` for `io::GateReader`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod borrow;
#[cfg(feature = "dialects")]
mod dialect;
mod engine;
mod event;
mod gate;
mod handler;
pub mod io;
pub mod json;
mod limits;
mod marc_object;
#[cfg(feature = "dialects")]
mod marker;
#[cfg(feature = "dialects")]
mod marker_ids;
mod mode;
mod names;
mod offset_map;
mod one_shot;
mod parser;
pub mod provenance;
#[cfg(feature = "dialects")]
pub mod render;
mod rewrite;
#[cfg(feature = "serde")]
mod serial;
pub mod settings;
#[cfg(feature = "dialects")]
mod sources;
mod span;
mod steps;

#[cfg(feature = "dialects")]
pub use dialect::{Dialect, DialectError, DialectErrorKind, Dialects};
pub use engine::sentence;
pub use event::{
    BracketAnnotation, Diagnostic, DiagnosticCode, Event, EventBytes, JsonRecord, OwnedEvent,
    TextChunk,
};
pub use gate::{
    Action, AtLimit, Gate, GateEnd, GateHandler, Policy, Question, Spacing, Unannotated,
};
#[cfg(feature = "settings")]
pub use gate::{
    Disposition, PolicyError, PolicyErrorKind, RulePolicy, Rules, policy_file, ready_policy,
};
pub use handler::{ByClosure, ByHandler, Handler, HandlerFn, IntoHandler, Replacement, handler_fn};
pub use limits::{LimitError, Limits};
pub use marc_object::{MarcKind, MarcObject};
#[cfg(feature = "dialects")]
pub use marker::{Citation, CitationReason, CitedId, Marker, MarkerKind};
pub use mode::Mode;
pub use names::UnknownNameError;
pub use offset_map::OffsetMap;
pub use one_shot::{parse, strip};
pub use parser::{OffsetError, Parser, ParserBuilder};
pub use rewrite::Rewriter;
#[cfg(feature = "dialects")]
pub use sources::{Source, Sources};
pub use span::Span;

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples, run as tests. One of them is async.
#[cfg(all(doctest, feature = "futures"))]
#[doc = include_str!("../docs/guide.md")]
struct Guide;
