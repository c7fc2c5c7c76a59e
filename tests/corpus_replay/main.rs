//! The corpus, whole and cut at every byte.

mod events;
mod index;
