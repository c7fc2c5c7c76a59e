//! The engine beside the naive reference, and the reference beside the profile.

mod reference_equality;
mod reference_json;
mod reference_json_selftest;
mod reference_selftest;
