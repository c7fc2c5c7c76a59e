//! Why an assertion is not admitted, in words.

use std::time::Duration;

use provstream::provenance::{Assertion, Counting, Verdict};

use crate::printable::cut;

/// Most characters of an identifier that a message shows.
const MOST_SHOWN: usize = 60;

/// Why an assertion got this disposition or reason, such as `below-floor`: the name, and what explains it.
pub(crate) fn why(name: &str, assertion: &Assertion<'_>, verdict: &Verdict) -> String {
    let mut parts = vec![name.to_owned()];
    if name == "below-floor" {
        let (count, floor) = (verdict.count(), verdict.floor());
        parts.push(format!("{count} of {floor} classes count"));
    }
    let annotations = || assertion.annotations().zip(verdict.counting());
    // The annotation that the name is about; of those that do not count, any one may be missing for the floor.
    let about = annotations().find(|(_, counting)| is_about(name, **counting));
    let about = about.or_else(|| {
        annotations().find(|(_, counting)| name == "below-floor" && !counting.counts())
    });
    if let Some((annotation, counting)) = about {
        let declared = match annotation.declared() {
            "" => "an annotation without a class".to_owned(),
            declared => cut(declared, MOST_SHOWN).to_string(),
        };
        parts.push(format!("{declared} {}", fault(*counting)));
    }
    parts.join(", ")
}

/// Whether an annotation like this is what the name is about. A verdict also takes the first two for a terminal.
fn is_about(name: &str, counting: Counting) -> bool {
    match counting {
        Counting::Malformed => matches!(name, "malformed" | "terminal"),
        Counting::UnknownClass => matches!(name, "unknown" | "terminal"),
        Counting::Terminal => name == "terminal",
        _ => false,
    }
}

/// What keeps an annotation from counting.
fn fault(counting: Counting) -> String {
    match counting {
        Counting::Malformed => "is malformed".to_owned(),
        Counting::UnknownClass => "is not in the vocabulary".to_owned(),
        Counting::Terminal => "is a terminal".to_owned(),
        Counting::NoWindow => "has no window".to_owned(),
        Counting::NoTime => "has no `ts` that is a time".to_owned(),
        Counting::Stale { by } => format!("is {} too old", in_units(by)),
        Counting::Future { by } => format!("is {} in the future", in_units(by)),
        other => format!("is {}", other.as_str()),
    }
}

/// A duration as settings have it, in whole seconds.
fn in_units(duration: Duration) -> String {
    let mut rest = duration.as_secs();
    let mut text = String::new();
    for (unit, seconds) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        if rest >= seconds {
            text.push_str(&format!("{}{unit}", rest / seconds));
        }
        rest %= seconds;
    }
    if text.is_empty() {
        text.push_str("less than 1s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_units_of_settings() {
        for (milliseconds, text) in [
            (0, "less than 1s"),
            (999, "less than 1s"),
            (61_500, "1m1s"),
            (90_000_000, "1d1h"),
        ] {
            let duration = Duration::from_millis(milliseconds);
            assert_eq!(in_units(duration), text);
        }
    }
}
