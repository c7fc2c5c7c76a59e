//! MARC: control records and disclosures of uncertainty, usable without the parser.

#[cfg(feature = "marc")]
mod assemble;
#[cfg(feature = "marc")]
mod bands;
mod calibrated;
#[cfg(feature = "marc")]
pub mod carry;
#[cfg(feature = "marc")]
mod core;
#[cfg(feature = "marc")]
mod core_builder;
#[cfg(feature = "marc")]
mod decide;
#[cfg(feature = "marc")]
mod decision_memory;
#[cfg(feature = "marc-deployment")]
mod deployment;
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
pub(crate) mod object;
#[cfg(feature = "marc")]
mod piece;
#[cfg(feature = "marc")]
mod projection;
#[cfg(feature = "marc")]
mod read_error;
#[cfg(feature = "marc")]
mod schema;
#[cfg(feature = "marc")]
mod score;
#[cfg(feature = "marc")]
mod stream_check;
#[cfg(feature = "marc")]
mod terms;
#[cfg(feature = "marc")]
mod trust;
#[cfg(feature = "marc")]
mod validate;
#[cfg(feature = "marc")]
mod violation;
#[cfg(feature = "marc")]
mod wording;

#[cfg(feature = "marc")]
pub use self::core::Core;
#[cfg(feature = "marc")]
pub use bands::{Bands, BandsError, Calibration, CalibrationError};
pub use calibrated::{CalibratedScores, EmptyStatement};
#[cfg(feature = "marc")]
pub use core_builder::CoreBuilder;
#[cfg(feature = "marc")]
pub use decide::{
    Appraisal, Bound, BoundHit, BoundKind, Bounds, Controller, DecideError, Decision,
    DefaultPolicy, Details, Deviation, DeviationError, Intervention, Judgement, Judgements,
    Materiality, NotRunning, Policy, Preference, Remedies, Remedy, RiskTier, Selection, Session,
    SessionError, SessionState, Situation, Spent, Step, SubActionError, SubActions, Suitability,
    Threshold, ThresholdError, Weights,
};
#[cfg(feature = "marc-deployment")]
pub use deployment::{
    CarrierKind, ConformanceBasis, ConformanceClass, ConformanceFinding, ConformanceOutcome,
    ConformanceReport, Deployment, DeploymentError, DeploymentErrorKind, Extension, Implementation,
    Mapping,
};
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
pub use projection::{Content, ProjectError, Projected, Projection};
#[cfg(feature = "marc")]
pub use read_error::ReadError;
#[cfg(feature = "marc")]
pub use schema::schema;
#[cfg(feature = "marc")]
pub use score::{Score, ScoreError, Scores};
#[cfg(feature = "marc")]
pub use stream_check::StreamCheck;
#[cfg(feature = "marc")]
pub use terms::{Action, Band, Remediability, Source, Target, UnknownTerm};
#[cfg(feature = "marc")]
pub use trust::{
    Attestation, AttestationError, Domain, Move, NotPermitted, Permission, Placed, TrustContext,
    TrustPolicy, Use,
};
#[cfg(feature = "marc")]
pub use violation::{Level, Report, Violation, ViolationCode};
#[cfg(feature = "marc")]
pub use wording::{
    Wording, WordingError, WordingErrorKind, WordingFinding, WordingKind, WordingPart,
    check_wording,
};
