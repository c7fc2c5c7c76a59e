//! MARC: control records and disclosures of uncertainty, usable without the parser.

#[cfg(feature = "marc")]
mod assemble;
#[cfg(feature = "marc")]
mod core;
#[cfg(feature = "marc")]
mod core_builder;
#[cfg(feature = "marc")]
mod disclosure;
#[cfg(feature = "marc")]
mod disclosure_builder;
#[cfg(feature = "marc")]
mod document;
#[cfg(feature = "marc")]
mod draft;
#[cfg(feature = "marc")]
mod members;
#[cfg(feature = "marc")]
mod number;
mod object;
#[cfg(feature = "marc")]
mod read_error;
#[cfg(feature = "marc")]
mod score;
#[cfg(feature = "marc")]
mod terms;
#[cfg(feature = "marc")]
mod validate;
#[cfg(feature = "marc")]
mod violation;
#[cfg(feature = "marc")]
mod wording;

#[cfg(feature = "marc")]
pub use self::core::Core;
#[cfg(feature = "marc")]
pub use core_builder::CoreBuilder;
#[cfg(feature = "marc")]
pub use disclosure::Disclosure;
#[cfg(feature = "marc")]
pub use disclosure_builder::DisclosureBuilder;
#[cfg(feature = "marc")]
pub use document::{Document, DocumentError};
#[cfg(feature = "marc")]
pub use draft::{Draft, Profile};
pub use object::{Kind, MarcObject};
#[cfg(feature = "marc")]
pub use read_error::ReadError;
#[cfg(feature = "marc")]
pub use score::{Score, ScoreError, Scores};
#[cfg(feature = "marc")]
pub use terms::{Action, Band, Remediability, Source, Target, UnknownTerm};
#[cfg(feature = "marc")]
pub use violation::{Level, Report, Violation, ViolationCode};
#[cfg(feature = "marc")]
pub use wording::{
    Wording, WordingError, WordingErrorKind, WordingFinding, WordingKind, WordingPart,
    check_wording,
};
