//! MARC: control records and disclosures of uncertainty, usable without the parser.

#[cfg(feature = "marc")]
mod document;
#[cfg(feature = "marc")]
mod draft;
#[cfg(feature = "marc")]
mod number;
mod object;
#[cfg(feature = "marc")]
mod score;
#[cfg(feature = "marc")]
mod terms;
#[cfg(feature = "marc")]
mod violation;

#[cfg(feature = "marc")]
pub use document::{Document, DocumentError};
#[cfg(feature = "marc")]
pub use draft::{Draft, Profile};
pub use object::{Kind, MarcObject};
#[cfg(feature = "marc")]
pub use score::{Score, ScoreError, Scores};
#[cfg(feature = "marc")]
pub use terms::{Action, Band, Remediability, Source, Target, UnknownTerm};
#[cfg(feature = "marc")]
pub use violation::{Level, Report, Violation, ViolationCode};
