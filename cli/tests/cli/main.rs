//! The program as its users see it.

mod admit;
mod common;
mod corpus;
mod extract;
mod streaming;
mod usage;
