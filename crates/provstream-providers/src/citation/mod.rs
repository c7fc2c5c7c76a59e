//! Reads the citations of providers, and writes annotations as W3C, OpenAI or Gemini citations.
//!
//! There are two directions:
//!
//! - Out: an assertion at its place in the text that is shown ([`CleanText`], [`Cited`]) as a W3C Web Annotation
//!   ([`write_web_annotation`]), as annotations in the manner of OpenAI ([`write_openai_annotations`]), or as the
//!   grounding metadata of Gemini ([`write_gemini_grounding`]).
//! - In: the citations in an event of a provider's stream ([`read`]), as one type, [`Citation`].
//!   [Annotations](Citation::from_annotation) can be converted to the same type, so that a service can treat both alike.
//!
//! Each form counts in its own unit, and none of them says so in its JSON. Here a place includes its [`Unit`], and a
//! conversion returns `None` for a range that is not a place in the text.
//!
//! | form | unit | end |
//! |---|---|---|
//! | W3C text position selector | code points | exclusive |
//! | OpenAI `start_index`, `end_index` | code points | exclusive |
//! | Gemini `startIndex`, `endIndex` | bytes of UTF-8, within a part | exclusive |
//! | Cohere `start`, `end` | code points | exclusive |
//! | Anthropic | none: a citation is about its whole content block | |
//!
//! OpenAI and Cohere speak of characters, and OpenAI of "the last character" for the end. Their own examples use the
//! numbers to slice Python strings, which count code points and exclude the end; this module does the same.
//!
//! ```
//! use provstream::Span;
//! use provstream_providers::citation::{Provider, read};
//!
//! let event = r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,
//!     "annotation":{"type":"url_citation","start_index":3,"end_index":8,"url":"https://example.org/","title":"Example"}}"#;
//! let citations = read(Provider::OpenAi, event.as_bytes()).into_iter().collect::<Result<Vec<_>, _>>()?;
//! let citation = &citations[0];
//! assert_eq!(citation.locate("é: Paris."), Some(Span::new(4, 9)));
//! assert_eq!(citation.sources().next().and_then(|source| source.url()), Some("https://example.org/"));
//! # Ok::<(), provstream_providers::citation::CitationError>(())
//! ```
//!
//! # Members of a body
//!
//! In a Web Annotation the body for an annotation is a `TextualBody` whose `value` is the class. It has these members
//! beside those of the W3C, and the context of the annotation defines them:
//!
//! ## `substrate_class`
//!
//! The identifier of the class that the annotation resolves to.
//!
//! ## `declared`
//!
//! The identifier as it was written, if it differs from the class.
//!
//! ## `reason`
//!
//! Why the class differs from the identifier: `unknown-identifier`, `vocabulary-version` or `malformed`.
//!
//! ## `observation_id`
//!
//! The identifier of the observation, where there is one.
//!
//! ## `ts`
//!
//! When the observation took place, a date-time of RFC 3339 as it was written, where there is one.

mod cited;
mod error;
mod events;
mod link_template;
mod model;
mod node;
mod read;
mod source;
mod unit;
mod write;

pub use cited::{Cited, CleanText};
pub use error::{CitationError, CitationErrorKind, MAX_EVENT};
pub use events::{CitationEvent, CitationEvents};
pub use link_template::LinkTemplate;
pub use model::{Citation, Extent, Part, Provider};
pub use read::read;
pub use source::{CitedSource, Passage, PassageUnit, SourceKind};
pub use unit::{Unit, UnitSpan};
pub use write::{
    Link, OpenAiShape, TERMS, write_gemini_grounding, write_openai_annotations,
    write_web_annotation,
};
