//! MARC is a profile for what generative models and agents report about their control decisions: how sure a system is of a
//! direct answer, where its uncertainty comes from, and whether it answers, asks, looks something up or abstains. Such a
//! report is a *record*. This crate selects actions and writes their records, and it reads, validates, discloses and carries
//! records, with or without the parser.
//!
//! A [`Session`] selects an action and writes its record. Its [`Decision`] gives a [`Speech`], which has a place for an answer only
//! if the action is `ANSWER`. Place a record of another component in a [`TrustContext`] before you disclose it or base a
//! decision on it.
//!
//! ```
//! use provstream_marc::{Document, MarcKind, Profile};
//!
//! let record = Document::parse(br#"{"marc_version": "1.0", "action": "ABSTAIN"}"#)?;
//! let report = record.validate(MarcKind::Core, Profile::default());
//! assert!(!report.is_valid());
//! for violation in report.violations() {
//!     println!("MARC-02 {}, at {:?}: {}", violation.section(), violation.pointer(), violation.message());
//! }
//! # Ok::<(), provstream_marc::DocumentError>(())
//! ```

mod bands;
pub mod carry;
mod core;
mod decide;
mod declare;

mod decision_memory;
mod deployment;
mod disclosure;
mod document;
mod draft;
mod members;
mod nested;
mod number;
mod object;
mod projection;
pub mod read;
mod read_error;
mod schema;
mod score;
mod sequence_validator;
mod situation_input;
mod speech;
mod terms;
mod trust;
mod validate;
mod validated_object;
mod violation;
mod wording;

pub use self::core::{Core, CoreBuilder};
pub use bands::{
    Bands, BandsError, BandsErrorKind, Calibration, CalibrationError, CalibrationErrorKind,
};
pub use decide::{
    Bound, BoundHit, BoundKind, Bounds, Controller, DecideError, DecideErrorKind, Decision,
    Details, Deviation, Exhausted, Intervention, Judgement, Policy, PolicyError, PolicyErrorKind,
    Remedy, RiskTier, Selection, Session, SessionError, SessionErrorKind, SessionState, Situation,
    Spent, Step, Thresholds,
};
pub use deployment::{
    CarrierKind, ConformanceBasis, ConformanceClass, ConformanceFinding, ConformanceOutcome,
    ConformanceReport, Deployment, DeploymentError, DeploymentErrorKind, Extension, Implementation,
    Mapping,
};
pub use disclosure::{Disclosure, DisclosureBuilder};
pub use document::{Document, DocumentError, DocumentErrorKind};
pub use draft::{Draft, Profile};
pub use nested::{FoundObject, NestedObject, find_marc_objects, visit_objects};
pub use projection::{Projection, SpeechError, SpeechErrorKind};
pub use provstream::{MarcKind, MarcObject};
pub use read_error::{ReadError, ReadErrorKind};
pub use schema::schema;
pub use score::{Score, ScoreError, ScoreErrorKind, Scores};
pub use sequence_validator::SequenceValidator;
pub use situation_input::SituationInput;
pub use speech::{Answering, Clarifying, Deferring, Refusing, Speech};
pub use terms::{Action, Band, Remediability, Source, Target, TermError, TermErrorKind};
pub use trust::{
    ContextualRecord, Domain, Permission, TrustContext, TrustError, TrustErrorKind, TrustPolicy,
    Use,
};
pub use validate::validate;
pub use validated_object::{ValidatedObject, validate_all, validate_value};
pub use violation::{Level, Report, Violation, ViolationCode};
pub use wording::{
    Language, Wording, WordingError, WordingErrorKind, WordingFinding, WordingKind, WordingPart,
    check_wording,
};
