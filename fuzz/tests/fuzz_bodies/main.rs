//! The fuzz bodies without a fuzzer.

mod dictionary;
mod replay;
mod runner;
mod sentence_model;
