//! Declarations that are written once: values with what reads and sets them, and errors with their kinds.

/// Declares structs with private fields, and what reads each field, with the documentation of the field. `copy` returns the
/// value, `borrow` a reference, `list` a slice of a vector of what is named, `text` a `&str`, `maybe_text` an `Option<&str>`;
/// nothing outside reads what is `own`.
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

/// Declares what returns a value with one field changed, for types that are `#[must_use]`.
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

/// Declares errors, each with a kind: one variant for each thing that can be wrong, with its message. One that is `Copy` is small
/// enough for its kind to be returned by value.
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
        /// What is wrong.
        #[must_use]
        pub const fn kind(&self) -> $kind {
            self.0
        }
    };
    (@kind $kind:ident) => {
        /// What is wrong.
        #[must_use]
        pub const fn kind(&self) -> &$kind {
            &self.0
        }
    };
}

pub(crate) use {errors, setters, values};
