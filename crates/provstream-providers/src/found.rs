//! Facts of an event, as ranges of its bytes.

use core::ops::Range;

use super::Channel;
use super::text_id::TextId;
use super::walk::scan::StringEnd;
use super::walk::{Capture, Shape};

/// A string of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Str {
    start: u32,
    end: u32,
    /// The content has escapes.
    pub(super) escaped: bool,
}

impl Str {
    pub(super) fn of(capture: &Capture) -> Self {
        Self {
            start: capture.start,
            end: capture.end,
            escaped: capture.shape == Shape::Escaped,
        }
    }

    /// Returns the string whose content begins at `start`.
    pub(super) const fn new(start: usize, string: StringEnd) -> Self {
        Self {
            start: start as u32,
            end: string.end as u32,
            escaped: string.escaped,
        }
    }

    /// Returns the range of the content in the event's data.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns `true` if another string of the event has the same text.
    pub(super) fn equals(self, other: Self, data: &[u8]) -> bool {
        let (one, two) = (self.content(data), other.content(data));
        let is_written = self.escaped || other.escaped;
        one == two
            || is_written && {
                let decoded =
                    |text: Self| provstream::json::decode(text.content(data), text.escaped);
                decoded(self).text == decoded(other).text
            }
    }

    /// Returns the content, without the quotes.
    pub(super) fn content(self, data: &[u8]) -> &[u8] {
        data.get(self.range()).unwrap_or_default()
    }
}

/// A value of an event that is not a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Raw {
    start: u32,
    end: u32,
}

impl Raw {
    pub(super) const fn of(capture: &Capture) -> Self {
        Self {
            start: capture.start,
            end: capture.end,
        }
    }

    /// Returns the value in this range.
    pub(super) const fn new(range: Range<usize>) -> Self {
        Self {
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns `true` if the value is a number of 64 bits in digits only.
    fn is_digits(self, data: &[u8]) -> bool {
        let bytes = self.bytes(data);
        let number = core::str::from_utf8(bytes).ok();
        let is_number = number.is_some_and(|number| number.parse::<u64>().is_ok());
        is_number && bytes.first() != Some(&b'+')
    }

    pub(super) fn bytes(self, data: &[u8]) -> &[u8] {
        data.get(self.range()).unwrap_or_default()
    }
}

/// One fact from an event: a delta, an end, an error and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Delta of a text.
    Text(TextId, Str, Piece),
    /// Full text: the text itself in a response that is not streamed, otherwise a repetition.
    Whole(TextId, Str, Repeats),
    /// Excerpt of a channel's text.
    Quote(TextId, Str),
    /// Delta of reasoning; `true` if it repeats a delta in another member.
    Reasoning(TextId, Str, bool),
    /// Full reasoning; `true` if it repeats deltas.
    ReasoningWhole(TextId, Str, bool),
    /// The reasoning of all channels with this index ends.
    ReasoningEnd(Channel),
    /// The reasoning of this channel ends, but not of others with its index.
    ReasoningPartEnd(Channel),
    Tool(Channel, Str),
    ToolJson(Channel, Raw),
    /// Content other than text follows in the channel of a text.
    Break(TextId),
    /// Content other than text follows in all channels.
    BreakAll,
    /// First break of a channel since its last text.
    Broken(Channel),
    /// A text ends, unless more follows.
    Finish(TextId),
    /// A text ends.
    End(TextId),
    /// A text breaks off: an error of the provider comes before its end.
    CutOff(TextId),
    /// A text makes room for another one. It has not ended, and more of it may follow.
    MakesRoom(TextId),
    /// Nothing more of a text is written, not even held text.
    Forget(TextId),
    /// All texts of a channel end.
    Ended(Channel),
    Logprobs(Channel, Raw),
    /// Value that a gate empties.
    Echo(Raw, Shape),
    /// String that may be text, in a member that the format does not have.
    Unread(Str),
    Sequence(Raw),
    /// Offset in a text; `true` if it may count from the start of the prompt.
    Offset(TextId, Raw, bool),
    /// Error of the stream, or of the choice with this index.
    Error(Raw, Option<u32>),
    /// Block of a message that is not streamed; its facts follow.
    Element(Raw),
    /// End of the stream.
    Done,
}

impl Found {
    /// Returns `true` if the fact is content other than text, or concerns more than one text.
    pub(super) const fn is_more_than_text(&self) -> bool {
        matches!(
            self,
            Self::Reasoning(..)
                | Self::ReasoningWhole(..)
                | Self::Tool(..)
                | Self::ToolJson(..)
                | Self::Break(_)
                | Self::BreakAll
                | Self::End(_)
                | Self::MakesRoom(_)
                | Self::Ended(_)
                | Self::Error(..)
                | Self::Done
        )
    }

