//! Durations as people write them.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The units, the longest first, and how many seconds each has.
const UNITS: [(u8, u64); 4] = [(b'd', 86_400), (b'h', 3_600), (b'm', 60), (b's', 1)];

/// Reads a duration such as `90s`, `5m`, `1h30m` or `2d`.
///
/// One or more decimal numbers, each followed by its unit: `d` (24 hours), `h`, `m` or `s`. A unit occurs once, longer ones
/// before shorter ones, and a number may exceed what the next longer unit has. No sign, fraction or whitespace. Zero is
/// allowed; the most is 2^64 − 1 seconds.
///
/// ```
/// use provstream::provenance::parse_duration;
///
/// assert_eq!(parse_duration("1h30m")?.as_secs(), 5_400);
/// # Ok::<(), provstream::provenance::DurationError>(())
/// ```
///
/// # Errors
///
/// What is wrong first, and at which byte.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    use DurationErrorKind as Kind;
    let bytes = text.as_bytes();
    let error = |kind, offset| Err(DurationError { kind, offset });
    let mut units = UNITS.iter();
    let mut total = 0u64;
    let mut at = 0;
    loop {
        let digits = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return error(Kind::Number, at);
        }
        let number = &text[at..at + digits];
        let unit_at = at + digits;
        let Some(&unit) = bytes.get(unit_at) else {
            return error(Kind::Unit, unit_at);
        };
        let Some(&(_, seconds)) = units.find(|(name, _)| *name == unit) else {
            let known = UNITS.iter().any(|(name, _)| *name == unit);
            return error(if known { Kind::Order } else { Kind::Unit }, unit_at);
        };
        let sum = number
            .parse::<u64>()
            .ok()
            .and_then(|number| total.checked_add(number.checked_mul(seconds)?));
        let Some(sum) = sum else {
            return error(Kind::Overflow, at);
        };
        total = sum;
        at = unit_at + 1;
        if at == bytes.len() {
            return Ok(Duration::from_secs(total));
        }
    }
}

/// Kind of error in a duration.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DurationErrorKind {
    /// A number is missing.
    Number,
    /// A number without one of the units `d`, `h`, `m` and `s` after it.
    Unit,
    /// A unit after a shorter one, or for the second time.
    Order,
    /// More than 2^64 − 1 seconds.
    Overflow,
}

/// Error in the text of a duration, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DurationError {
    kind: DurationErrorKind,
    offset: usize,
}

impl DurationError {
    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(self) -> DurationErrorKind {
        self.kind
    }

    /// Returns the offset of the error, in bytes; the length of the text if something is missing at
    /// its end.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            DurationErrorKind::Number => "expected a number",
            DurationErrorKind::Unit => "expected one of the units d, h, m and s",
            DurationErrorKind::Order => "units must occur once each, the longest first",
            DurationErrorKind::Overflow => "the duration is too long",
        };
        write!(f, "{what} (at byte {})", self.offset)
    }
}

impl Error for DurationError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        for (text, seconds) in [
            ("90s", 90),
            ("5m", 300),
            ("1h30m", 5_400),
            ("2d", 172_800),
            ("1d1h1m1s", 90_061),
            ("1d1s", 86_401),
            ("0s", 0),
            ("007s", 7),
            ("90m90s", 5_490),
            ("18446744073709551615s", u64::MAX),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_secs(seconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        use DurationErrorKind::{Number, Order, Overflow, Unit};
        for (text, kind, offset) in [
            ("", Number, 0),
            ("s", Number, 0),
            ("-1s", Number, 0),
            ("5", Unit, 1),
            ("5w", Unit, 1),
            ("5ms", Number, 2),
            ("1.5h", Unit, 1),
            ("5 m", Unit, 1),
            ("5m ", Number, 2),
            ("5M", Unit, 1),
            ("5é", Unit, 1),
            ("1m1h", Order, 3),
            ("1s1s", Order, 3),
            ("18446744073709551616s", Overflow, 0),
            ("99999999999999999999999s", Overflow, 0),
            ("1d18446744073709551615s", Overflow, 2),
            ("213503982334602d", Overflow, 0),
        ] {
            let error = parse_duration(text).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (kind, offset), "{text:?}");
            assert!(error.to_string().contains(&format!("byte {offset}")));
        }
    }
}
