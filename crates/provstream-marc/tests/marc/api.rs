//! Guarantees of every public type of the crate: threads, common traits, error types.

use std::error::Error;
use std::fmt::{Debug, Display};

use provstream_marc::carry::{Carrier, CarrierNameError, CarryError};
use provstream_marc::*;

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
    each!(common: Action, Answering, Band, Bands, Bound, BoundHit, BoundKind, Bounds, Calibration, Clarifying,
        ConformanceClass, ConformanceFinding, ConformanceOutcome, ConformanceReport, ContextualRecord, Controller, Core,
        CoreBuilder, Decision, Deferring, Deployment, Details, Deviation, Disclosure, DisclosureBuilder, Document, Domain, Draft,
        Exhausted, Intervention, Judgement, Language, Level, Permission, Policy, Profile, Projection, Refusing,
        Remediability, Remedy, Report, RiskTier, Score, Scores, Selection, SequenceValidator, Session, SessionState,
        Situation, Source, Speech, Spent, Step, Target, Thresholds, TrustContext, TrustPolicy, Use, Violation,
        ViolationCode, Wording, WordingFinding, WordingKind, WordingPart, Carrier);
}

#[test]
fn what_is_a_value_can_be_compared() {
    each!(value: Action, Bands, Bounds, Calibration, Core, CoreBuilder, Decision, Details, Disclosure, DisclosureBuilder, Document,
        Policy, Profile, Projection, Report, Scores, Selection, SequenceValidator, SessionState, Situation, Speech, Spent,
        TrustContext, Violation, Wording, WordingFinding);
}

#[test]
fn what_is_written_or_read_has_a_text() {
    each!(shown: Action, Band, Bands, BoundHit, BoundKind, ConformanceReport, Document, Draft, Language, Level,
        Remediability, Report, Score, Scores, Selection, Source, Step, Target, Violation, ViolationCode, WordingFinding);
}

#[test]
fn errors_are_errors() {
    each!(error: BandsError, CalibrationError, CarrierNameError, CarryError, DecideError, DeploymentError,
        DocumentError, PolicyError, ReadError, Report, ScoreError, SessionError, SpeechError,
        TermError, TrustError, WordingError);
}

/// The text that was given is part of the kind of the error.
#[test]
fn a_term_that_is_unknown_is_reported_with_those_that_are_known() {
    let error = "sure".parse::<Band>().unwrap_err();
    let kind = TermErrorKind::Unknown("confidence band", Band::NAMES, "sure".into());
    assert_eq!(error.kind(), &kind);
    assert_eq!(
        error.to_string(),
        "unknown confidence band \"sure\", expected one of low, medium, high"
    );
}

/// Scores are ordered and compared as the numbers that they are.
#[test]
fn scores_are_ordered_as_numbers() {
    let values = [0.0, f64::MIN_POSITIVE, 0.1, 0.5, 1.0 - f64::EPSILON, 1.0];
    for (place, one) in values.iter().enumerate() {
        for (other_place, other) in values.iter().enumerate() {
            let (one, other) = (Score::new(*one).unwrap(), Score::new(*other).unwrap());
            assert_eq!(one.cmp(&other), place.cmp(&other_place));
        }
    }
    assert_eq!(Score::new(-0.0), Ok(Score::ZERO));
}
