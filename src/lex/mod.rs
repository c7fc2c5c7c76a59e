//! Resumable lexers, one context each; they decide by state and byte, never by where a chunk ends.

pub(crate) mod block;
pub(crate) mod bracket;
pub(crate) mod chars;
pub(crate) mod code;
pub(crate) mod json;
pub(crate) mod line;
pub(crate) mod usual;
