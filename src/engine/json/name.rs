//! Member names of annotations, asserted objects and MARC objects.

use super::frame::{ANSWER, BAND, SOURCE, VERSION};
use crate::provenance::slot::AnnotationPart;

/// Meaning of a known member name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownName {
    Assertion,
    Provenance,
    /// A field of an annotation.
    Part(AnnotationPart),
    /// A member that identifies a MARC object, with its frame flag.
    Marc(u32),
}

/// Looks up a decoded member name; returns `None` if it is not known.
#[inline]
pub(super) fn known(name: &[u8]) -> Option<KnownName> {
    // The length leaves one or two to compare with, as arrays of a known length, which takes a few instructions.
    let is = |known, same: bool| same.then_some(known);
    match name.len() {
        2 => is(
            KnownName::Part(AnnotationPart::Ts),
            name.first_chunk() == Some(b"ts"),
        ),
        6 => is(
            KnownName::Marc(ANSWER),
            name.first_chunk() == Some(b"answer"),
        ),
        9 => is(
            KnownName::Assertion,
            name.first_chunk() == Some(b"assertion"),
        ),
        10 => is(
            KnownName::Provenance,
            name.first_chunk() == Some(b"provenance"),
        ),
        12 => is(
            KnownName::Marc(VERSION),
            name.first_chunk() == Some(b"marc_version"),
        ),
        14 => is(
            KnownName::Part(AnnotationPart::ObservationId),
            name.first_chunk() == Some(b"observation_id")
                || name.first_chunk() == Some(b"observation-id"),
        ),
        15 if name.first() == Some(&b's') => is(
            KnownName::Part(AnnotationPart::Class),
            name.first_chunk() == Some(b"substrate_class"),
        ),
        15 => is(
            KnownName::Marc(BAND),
            name.first_chunk() == Some(b"confidence_band"),
        ),
        18 => is(
            KnownName::Marc(SOURCE),
            name.first_chunk() == Some(b"uncertainty_source"),
        ),
        _ => None,
    }
}
