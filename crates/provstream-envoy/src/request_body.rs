//! Body of a request that brings the sources of its answer.

/// Most bytes of a request that are buffered.
const MAX_REQUEST: usize = 16 << 20;

/// Buffer of a request's body.
#[derive(Debug, Default)]
pub(crate) struct RequestBody {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl RequestBody {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.is_too_long |= bytes.len() > MAX_REQUEST - self.bytes.len();
        if self.is_too_long {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Returns the body; of one that is too long, nothing. Part of it might read as a complete list.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
