//! Words, shapes and colours for verdicts, reasons and times on a page.

use std::time::Duration;

use provstream::Disposition;
use provstream::provenance::{Counting, ObservationOutcome, Timestamp};

/// All dispositions, in the order in which a page lists them.
pub(crate) const DISPOSITIONS: [Disposition; 26] = [
    Disposition::Admitted,
    Disposition::BelowFloor,
    Disposition::Stale,
    Disposition::NoTime,
    Disposition::Future,
    Disposition::MissingClass,
    Disposition::Terminal,
    Disposition::Unannotated,
    Disposition::NoAssertion,
    Disposition::Orphan,
    Disposition::Malformed,
    Disposition::Unknown,
    Disposition::RefusedClass,
    Disposition::UnknownSource,
    Disposition::ListedSource,
    Disposition::NoSourceList,
    Disposition::Untrusted,
    Disposition::BelowLevel,
    Disposition::Unobserved,
    Disposition::ClassDiffers,
    Disposition::Changed,
    Disposition::Gone,
    Disposition::Moved,
    Disposition::Unreachable,
    Disposition::NotRequeryable,
    Disposition::Limit,
];

/// Shape and colour of a verdict, as the CSS class of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// Admitted: a disc, a solid line.
    Admitted,
    /// Too few classes count: a triangle, a dashed line.
    TooFew,
    /// No admissible class corroborates the assertion: a diamond, a dotted line.
    Uncorroborated,
    /// The annotation is faulty or not permitted: a cross, a wavy line.
    Wrong,
    /// A limit: a square, a double line.
    Limit,
    /// Unannotated text: a bar.
    Run,
}

impl Look {
    pub(crate) const ALL: [Self; 5] = [
        Self::Admitted,
        Self::TooFew,
        Self::Uncorroborated,
        Self::Wrong,
        Self::Limit,
    ];

    pub(crate) const fn of(disposition: Disposition) -> Self {
        match disposition {
            Disposition::Admitted => Self::Admitted,
            Disposition::BelowFloor
            | Disposition::Stale
            | Disposition::NoTime
            | Disposition::Future
            | Disposition::MissingClass
            | Disposition::ListedSource
            | Disposition::BelowLevel
            | Disposition::Moved
            | Disposition::Unreachable
            | Disposition::NotRequeryable => Self::TooFew,
            Disposition::Terminal
            | Disposition::Unannotated
            | Disposition::NoAssertion
            | Disposition::Orphan
            | Disposition::UnknownSource
            | Disposition::NoSourceList => Self::Uncorroborated,
            Disposition::Limit => Self::Limit,
            _ => Self::Wrong,
        }
    }

    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Admitted => "ok",
            Self::TooFew => "lo",
            Self::Uncorroborated => "no",
            Self::Wrong => "ba",
            Self::Limit => "li",
            Self::Run => "un",
        }
    }
}

/// Returns a short name of a disposition, and its meaning.
pub(crate) const fn disposition(disposition: Disposition) -> (&'static str, &'static str) {
    match disposition {
        Disposition::Admitted => ("Admitted", "annotations of enough classes count"),
        Disposition::BelowFloor => (
            "Below the floor",
            "annotations of too few classes count; the floor is the least number",
        ),
        Disposition::Stale => ("Stale", "an observation is older than the policy allows"),
        Disposition::NoTime => (
            "No time",
            "an observation has no time, and too few classes count",
        ),
        Disposition::Future => (
            "In the future",
            "the time of an observation has not come yet, and too few classes count",
        ),
        Disposition::MissingClass => (
            "Missing class",
            "a class that the policy requires does not count",
        ),
        Disposition::Terminal => (
            "Terminal",
            "the model declares that no observation corroborates it",
        ),
        Disposition::Unannotated => ("Unannotated", "an object without annotation"),
        Disposition::NoAssertion => ("No assertion", "an annotation without text before it"),
        Disposition::Orphan => ("Orphan", "an annotation that comes first after a break"),
        Disposition::Malformed => ("Malformed", "an annotation breaks the grammar"),
        Disposition::Unknown => ("Unknown class", "a class that the vocabulary does not have"),
        Disposition::RefusedClass => ("Refused class", "a class that the policy refuses"),
        Disposition::UnknownSource => (
            "Unknown source",
            "a marker names a source that the list does not have",
        ),
        Disposition::ListedSource => (
            "Listed source",
            "a source that is cited is listed without a class",
        ),
        Disposition::NoSourceList => (
            "No source list",
            "there is no complete list of the sources that are cited",
        ),
        Disposition::Untrusted => ("Untrusted", "not all of it is the model’s own text"),
        Disposition::BelowLevel => (
            "Below the level",
            "an observation is not cited, or was not repeated, though the policy asks for that",
        ),
        Disposition::Unobserved => (
            "Unobserved",
            "an observation that is cited is not in the ledger",
        ),
        Disposition::ClassDiffers => (
            "Class differs",
            "an observation that is cited is of another class",
        ),
        Disposition::Changed => ("Changed", "an observation has another result now"),
        Disposition::Gone => ("Gone", "what was observed is not there any more"),
        Disposition::Moved => ("Moved", "the words of an observation are at another place"),
        Disposition::Unreachable => ("Unreachable", "an observation could not be checked"),
        Disposition::NotRequeryable => (
            "Not requeryable",
            "no substrate can repeat the query of an observation",
        ),
        Disposition::Limit => ("Limit", "longer than what is read, so not all is known"),
        other => (other.as_str(), ""),
    }
}

