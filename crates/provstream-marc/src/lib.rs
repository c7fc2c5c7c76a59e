//! MARC: control records and disclosures of uncertainty, usable without the parser.

mod assemble;
mod bands;
mod calibrated;
pub mod carry;
mod core;
mod core_builder;
mod decide;
mod decision_memory;
mod deployment;
mod disclosure;
mod disclosure_builder;
mod document;
mod draft;
mod members;
mod number;
mod piece;
mod projection;
mod read_error;
mod schema;
mod score;
mod sequence_validator;
mod terms;
mod trust;
mod validate;
mod violation;
mod wording;

pub use self::core::Core;
pub use bands::{Bands, BandsError, Calibration, CalibrationError};
pub use calibrated::{CalibratedScores, EmptyStatement};
pub use core_builder::CoreBuilder;
pub use decide::{
    Appraisal, Bound, BoundHit, BoundKind, Bounds, Controller, DecideError, Decision,
    DefaultPolicy, Details, Deviation, DeviationError, Intervention, Judgement, Judgements,
    Materiality, NotRunning, Policy, Preference, Remedies, Remedy, RiskTier, Selection, Session,
    SessionError, SessionState, Situation, Spent, Step, SubActionError, SubActions, Suitability,
    Threshold, ThresholdError, Weights,
};
pub use deployment::{
    CarrierKind, ConformanceBasis, ConformanceClass, ConformanceFinding, ConformanceOutcome,
    ConformanceReport, Deployment, DeploymentError, DeploymentErrorKind, Extension, Implementation,
    Mapping,
};
pub use disclosure::Disclosure;
pub use disclosure_builder::DisclosureBuilder;
pub use document::{Document, DocumentError};
pub use draft::{Draft, Profile};
pub use projection::{Content, ProjectError, Projected, Projection};
pub use provstream::{MarcKind, MarcObject};
pub use read_error::ReadError;
pub use schema::schema;
pub use score::{Score, ScoreError, Scores};
pub use sequence_validator::SequenceValidator;
pub use terms::{Action, Band, Remediability, Source, Target, UnknownTerm};
pub use trust::{
    Attestation, AttestationError, ContextualRecord, Domain, Move, NotPermitted, Permission,
    TrustContext, TrustPolicy, Use,
};
pub use validate::validate;
pub use violation::{Level, Report, Violation, ViolationCode};
pub use wording::{
    Wording, WordingError, WordingErrorKind, WordingFinding, WordingKind, WordingPart,
    check_wording,
};
