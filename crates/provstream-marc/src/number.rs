//! JSON numbers as they are written.

use core::cmp::Ordering;

/// A JSON number, as it is written. Source: RFC 8259 6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<'a> {
    text: &'a str,
    negative: bool,
    /// The digits before the full stop, and those after it.
    digits: (&'a str, &'a str),
    /// The power of ten; as great or as small as it can be if the written one is beyond.
    exponent: i64,
}

impl<'a> Number<'a> {
    /// The number that `text`, a JSON value, is; `None` for another type.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let least = if exponent.starts_with('-') {
            i64::MIN
        } else {
            i64::MAX
        };
        Some(Self {
            text,
            negative: unsigned.len() < text.len(),
            digits: mantissa.split_once('.').unwrap_or((mantissa, "")),
            exponent: exponent.parse().unwrap_or(least),
        })
    }

    /// The number as it is written.
    pub(crate) const fn as_str(self) -> &'a str {
        self.text
    }

    fn all_digits(self) -> impl DoubleEndedIterator<Item = u8> {
        self.digits.0.bytes().chain(self.digits.1.bytes())
    }

    pub(crate) fn is_zero(self) -> bool {
        self.all_digits().all(|digit| digit == b'0')
    }

    /// How many digits stand before the point once the exponent is applied, leading zeros aside: the number is
    /// `0.d1d2d3…` times ten to this, where d1 is not 0. Not for zero.
    fn magnitude(self) -> i64 {
        let leading = self.all_digits().take_while(|&digit| digit == b'0').count();
        let shift = self.digits.0.len() as i64 - leading as i64;
        self.exponent.saturating_add(shift)
    }

    /// Whether it lies from 0 to 1, as written and not as rounded.
    pub(crate) fn in_unit_interval(self) -> bool {
        if self.is_zero() {
            return true;
        }
        if self.negative {
            return false;
        }
        match self.magnitude() {
            ..=0 => true,
            // From 1.0 to below 10.0: exactly one.
            1 => {
                let mut digits = self.all_digits().skip_while(|&digit| digit == b'0');
                digits.next() == Some(b'1') && digits.all(|digit| digit == b'0')
            }
            _ => false,
        }
    }

    /// The integer it is, the nearest of the type if it is beyond; none if it is not integral, as written.
    /// `1.0` and `1e2` are integral. Source: JSON Schema 2020-12 validation 6.1.1.
    pub(crate) fn integer(self) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        let trailing = self
            .all_digits()
            .rev()
            .take_while(|&digit| digit == b'0')
            .count();
        let significant = self.digits.0.len() + self.digits.1.len() - trailing;
        let leading = self.all_digits().take_while(|&digit| digit == b'0').count();
        let magnitude = self.magnitude();
        if magnitude < (significant - leading) as i64 {
            return None;
        }
        let mut value: i64 = 0;
        let digits = self
            .all_digits()
            .skip(leading)
            .chain(core::iter::repeat(b'0'));
        // More than 19 digits do not fit.
        for digit in digits.take(magnitude.min(20) as usize) {
            let digit = i64::from(digit - b'0');
            value = value.saturating_mul(10);
            value = if self.negative {
                value.saturating_sub(digit)
            } else {
                value.saturating_add(digit)
            };
        }
        Some(value)
    }

    /// Compares two numbers by value, as written and not as rounded. Two whose powers of ten are both beyond the type count as
    /// equal: which is greater is not known.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        self.sign().cmp(&other.sign()).then_with(|| {
            let beyond = [i64::MIN, i64::MAX].contains(&self.exponent);
            if self.is_zero() || beyond && self.exponent == other.exponent {
                return Ordering::Equal;
            }
            let size = self.magnitude().cmp(&other.magnitude());
            let size = size.then_with(|| self.significant().cmp(other.significant()));
            if self.negative { size.reverse() } else { size }
        })
    }

    fn sign(self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// The digits from the first to the last that is not 0.
    fn significant(self) -> impl Iterator<Item = u8> {
        let zero = |digit: &u8| *digit == b'0';
        let trailing = self.all_digits().rev().take_while(zero).count();
        let len = self.digits.0.len() + self.digits.1.len();
        self.all_digits().take(len - trailing).skip_while(zero)
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
        for text in [
            "0",
            "-0",
            "-0.0e9",
            "0.0",
            "1",
            "1.0",
            "1.000",
            "0.999",
            "1e0",
            "10e-1",
            "0.1e1",
            "0.0001e4",
            "100E-2",
            "1e-400",
            "0.5",
            "1e-99999999999999999999",
            "0e99999999999999999999",
            "0.99999999999999999999999999",
        ] {
            assert!(number(text).in_unit_interval(), "{text}");
        }
        for text in [
            "-1e-400",
            "-0.1",
            "-1",
            "1.00000000000000000000001",
            "1.1",
            "2",
            "10",
            "0.01e3",
            "1e1",
            "1e99999999999999999999",
            "0.2e1",
            "11e-1",
        ] {
            assert!(!number(text).in_unit_interval(), "{text}");
        }
    }

    #[test]
    fn integers_are_told_by_value() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("1", Some(1)),
            ("1.0", Some(1)),
            ("-17", Some(-17)),
            ("1e2", Some(100)),
            ("1.50e1", Some(15)),
            ("1.5", None),
            ("1.25e1", None),
            ("100e-2", Some(1)),
            ("100e-3", None),
            ("1e-1", None),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("1e99999999999999999999", Some(i64::MAX)),
            ("-1e400", Some(i64::MIN)),
            ("1e-99999999999999999999", None),
            ("0.00e99", Some(0)),
        ] {
            assert_eq!(number(text).integer(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value() {
        // Each line has the same number, written in different ways; the next line has a greater one.
        let lines: [&[&str]; 14] = [
            &["-1e99999999999999999999"],
            &["-9223372036854775809", "-9223372036854775809.0"],
            &["-9223372036854775808"],
            &["-10", "-1e1", "-100e-1"],
            &["-1.5"],
            &["0", "-0", "0.0e9", "-0e99999999999999999999"],
            &["1e-99999999999999999999"],
            &["9", "9.0", "0.9e1"],
            &["10", "1e1", "0.010E+3"],
            &["9223372036854775807"],
            &[
                "9223372036854775808",
                "9223372036854775808e0",
                "92233720368547758080e-1",
            ],
            &["99999999999999999999999999"],
            &["100000000000000000000000000", "1e26"],
            &["1e99999999999999999999"],
        ];
        for (place, line) in lines.iter().enumerate() {
            for (other_place, other_line) in lines.iter().enumerate() {
                for one in *line {
                    for other in *other_line {
                        assert_eq!(
                            number(one).compare(number(other)),
                            place.cmp(&other_place),
                            "{one} {other}"
                        );
                    }
                }
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
