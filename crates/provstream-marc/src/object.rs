//! Objects of MARC as types: a struct and its builder for each table of members.

use std::collections::BTreeMap;

use super::document::{Document, quoted};
use super::draft::Draft;
use super::members::members;
use super::score::{Score, Scores};
use super::terms::{Action, Band, Remediability, Source, Target};
use super::validate::{CheckedObject, CheckedValue};
use provstream::MarcKind;

/// A value of a member.
pub(crate) trait MemberValue: Sized {
    /// Reads the value of a member, if the member is valid.
    fn read(reading: &CheckedObject<'_>, name: &str) -> Option<Self>;

    /// Writes the value as JSON.
    fn to_json(&self) -> String;
}

macro_rules! member_values {
    ($($type:ty: $reading:ident, $name:ident => $read:expr, $value:ident => $json:expr;)+) => {$(
        impl MemberValue for $type {
            fn read($reading: &CheckedObject<'_>, $name: &str) -> Option<Self> {
                $read
            }

            fn to_json(&self) -> String {
                let $value = self;
                $json
            }
        }
    )+};
}

member_values! {
    String: reading, name => reading.text(name).map(str::to_owned), text => quoted(text);
    i64: reading, name => reading.integer(name), count => count.to_string();
    Score: reading, name => match reading.value(name)? { CheckedValue::Score(score) => Some(*score), _ => None }, score => score.to_string();
    Scores: reading, name => match reading.value(name)? { CheckedValue::Scores(scores) => Some(*scores), _ => None }, scores => scores.to_string();
    Source: reading, name => reading.term(name), term => quoted(term.as_str());
    Remediability: reading, name => reading.term(name), term => quoted(term.as_str());
    Action: reading, name => reading.term(name), term => quoted(term.as_str());
    Band: reading, name => reading.term(name), term => quoted(term.as_str());
    Target: reading, name => reading.term(name), term => quoted(term.as_str());
}

/// Values set in a builder so far, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assembly {
    pub(crate) draft: Draft,
    values: BTreeMap<&'static str, String>,
    pub(crate) extensions: Document,
}

impl Assembly {
    pub(crate) fn put(&mut self, name: &'static str, value: &impl MemberValue) {
        self.values.insert(name, value.to_json());
    }

    /// Builds the document: the values that were put, otherwise the given defaults, in the order of
    /// the draft and without members it does not define; then the private members.
    pub(crate) fn document(self, kind: MarcKind, otherwise: &[(&str, &str)]) -> Document {
        let mut document = Document::new();
        for member in members(kind, self.draft) {
            let default = otherwise.iter().find(|(name, _)| *name == member.name);
            let value = self.values.get(member.name).map(String::as_str);
            if let Some(json) = value.or(default.map(|(_, json)| *json)) {
                // What is put is JSON.
                let _ = document.set(member.name, json);
            }
        }
        for (name, json) in self.extensions.members() {
            let _ = document.set(&name, json);
        }
        document
    }
}

