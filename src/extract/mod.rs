//! From lexemes to events.

pub(crate) mod lookback;
pub mod sentence;
pub(crate) mod text;
pub(crate) mod window;
