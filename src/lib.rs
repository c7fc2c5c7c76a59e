//! provstream.
#![forbid(unsafe_code)]

mod event;
pub mod extract;
mod lex;
mod limits;
mod parser;
mod position;
pub mod provenance;
mod rewrite;
mod span;

pub use event::{BracketAnnotation, Code, Diagnostic, Event, Text};
pub use limits::{LimitError, Limits};
pub use parser::{Mode, Parser, ParserBuilder};
pub use position::{ChunkIndex, Positions};
pub use rewrite::{Replacement, RewriteSink, Rewriter};
pub use span::Span;
