//! The program as its users see it.

mod admit;
mod common;
mod corpus;
mod extract;
mod json;
mod streaming;
mod usage;
