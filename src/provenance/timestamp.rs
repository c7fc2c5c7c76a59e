//! Instants, and the strict date-time format they are written in.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NANOS_PER_SECOND: u32 = 1_000_000_000;
const SECONDS_PER_MINUTE: i64 = 60;
const MINUTES_PER_DAY: i64 = 1_440;

/// An instant to the nanosecond, without a time zone.
///
/// Counted like Unix time: every day has 86,400 seconds. A leap second has no number of its own there, so the whole of
/// it, fraction included, denotes the instant at which it ends: `23:59:60`, `23:59:60.9` and the following `00:00:00`
/// are equal. Reading timestamps therefore never reverses their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    seconds: i64,
    /// `< NANOS_PER_SECOND`, counted forward from `seconds` also before 1970.
    nanos: u32,
}

impl Timestamp {
    /// The earliest instant that can be represented.
    pub const MIN: Self = Self {
        seconds: i64::MIN,
        nanos: 0,
    };
    /// The latest instant that can be represented.
    pub const MAX: Self = Self {
        seconds: i64::MAX,
        nanos: NANOS_PER_SECOND - 1,
    };
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self {
        seconds: 0,
        nanos: 0,
    };

    /// Reads a date-time of RFC 3339 5.6, strictly: `2026-05-28T11:40:00Z`, `2026-05-28t13:40:00.25+02:00`.
    ///
    /// Years are 0000 to 9999, the day must exist in its month, hours go to 23, offsets to 23:59 (`-00:00` included), and
    /// second 60 is accepted only at 23:59:60 UTC on the last day of a month. A fraction has one digit or more; digits
    /// after the ninth are dropped. Nothing may stand around it. Takes no memory.
    ///
    /// # Errors
    ///
    /// What is wrong first, and at which byte.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, TimestampError> {
        parse(text.as_ref())
    }

    /// Returns the time of the system clock.
    ///
    /// This and the timing of the feature `metrics` are the only places where this crate reads a clock. Parsers and
    /// disciplines never do: a caller gives them the time.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Returns the instant `nanos` nanoseconds after a number of seconds from 1970-01-01T00:00:00Z;
    /// `None` if `nanos` is not below 1,000,000,000.
    #[must_use]
    pub const fn from_unix(seconds: i64, nanos: u32) -> Option<Self> {
        if nanos < NANOS_PER_SECOND {
            Some(Self { seconds, nanos })
        } else {
            None
        }
    }

    /// Returns the whole seconds from 1970-01-01T00:00:00Z, rounded towards the past.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after [`Timestamp::unix_seconds`], below 1,000,000,000.
    #[must_use]
    pub const fn subsec_nanos(self) -> u32 {
        self.nanos
    }

    /// Adds a duration; `None` beyond [`Timestamp::MAX`].
    #[must_use]
    pub const fn checked_add(self, duration: Duration) -> Option<Self> {
        let nanos = self.nanos + duration.subsec_nanos();
        let carry = nanos / NANOS_PER_SECOND;
        let Some(seconds) = self.seconds.checked_add_unsigned(duration.as_secs()) else {
            return None;
        };
        match seconds.checked_add_unsigned(carry as u64) {
            Some(seconds) => Some(Self {
                seconds,
                nanos: nanos % NANOS_PER_SECOND,
            }),
            None => None,
        }
    }

    /// Subtracts a duration; `None` before [`Timestamp::MIN`].
    #[must_use]
    pub const fn checked_sub(self, duration: Duration) -> Option<Self> {
        let borrow = self.nanos < duration.subsec_nanos();
        let nanos = self.nanos + (borrow as u32) * NANOS_PER_SECOND - duration.subsec_nanos();
        let Some(seconds) = self.seconds.checked_sub_unsigned(duration.as_secs()) else {
            return None;
        };
        match seconds.checked_sub_unsigned(borrow as u64) {
            Some(seconds) => Some(Self { seconds, nanos }),
            None => None,
        }
    }

    /// Adds a duration, up to [`Timestamp::MAX`].
    #[must_use]
    pub const fn saturating_add(self, duration: Duration) -> Self {
        match self.checked_add(duration) {
            Some(later) => later,
            None => Self::MAX,
        }
    }

    /// Subtracts a duration, down to [`Timestamp::MIN`].
    #[must_use]
    pub const fn saturating_sub(self, duration: Duration) -> Self {
        match self.checked_sub(duration) {
            Some(earlier) => earlier,
            None => Self::MIN,
        }
    }

    /// Formats the instant as a date-time of RFC 3339 5.6 in UTC, with as many digits of fraction
    /// as needed; `None` outside the years 0000 to 9999.
    #[must_use]
    pub fn to_rfc3339(self) -> Option<String> {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(86_400))?;
        let second = self.seconds.rem_euclid(86_400);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanos != 0 {
            let fraction = format!(".{:09}", self.nanos);
            text.push_str(fraction.trim_end_matches('0'));
        }
        text.push('Z');
        Some(text)
    }
}

