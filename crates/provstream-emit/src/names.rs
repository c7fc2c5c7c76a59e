//! Enumerations whose variants have names on the command line.

/// Declares an enumeration with a name for each variant, and the conversions from and to the name.
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
            /// All values, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// Returns the name on the command line.
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
            type Err = provstream::UnknownNameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name => Ok(Self::$Variant),)+
                    _ => Err(provstream::UnknownNameError::new($kind, &[$($name),+], name)),
                }
            }
        }
    };
}

pub(crate) use named;
