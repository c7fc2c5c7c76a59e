//! The provenance memo's vocabulary, annotations, grammar and admissibility discipline.
//!
//! Nothing here knows the streaming engine; all of it can be used alone.

mod annotation;
mod class;
pub(crate) mod packed;
mod timestamp;
mod version;
mod vocabulary;
mod vocabulary_error;

pub use annotation::{Annotation, Assertion, Disposition, Encoding, Reason};
pub use class::Class;
pub use timestamp::{Timestamp, TimestampError, TimestampErrorKind};
pub use version::{ParseVersionError, Version};
pub use vocabulary::{Resolution, Vocabulary, VocabularyBuilder};
pub use vocabulary_error::{Place, VocabularyError, VocabularyErrorKind};
pub mod grammar;
