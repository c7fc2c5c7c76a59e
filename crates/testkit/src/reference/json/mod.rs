//! JSON: a whole-buffer reader (`read`, `text`), what its objects say (`extract`, `annotation`, `pointer`), and where
//! values stand in a stream (`documents` for JSON alone, `prose` for values in free text).

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

/// A JSON value that was read as far as it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its first byte.
    pub start: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether an object in it was reported.
    pub reported: bool,
    /// Whether its root is an object that is an asserted object or a MARC object, and all of it is there.
    pub is_record: bool,
    /// What is to be reported because of it, but for a byte that ended it in JSON alone.
    pub events: Vec<(Place, Ev)>,
}

impl Value {
    /// Where what follows it begins: one past its end, or where it stopped.
    pub fn end(&self) -> usize {
        match self.outcome {
            Outcome::Complete { end } | Outcome::Open { end } => end,
            Outcome::Stopped { at } | Outcome::TooDeep { at } => at,
        }
    }

    /// Whether it is removed from the text when records are.
    pub fn is_removable(&self, limits: &RefLimits) -> bool {
        self.is_record && self.end() - self.start <= limits.max_record
    }
}

/// Reads the value that starts at `start`, in own text; in some places a line feed is no part of any value.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
pub fn value(
    stream: &Stream,
    start: usize,
    feed_offends: bool,
    hold_records: bool,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Value {
    let own_end = stream.own_end(start);
    let bytes = &stream.bytes[..own_end];
    let (root, outcome) = read::read(bytes, start, limits.max_depth, feed_offends);
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

/// The place that the end of own text is: behind what its last byte makes certain, or the end of the stream.
fn stop(stream: &Stream, own_end: usize) -> Place {
    if own_end == stream.bytes.len() {
        Place::after(own_end + 1)
    } else {
        Place::behind(own_end)
    }
}

/// Whether a byte is white space of JSON.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The bytes between the quotes of a string that is all there.
fn content(node: &Node) -> std::ops::Range<usize> {
    node.start + 1..node.end - 1
}
