//! From bytes to assertions.

pub mod sentence;
