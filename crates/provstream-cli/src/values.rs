//! How the values of options are read, and what is said of wrong ones: what was expected, and what was found.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use provstream::provenance::{DurationErrorKind, Timestamp, TimestampErrorKind, parse_duration};
use provstream::{LimitError, Limits, UnknownNameError};
use provstream_providers::Reasoning;

/// Longest piece that `--chunk-size` allows; it bounds the read buffer.
const MAX_CHUNK: usize = 1 << 20;

/// Most jobs.
const MAX_JOBS: usize = 256;

/// Heading in the help over the options that set limits.
pub(crate) const LIMITS: &str = "Limits";

/// One `--window`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The class it is for; none for all classes without one of their own.
    pub(crate) class: Option<String>,
    /// How old an observation may be.
    pub(crate) duration: Duration,
}

/// One of some names, such as a mode.
pub(crate) fn named<T: FromStr<Err = UnknownNameError>>(text: &str) -> Result<T, String> {
    let expected = |error: UnknownNameError| error.expected().join(", ");
    text.parse()
        .map_err(|error| format!("expected one of {}", expected(error)))
}

/// An absolute IRI without a fragment (RFC 3987 2.2), as far as its characters and its scheme show.
pub(crate) fn iri(text: &str) -> Result<String, &'static str> {
    let is_scheme = |scheme: &str| {
        let mut rest = scheme.bytes();
        rest.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && rest.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let is_allowed = |c: char| !c.is_control() && !c.is_whitespace() && !"\"#<>\\^`{|}".contains(c);
    match text.split_once(':') {
        Some((scheme, rest))
            if is_scheme(scheme) && !rest.is_empty() && text.chars().all(is_allowed) =>
        {
            Ok(text.to_owned())
        }
        _ => Err("expected an absolute IRI without a fragment, as in https://example.org/answer/7"),
    }
}

pub(crate) fn chunk_size(text: &str) -> Result<NonZeroUsize, String> {
    number(text, 1, MAX_CHUNK, "bytes")
}

pub(crate) fn held(text: &str) -> Result<usize, String> {
    number(text, 1 << 10, 1 << 20, "bytes").map(NonZeroUsize::get)
}

/// What a gate does with reasoning: there is nothing to rewrite but what it decides.
pub(crate) fn gated_reasoning(text: &str) -> Result<Reasoning, String> {
    match text {
        "leave" => Ok(Reasoning::Leave),
        "gate" => Ok(Reasoning::Rewrite),
        "drop" => Ok(Reasoning::Drop),
        _ => Err("expected leave, gate or drop".to_owned()),
    }
}

pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    number(text, 1, MAX_JOBS, "jobs")
}

pub(crate) fn floor(text: &str) -> Result<NonZeroUsize, String> {
    number(text, 1, 65_536, "classes")
}

/// Reads a number in a range, which is not 0.
fn number(text: &str, least: usize, most: usize, of: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|number: &NonZeroUsize| (least..=most).contains(&number.get()))
        .ok_or_else(|| format!("expected a whole number of {of} between {least} and {most}"))
}

/// Reads a limit and has the library judge its range.
pub(crate) fn limit(
    text: &str,
    of: &str,
    with: impl Fn(Limits, usize) -> Result<Limits, LimitError>,
) -> Result<usize, String> {
    let range = |error: LimitError| {
        let (least, most) = (error.least(), error.most());
        format!("expected a whole number of {of} between {least} and {most}")
    };
    match text.parse() {
        Ok(value) => with(Limits::default(), value).map(|_| value).map_err(range),
        // No limit goes as far as the largest number, so the library names the range.
        Err(_) => with(Limits::default(), usize::MAX)
            .map(|_| 0)
            .map_err(range),
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| {
        let rest = text.get(error.offset()..).unwrap_or_default();
        match error.kind() {
            DurationErrorKind::Unit if rest.is_empty() => {
                format!("expected a unit after {text}, such as {text}m for minutes; units are d, h, m and s")
            }
            DurationErrorKind::Unit if rest.starts_with(['.', ',']) => {
                "expected whole numbers, as in 1h30m for one hour and a half".to_owned()
            }
            DurationErrorKind::Unit if rest.starts_with(' ') => {
                "expected no space before the unit, as in 15m".to_owned()
            }
            DurationErrorKind::Unit => {
                let unit: String = rest.chars().take_while(|c| !c.is_ascii_digit()).collect();
                format!("unknown unit `{unit}`, expected d, h, m or s, as in 90s, 15m or 1h30m")
            }
            // A unit of several letters begins with a unit.
            DurationErrorKind::Number if error.offset() > 0 => {
                let start = text[..error.offset()].trim_end_matches(|c: char| c.is_ascii_alphabetic());
                let unit = text[start.len()..].trim_end_matches(|c: char| c.is_ascii_digit());
                format!("unknown unit `{unit}`, expected d, h, m or s, as in 90s, 15m or 1h30m")
            }
            DurationErrorKind::Number => {
                "expected a number and a unit, as in 90s, 15m or 1h30m".to_owned()
            }
            DurationErrorKind::Order => {
                "expected each unit once, the longest first, as in 1d12h or 1h30m".to_owned()
            }
            _ => "expected at most 18446744073709551615 seconds".to_owned(),
        }
    })
}