/// Writes [`Timestamp::to_rfc3339`]; outside the years 0000 to 9999, `@` and the Unix time in seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_rfc3339() {
            Some(text) => f.pad(&text),
            None => write!(f, "@{}", self.seconds),
        }
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Parses like [`Timestamp::parse`].
    fn from_str(text: &str) -> Result<Self, TimestampError> {
        Self::parse(text)
    }
}

impl From<SystemTime> for Timestamp {
    /// Converts to the same instant, or the nearest one that can be represented.
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self::UNIX_EPOCH.saturating_add(after),
            Err(before) => Self::UNIX_EPOCH.saturating_sub(before.duration()),
        }
    }
}

/// Kind of error in a date-time (RFC 3339).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimestampErrorKind {
    /// The text ends too early.
    Truncated,
    /// A digit is missing.
    Digit,
    /// A separator between the numbers is missing: `-`, `T` or `:`.
    Separator,
    /// Neither `Z` nor a numeric offset where one must stand.
    Zone,
    /// The month is not 01 to 12.
    Month,
    /// The month has no such day.
    Day,
    /// The hour is above 23.
    Hour,
    /// The minute is above 59.
    Minute,
    /// The second is above 60.
    Second,
    /// Second 60 at another time than 23:59:60 UTC on the last day of a month.
    LeapSecond,
    /// The offset is above 23:59.
    Offset,
    /// Something stands after the date-time.
    Trailing,
}

impl TimestampErrorKind {
    const fn message(self) -> &'static str {
        match self {
            Self::Truncated => "the date-time is cut short",
            Self::Digit => "expected a digit",
            Self::Separator => "expected another separator",
            Self::Zone => "expected Z or a numeric offset",
            Self::Month => "there is no such month",
            Self::Day => "the month has no such day",
            Self::Hour => "the hour is above 23",
            Self::Minute => "the minute is above 59",
            Self::Second => "the second is above 60",
            Self::LeapSecond => "a leap second can only be 23:59:60 UTC on the last day of a month",
            Self::Offset => "the offset is above 23:59",
            Self::Trailing => "something follows the date-time",
        }
    }
}

/// Error in the text of a date-time, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimestampError {
    kind: TimestampErrorKind,
    offset: usize,
}

impl TimestampError {
    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(self) -> TimestampErrorKind {
        self.kind
    }

    /// Returns the offset of the error, in bytes; the length of the text if it ends too early.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset
    }
}

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.kind.message(), self.offset)
    }
}

impl Error for TimestampError {}

/// Length of a date-time without fraction and zone: `2026-05-28T11:40:00`.
const CLOCK: usize = 19;

/// Kind of error, and the index of its byte, as if the text never ended.
type TimestampFault = (TimestampErrorKind, usize);

