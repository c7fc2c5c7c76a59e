//! The bodies, a file each.

mod adapters;
mod admissibility;
mod chunk_invariance;
mod citations;
mod conservation;
mod deployment_file;
mod dialect_file;
mod gate;
mod holdback;
mod json;
mod marc;
mod marc_sequence;
pub(crate) mod markers;
mod memory;
mod no_panic;
mod offsets;
mod reference;
mod release_point;
mod rewrite;
mod sentence;
mod sse;
mod vocabulary_file;
mod wire_decoder;
pub(crate) mod wire_gate;
mod wire_memory;
mod wire_rewriter;
mod writers;

use provstream::settings::FilePosition;
use provstream::{Event, Parser};

use super::Body;
use super::generate::Input;

/// All bodies.
pub static BODIES: [Body; 29] = [
    body("no_panic", Input::Stream, no_panic::check),
    body("chunk_invariance", Input::Stream, chunk_invariance::check),
    body("reference", Input::Stream, reference::check),
    body("conservation", Input::Stream, conservation::check),
    body("holdback", Input::Stream, holdback::check),
    body("release_point", Input::Stream, release_point::check),
    body("gate", Input::Stream, gate::check),
    body("rewrite", Input::Stream, rewrite::check),
    body("memory", Input::Stream, memory::check),
    body("adapters", Input::Stream, adapters::std::check),
    body("adapters_futures", Input::Stream, adapters::futures::check),
    body("adapters_tokio", Input::Stream, adapters::tokio::check),
    body("offsets", Input::Stream, offsets::check),
    body("markers", Input::Cited, markers::check),
    body("sentence", Input::Sentences, sentence::check),
    body("json", Input::Json, json::check),
    body("writers", Input::Fields, writers::check),
    body("vocabulary_file", Input::Vocabulary, vocabulary_file::check),
    body("dialect_file", Input::Dialect, dialect_file::check),
    body("deployment_file", Input::Deployment, deployment_file::check),
    body("admissibility", Input::Discipline, admissibility::check),
    body("marc", Input::Marc, marc::check),
    body("marc_sequence", Input::Records, marc_sequence::check),
    body("citations", Input::Citations, citations::check),
    body("sse", Input::Events, sse::check),
    body("wire_decoder", Input::Events, wire_decoder::check),
    body("wire_rewriter", Input::Response, wire_rewriter::check),
    body("wire_memory", Input::Events, wire_memory::check),
    body("wire_gate", Input::Response, wire_gate::check),
];

const fn body(name: &'static str, input: Input, check: fn(&[u8])) -> Body {
    Body { name, input, check }
}

/// Feeds a parser with text that is the model's own or not.
fn feed(parser: &mut Parser, own: bool, chunk: &[u8], sink: impl FnMut(Event<'_>)) {
    if own {
        parser.push(chunk, sink);
    } else {
        parser.push_untrusted(chunk, sink);
    }
}

/// Checks that bytes are those expected, and prints both as text where they are not.
fn same_bytes(found: &[u8], expected: &[u8], what: &str) {
    assert!(
        found == expected,
        "{what}\nfound    {}\nexpected {}",
        found.escape_ascii(),
        expected.escape_ascii()
    );
}

/// The place of an error lies in the file.
fn check_place(place: FilePosition, file: &[u8]) {
    assert!(place.line() >= 1 && place.column() >= 1);
    let lines = file.iter().filter(|&&byte| byte == b'\n').count() + 1;
    assert!(place.line() as usize <= lines, "{place:?} in {lines} lines");
}
