//! What an event says, as ranges of its bytes.

use core::ops::Range;

use super::Channel;
use super::walk::scan::StringEnd;
use super::walk::{Capture, Shape};

/// A string of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn bytes(self, data: &[u8]) -> &[u8] {
        data.get(self.range()).unwrap_or_default()
    }
}

/// One thing that an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The next piece of a channel's text; the event can be repeated with other text, or not.
    Text(Channel, Str, bool),
    /// A whole text: the channel's own in a response that is not streamed, or what repeats it.
    Whole(Channel, Str, Repeats),
    /// A passage that repeats some of a channel's text.
    Quote(Channel, Str),
    /// The next piece of reasoning; it says the same as the one before in another member, or not.
    Reasoning(Channel, Str, bool),
    /// Reasoning in a string of its own, which repeats what came in pieces or not.
    ReasoningWhole(Channel, Str, bool),
    /// The reasoning of a channel is over.
    ReasoningEnd(Channel),
    Tool(Channel, Str),
    ToolJson(Channel, Raw),
    /// Something other than text comes in a channel.
    Break(Channel),
    /// Something other than text comes in all channels.
    BreakAll,
    /// The first break of a channel since its last text.
    Broken(Channel),
    /// A channel's text is over, unless more follows.
    Finish(Channel),
    /// A channel's text is over.
    End(Channel),
    Logprobs(Channel, Raw),
    /// What a gate empties.
    Echo(Raw, Shape),
    Sequence(Raw),
    Offset(Channel, Raw),
    Error(Raw),
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
                | Self::Error(_)
                | Self::Done
        )
    }

    /// The channel that it ends, for certain or not.
    pub(super) const fn ended(&self) -> Option<Channel> {
        match self {
            Self::End(channel) | Self::Finish(channel) => Some(*channel),
            _ => None,
        }
    }
}

/// How much of a channel's text a whole text repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// Nothing: it is the text.
    Nothing,
    /// What there is so far, with more to come.
    SoFar,
    All,
}
