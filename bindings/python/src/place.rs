//! Where something is in a stream.

use provstream::Span;
use pyo3::PyResult;

use crate::failure::OffsetError;
use crate::offsets::{Offsets, Unknown};

/// A span in bytes, and in code points if they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    bytes: Span,
    points: Option<(u64, u64)>,
}

impl Place {
    /// The place of a span; `Err` if it has to be asked for again after the next push.
    pub(crate) fn of(span: Span, offsets: &Offsets) -> Result<Self, Unknown> {
        Self::from(span, offsets.code_points(span))
    }

    /// The place in the text without annotations.
    pub(crate) fn clean(span: Span, clean: Span, offsets: &Offsets) -> Result<Self, Unknown> {
        Self::from(clean, offsets.clean(span, clean))
    }

    /// A place whose code points are not known.
    pub(crate) const fn bytes_only(bytes: Span) -> Self {
        Self {
            bytes,
            points: None,
        }
    }

    fn from(bytes: Span, found: Result<(u64, u64), Unknown>) -> Result<Self, Unknown> {
        let points = match found {
            Ok(points) => Some(points),
            Err(Unknown::Late) => None,
            Err(Unknown::Early) => return Err(Unknown::Early),
        };
        Ok(Self { bytes, points })
    }

    pub(crate) const fn bytes(self) -> Span {
        self.bytes
    }

    pub(crate) const fn points(self) -> Option<(u64, u64)> {
        self.points
    }

    pub(crate) fn start(self) -> PyResult<u64> {
        self.known().map(|(start, _)| start)
    }

    pub(crate) fn end(self) -> PyResult<u64> {
        self.known().map(|(_, end)| end)
    }

    fn known(self) -> PyResult<(u64, u64)> {
        self.points.ok_or_else(|| {
            OffsetError::new_err(format!(
                "expected a place at most 1 MiB before the last chunk, found bytes {}: use byte_start and byte_end",
                self.bytes
            ))
        })
    }
}
