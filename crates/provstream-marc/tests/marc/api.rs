//! What every public type of MARC can be relied on for: threads, the usual traits, errors that are errors.

use std::error::Error;
use std::fmt::{Debug, Display};

use provstream_marc::carry::{
    A2aMessage, AuditLine, CarrierNameError, CarryError, McpMeta, Place, ResponseMetadata,
};
use provstream_marc::{
    Action, Appraisal, Attestation, AttestationError, Band, Bands, BandsError, Bound, BoundHit,
    BoundKind, Bounds, CalibratedScores, Calibration, CalibrationError, ConformanceClass,
    ConformanceFinding, ConformanceOutcome, ConformanceReport, Content, ContextualRecord,
    Controller, Core, CoreBuilder, DecideError, Decision, DefaultPolicy, Deployment,
    DeploymentError, Details, Deviation, DeviationError, Disclosure, DisclosureBuilder, Document,
    DocumentError, Domain, Draft, Intervention, Judgement, Judgements, Level, Materiality, Move,
    NotPermitted, NotRunning, Permission, Preference, Profile, ProjectError, Projected, Projection,
    ReadError, Remediability, Remedies, Remedy, Report, RiskTier, Score, ScoreError, Scores,
    Selection, SequenceValidator, Session, SessionError, SessionState, Situation, Source, Spent,
    Step, SubActionError, SubActions, Suitability, Target, Threshold, ThresholdError, TrustContext,
    TrustPolicy, UnknownTerm, Use, Violation, ViolationCode, Weights, Wording, WordingError,
    WordingFinding, WordingKind, WordingPart,
};

/// Can be moved to another thread and shared between threads, and can be looked at and copied.
fn common<T: Send + Sync + Unpin + Debug + Clone + 'static>() {}

/// Can be compared.
fn value<T: PartialEq + Debug>() {}

fn shown<T: Display>() {}

/// Can be returned as a boxed error and sent to another thread.
fn error<T: Error + Send + Sync + Clone + PartialEq + 'static>() {}

macro_rules! each {
    ($check:ident: $($type:ty),+ $(,)?) => {
        $($check::<$type>();)+
    };
}

#[test]
fn all_types_can_be_sent_shared_looked_at_and_cloned() {
    each!(common: Action, Appraisal, Attestation, Band, Bands, Bound, BoundHit, BoundKind, Bounds, CalibratedScores,
        Calibration, ConformanceClass, ConformanceFinding, ConformanceOutcome, ConformanceReport, Content<'static>,
        Controller, Core, CoreBuilder, Decision, DefaultPolicy, Deployment, Details, Deviation, Disclosure,
        DisclosureBuilder, Document, Domain, Draft, Intervention, Judgement, Judgements, Level, Materiality, Move,
        Permission, ContextualRecord, Preference, Profile, Projected, Projection, Remediability, Remedies, Remedy, Report, RiskTier,
        Score, Scores, Selection, Session, SessionState, Situation, Source, Spent, Step, SequenceValidator, SubActions,
        Suitability, Target, Threshold, TrustContext, TrustPolicy, Use, Violation, ViolationCode, Weights, Wording,
        WordingFinding, WordingKind, WordingPart, A2aMessage, AuditLine, McpMeta, ResponseMetadata, Place<'static>);
}

#[test]
fn what_is_a_value_can_be_compared() {
    each!(value: Action, Bands, Bounds, Calibration, Content<'static>, Core, CoreBuilder, Decision, Details, Disclosure,
        DisclosureBuilder, Document, Profile, Projected, Projection, Report, Scores, Selection, SessionState, Situation,
        Spent, SequenceValidator, TrustContext, Violation, Wording, WordingFinding);
}

#[test]
fn what_is_written_or_read_has_a_text() {
    each!(shown: Action, Band, Bands, BoundHit, BoundKind, Bounds, ConformanceReport, Document, Draft, Level, Remediability,
        Report, Score, Scores, Selection, Source, Target, Violation, ViolationCode, WordingFinding);
}

#[test]
fn errors_are_errors() {
    each!(error: AttestationError, BandsError, CalibrationError, CarrierNameError, CarryError, DecideError, DeploymentError,
        DeviationError, DocumentError, NotPermitted, NotRunning, ProjectError, ReadError, Report, ScoreError, SessionError,
        SubActionError, ThresholdError, UnknownTerm, WordingError);
}
