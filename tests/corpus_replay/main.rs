//! The corpus, whole and cut at every byte.

mod corpus;
mod corpus_index;
