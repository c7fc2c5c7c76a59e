//! Names of enum variants: as text, and from text.

use core::fmt;

use crate::settings::quoted_piece;

/// Most characters of the input that an error quotes.
const SHOWN: usize = 64;

/// A text that is not one of the names that were expected; from the `FromStr` of enums with fixed names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownNameError {
    what: &'static str,
    expected: &'static [&'static str],
    found: Box<str>,
}

impl UnknownNameError {
    /// Creates the error for an unknown name: the type of the names, such as `"class"`, the
    /// accepted names, and the name found, of which at most 64 characters are kept, without control
    /// characters.
    #[must_use]
    pub fn new(what: &'static str, expected: &'static [&'static str], found: &str) -> Self {
        Self {
            what,
            expected,
            found: quoted_piece(found, SHOWN),
        }
    }

    /// Returns all accepted names.
    #[must_use]
    pub const fn expected(&self) -> &'static [&'static str] {
        self.expected
    }
}

impl fmt::Display for UnknownNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} \"{}\", expected one of ",
            self.what, self.found
        )?;
        for (at, name) in self.expected.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}\"{name}\"")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownNameError {}

/// Gives a fieldless enum its names: `as_str`, `Display` and `FromStr`.
macro_rules! names {
    ($type:ident, $what:literal, $doc:literal, $($variant:ident => $name:literal,)+) => {
        impl $type {
            #[doc = $doc]
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::names::UnknownNameError;

            /// Reads the name that [`as_str`](Self::as_str) gives.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(crate::names::UnknownNameError::new($what, &[$($name),+], text)),
                }
            }
        }
    };
}

pub(crate) use names;
