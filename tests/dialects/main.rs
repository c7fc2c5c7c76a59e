//! Citations as models write them: markers, the sentences that they belong to, and the text without them.
#![cfg(feature = "dialects")]

mod cases;
mod common;
mod learning;
mod render;
mod splits;
mod tables;
