//! Handlers of the text that a gate releases.

use super::policy::{Action, Question, Unannotated};
use crate::event::TextChunk;
use crate::handler::Handler;
use crate::span::Span;

/// Takes what a [`Gate`](super::Gate) writes and reports.
///
/// A `Vec<u8>` collects the text, and `()` ignores everything. The methods of [`Handler`] report events as a rewriter
/// does; their [`text`](Handler::text) is called by the defaults of the first two methods alone.
pub trait GateHandler: Handler {
    /// Takes the next piece of the stream's text that is released, with its span in the stream without annotations.
    fn released(&mut self, text: TextChunk<'_>) {
        self.text(text);
    }

    /// Takes text of the policy, which is written before the text at offset `at` of the stream without annotations.
    fn inserted(&mut self, text: &str, at: u64) {
        self.text(TextChunk::new(text.as_bytes(), at));
    }

    /// Takes the next piece of the stream's text that is withheld. A span of the stream without annotations is reported
    /// either here or to [`released`](Self::released), unless the stream ended before it.
    fn removed(&mut self, text: TextChunk<'_>) {
        let _ = text;
    }

    /// Reports the decision of the policy about an assertion; the text follows in its turn.
    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let _ = (question, action);
    }

    /// Reports the start of a run of unannotated text, at offset `at` of the stream without
    /// annotations.
    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        let _ = (at, what);
    }

    /// Reports the end of the run of unannotated text, at offset `at` of the stream without
    /// annotations.
    fn run_ends(&mut self, at: u64) {
        let _ = at;
    }

    /// Reports text that no longer waits for its assertion, because too much was held back, because it is too long for an
    /// assertion, or because what follows it is not read. It counts as unannotated text. No two such spans overlap.
    fn limit(&mut self, span: Span) {
        let _ = span;
    }
}

impl GateHandler for () {}
impl GateHandler for Vec<u8> {}

macro_rules! forward {
    ($type:ty) => {
        impl<T: GateHandler + ?Sized> GateHandler for $type {
            fn released(&mut self, text: TextChunk<'_>) {
                (**self).released(text);
            }

            fn inserted(&mut self, text: &str, at: u64) {
                (**self).inserted(text, at);
            }

            fn removed(&mut self, text: TextChunk<'_>) {
                (**self).removed(text);
            }

            fn decided(&mut self, question: &Question<'_>, action: &Action) {
                (**self).decided(question, action);
            }

            fn run_begins(&mut self, at: u64, what: &Unannotated) {
                (**self).run_begins(at, what);
            }

            fn run_ends(&mut self, at: u64) {
                (**self).run_ends(at);
            }

            fn limit(&mut self, span: Span) {
                (**self).limit(span);
            }
        }
    };
}

forward!(&mut T);
forward!(Box<T>);
