//! Strict RFC 3339 date-times.

use proptest::prelude::*;
use provstream::provenance::{Timestamp, TimestampErrorKind as Kind};

fn seconds(text: &str) -> i64 {
    Timestamp::parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .unix_seconds()
}

/// PA-37; wire profile 2
#[test]
fn accepts_and_places_on_the_time_line() {
    for (text, expected, nanos) in [
        ("1970-01-01T00:00:00Z", 0, 0),
        ("1970-01-01t00:00:00z", 0, 0),
        ("1969-12-31T23:59:59Z", -1, 0),
        ("1969-12-31T23:59:59.75Z", -1, 750_000_000),
        ("2026-05-28T11:40:00Z", 1_779_968_400, 0),
        ("2026-05-28T13:40:00+02:00", 1_779_968_400, 0),
        ("2026-05-28T06:10:00-05:30", 1_779_968_400, 0),
        ("2026-05-28T11:40:00-00:00", 1_779_968_400, 0),
        ("2026-05-28T11:40:00+00:00", 1_779_968_400, 0),
        ("2026-05-29T11:39:00+23:59", 1_779_968_400, 0),
        ("2026-05-27T11:41:00-23:59", 1_779_968_400, 0),
        ("2026-05-28T11:40:00.1Z", 1_779_968_400, 100_000_000),
        ("2026-05-28T11:40:00.123456789Z", 1_779_968_400, 123_456_789),
        (
            "2026-05-28T11:40:00.1234567899Z",
            1_779_968_400,
            123_456_789,
        ),
        ("2026-05-28T11:40:00.0000000009Z", 1_779_968_400, 0),
        (
            "2026-05-28T11:40:00.000000000000000000000000000000000000000001+00:00",
            1_779_968_400,
            0,
        ),
        ("0000-01-01T00:00:00Z", -62_167_219_200, 0),
        ("0000-02-29T00:00:00Z", -62_162_121_600, 0),
        ("0000-01-01T00:00:00+23:59", -62_167_305_540, 0),
        (
            "9999-12-31T23:59:59.999999999Z",
            253_402_300_799,
            999_999_999,
        ),
        ("9999-12-31T23:59:59-23:59", 253_402_387_139, 0),
        ("2000-02-29T00:00:00Z", 951_782_400, 0),
        ("2024-02-29T12:00:00Z", 1_709_208_000, 0),
        ("1985-04-12T23:20:50.52Z", 482_196_050, 520_000_000),
        ("1996-12-19T16:39:57-08:00", 851_042_397, 0),
        ("1937-01-01T12:00:27.87+00:20", -1_041_337_173, 870_000_000),
        // A leap second denotes the instant at which it ends.
        ("1990-12-31T23:59:60Z", 662_688_000, 0),
        ("1990-12-31T15:59:60-08:00", 662_688_000, 0),
        ("1991-01-01T00:59:60.999+01:00", 662_688_000, 0),
        ("2016-02-29T23:59:60Z", 1_456_790_400, 0),
        ("2015-06-30T23:59:60.5Z", 1_435_708_800, 0),
        ("9999-12-31T23:59:60Z", 253_402_300_800, 0),
        ("0000-01-01T00:00:60+00:01", -62_167_219_200, 0),
    ] {
        assert_eq!(
            Timestamp::parse(text),
            Ok(Timestamp::from_unix(expected, nanos).unwrap()),
            "{text}"
        );
        assert_eq!(text.parse(), Timestamp::parse(text.as_bytes()), "{text}");
    }
}

