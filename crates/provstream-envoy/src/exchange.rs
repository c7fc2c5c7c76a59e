//! One request and its response.

use provstream::Parser;
use provstream_providers::StreamRewriter;

/// One request and its response.
#[derive(Debug)]
pub struct Exchange {
    rewriter: StreamRewriter,
}

impl Default for Exchange {
    fn default() -> Self {
        Self {
            rewriter: StreamRewriter::detect(Parser::new()),
        }
    }
}

impl Exchange {
    /// Takes the next bytes of the body.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.rewriter
            .push(bytes, |bytes: &[u8]| out.extend_from_slice(bytes));
    }

    /// The body has ended.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.rewriter
            .finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    }
}
