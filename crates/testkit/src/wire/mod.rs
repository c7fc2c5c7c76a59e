//! Recorded and generated provider streams, with oracles for their content.

pub mod decoded;
pub mod fixtures;
pub mod gated;
pub mod generate;
pub mod hostile;
pub mod interleaved;
pub mod line_ends;
pub mod members;
pub mod oracle;
pub mod output;
pub mod repeating;
pub mod text;
mod within_words;