/// Says in words that an annotation counts, or why not, and the outcome of checking its observation with its explanation; `window` is that
/// of its class, if known.
pub(crate) fn why(
    counting: Counting,
    outcome: Option<ObservationOutcome>,
    window: Option<Duration>,
    explanation: Option<String>,
) -> String {
    let mut text = why_counting(counting, window);
    match (counting, outcome) {
        (Counting::Observation { .. }, _) | (_, None | Some(ObservationOutcome::Declared)) => {}
        (_, Some(outcome)) => {
            text.push_str("; ");
            text.push_str(observation(outcome));
        }
    }
    if let Some(explanation) = explanation {
        text.push_str(": ");
        text.push_str(&explanation);
    }
    text
}

/// Says in words the outcome of checking an observation.
fn observation(outcome: ObservationOutcome) -> &'static str {
    match outcome {
        ObservationOutcome::Declared => "no observation is cited",
        ObservationOutcome::Observed => "the observation was made",
        ObservationOutcome::Requeried => "the substrate still says the same",
        ObservationOutcome::Unobserved => "the ledger does not have the observation",
        ObservationOutcome::ClassDiffers => "the observation is of another class",
        ObservationOutcome::Stale => "the observation has expired or is too old",
        ObservationOutcome::Moved => "the same words are at another place",
        ObservationOutcome::Changed => "the result is another one now",
        ObservationOutcome::Gone => "what was observed is not there any more",
        ObservationOutcome::Unreachable => "the observation could not be checked",
        ObservationOutcome::NotRequeryable => "no substrate can repeat the query",
        other => other.as_str(),
    }
}

fn why_counting(counting: Counting, window: Option<Duration>) -> String {
    match counting {
        Counting::Counts => "counts".to_owned(),
        Counting::Observation { outcome } => format!("does not count: {}", observation(outcome)),
        Counting::Malformed => "does not count: malformed".to_owned(),
        Counting::UnknownClass => "does not count: unknown class".to_owned(),
        Counting::Terminal => "does not count: a terminal, which names no observation".to_owned(),
        Counting::NoWindow => "does not count: the policy has no window for it".to_owned(),
        Counting::NoTime => "does not count: no time".to_owned(),
        Counting::Stale { by: over } => {
            let over = spoken(over);
            match window {
                Some(window) => format!(
                    "does not count: stale, {over} past its window of {}",
                    spoken(window)
                ),
                None => format!("does not count: stale by {over}"),
            }
        }
        Counting::Future { by: over } => {
            format!(
                "does not count: {} further in the future than allowed",
                spoken(over)
            )
        }
        other => format!("does not count: {other}"),
    }
}

/// Returns the time between `ts` and `now` in words, such as `5 min old`.
pub(crate) fn age(ts: Timestamp, now: Timestamp) -> String {
    let nanos = |time: Timestamp| {
        i128::from(time.unix_seconds()) * 1_000_000_000 + i128::from(time.subsec_nanos())
    };
    let since = nanos(now) - nanos(ts);
    let seconds = u64::try_from(since.unsigned_abs() / 1_000_000_000).unwrap_or(u64::MAX);
    let spoken = spoken(Duration::from_secs(seconds));
    if since < 0 {
        format!("{spoken} in the future")
    } else {
        format!("{spoken} old")
    }
}

/// Returns a duration in its two largest units, rounded down: `1 h 5 min`.
pub(crate) fn spoken(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (days, hours, minutes, rest) = (
        seconds / 86_400,
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    );
    let two = |large: u64, one: &str, small: u64, other: &str| match small {
        0 => format!("{large} {one}"),
        _ => format!("{large} {one} {small} {other}"),
    };
    if days > 0 {
        two(days, "d", hours, "h")
    } else if hours > 0 {
        two(hours, "h", minutes, "min")
    } else if minutes > 0 {
        two(minutes, "min", rest, "s")
    } else if seconds > 0 || duration.is_zero() {
        format!("{seconds} s")
    } else {
        "less than 1 s".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3_900, "1 h 5 min"),
            (86_400, "1 d"),
            (200_000, "2 d 7 h"),
        ] {
            assert_eq!(spoken(Duration::from_secs(seconds)), expected);
        }
        assert_eq!(spoken(Duration::from_millis(5)), "less than 1 s");
        let time = |text: &str| text.parse().expect("a time");
        let now = time("2026-05-28T12:00:00Z");
        assert_eq!(age(time("2026-05-28T11:40:00Z"), now), "20 min old");
        assert_eq!(
            age(time("2026-05-28T14:01:00+02:00"), now),
            "1 min in the future"
        );
        assert!(age(Timestamp::MIN, Timestamp::MAX).ends_with(" old"));
    }

    #[test]
    fn every_disposition_has_words_and_is_listed_once() {
        for (at, of) in DISPOSITIONS.into_iter().enumerate() {
            assert!(!DISPOSITIONS[..at].contains(&of));
            assert!(!disposition(of).1.is_empty(), "{of}");
        }
    }
}
