//! Handlers of rewritten responses that many tests share.

use provstream::Handler;
use provstream_providers::StreamHandler;

/// A handler that appends the rewritten response to a vector. One type serves all tests, since the
/// compiler makes a rewriter for each closure, and takes a second or two for it.
#[derive(Debug)]
pub struct Output<'a>(pub &'a mut Vec<u8>);

impl Handler for Output<'_> {}

impl StreamHandler for Output<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Returns a handler as a trait object, so that the compiler makes no rewriter for its type.
pub fn any(handler: &mut dyn StreamHandler) -> &mut dyn StreamHandler {
    handler
}
