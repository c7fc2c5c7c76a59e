//! JSON numbers, as their readers see them and as they are written.

/// A JSON number: its value as IEEE 754 double precision, as JSON Schema validators and most readers take it, and its notation. Source:
/// RFC 8259 6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonNumber<'a> {
    text: &'a str,
    value: f64,
}

impl<'a> JsonNumber<'a> {
    /// Parses a JSON number. Returns `None` for a value of another type.
    pub(crate) fn of(json: &'a str) -> Option<Self> {
        let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        // Every number of JSON is one of Rust; those that are too large are infinite.
        let value = json.parse().ok().filter(|_| is_number)?;
        Some(Self { text: json, value })
    }

    /// Returns the number as written.
    pub(crate) const fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the value; infinite if it is too large.
    pub(crate) const fn value(self) -> f64 {
        self.value
    }

    /// Returns the value of an integral number, clamped to the range of `i64`, or `None` if the
    /// number is not integral. `1.0` and `1e2` are integral. Source: JSON Schema 2020-12 validation
    /// 6.1.1.
    pub(crate) fn integer(self) -> Option<i64> {
        let whole = self.text.parse().ok();
        // The conversion saturates.
        whole.or_else(|| (self.value.trunc() == self.value).then_some(self.value as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_by_value() {
        for (value, texts) in [
            (Some(0), "0 -0.0 0.00e99"),
            (Some(1), "1 1.0 100e-2"),
            (Some(-17), "-17 -1.7e1"),
            (Some(15), "1.50e1"),
            (Some(9_007_199_254_740_993), "9007199254740993"),
            (None, "1.5 1.25e1 100e-3 1e-1"),
            (
                Some(i64::MAX),
                "9223372036854775807 9223372036854775808 1e999",
            ),
            (Some(i64::MIN), "-9223372036854775808 -1e400"),
        ] {
            for text in texts.split(' ') {
                assert_eq!(
                    JsonNumber::of(text).and_then(JsonNumber::integer),
                    value,
                    "{text}"
                );
            }
        }
        for text in ["", "-", "\"1\"", "null", "true", "[1]", "{}", "inf", "NaN"] {
            assert!(JsonNumber::of(text).is_none(), "{text}");
        }
    }
}
