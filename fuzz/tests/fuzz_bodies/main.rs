//! The fuzz bodies without a fuzzer.

mod dictionary;
mod records;
mod replay;
mod runner;
mod sentence_model;
