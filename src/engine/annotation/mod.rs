//! Bracketed annotations: the grammar of a candidate, and its fast path.

mod bytes;
pub(crate) mod candidate;
pub(crate) mod usual;
