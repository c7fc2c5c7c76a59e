//! Markdown as far as it determines text and block boundaries: lines and their prefixes, code
//! spans, fenced blocks.

pub(crate) mod code;
pub(crate) mod line;
