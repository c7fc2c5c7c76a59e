//! The release point and the gate beside their naive oracles.

mod release_point;
