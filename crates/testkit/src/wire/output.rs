//! What a response becomes.

use provstream::Handler;
use provstream_providers::StreamHandler;

/// A handler that appends the rewritten response to a vector. A closure would do the same, but the compiler makes a rewriter, as
/// large as it is, for each closure: many of them are most of the time that tests take.
#[derive(Debug)]
pub struct Output<'a>(pub &'a mut Vec<u8>);

impl Handler for Output<'_> {}

impl StreamHandler for Output<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Returns a handler as one of any type, so that no rewriter is made for its own.
pub fn any(handler: &mut dyn StreamHandler) -> &mut dyn StreamHandler {
    handler
}
