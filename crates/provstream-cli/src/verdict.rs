//! Reasons for verdicts, in words.

use std::time::Duration;

use provstream::provenance::{
    Annotation, Assertion, Counting, ObservationOutcome, Reason, Verdict,
};

use crate::messages::truncate;

/// Most characters of an identifier in a message.
const MAX_IDENTIFIER: usize = 60;

/// Explains why an assertion has this reason or disposition, such as `below-floor`.
pub(crate) fn explain_verdict(
    reason: &str,
    assertion: &Assertion<'_>,
    verdict: &Verdict,
) -> String {
    let mut parts = vec![reason.to_owned()];
    if reason == "below-floor" {
        parts.push(format!(
            "{} of {} classes count",
            verdict.count(),
            verdict.floor()
        ));
    }
    if reason == "unknown-source" {
        let mut annotations = assertion.annotations();
        let unknown = annotations.find(|one| one.reason() == Some(Reason::UnknownSource));
        let id = unknown.as_ref().and_then(|one| one.observation_id());
        let id = truncate(id.unwrap_or_default(), MAX_IDENTIFIER);
        parts.push(format!("`{id}` is not in the list of sources"));
    }
    let mut annotations = assertion.annotations().zip(verdict.counting());
    let example = annotations.find(|(_, counting)| match counting {
        // A verdict takes the first two for terminals.
        Counting::Malformed => matches!(reason, "malformed" | "terminal" | "below-floor"),
        Counting::UnknownClass => matches!(reason, "unknown" | "terminal" | "below-floor"),
        Counting::Terminal => matches!(reason, "terminal" | "below-floor"),
        Counting::Observation { outcome } => {
            matches!(reason, "below-floor" | "below-level") || reason == outcome.as_str()
        }
        counting => reason == "below-floor" && !counting.counts(),
    });
    let mut checked = assertion.annotations().zip(verdict.outcomes());
    if example.is_none()
        && let Some((annotation, outcome)) = checked.find(|(_, outcome)| outcome.as_str() == reason)
    {
        let found = explain_outcome(*outcome);
        parts.push(format!("{} {found}", name(&annotation)));
    }
    if let Some((annotation, counting)) = example {
        let name = name(&annotation);
        parts.push(format!("{name} {}", explain_annotation(*counting)));
    }
    parts.join(", ")
}

/// Names an annotation by its class.
fn name(annotation: &Annotation<'_>) -> String {
    match annotation.declared() {
        "" => "an annotation without a class".to_owned(),
        declared => truncate(declared, MAX_IDENTIFIER),
    }
}

/// Explains the outcome of checking an observation, as a predicate.
pub(crate) fn explain_outcome(outcome: ObservationOutcome) -> &'static str {
    match outcome {
        ObservationOutcome::Declared => "cites no observation",
        ObservationOutcome::Observed => "cites an observation that was made",
        ObservationOutcome::Requeried => "cites an observation that the substrate confirms",
        ObservationOutcome::Unobserved => "cites an observation that the ledger does not have",
        ObservationOutcome::ClassDiffers => "cites an observation of another class",
        ObservationOutcome::Stale => "cites an observation that has expired or is too old",
        ObservationOutcome::Moved => "cites an observation whose words are at another place",
        ObservationOutcome::Changed => "cites an observation that has another result now",
        ObservationOutcome::Gone => "cites an observation of something that is gone",
        ObservationOutcome::Unreachable => "cites an observation that could not be checked",
        ObservationOutcome::NotRequeryable => "cites an observation that no substrate can repeat",
        other => other.as_str(),
    }
}

/// Explains why an annotation does not count, as a predicate.
pub(crate) fn explain_annotation(counting: Counting) -> String {
    match counting {
        Counting::Malformed => "is malformed".to_owned(),
        Counting::UnknownClass => "is not in the vocabulary".to_owned(),
        Counting::Terminal => "is a terminal".to_owned(),
        Counting::NoWindow => "has no window".to_owned(),
        Counting::NoTime => "has no `ts` that is a time".to_owned(),
        Counting::Stale { by } => format!("is {} too old", format_duration(by)),
        Counting::Future { by } => format!("is {} in the future", format_duration(by)),
        Counting::Observation { outcome } => explain_outcome(outcome).to_owned(),
        other => format!("is {}", other.as_str()),
    }
}

/// Formats a duration in whole seconds, such as `1h30m`.
pub(crate) fn format_duration(duration: Duration) -> String {
    let mut rest = duration.as_secs();
    let mut text = String::new();
    for (unit, seconds) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        if rest >= seconds {
            text.push_str(&format!("{}{unit}", rest / seconds));
        }
        rest %= seconds;
    }
    match text.is_empty() {
        true => "less than 1s".to_owned(),
        false => text,
    }
}
