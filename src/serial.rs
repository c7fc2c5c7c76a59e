//! Events and values as JSON: what the command line prints (feature `serde`).
//!
//! The order of the members is that of the output, and members without a value are left out. `docs/events.schema.json`
//! describes the lines.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::event::{
    BracketAnnotation, Diagnostic, DiagnosticCode, Event, EventBytes, JsonRecord, TextChunk,
};
use crate::marc_object::{MarcKind, MarcObject};
#[cfg(feature = "dialects")]
use crate::marker::{
    Citation, CitationReason, CitationStorage, CitedId, Marker, MarkerKind, MarkerStorage,
};
use crate::mode::Mode;
use crate::provenance::reading::lossy;
use crate::provenance::{
    Annotation, Assertion, Class, Encoding, LabelKind, ObservationOutcome, Reason, Timestamp,
    Verdict, VerdictReason, Version,
};
use crate::span::Span;

/// Types that are written as the string that `as_str` gives.
macro_rules! as_name {
    ($($type:ty),+ $(,)?) => {$(
        /// Written as its name.
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )+};
}

#[cfg(feature = "dialects")]
as_name!(CitationReason, MarkerKind);

as_name!(
    Class,
    DiagnosticCode,
    Encoding,
    LabelKind,
    MarcKind,
    Mode,
    ObservationOutcome,
    Reason,
    VerdictReason
);

/// Types that are written as the string that `Display` gives.
macro_rules! as_text {
    ($($type:ty),+ $(,)?) => {$(
        /// Written as a string.
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}

as_text!(Timestamp, Version);

/// Written as `{"start":0,"end":9}`.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Span", 2)?;
        fields.serialize_field("start", &self.start())?;
        fields.serialize_field("end", &self.end())?;
        fields.end()
    }
}

/// Members of a JSON object, of which those without a value are left out.
struct Members<M>(M);

impl<M: SerializeMap> Members<M> {
    fn with<T: Serialize + ?Sized>(
        mut self,
        key: &'static str,
        value: &T,
    ) -> Result<Self, M::Error> {
        self.0.serialize_entry(key, value)?;
        Ok(self)
    }

    fn with_some<T: Serialize>(
        self,
        key: &'static str,
        value: Option<T>,
    ) -> Result<Self, M::Error> {
        match value {
            Some(value) => self.with(key, &value),
            None => Ok(self),
        }
    }
}

fn members<S: Serializer>(serializer: S) -> Result<Members<S::SerializeMap>, S::Error> {
    serializer.serialize_map(None).map(Members)
}

/// Writes the members of a value into an object that can have others.
trait Write {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error>;
}

/// Types that are written as an object.
macro_rules! as_object {
    ($($type:ty),+ $(,)?) => {$(
        /// Written as the members of its line, without `event`.
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.write(members(serializer)?)?.0.end()
            }
        }
    )+};
}

/// Written as the members of its line, without `event`.
#[cfg(feature = "dialects")]
impl<P: MarkerStorage> Serialize for Marker<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(members(serializer)?)?.0.end()
    }
}

/// Written as the members of its line, without `event`.
#[cfg(feature = "dialects")]
impl<P: CitationStorage> Serialize for Citation<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(members(serializer)?)?.0.end()
    }
}

as_object!(
    Annotation<'_>,
    Assertion<'_>,
    Diagnostic,
    MarcObject<'_>,
    Verdict
);

/// Written as its annotation.
impl<B: EventBytes> Serialize for BracketAnnotation<'_, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.annotation().serialize(serializer)
    }
}

/// Written as its text and span.
impl<B: AsRef<[u8]>> Serialize for JsonRecord<'_, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(members(serializer)?)?.0.end()
    }
}

impl Write for Annotation<'_> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("class", self.class())?
            .with("declared", self.declared())?
            .with_some("reason", self.reason())?
            .with_some("observation_id", self.observation_id())?
            .with_some("ts", self.ts())?
            .with("span", &self.span())
    }
}

