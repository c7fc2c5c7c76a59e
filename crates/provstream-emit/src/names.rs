//! Enumerations whose variants have names on the command line.

use std::error::Error;
use std::fmt;

/// A name that is not one of those of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    kind: &'static str,
    known: &'static [&'static str],
    found: String,
}

impl UnknownName {
    pub(crate) fn new(kind: &'static str, known: &'static [&'static str], found: &str) -> Self {
        Self {
            kind,
            known,
            found: found.chars().take(64).collect(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?}, expected ", self.kind, self.found)?;
        for (index, name) in self.known.iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index + 1 == self.known.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}\"{name}\"")?;
        }
        Ok(())
    }
}

impl Error for UnknownName {}

/// An enumeration with a name for each variant, which is displayed and parsed.
macro_rules! named {
    (
        $(#[$meta:meta])* pub enum $Name:ident: $kind:literal {
            $($(#[$variant_meta:meta])* $Variant:ident => $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Name { $($(#[$variant_meta])* $Variant,)+ }

        impl $Name {
            /// Every one, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The name, as the command line has it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $name,)+ }
            }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $Name {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name => Ok(Self::$Variant),)+
                    _ => Err($crate::UnknownName::new($kind, &[$($name),+], name)),
                }
            }
        }
    };
}

pub(crate) use named;
