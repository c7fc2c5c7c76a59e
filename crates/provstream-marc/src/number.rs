//! JSON numbers as they are written.

use core::cmp::Ordering;

/// A JSON number, as it is written: `0.d1d2d3…` times ten to its magnitude, where d1 and the last digit are not 0. Source:
/// RFC 8259 6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<'a> {
    text: &'a str,
    /// -1, 0 or 1.
    sign: i8,
    /// The digits before the full stop, and those after it.
    digits: (&'a str, &'a str),
    /// How many zeros are before the first of the digits that is not 0, and how many digits there are from it to the last.
    leading: usize,
    significant: usize,
    magnitude: i64,
    /// Whether the exponent is beyond its type, so that the magnitude is not known.
    is_beyond: bool,
}

impl<'a> Number<'a> {
    /// The number that `text`, a JSON value, is; `None` for another type.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let (mantissa, written) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let exponent = written.parse::<i64>();
        let beyond = [i64::MAX, i64::MIN][usize::from(written.starts_with('-'))];
        let digits = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || digits.0.bytes().chain(digits.1.bytes());
        let leading = all().take_while(|&digit| digit == b'0').count();
        let len = digits.0.len() + digits.1.len();
        let trailing = all().rev().take_while(|&digit| digit == b'0').count();
        let shift = digits.0.len() as i64 - leading as i64;
        let is_negative = unsigned.len() < text.len();
        Some(Self {
            text,
            sign: match (leading == len, is_negative) {
                (true, _) => 0,
                (false, true) => -1,
                (false, false) => 1,
            },
            digits,
            leading,
            significant: len.saturating_sub(leading + trailing),
            magnitude: exponent.as_ref().unwrap_or(&beyond).saturating_add(shift),
            is_beyond: exponent.is_err(),
        })
    }

    /// The number as it is written.
    pub(crate) const fn as_str(self) -> &'a str {
        self.text
    }

    /// The digits from the first to the last that is not 0.
    fn significant(self) -> impl Iterator<Item = u8> {
        let all = self.digits.0.bytes().chain(self.digits.1.bytes());
        all.skip(self.leading).take(self.significant)
    }

    /// Whether it lies from 0 to 1, as written and not as rounded.
    pub(crate) fn in_unit_interval(self) -> bool {
        let is_one = self.magnitude == 1 && self.significant().eq([b'1']);
        self.sign == 0 || self.sign == 1 && (self.magnitude <= 0 || is_one)
    }

    /// The integer it is, the nearest of the type if it is beyond; none if it is not integral, as written.
    /// `1.0` and `1e2` are integral. Source: JSON Schema 2020-12 validation 6.1.1.
    pub(crate) fn integer(self) -> Option<i64> {
        if self.sign != 0 && self.magnitude < self.significant as i64 {
            return None;
        }
        let digits = self.significant().chain(core::iter::repeat(b'0'));
        // More than 19 digits do not fit.
        let count = if self.sign == 0 {
            0
        } else {
            self.magnitude.min(20)
        };
        let value = digits.take(count as usize).fold(0, |value: i64, digit| {
            let digit = i64::from(digit - b'0') * i64::from(self.sign);
            value.saturating_mul(10).saturating_add(digit)
        });
        Some(value)
    }

    /// Compares two numbers by value, as written and not as rounded. Two whose powers of ten are both beyond the type count as
    /// equal: which is greater is not known.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        let size = || {
            let (one, two) = (self.magnitude, other.magnitude);
            if self.is_beyond && other.is_beyond && (one < 0) == (two < 0) {
                return Ordering::Equal;
            }
            let size = one.cmp(&two);
            size.then_with(|| self.significant().cmp(other.significant()))
        };
        self.sign.cmp(&other.sign).then_with(|| match self.sign {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }

    /// The nearest floating-point number.
    pub(crate) fn to_f64(self) -> f64 {
        // What JSON allows in a number Rust reads, too.
        self.text.parse().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number<'_> {
        Number::of(text).unwrap()
    }

    #[test]
    fn the_unit_interval_is_exact() {
        let inside = "0 -0 -0.0e9 0.0 1 1.0 1.000 0.999 1e0 10e-1 0.1e1 0.0001e4 100E-2 1e-400 0.5 1e-99999999999999999999 \
            0e99999999999999999999 0.99999999999999999999999999";
        for text in inside.split(' ') {
            assert!(number(text).in_unit_interval(), "{text}");
        }
        let outside = "-1e-400 -0.1 -1 1.00000000000000000000001 1.1 2 10 0.01e3 1e1 1e99999999999999999999 0.2e1 11e-1";
        for text in outside.split(' ') {
            assert!(!number(text).in_unit_interval(), "{text}");
        }
    }

    #[test]
    fn integers_are_told_by_value() {
        for (value, texts) in [
            (Some(0), "0 -0.0 0.00e99"),
            (Some(1), "1 1.0 100e-2"),
            (Some(-17), "-17 -1.7e1"),
            (Some(100), "1e2"),
            (Some(15), "1.50e1"),
            (None, "1.5 1.25e1 100e-3 1e-1 1e-99999999999999999999"),
            (
                Some(i64::MAX),
                "9223372036854775807 9223372036854775808 1e99999999999999999999",
            ),
            (Some(i64::MIN), "-9223372036854775808 -1e400"),
        ] {
            for text in texts.split(' ') {
                assert_eq!(number(text).integer(), value, "{text}");
            }
        }
    }

    #[test]
    fn numbers_are_compared_by_value() {
        // Each line has the same number, written in different ways; the next line has a greater one.
        let lines = [
            "-1e99999999999999999999",
            "-9223372036854775809 -9223372036854775809.0",
            "-9223372036854775808",
            "-10 -1e1 -100e-1",
            "-1.5",
            "0 -0 0.0e9 -0e99999999999999999999",
            "1e-99999999999999999999",
            "9 9.0 0.9e1",
            "10 1e1 0.010E+3",
            "9223372036854775807",
            "9223372036854775808 9223372036854775808e0 92233720368547758080e-1",
            "99999999999999999999999999",
            "100000000000000000000000000 1e26",
            "1e99999999999999999999",
        ];
        let all = || {
            let lines = lines.iter().enumerate();
            lines.flat_map(|(place, line)| line.split(' ').map(move |text| (place, text)))
        };
        for (place, one) in all() {
            for (other_place, other) in all() {
                let expected = place.cmp(&other_place);
                assert_eq!(
                    number(one).compare(number(other)),
                    expected,
                    "{one} {other}"
                );
            }
        }
        let beyond = ["2e99999999999999999998", "1e99999999999999999999"].map(number);
        assert_eq!(beyond[0].compare(beyond[1]), Ordering::Equal);
    }

    #[test]
    fn other_values_are_no_numbers() {
        for text in ["", "-", "\"1\"", "null", "true", "[1]", "{}"] {
            assert!(Number::of(text).is_none(), "{text}");
        }
    }
}