fn parse(text: &[u8]) -> Result<Timestamp, TimestampError> {
    if let Some(timestamp) = parse_usual(text) {
        return Ok(timestamp);
    }
    parse_padded(text).map_err(|(kind, offset)| {
        // After the end everything is wrong, but only because it is the end.
        if offset < text.len() {
            TimestampError { kind, offset }
        } else {
            TimestampError {
                kind: TimestampErrorKind::Truncated,
                offset: text.len(),
            }
        }
    })
}

/// Reads the usual form, whole seconds of UTC, where all is well; the general way says what is wrong.
fn parse_usual(text: &[u8]) -> Option<Timestamp> {
    let clock: &[u8; 20] = text.try_into().ok()?;
    let (date, rest) = clock.split_first_chunk::<8>()?;
    let (day_time, seconds) = rest.split_first_chunk::<8>()?;
    let date = pairs(u64::from_le_bytes(*date), *b"0000-00-")?;
    let day_time = pairs(u64::from_le_bytes(*day_time), *b"00T00:00")?;
    let seconds: &[u8; 4] = seconds.try_into().ok()?;
    let last = pairs(u64::from(u32::from_le_bytes(*seconds)), *b":00Z\0\0\0\0")?;
    let pair = |pairs: u64, at: u32| (pairs >> (8 * at)) as u32 & 0xFF;
    let (year, month, day) = (
        pair(date, 0) * 100 + pair(date, 2),
        pair(date, 5),
        pair(day_time, 0),
    );
    let (hour, minute, second) = (pair(day_time, 3), pair(day_time, 6), pair(last, 1));
    let valid = (1..=12).contains(&month)
        && (1..=28).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    valid.then(|| Timestamp {
        seconds: days_from_civil(year, month, day) * MINUTES_PER_DAY * SECONDS_PER_MINUTE
            + i64::from(hour * 3_600 + minute * 60 + second),
        nanos: 0,
    })
}

/// Reads the digit pairs of eight bytes that match `pattern`, in which `0` stands for any digit:
/// each byte of the result has ten times its digit plus the next digit. `None` if the bytes do not
/// match.
#[inline]
fn pairs(bytes: u64, pattern: [u8; 8]) -> Option<u64> {
    // A digit becomes 0 to 9 and what stands between 0; anything else gets its top bit here or by the sum.
    let digits = bytes ^ u64::from_le_bytes(pattern);
    let sum = u64::from_le_bytes(pattern.map(|byte| if byte == b'0' { 0x76 } else { 0x7F }));
    let odd = (digits.wrapping_add(sum) | digits) & 0x8080_8080_8080_8080;
    (odd == 0).then(|| digits * 10 + (digits >> 8))
}

fn parse_padded(text: &[u8]) -> Result<Timestamp, TimestampFault> {
    use TimestampErrorKind as Kind;
    let clock = &padded::<CLOCK>(text, 0);
    let year = two_digits(clock, 0)? * 100 + two_digits(clock, 2)?;
    separator(clock, 4, b'-')?;
    let month = ranged(clock, 5, 1, 12, Kind::Month)?;
    separator(clock, 7, b'-')?;
    let day = ranged(clock, 8, 1, days_in_month(year, month), Kind::Day)?;
    separator(clock, 10, b't')?;
    let hour = ranged(clock, 11, 0, 23, Kind::Hour)?;
    separator(clock, 13, b':')?;
    let minute = ranged(clock, 14, 0, 59, Kind::Minute)?;
    separator(clock, 16, b':')?;
    let second = ranged(clock, 17, 0, 60, Kind::Second)?;
    let (nanos, zone) = match text.get(CLOCK) {
        Some(b'.') => fraction(text, CLOCK + 1)?,
        _ => (0, CLOCK),
    };
    let (offset, end) = match text.get(zone) {
        Some(b'Z' | b'z') => (0, zone + 1),
        Some(sign @ (b'+' | b'-')) => {
            let offset =
                numeric_offset(&padded(text, zone)).map_err(|(kind, at)| (kind, zone + at))?;
            (if *sign == b'+' { offset } else { -offset }, zone + 6)
        }
        _ => return Err((Kind::Zone, zone)),
    };
    if end < text.len() {
        return Err((Kind::Trailing, end));
    }
    let minutes = days_from_civil(year, month, day) * MINUTES_PER_DAY
        + i64::from(hour * 60 + minute)
        - offset;
    if second == 60 && !ends_month(minutes) {
        return Err((Kind::LeapSecond, 17));
    }
    Ok(Timestamp {
        seconds: minutes * SECONDS_PER_MINUTE + i64::from(second),
        nanos: if second == 60 { 0 } else { nanos },
    })
}

