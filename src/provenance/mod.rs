//! The provenance memo's vocabulary, annotations, grammar and admissibility discipline.
//!
//! Nothing here needs the parser.

mod admissibility;
mod annotation;
pub(crate) mod assertion;
mod class;
mod counting;
mod duration;
mod escape;
mod grammar;
mod observation;
pub(crate) mod packed;
pub(crate) mod reading;
pub(crate) mod slot;
mod timestamp;
mod version;
mod vocabulary;
mod vocabulary_error;
#[cfg(feature = "settings")]
mod vocabulary_file;
mod write;
mod write_error;
mod write_json;

pub use admissibility::{Discipline, DisciplineBuilder, DisciplineError, Verdict, VerdictReason};
pub use annotation::{Annotation, LabelKind, Reason};
pub use assertion::{AnnotationIter, Assertion, Encoding};
pub use class::Class;
pub use counting::Counting;
pub use duration::{DurationError, DurationErrorKind, parse_duration};
pub use escape::{escape, escape_str};
pub(crate) use grammar::MAX_PARAMETERS;
pub use grammar::{Bracketed, GrammarError, Malformation, Parameter, parse_annotation};
pub use observation::{ObservationCheck, ObservationLevel, ObservationOutcome};
pub use timestamp::{Timestamp, TimestampError, TimestampErrorKind};
pub use version::{ParseVersionError, Version};
pub use vocabulary::{Resolution, Vocabulary, VocabularyBuilder};
pub use vocabulary_error::{VocabularyError, VocabularyErrorKind};
pub use write::{BracketedForm, write_bracketed};
pub use write_error::WriteError;
pub use write_json::{JsonForm, write_json_annotation, write_json_assertion};
