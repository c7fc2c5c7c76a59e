//! What an event says, as ranges of its bytes.

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
    /// Its content has escapes.
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

    /// The string whose content begins at `start`.
    pub(super) const fn new(start: usize, string: StringEnd) -> Self {
        Self {
            start: start as u32,
            end: string.end as u32,
            escaped: string.escaped,
        }
    }

    /// Where its content is in the event's data.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// What is between its quotes.
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

    /// The value in this range.
    pub(super) const fn new(range: Range<usize>) -> Self {
        Self {
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether it is a number in digits alone, which is one of 64 bits.
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

/// One thing that an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The next piece of a text.
    Text(TextId, Str, Piece),
    /// A whole text: the channel's own in a response that is not streamed, or what repeats it.
    Whole(TextId, Str, Repeats),
    /// A passage that repeats some of a channel's text.
    Quote(TextId, Str),
    /// The next piece of reasoning; it says the same as the one before in another member, or not.
    Reasoning(TextId, Str, bool),
    /// Reasoning in a string of its own, which repeats what came in pieces or not.
    ReasoningWhole(TextId, Str, bool),
    /// The reasoning of the channels with an index is over.
    ReasoningEnd(Channel),
    /// The reasoning of a part is over, and not that of others with its index.
    ReasoningPartEnd(Channel),
    Tool(Channel, Str),
    ToolJson(Channel, Raw),
    /// Something other than text comes in the channel of a text.
    Break(TextId),
    /// Something other than text comes in all channels.
    BreakAll,
    /// The first break of a channel since its last text.
    Broken(Channel),
    /// A text is over, unless more follows.
    Finish(TextId),
    /// A text is over.
    End(TextId),
    /// No more of a text comes, not even what it holds back.
    Forget(TextId),
    /// All texts of a channel are over.
    Ended(Channel),
    Logprobs(Channel, Raw),
    /// What a gate empties.
    Echo(Raw, Shape),
    /// A string that may be text, in a member that the format does not have.
    Unread(Str),
    Sequence(Raw),
    /// A place in a text, which may be counted from the start of the prompt.
    Offset(TextId, Raw, bool),
    /// An error of the stream, or of the choice with this number.
    Error(Raw, Option<u32>),
    /// A block of a message that is not streamed; what is in it follows.
    Element(Raw),
    /// The end of the stream.
    Done,
}

impl Found {
    /// Whether it is content other than text, or about more than a text.
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
                | Self::Ended(_)
                | Self::Error(..)
                | Self::Done
        )
    }

    /// Whether it is a text that repeats another one.
    pub(super) const fn is_repeat(&self) -> bool {
        matches!(self, Self::Whole(_, _, Repeats::SoFar | Repeats::All))
    }

    /// Whether a gate may change something about it.
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

    /// The text that it ends, for certain or not.
    pub(super) const fn ended(&self) -> Option<TextId> {
        match self {
            Self::End(channel) | Self::Finish(channel) => Some(*channel),
            _ => None,
        }
    }
}

/// The text of an event that says nothing else that matters, whether the event can be repeated with other text, and its number in
/// the stream, if it has one in digits. A list of tokens that is empty says nothing.
#[inline]
pub(super) fn alone(found: &[Found], data: &[u8]) -> Option<(TextId, Str, bool, Option<Raw>)> {
    if let [Found::Text(channel, text, piece)] = *found
        && !piece.is_after_break
    {
        return Some((channel, text, piece.is_repeatable, None));
    }
    let (mut only, mut sequence) = (None, None);
    for one in found {
        match *one {
            Found::Text(channel, text, piece) if only.is_none() && !piece.is_after_break => {
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

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The event can be repeated with other text.
    pub(super) is_repeatable: bool,
    /// The text has been the same so far as another one of its channel, which comes before it in each event.
    pub(super) is_again: bool,
    /// The text begins after something else that came after text.
    pub(super) is_after_break: bool,
}

/// How much of a text a whole text repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// Nothing: it is the text.
    Nothing,
    /// What there is so far, with more to come.
    SoFar,
    All,
}
