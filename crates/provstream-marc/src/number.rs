//! JSON numbers as they are written.

use core::cmp::Ordering;

/// A JSON number, as it is written: `0.d1d2d3…` times ten to its magnitude, where d1 and the last digit are not 0. Source:
/// RFC 8259 6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonNumber<'a> {
    text: &'a str,
    /// -1, 0 or 1.
    sign: i8,
    /// Digits before the decimal point, and digits after it.
    digits: (&'a str, &'a str),
    /// Number of zeros before the first nonzero digit. `significant` counts the digits from there
    /// to the last nonzero digit.
    leading: usize,
    significant: usize,
    magnitude: i64,
    /// `true` if the exponent overflows `i64`. The magnitude is then only a bound.
    is_beyond: bool,
}

impl<'a> JsonNumber<'a> {
    /// Parses a JSON number. Returns `None` for a value of another type.
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

    /// Returns the number as written.
    pub(crate) const fn as_str(self) -> &'a str {
        self.text
    }

    /// Iterates over the digits from the first to the last that is not 0.
    fn significant(self) -> impl Iterator<Item = u8> {
        let all = self.digits.0.bytes().chain(self.digits.1.bytes());
        all.skip(self.leading).take(self.significant)
    }

    /// Returns `true` if the number, as written and without rounding, is in [0.0, 1.0].
    pub(crate) fn in_unit_interval(self) -> bool {
        let is_one = self.magnitude == 1 && self.significant().eq([b'1']);
        self.sign == 0 || self.sign == 1 && (self.magnitude <= 0 || is_one)
    }

    /// Returns the value of an integral number, clamped to the range of `i64`, or `None` if the
    /// number is not integral. `1.0` and `1e2` are integral. Source: JSON Schema 2020-12 validation
    /// 6.1.1.
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

    /// Converts to the nearest floating-point number.
    pub(crate) fn to_f64(self) -> f64 {
        // What JSON allows in a number Rust reads, too.
        self.text.parse().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
#[path = "../tests/unit/number.rs"]
mod tests;
