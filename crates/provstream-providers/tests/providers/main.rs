//! Provider streams and citations.

mod adversarial;
mod apart;
mod api;
mod blocks;
mod breaks;
mod citation_read;
mod citation_write;
mod clients;
#[cfg(feature = "dialects")]
mod dialects;
mod errors;
mod evidence;
mod finals;
mod fixtures;
mod formats;
mod gate;
mod interleaved;
mod json_texts;
mod leaks;
mod limits;
mod line_ends;
mod members;
mod memory_of_texts;
mod notation;
mod oracle;
mod passing;
mod reasoning;
mod review;
mod rewrite;
mod shapes;
mod sse;
mod strings;
mod texts;
mod unread;
mod usual;
mod wholes;
#[cfg(feature = "futures")]
mod wire_gate_stream;
#[cfg(feature = "futures")]
mod wire_stream;