    /// Returns the index of the choice that the fact is about; `None` if it may be about any.
    pub(super) const fn choice(&self) -> Option<u32> {
        match self {
            Self::Text(id, ..)
            | Self::Whole(id, ..)
            | Self::Quote(id, _)
            | Self::Reasoning(id, ..)
            | Self::ReasoningWhole(id, ..)
            | Self::Break(id)
            | Self::Finish(id)
            | Self::End(id)
            | Self::CutOff(id)
            | Self::MakesRoom(id)
            | Self::Forget(id)
            | Self::Offset(id, ..) => Some(id.index()),
            Self::ReasoningEnd(channel)
            | Self::ReasoningPartEnd(channel)
            | Self::Tool(channel, _)
            | Self::ToolJson(channel, _)
            | Self::Broken(channel)
            | Self::Ended(channel)
            | Self::Logprobs(channel, _) => Some(channel.index()),
            Self::Error(_, choice) => *choice,
            Self::BreakAll
            | Self::Echo(..)
            | Self::Unread(_)
            | Self::Sequence(_)
            | Self::Element(_)
            | Self::Done => None,
        }
    }

    /// Returns `true` if the fact is content, or a break in it: something that a client does not read of an event that a
    /// gate withholds.
    pub(super) const fn is_content(&self) -> bool {
        matches!(
            self,
            Self::Text(..)
                | Self::Whole(..)
                | Self::Quote(..)
                | Self::Reasoning(..)
                | Self::ReasoningWhole(..)
                | Self::Break(_)
                | Self::BreakAll
                | Self::Broken(_)
        )
    }

    /// Returns `true` if the fact is a text that repeats another one.
    pub(super) const fn is_repeat(&self) -> bool {
        matches!(self, Self::Whole(_, _, Repeats::SoFar | Repeats::All))
    }

    /// Returns `true` if a gate may change the value.
    pub(super) const fn may_change(&self, wants_reasoning: bool) -> bool {
        match self {
            Self::Text(..)
            | Self::Whole(..)
            | Self::Quote(..)
            | Self::Echo(..)
            | Self::Logprobs(..)
            | Self::Unread(_) => true,
            Self::Reasoning(..) | Self::ReasoningWhole(..) => wants_reasoning,
            _ => false,
        }
    }

    /// Returns the text that the fact ends, for certain or not.
    pub(super) const fn ended(&self) -> Option<TextId> {
        match self {
            Self::End(channel) | Self::MakesRoom(channel) | Self::Finish(channel) => Some(*channel),
            _ => None,
        }
    }
}

/// Returns the delta of an event without other facts of interest, with `true` if the event can be repeated with other
/// text, and its sequence number, if any. An empty list of tokens is ignored.
#[inline]
pub(super) fn alone(found: &[Found], data: &[u8]) -> Option<(TextId, Str, bool, Option<Raw>)> {
    if let [Found::Text(channel, text, piece)] = *found
        && !piece.is_special()
    {
        return Some((channel, text, piece.is_repeatable, None));
    }
    let (mut only, mut sequence) = (None, None);
    for one in found {
        match *one {
            Found::Text(channel, text, piece) if only.is_none() && !piece.is_special() => {
                only = Some((channel, text, piece.is_repeatable));
            }
            Found::Sequence(number) if sequence.is_none() && number.is_digits(data) => {
                sequence = Some(number);
            }
            Found::Logprobs(_, tokens) if tokens.bytes(data) == b"[]" => {}
            _ => return None,
        }
    }
    let (channel, text, repeatable) = only?;
    Some((channel, text, repeatable, sequence))
}

/// Properties of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The event can be repeated with other text.
    pub(super) is_repeatable: bool,
    /// Another text of the channel, which comes first in each event, is equal so far.
    pub(super) is_again: bool,
    /// Other content came between earlier text and this delta.
    pub(super) is_after_break: bool,
    /// The provider said, in this event or before, that the text ends.
    pub(super) is_at_end: bool,
    /// A part of a full text that is joined from parts.
    pub(super) is_joined: bool,
}

impl Piece {
    /// Returns `true` if the delta is not the usual one between others.
    const fn is_special(&self) -> bool {
        self.is_after_break || self.is_at_end
    }
}

/// Relation of a full text to the deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// The full text is the text itself.
    Nothing,
    /// The full text repeats the text so far; more follows.
    SoFar,
    All,
}

impl Repeats {
    /// Returns the relation of a text whose name another full text of the event may have.
    pub(super) fn of_second(self, is_second: bool) -> Self {
        match self {
            Self::Nothing if is_second => Self::All,
            other => other,
        }
    }
}
