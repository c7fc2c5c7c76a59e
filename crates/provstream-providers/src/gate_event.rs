//! Reports of a gate about the text of a channel.

use provstream::{Action, Question, Span, TextChunk, Unannotated};

/// Report of a [`StreamGate`](super::StreamGate) about the text of a channel; see the methods of
/// [`GateHandler`](provstream::GateHandler).
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum GateEvent<'a> {
    /// The policy has decided about an assertion.
    Decided(&'a Question<'a>, &'a Action),
    /// Text is released.
    Released(TextChunk<'a>),
    /// Text is withheld.
    Removed(TextChunk<'a>),
    /// Text of the policy is written before the text at this offset.
    Inserted(&'a str, u64),
    /// A run of unannotated text begins at this offset.
    RunBegins(u64, &'a Unannotated),
    /// The run ends at this offset.
    RunEnds(u64),
    /// Text was released because of a limit.
    Limit(Span),
}
