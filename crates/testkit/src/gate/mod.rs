//! Oracles for the release point and the gate, and the inputs that they are compared on.

pub mod naive;
pub mod pieces;
pub mod policies;
pub mod release_point;
