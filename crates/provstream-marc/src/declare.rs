//! Macros that declare structs with getters and setters, and errors with their kinds.

/// Declares structs with private fields, and a getter for each field with the field's
/// documentation. `copy` returns the value, `borrow` a reference, `list` a slice of a `Vec` of the
/// named type, `text` a `&str`, `maybe_text` an `Option<&str>`. A field marked `own` has no getter.
macro_rules! values {
    ($($(#[$about:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* $how:ident $seen:vis $field:ident: $type:ty,)+
    })+) => {$(
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* $seen $field: $crate::declare::values! { @type $how $type },)+
        }

        impl $name {
            $($crate::declare::values! { @$how $(#[$doc])* $field: $type })+
        }
    )+};
    (@type list $type:ty) => { Vec<$type> };
    (@type $how:ident $type:ty) => { $type };
    (@own $($field:tt)+) => {};
    (@list $(#[$doc:meta])* $field:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use = "it only reads"]
        pub fn $field(&self) -> &[$type] {
            &self.$field
        }
    };
    (@copy $(#[$doc:meta])* $field:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub const fn $field(&self) -> $type {
            self.$field
        }
    };
    (@borrow $(#[$doc:meta])* $field:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use = "it only reads"]
        pub const fn $field(&self) -> &$type {
            &self.$field
        }
    };
    (@text $(#[$doc:meta])* $field:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(&self) -> &str {
            &self.$field
        }
    };
    (@maybe_text $(#[$doc:meta])* $field:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(&self) -> Option<&str> {
            self.$field.as_deref()
        }
    };
}

/// Declares methods that return a value with one field changed, for types that are `#[must_use]`.
macro_rules! setters {
    ($name:ident { $($(#[$doc:meta])* $set:ident($($given:ident: $type:ty)?) $field:ident = $value:expr;)+ }) => {
        impl $name {
            $($(#[$doc])*
            pub fn $set(mut self $(, $given: $type)?) -> Self {
                self.$field = $value;
                self
            })+
        }
    };
}

/// Declares errors, each with an enum of kinds. A kind is a variant with its message. An error
/// marked `Copy` is small, and its kind is returned by value.
macro_rules! errors {
    ($($(#[$about:meta])* $name:ident $(: $copy:ident)?, $(#[$kind_about:meta])* $kind:ident {
        $($(#[$doc:meta])* $variant:ident $(($($field:ident: $type:ty),+))? => $message:literal $(, $value:expr)*;)+
    })+) => {$(
        $(#[$kind_about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $(#[derive($copy)])?
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$doc])* $variant $(($($type),+))?,)+
        }

        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $(#[derive($copy)])?
        pub struct $name($kind);

        impl $name {
            $crate::declare::errors! { @kind $($copy)? $kind }
        }

        impl From<$kind> for $name {
            fn from(kind: $kind) -> Self {
                Self(kind)
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match &self.0 {
                    $($kind::$variant $(($($field),+))? => write!(f, $message $(, $value)*),)+
                }
            }
        }

        impl ::std::error::Error for $name {}
    )+};
    (@kind Copy $kind:ident) => {
        /// Returns the kind of the error.
        #[must_use]
        pub const fn kind(&self) -> $kind {
            self.0
        }
    };
    (@kind $kind:ident) => {
        /// Returns the kind of the error.
        #[must_use]
        pub const fn kind(&self) -> &$kind {
            &self.0
        }
    };
}

pub(crate) use {errors, setters, values};
