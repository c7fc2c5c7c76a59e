//! The memo: vocabulary, annotations, timestamps, admissibility, writing.

mod admissibility;
mod counting;
mod grammar;
mod timestamp;
mod vocabulary;
#[cfg(feature = "settings")]
mod vocabulary_file;
mod write;
mod write_json;