pub(crate) fn window(text: &str) -> Result<Window, String> {
    if text.contains(',') && text.contains(|c: char| c.is_ascii_alphabetic()) {
        return Err(
            "expected one duration, as in 15m or substrate.grep=15m; give the option once for each class".to_owned(),
        );
    }
    let Some((class, text)) = text.split_once('=') else {
        let of_class = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        let is_class = text.starts_with(|c: char| c.is_ascii_lowercase());
        return match duration(text) {
            Err(_) if is_class && text.chars().all(of_class) => Err(format!(
                "expected a duration for the class, as in {text}=15m"
            )),
            Err(_) if text.starts_with(|c: char| c.is_ascii_alphabetic()) => Err(
                "expected a duration such as 15m, or CLASS=DURATION such as substrate.grep=15m"
                    .to_owned(),
            ),
            duration => Ok(Window {
                class: None,
                duration: above_zero(duration?)?,
            }),
        };
    };
    if class.is_empty() {
        return Err(format!(
            "expected a class before `=`, as in substrate.grep={text}, or the duration alone for all classes"
        ));
    }
    if text.is_empty() {
        return Err(format!("expected a duration after `=`, as in {class}=15m"));
    }
    Ok(Window {
        class: Some(class.to_owned()),
        duration: above_zero(duration(text)?)?,
    })
}

/// A window of no length would have every observation stale.
fn above_zero(window: Duration) -> Result<Duration, String> {
    match window.is_zero() {
        true => Err("expected a duration above zero".to_owned()),
        false => Ok(window),
    }
}

pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    text.parse::<Timestamp>().map_err(|error| {
        let offset = error.offset();
        let what = match error.kind() {
            TimestampErrorKind::Truncated if text.contains(['T', 't', ':']) => {
                "it ends too early: perhaps without the time zone, Z for UTC or one such as +02:00"
                    .to_owned()
            }
            TimestampErrorKind::Truncated => "it ends too early".to_owned(),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                "it is a number, and Unix time is not read".to_owned()
            }
            TimestampErrorKind::Separator if text.as_bytes().get(offset) == Some(&b' ') => {
                "it has a space where a T belongs".to_owned()
            }
            TimestampErrorKind::Zone => {
                "it has no time zone, Z for UTC or one such as +02:00".to_owned()
            }
            _ => error.to_string(),
        };
        let example = "expected a date, a time and a time zone, as in 2026-05-28T12:00:00Z";
        // A word has nothing of a time that could be mended.
        if offset == 0 && !what.starts_with("it ") {
            return example.to_owned();
        }
        format!("{example}; {what}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_for_all_classes_or_for_one() {
        let duration = Duration::from_secs(300);
        let class = None;
        assert_eq!(window("5m"), Ok(Window { class, duration }));
        let class = Some("substrate.grep".to_owned());
        assert_eq!(window("substrate.grep=5m"), Ok(Window { class, duration }));
        for (bad, message) in [
            ("", "expected a number and a unit"),
            ("15", "such as 15m for minutes"),
            ("15min", "unknown unit `min`"),
            ("5ms", "unknown unit `ms`"),
            ("5w", "unknown unit `w`"),
            ("1.5h", "expected whole numbers"),
            ("15 m", "expected no space"),
            ("1h,2h", "the option once for each class"),
            (
                "substrate.grep=1h,substrate.git.log=2h",
                "expected one duration",
            ),
            ("PT1H", "or CLASS=DURATION"),
            ("substrate.grep:1h", "or CLASS=DURATION"),
            ("1m1h", "the longest first"),
            (
                "99999999999999999999s",
                "at most 18446744073709551615 seconds",
            ),
            ("substrate.grep", "as in substrate.grep=15m"),
            ("substrate.grep=", "as in substrate.grep=15m"),
            ("=5m", "as in substrate.grep=5m"),
            ("a=b=5m", "expected a number"),
        ] {
            let found = window(bad).unwrap_err();
            assert!(found.contains(message), "{bad}: {found}");
        }
    }

    #[test]
    fn wrong_times_name_the_right_form() {
        for (bad, message) in [
            ("2026-05-28", "it ends too early"),
            ("2026-05-28 12:00:00Z", "a space where a T belongs"),
            ("2026-05-28T12:00:00", "perhaps without the time zone"),
            ("1748433600", "Unix time is not read"),
            ("now", "2026-05-28T12:00:00Z"),
        ] {
            let found = time(bad).unwrap_err();
            assert!(found.contains(message), "{bad}: {found}");
            assert!(found.contains("2026-05-28T12:00:00Z"), "{found}");
        }
    }

    #[test]
    fn sources_are_absolute_iris() {
        for good in ["https://e.org/a?b=c", "urn:x:1", "https://e.org/\u{e9}"] {
            assert_eq!(iri(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "not an iri",
            "e.org/a",
            "https://e.org#x",
            ":x",
            "1a:b",
            "a b:c",
            "https:",
        ] {
            assert!(iri(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_name_their_range() {
        let limit = |text| limit(text, "levels", Limits::with_max_depth).unwrap_err();
        for bad in ["", "x", "-1", "0", "65537", "99999999999999999999999"] {
            assert_eq!(
                limit(bad),
                "expected a whole number of levels between 1 and 65536"
            );
        }
        assert!(
            chunk_size("0")
                .unwrap_err()
                .contains("between 1 and 1048576")
        );
        assert!(floor("1.5").unwrap_err().contains("between 1 and 65536"));
    }
}
