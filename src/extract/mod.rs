//! From lexemes to events.

pub(crate) mod json;
pub(crate) mod lookback;
pub mod sentence;
pub(crate) mod text;
pub(crate) mod window;

use crate::Limits;
use crate::event::Event;
use crate::provenance::Vocabulary;

/// What an engine needs to know but does not own.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) vocabulary: &'a Vocabulary,
}

/// Takes the events of one push.
pub(crate) type Sink<'a> = dyn FnMut(Event<'_>) + 'a;