/// PA-37; wire profile 2
#[test]
fn rejects_with_what_and_where() {
    for (text, kind, offset) in [
        ("", Kind::Truncated, 0),
        ("2026", Kind::Truncated, 4),
        ("2026-05-28", Kind::Truncated, 10),
        ("2026-05-28T11:40", Kind::Truncated, 16),
        ("2026-05-28T11:40Z", Kind::Separator, 16),
        ("2026-05-28T11:40:00", Kind::Truncated, 19),
        ("2026-05-28T11:40:00.", Kind::Truncated, 20),
        ("2026-05-28T11:40:00.5", Kind::Truncated, 21),
        ("2026-05-28T11:40:00+", Kind::Truncated, 20),
        ("2026-05-28T11:40:00+02", Kind::Truncated, 22),
        ("2026-05-28T11:40:00+02:0", Kind::Truncated, 24),
        ("2026-05-28T11:40:00+0200", Kind::Separator, 22),
        ("2026-05-28 11:40:00Z", Kind::Separator, 10),
        ("2026-05-28_11:40:00Z", Kind::Separator, 10),
        ("2026/05/28T11:40:00Z", Kind::Separator, 4),
        ("2026-05-28T11.40.00Z", Kind::Separator, 13),
        ("20260528T114000Z", Kind::Separator, 4),
        ("26-05-28T11:40:00Z", Kind::Digit, 2),
        ("+2026-05-28T11:40:00Z", Kind::Digit, 0),
        ("-2026-05-28T11:40:00Z", Kind::Digit, 0),
        (" 2026-05-28T11:40:00Z", Kind::Digit, 0),
        ("12026-05-28T11:40:00Z", Kind::Separator, 4),
        ("2026-5-28T11:40:00Z", Kind::Digit, 6),
        ("2026-W22-4T11:40:00Z", Kind::Digit, 5),
        ("2026-00-28T11:40:00Z", Kind::Month, 5),
        ("2026-13-28T11:40:00Z", Kind::Month, 5),
        ("2026-05-00T11:40:00Z", Kind::Day, 8),
        ("2026-05-32T11:40:00Z", Kind::Day, 8),
        ("2026-04-31T11:40:00Z", Kind::Day, 8),
        ("2026-02-29T11:40:00Z", Kind::Day, 8),
        ("1900-02-29T11:40:00Z", Kind::Day, 8),
        ("2024-02-30T11:40:00Z", Kind::Day, 8),
        ("2026-05-28T24:00:00Z", Kind::Hour, 11),
        ("2026-05-28T11:60:00Z", Kind::Minute, 14),
        ("2026-05-28T11:40:61Z", Kind::Second, 17),
        ("2026-05-28T11:40:60Z", Kind::LeapSecond, 17),
        ("2026-05-28T23:59:60Z", Kind::LeapSecond, 17),
        ("2016-02-28T23:59:60Z", Kind::LeapSecond, 17),
        ("1990-12-31T23:59:60+01:00", Kind::LeapSecond, 17),
        ("1991-01-01T00:59:60Z", Kind::LeapSecond, 17),
        ("2026-05-31T22:59:60Z", Kind::LeapSecond, 17),
        ("2026-05-28T11:40:00.Z", Kind::Digit, 20),
        ("2026-05-28T11:40:00,5Z", Kind::Zone, 19),
        ("2026-05-28T11:40:00 Z", Kind::Zone, 19),
        ("2026-05-28T11:40:00.5x", Kind::Zone, 21),
        ("2026-05-28T11:40:00Zx", Kind::Trailing, 20),
        ("2026-05-28T11:40:00Z ", Kind::Trailing, 20),
        ("2026-05-28T11:40:00Z\n", Kind::Trailing, 20),
        ("2026-05-28T11:40:00Z[UTC]", Kind::Trailing, 20),
        ("2026-05-28T11:40:00+02:00Z", Kind::Trailing, 25),
        ("2026-05-28T11:40:00+24:00", Kind::Offset, 20),
        ("2026-05-28T11:40:00+02:60", Kind::Offset, 23),
        ("2026-05-28T11:40:00\u{2212}02:00", Kind::Zone, 19),
        ("\u{662}026-05-28T11:40:00Z", Kind::Digit, 0),
        ("yesterday", Kind::Digit, 0),
    ] {
        let error = Timestamp::parse(text).expect_err(text);
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text:?}");
        assert!(error.to_string().ends_with(&format!("(at byte {offset})")));
    }
    assert_eq!(Timestamp::parse(b"\xff").unwrap_err().kind(), Kind::Digit);
}

#[test]
fn order_never_reverses_around_a_leap_second() {
    let inside = [
        "2016-12-31T23:59:60Z",
        "2016-12-31T23:59:60.9Z",
        "2017-01-01T00:00:00Z",
    ];
    assert!(
        inside
            .iter()
            .all(|text| seconds(text) == seconds(inside[0]))
    );
    assert!(
        Timestamp::parse("2016-12-31T23:59:59.999Z").unwrap()
            < Timestamp::parse(inside[0]).unwrap()
    );
    assert!(
        Timestamp::parse(inside[1]).unwrap() < Timestamp::parse("2017-01-01T00:00:00.1Z").unwrap()
    );
}

#[test]
fn shared_between_threads() {
    fn check<T: Send + Sync + Copy>() {}
    check::<Timestamp>();
    check::<provstream::provenance::TimestampError>();
}

proptest! {
    #[test]
    fn reads_back_what_it_writes(seconds in -62_167_219_200i64..253_402_300_800, nanos in 0u32..1_000_000_000) {
        let timestamp = Timestamp::from_unix(seconds, nanos).unwrap();
        let text = timestamp.to_rfc3339().unwrap();
        prop_assert_eq!(Timestamp::parse(&text), Ok(timestamp));
    }

    #[test]
    fn offsets_shift_the_instant(days in 0i64..2_000_000, minute in 0i64..1440, shift in -1439i64..1440) {
        let utc = Timestamp::from_unix(days * 86_400 - 60_000_000_000 + minute * 60, 0).unwrap();
        let local = Timestamp::from_unix(utc.unix_seconds() + shift * 60, 0).unwrap();
        let sign = if shift < 0 { '-' } else { '+' };
        let clock = local.to_rfc3339().unwrap().replace('Z', "");
        let text = format!("{clock}{sign}{:02}:{:02}", shift.abs() / 60, shift.abs() % 60);
        prop_assert_eq!(Timestamp::parse(&text), Ok(utc));
    }

    #[test]
    fn any_text_is_judged_without_panic(text in "[0-9TtZz:.+\\-]{0,32}|\\PC{0,32}") {
        if let Err(error) = Timestamp::parse(&text) {
            prop_assert!(error.offset() <= text.len());
        }
    }
}
