//! Positions in a stream.

use provstream::Span;
use pyo3::PyResult;

use crate::failure::OffsetError;
use crate::offsets::Unknown;

/// A span in bytes and, if known, in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    bytes: Span,
    points: Option<(u64, u64)>,
}

impl Place {
    /// Creates a place without code points.
    pub(crate) const fn bytes_only(bytes: Span) -> Self {
        Self {
            bytes,
            points: None,
        }
    }

    /// Creates a place from a converted span. Fails if the conversion must be retried after the
    /// next push.
    pub(crate) fn from(bytes: Span, found: Result<(u64, u64), Unknown>) -> Result<Self, Unknown> {
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
                "expected a place in a text that was pushed, at most 1 MiB back, found bytes {} of the response of a provider or \
                 farther back: use byte_start and byte_end, or clean_start and clean_end",
                self.bytes
            ))
        })
    }
}