/// Returns the bytes from `start` on, padded with zeros, which no part of a date-time begins with.
#[inline]
fn padded<const N: usize>(text: &[u8], start: usize) -> [u8; N] {
    let rest = &text[start.min(text.len())..];
    rest.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; N];
        padded[..rest.len()].copy_from_slice(rest);
        padded
    })
}

/// Minutes of `+02:30`, whatever the sign.
fn numeric_offset(text: &[u8; 6]) -> Result<i64, TimestampFault> {
    let hours = ranged(text, 1, 0, 23, TimestampErrorKind::Offset)?;
    separator(text, 3, b':')?;
    let minutes = ranged(text, 4, 0, 59, TimestampErrorKind::Offset)?;
    Ok(i64::from(hours * 60 + minutes))
}

#[inline]
fn two_digits<const N: usize>(text: &[u8; N], at: usize) -> Result<u32, TimestampFault> {
    let (tens, ones) = (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
    match (tens, ones) {
        (0..=9, 0..=9) => Ok(u32::from(tens * 10 + ones)),
        (0..=9, _) => Err((TimestampErrorKind::Digit, at + 1)),
        _ => Err((TimestampErrorKind::Digit, at)),
    }
}

#[inline]
fn ranged<const N: usize>(
    text: &[u8; N],
    at: usize,
    low: u32,
    high: u32,
    kind: TimestampErrorKind,
) -> Result<u32, TimestampFault> {
    match two_digits(text, at)? {
        value if low <= value && value <= high => Ok(value),
        _ => Err((kind, at)),
    }
}

/// Expects `wanted`, which is in lower case if it is a letter, in any letter case.
#[inline]
fn separator<const N: usize>(text: &[u8; N], at: usize, wanted: u8) -> Result<(), TimestampFault> {
    if text[at].to_ascii_lowercase() == wanted {
        Ok(())
    } else {
        Err((TimestampErrorKind::Separator, at))
    }
}

/// Reads a fraction of a second that starts at `start`; returns its nanoseconds and its end.
fn fraction(text: &[u8], start: usize) -> Result<(u32, usize), TimestampFault> {
    let digits = text[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let (mut nanos, mut unit, mut end) = (0, NANOS_PER_SECOND / 10, start);
    for digit in digits {
        nanos += u32::from(digit - b'0') * unit;
        unit /= 10;
        end += 1;
    }
    if end == start {
        return Err((TimestampErrorKind::Digit, start));
    }
    Ok((nanos, end))
}

const fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(if year.is_multiple_of(100) { 400 } else { 4 }) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns `true` if the minute is the last one of a month.
fn ends_month(minutes: i64) -> bool {
    let next = minutes + 1;
    let first_of_month = |(_, _, day)| day == 1;
    next.rem_euclid(MINUTES_PER_DAY) == 0
        && civil_from_days(next.div_euclid(MINUTES_PER_DAY)).is_none_or(first_of_month)
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar. Years are counted from March, so that the day a
/// leap year has more is the last one of its year.
fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    // A whole cycle of the calendar is added, so that March of the year before year 0 has a number that is not negative.
    const EPOCH: u32 = 719_468 + 146_097;
    let (year, month) = match month {
        1 | 2 => (year + 399, month + 9),
        _ => (year + 400, month - 3),
    };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    i64::from(365 * year + year / 4 - year / 100 + year / 400 + day_of_year) - i64::from(EPOCH)
}

/// Converts days since 1970-01-01 to a date (year, month, day), if the year is 0000 to 9999.
fn civil_from_days(days: i64) -> Option<(u32, u32, u32)> {
    let first = days_from_civil(0, 1, 1);
    let last = days_from_civil(9999, 12, 31);
    if !(first..=last).contains(&days) {
        return None;
    }
    // The mean year is at most a day off, so the estimate is the year itself or the one before or after it.
    let estimate = u32::try_from((days - first) * 400 / 146_097).ok()?;
    let candidates = estimate.saturating_sub(1)..=(estimate + 1).min(9999);
    let year = candidates
        .rev()
        .find(|&year| days_from_civil(year, 1, 1) <= days)?;
    let month = (1..=12)
        .rev()
        .find(|&month| days_from_civil(year, month, 1) <= days)?;
    let day = u32::try_from(days - days_from_civil(year, month, 1)).ok()? + 1;
    Some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar_round_trips_day_by_day() {
        for years in [0..=404, 1890..=2110, 9990..=9999] {
            let mut days = days_from_civil(*years.start(), 1, 1);
            for year in years {
                for month in 1..=12 {
                    for day in 1..=days_in_month(year, month) {
                        assert_eq!(days_from_civil(year, month, day), days);
                        assert_eq!(civil_from_days(days), Some((year, month, day)));
                        days += 1;
                    }
                }
            }
        }
        assert_eq!(civil_from_days(days_from_civil(0, 1, 1) - 1), None);
        assert_eq!(civil_from_days(days_from_civil(9999, 12, 31) + 1), None);
        assert_eq!(civil_from_days(i64::MAX), None);
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
    }

    #[test]
    fn arithmetic_carries_and_saturates() {
        let at = |seconds, nanos| Timestamp::from_unix(seconds, nanos).unwrap();
        let almost = Duration::new(1, 999_999_999);
        assert_eq!(at(5, 1).checked_add(almost), Some(at(7, 0)));
        assert_eq!(at(7, 0).checked_sub(almost), Some(at(5, 1)));
        assert_eq!(
            at(0, 0).checked_sub(Duration::from_nanos(1)),
            Some(at(-1, 999_999_999))
        );
        assert_eq!(
            at(-1, 999_999_999).checked_add(Duration::from_nanos(1)),
            Some(at(0, 0))
        );
        assert_eq!(Timestamp::MAX.checked_add(Duration::from_nanos(1)), None);
        assert_eq!(Timestamp::MIN.checked_sub(Duration::from_nanos(1)), None);
        assert_eq!(at(0, 0).saturating_add(Duration::MAX), Timestamp::MAX);
        assert_eq!(at(0, 0).saturating_sub(Duration::MAX), Timestamp::MIN);
        assert_eq!(Timestamp::from_unix(0, NANOS_PER_SECOND), None);
    }

    #[test]
    fn converts_from_system_time() {
        let before = UNIX_EPOCH - Duration::from_millis(1);
        assert_eq!(
            Some(Timestamp::from(before)),
            Timestamp::from_unix(-1, 999_000_000)
        );
        assert_eq!(Timestamp::from(UNIX_EPOCH), Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn formats_in_utc() {
        let shown = |seconds, nanos| Timestamp::from_unix(seconds, nanos).unwrap().to_rfc3339();
        assert_eq!(shown(0, 0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(
            shown(-1, 250_000_000).as_deref(),
            Some("1969-12-31T23:59:59.25Z")
        );
        assert_eq!(
            shown(253_402_300_799, 1).as_deref(),
            Some("9999-12-31T23:59:59.000000001Z")
        );
        assert_eq!(shown(253_402_300_800, 0), None);
        assert_eq!(
            shown(-62_167_219_200, 0).as_deref(),
            Some("0000-01-01T00:00:00Z")
        );
        assert_eq!(shown(-62_167_219_201, 0), None);
    }
}
