//! Commands: options, and what each does.

pub(crate) mod admit;
pub(crate) mod citations;
pub(crate) mod emit;
pub(crate) mod extract;
pub(crate) mod gate;
pub(crate) mod gate_stream;
pub(crate) mod gate_summary;
pub(crate) mod generate;
pub(crate) mod marc;
#[cfg(feature = "proxy")]
pub(crate) mod proxy;
pub(crate) mod report;
pub(crate) mod strip;
pub(crate) mod summary;
pub(crate) mod vocabulary;
