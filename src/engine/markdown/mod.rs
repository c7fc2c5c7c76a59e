//! Markdown as far as it decides what is text and where a block begins: lines and their prefixes, code spans, fenced blocks.

pub(crate) mod code;
pub(crate) mod line;