/// The annotations of an assertion.
struct List<'a>(&'a Assertion<'a>);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.annotations())
    }
}

impl Write for Assertion<'_> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("encoding", &self.encoding())?
            .with("text", self.text())?
            .with("span", &self.span())?
            .with_some("clean_span", self.clean_span())?
            .with_some("pointer", self.pointer())?
            .with_some(
                "reason",
                self.has_unknown_in_slot().then_some("unknown-in-slot"),
            )?
            .with("annotations", &List(self))
    }
}

impl<B: EventBytes> Write for BracketAnnotation<'_, B> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        self.annotation().write(members)
    }
}

impl Write for Diagnostic {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("code", &self.code())?
            .with("span", &self.span())
    }
}

impl<B: AsRef<[u8]>> Write for JsonRecord<'_, B> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("text", &lossy(self.raw()))?
            .with("span", &self.span())
    }
}

#[cfg(feature = "dialects")]
impl<P: MarkerStorage> Write for Marker<'_, P> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("dialect", self.dialect())?
            .with("kind", &self.kind())?
            .with("ids", &self.ids().collect::<Vec<_>>())?
            .with("span", &self.span())
    }
}

#[cfg(feature = "dialects")]
impl<P: CitationStorage> Write for Citation<'_, P> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("text", self.text())?
            .with("span", &self.span())?
            .with("clean_span", &self.clean_span())?
            .with("ids", &self.ids().collect::<Vec<_>>())
    }
}

/// Written as `{"id":"1","dialect":"numeric","reason":"no-source-list","span":{"start":9,"end":12}}`.
#[cfg(feature = "dialects")]
impl Serialize for CitedId<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        members(serializer)?
            .with("id", self.id)?
            .with("dialect", self.dialect)?
            .with_some("reason", self.reason)?
            .with_some("class", self.class)?
            .with_some("ts", self.ts)?
            .with("span", &self.marker)?
            .0
            .end()
    }
}

impl Write for MarcObject<'_> {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("kind", &self.kind())?
            .with("span", &self.span())?
            .with_some("pointer", self.pointer())
    }
}

impl Write for Verdict {
    fn write<M: SerializeMap>(&self, members: Members<M>) -> Result<Members<M>, M::Error> {
        members
            .with("admitted", &self.admitted())?
            .with("reason", &self.reason())?
            .with("classes", self.classes())?
            .with("floor", &self.floor())?
            .with_some(
                "outcomes",
                Some(self.outcomes()).filter(|outcomes| !outcomes.is_empty()),
            )
    }
}

/// Written as `{"text":"..."}`, with U+FFFD for what is not UTF-8.
impl<B: AsRef<[u8]>> Serialize for TextChunk<'_, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: Cow<'_, str> = lossy(self.as_ref());
        members(serializer)?.with("text", &text)?.0.end()
    }
}

/// Written as the line of the command line: its members after `event`, which names the kind.
///
/// A MARC object is written without its bytes and without what validation finds, which are the matter of
/// `provstream-marc`.
impl<B: EventBytes> Serialize for Event<'_, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = members(serializer)?;
        let named = |name| move |members: Members<S::SerializeMap>| members.with("event", name);
        let members = match self {
            Self::Text(text) => named("text")(members)?.with("text", &lossy(text.as_ref()))?,
            Self::Annotation(found) => found.write(named("annotation")(members)?)?,
            Self::Assertion(assertion) => assertion.write(named("assertion")(members)?)?,
            Self::Marc(object) => object.write(named("marc")(members)?)?,
            Self::Record(record) => record.write(named("record")(members)?)?,
            #[cfg(feature = "dialects")]
            Self::Marker(marker) => marker.write(named("marker")(members)?)?,
            #[cfg(feature = "dialects")]
            Self::Citation(citation) => citation.write(named("citation")(members)?)?,
            Self::Diagnostic(diagnostic) => diagnostic.write(named("diagnostic")(members)?)?,
        };
        members.0.end()
    }
}
