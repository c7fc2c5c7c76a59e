//! A rewriter whose handler gets all events, whatever becomes of the adapter.

use std::fmt;

use crate::handler::{Handler, Tee};
use crate::parser::Parser;
use crate::rewrite::Rewriter;

/// A rewriter with its handler. It finishes once, at the latest when it is dropped.
///
/// When the handler panics, it is over: the handler is not called again, also not while the panic unwinds.
pub(super) struct Rewritten<H: Handler> {
    rewriter: Rewriter,
    handler: H,
    /// The end was reached, or a call has begun that has not returned.
    over: bool,
}

impl<H: Handler> Rewritten<H> {
    pub(super) fn new(parser: Parser, handler: H) -> Self {
        Self {
            rewriter: Rewriter::new(parser),
            handler,
            over: false,
        }
    }

    /// Takes the next bytes; `output` gets the text that is certain.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8], output: impl FnMut(&[u8])) {
        self.over = true;
        self.rewriter.push(
            bytes,
            Tee {
                handler: &mut self.handler,
                output,
            },
        );
        self.over = false;
    }

    /// Ends the stream, unless it is over; `output` gets the text that was held back.
    pub(super) fn finish(&mut self, output: impl FnMut(&[u8])) {
        if !self.over {
            self.over = true;
            self.rewriter.finish(Tee {
                handler: &mut self.handler,
                output,
            });
        }
    }

    /// Returns `true` after the end.
    #[inline]
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    pub(super) const fn handler(&self) -> &H {
        &self.handler
    }

    pub(super) const fn handler_mut(&mut self) -> &mut H {
        &mut self.handler
    }

    pub(super) const fn parser(&self) -> &Parser {
        self.rewriter.parser()
    }
}

/// The handler is given what waits for the end; nobody is there to take the text.
impl<H: Handler> Drop for Rewritten<H> {
    fn drop(&mut self) {
        self.finish(|_| {});
    }
}

impl<H: Handler> fmt::Debug for Rewritten<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewritten")
            .field("rewriter", &self.rewriter)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}
