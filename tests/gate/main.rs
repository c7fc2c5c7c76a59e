//! The release point and the gate beside their naive oracles.

#[cfg(feature = "dialects")]
mod citations;
mod delay;
mod gate;
mod limit;
mod rebuild;
mod release_point;
#[cfg(feature = "settings")]
mod rules;
mod spacing;
