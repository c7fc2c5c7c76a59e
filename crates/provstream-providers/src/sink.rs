//! What a stream rewriter asks and tells.

use super::{Channel, Item};
use provstream::Replacement;
use provstream::{BracketAnnotation, Event, JsonRecord};

/// Where something stands in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The channel.
    pub channel: Channel,
    /// It stands in a place that repeats text which came before in deltas, such as `response.output_text.done`. There
    /// offsets count within that place.
    pub is_repeated: bool,
}

/// Takes what a [`StreamRewriter`](super::StreamRewriter) writes and decides what becomes of annotations.
pub trait StreamSink {
    /// Takes the next bytes of the rewritten event stream.
    fn bytes(&mut self, bytes: &[u8]);

    /// Takes the next piece of a channel's rewritten text; by default it is passed over.
    fn text(&mut self, channel: Channel, text: &[u8]) {
        let _ = (channel, text);
    }

    /// Decides what is written in the place of an annotation; by default nothing. Asked again for each place that repeats
    /// it.
    fn annotation(&mut self, place: Place, annotation: &BracketAnnotation<'_>) -> Replacement {
        let _ = (place, annotation);
        Replacement::Remove
    }

    /// Decides what is written in the place of a JSON record that was held back; by default nothing. There are none
    /// unless the parser was [asked](provstream::ParserBuilder::hold_records) to hold them.
    fn record(&mut self, place: Place, record: &JsonRecord<'_>) -> Replacement {
        let _ = (place, record);
        Replacement::Remove
    }

    /// Takes every other event of a channel's text, not those of places that repeat it; by default it is passed over.
    fn event(&mut self, channel: Channel, event: Event<'_>) {
        let _ = (channel, event);
    }

    /// Takes what the stream says besides [text](Item::Text), [reasoning](Item::Reasoning) and
    /// [tool calls](Item::ToolCall); by default it is passed over.
    fn item(&mut self, item: Item<'_>) {
        let _ = item;
    }
}

/// A closure takes the rewritten stream.
impl<F: FnMut(&[u8])> StreamSink for F {
    fn bytes(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}
