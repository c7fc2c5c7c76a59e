//! The engine beside the naive reference, and the reference beside the profile.

mod dialects;
mod equality;
mod json_equality;
mod json_selftest;
mod selftest;
