//! Oracles for the release point and the gate, and generated inputs to compare them on.

pub mod naive;
pub mod pieces;
pub mod policies;
pub mod release_point;
pub mod spacing;