/// Declares the type of an object and its builder out of a table of members. What a member says is documented where the table
/// is; its first word says what the type has: `copy` a value, `text` a string, `maybe` and `maybe_text` an option of them,
/// `count` an optional integer that is built of a `u32`, `version` a string that is always built as 1.0.
macro_rules! object {
    (
        {
            $(#[$about:meta])* $object:ident,
            $(#[$build_about:meta])* $builder:ident: $kind:ident
        }
        $(#[doc = $meaning:literal] $how:ident $name:ident: $type:ty, $form:expr, $presence:ident, [$first:literal, $second:literal];)+
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $object {
            document: Document,
            draft: Draft,
            $($name: object! { @type $how $type },)+
        }

        impl $object {
            /// Validates a document as an object of a draft.
            ///
            /// # Errors
            ///
            /// All violations, if one of them is must-level.
            pub fn new(document: Document, profile: Profile) -> Result<Self, Report> {
                let reading = validate::read(&document, MarcKind::$kind, profile);
                if !reading.report.is_valid() {
                    return Err(reading.report);
                }
                let object = (|| {
                    Some(Self {
                        document: Document::new(),
                        draft: profile.draft(),
                        $($name: object! { @read $how reading $name },)+
                    })
                })();
                // A report without a must-level violation has every required value.
                let report = reading.report;
                let object = object.ok_or(report)?;
                Ok(Self { document, ..object })
            }

            /// Reads and validates an object of a draft.
            ///
            /// # Errors
            ///
            /// If the bytes are not a JSON object; all violations, if one of them is must-level.
            pub fn read(json: &[u8], profile: Profile) -> Result<Self, ReadError> {
                Ok(Self::new(Document::parse(json)?, profile)?)
            }

            /// Begins an object of draft -02.
            pub fn builder() -> $builder {
                $builder::default()
            }

            /// Returns the draft under which the object is valid.
            #[must_use]
            pub const fn draft(&self) -> Draft {
                self.draft
            }

            /// Returns the document that the object was read from or built as, with private and
            /// unknown members.
            #[must_use]
            pub const fn document(&self) -> &Document {
                &self.document
            }

            /// Converts the object into its document.
            #[must_use]
            pub fn into_document(self) -> Document {
                self.document
            }

            /// Writes the object as JSON on one line, with all members that were read.
            #[must_use]
            pub fn to_json(&self) -> String {
                self.document.to_json()
            }

            $(object! { @get $how #[doc = concat!("`", stringify!($name), "`:", $meaning, " Source: ", $second, ".")] $name: $type })+
        }

        impl fmt::Debug for $object {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(draft {}, {:?})", stringify!($object), self.draft, self.document)
            }
        }

        $(#[$build_about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[must_use]
        pub struct $builder(Assembly);

        impl $builder {
            /// Sets the draft to build for. Members that the draft does not define are left out.
            pub const fn draft(mut self, draft: Draft) -> Self {
                self.0.draft = draft;
                self
            }

            $(object! { @set $how #[doc = concat!("Sets `", stringify!($name), "`:", $meaning)] $name: $type })+

            /// Adds a private member with any JSON value. Its name gets the prefix `x_` unless it
            /// has the prefix. An existing member gets the new value.
            ///
            /// # Errors
            ///
            /// If the value is not JSON.
            pub fn extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
                self.0.extensions.set_private(name, json)?;
                Ok(self)
            }
        }
    };
    (@type copy $type:ty) => { $type };
    (@type text $type:ty) => { $type };
    (@type version $type:ty) => { $type };
    (@type $maybe:ident $type:ty) => { Option<$type> };
    (@read copy $reading:ident $name:ident) => { MemberValue::read(&$reading, stringify!($name))? };
    (@read text $reading:ident $name:ident) => { MemberValue::read(&$reading, stringify!($name))? };
    (@read version $reading:ident $name:ident) => { MemberValue::read(&$reading, stringify!($name))? };
    (@read $maybe:ident $reading:ident $name:ident) => { MemberValue::read(&$reading, stringify!($name)) };
    (@get copy $($field:tt)+) => { values! { @copy $($field)+ } };
    (@get maybe #[$doc:meta] $name:ident: $type:ty) => { values! { @copy #[$doc] $name: Option<$type> } };
    (@get count #[$doc:meta] $name:ident: $type:ty) => { values! { @copy #[$doc] $name: Option<$type> } };
    (@get maybe_text $($field:tt)+) => { values! { @maybe_text $($field)+ } };
    (@get $text:ident $($field:tt)+) => { values! { @text $($field)+ } };
    (@set version $($field:tt)+) => {};
    (@set count #[$doc:meta] $name:ident: $type:ty) => { object! { @put #[$doc] $name, u32, i64::from } };
    (@set text #[$doc:meta] $name:ident: $type:ty) => { object! { @put #[$doc] $name, impl Into<String>, Into::<String>::into } };
    (@set maybe_text $($field:tt)+) => { object! { @set text $($field)+ } };
    (@set $copy:ident #[$doc:meta] $name:ident: $type:ty) => { object! { @put #[$doc] $name, $type, <$type>::from } };
    (@put #[$doc:meta] $name:ident, $given:ty, $into:expr) => {
        #[$doc]
        pub fn $name(mut self, value: $given) -> Self {
            self.0.put(stringify!($name), &$into(value));
            self
        }
    };
}

pub(crate) use object;
