//! JSON part of the reference: a whole-buffer reader (`read`, `text`), the events of its objects
//! (`extract`, `annotation`, `pointer`), and the positions of values in a stream (`documents` for
//! JSON alone, `prose` for free text).

mod annotation;
mod documents;
mod extract;
mod pointer;
pub mod prose;
pub mod read;
mod text;

pub use documents::{documents, lines};

use super::stream::Stream;
use super::{Ev, Place, RefLimits, RefVocabulary, wide};
use read::{Node, Outcome};

/// A JSON value, read up to its end or its first error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Offset of the first byte.
    pub start: usize,
    pub outcome: Outcome,
    /// An object in the value was reported.
    pub reported: bool,
    /// The value is complete and its root is an asserted object or a MARC object.
    pub is_record: bool,
    /// Events of the value, except the diagnostic for a byte that broke it in a stream of JSON
    /// alone.
    pub events: Vec<(Place, Ev)>,
}

impl Value {
    /// Offset at which reading continues: the end of the value, or the byte at which it broke.
    pub fn end(&self) -> usize {
        match self.outcome {
            Outcome::Complete { end } | Outcome::Open { end } => end,
            Outcome::Stopped { at } | Outcome::TooDeep { at } => at,
        }
    }

    /// Returns `true` if the value is removed from the text when records are held.
    pub fn is_removable(&self, limits: &RefLimits) -> bool {
        self.is_record && self.end() - self.start <= limits.max_record
    }
}

/// Reads the value that starts at `start` in model text. With `feed_offends`, a line feed breaks
/// the value; with `in_text`, it is a value in free text.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
pub fn value(
    stream: &Stream,
    start: usize,
    feed_offends: bool,
    in_text: bool,
    hold_records: bool,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Value {
    let own_end = stream.own_end(start);
    let bytes = &stream.bytes[..own_end];
    let (root, outcome) = read::read(bytes, start, limits.max_depth, feed_offends, in_text);
    let mut events = Vec::new();
    let reported = extract::extract(bytes, &root, limits, vocabulary, &mut events);
    let is_record = root.closed && reported.root;
    let mut value = Value {
        start,
        outcome,
        reported: reported.any,
        is_record,
        events,
    };
    let span = wide(start, value.end());
    match outcome {
        Outcome::Complete { end } => {
            if hold_records && is_record && !value.is_removable(limits) {
                let code = "limit-pending";
                let event = Ev::Diagnostic { code, span };
                // It comes behind everything else that is certain at this byte.
                value.events.push((Place::behind(end), event));
            }
        }
        Outcome::Open { .. } => {
            let code = "unterminated";
            let event = Ev::Diagnostic { code, span };
            value.events.push((stop(stream, own_end), event));
        }
        Outcome::TooDeep { at } => {
            let code = "limit-depth";
            let span = wide(at, at + 1);
            let event = Ev::Diagnostic { code, span };
            value.events.push((Place::after(at + 1), event));
        }
        Outcome::Stopped { .. } => {}
    }
    value
}

/// Position of events that the end of model text makes certain: after those of its last byte, or at
/// the end of the stream.
fn stop(stream: &Stream, own_end: usize) -> Place {
    if own_end == stream.bytes.len() {
        Place::after(own_end + 1)
    } else {
        Place::behind(own_end)
    }
}

/// Returns `true` for white space of JSON.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Range between the quotes of a complete string.
fn content(node: &Node) -> std::ops::Range<usize> {
    node.start + 1..node.end - 1
}
