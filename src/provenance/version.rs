//! Vocabulary versions.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A vocabulary version: the dotted `major.minor` pair of `provenance memo 4`.
///
/// Within one major version classes are only added, each addition raising the minor one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// Version 1.0, the memo's own.
    pub const MEMO: Self = Self::new(1, 0);

    /// Creates the version `major.minor`.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Returns the number before the dot.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.major
    }

    /// Returns the number after the dot.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.minor
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Version {
    type Err = ParseVersionError;

    /// Reads two decimal numbers below 2^32 with one dot between them: no sign, no leading zeros, nothing around them.
    fn from_str(text: &str) -> Result<Self, ParseVersionError> {
        let (major, minor) = text.split_once('.').ok_or(ParseVersionError)?;
        match (number(major.as_bytes()), number(minor.as_bytes())) {
            (Some(VersionNumber::Fits(major)), Some(VersionNumber::Fits(minor))) => {
                Ok(Self { major, minor })
            }
            _ => Err(ParseVersionError),
        }
    }
}

/// A text is not a [`Version`]: two decimal numbers below 2^32, without leading zeros, and a dot between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseVersionError;

impl fmt::Display for ParseVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a version is two decimal numbers without leading zeros and a dot between them")
    }
}

impl Error for ParseVersionError {}

/// A decimal number of any length, as far as comparing it with a version's parts needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionNumber {
    Fits(u32),
    /// Greater than any part of a version.
    Larger,
}

/// Reads digits without leading zeros; anything else gives `None`.
pub(crate) fn number(digits: &[u8]) -> Option<VersionNumber> {
    let canonical = match digits {
        [] => false,
        [b'0', _, ..] => false,
        _ => digits.iter().all(u8::is_ascii_digit),
    };
    if !canonical {
        return None;
    }
    let value = digits.iter().try_fold(0u32, |value, digit| {
        value.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
    });
    Some(value.map_or(VersionNumber::Larger, VersionNumber::Fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_the_canonical_form() {
        for text in ["1.0", "0.0", "1.10", "4294967295.4294967295"] {
            let version: Version = text.parse().unwrap();
            assert_eq!(version.to_string(), text);
        }
        for text in [
            "",
            "1",
            "1.",
            ".0",
            "1.0.0",
            "01.0",
            "1.00",
            "+1.0",
            "1.-0",
            " 1.0",
            "1.0 ",
            "1,0",
            "4294967296.0",
            "1.4294967296",
            "\u{661}.0",
        ] {
            assert_eq!(text.parse::<Version>(), Err(ParseVersionError), "{text:?}");
        }
    }

    #[test]
    fn orders_by_major_then_minor() {
        assert!(Version::new(1, 10) > Version::new(1, 9));
        assert!(Version::new(2, 0) > Version::new(1, 99));
        assert_eq!(Version::MEMO, Version::new(1, 0));
    }

    #[test]
    fn numbers_of_any_length_are_read() {
        assert_eq!(number(b"4294967295"), Some(VersionNumber::Fits(u32::MAX)));
        assert_eq!(number(b"4294967296"), Some(VersionNumber::Larger));
        assert_eq!(number(&[b'9'; 1000]), Some(VersionNumber::Larger));
        assert_eq!(number(b"00"), None);
        assert_eq!(number(b"1a"), None);
    }
}
