//! The fuzz bodies without a fuzzer.

mod dictionary;
mod replay;
mod sentence_model;
