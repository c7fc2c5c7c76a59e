//! What a decoder reports.

use core::fmt;
use std::borrow::Cow;

use super::Channel;
use provstream::Span;

/// One thing that a stream of events says, in the order of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item<'a> {
    /// Text that the user sees; never empty.
    Text(Delta<'a>),
    /// Text of the model's reasoning; never empty.
    Reasoning(Delta<'a>),
    /// A piece of a tool call's arguments; never empty.
    ToolCall(Delta<'a>),
    /// No more text is to come in a channel that had some.
    ///
    /// Comes with the provider's marker, before [`End`](Self::End) and [`Error`](Self::Error), where the text has a gap
    /// because of an oversized event, and at the end of the stream. Text that comes all the same opens the channel again.
    ChannelEnd(Channel),
    /// The provider reports an error in mid-stream: its message.
    Error(Cow<'a, str>),
    /// The provider's marker for the end of the stream; once, however many there are.
    End,
    /// An event that says none of this: a ping, usage, a type that is not known.
    Other(Span),
    /// Something that a reader should know of.
    Notice(Notice),
}

/// A piece of a channel's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta<'a> {
    channel: Channel,
    text: Cow<'a, str>,
}

impl<'a> Delta<'a> {
    pub(super) const fn new(channel: Channel, text: Cow<'a, str>) -> Self {
        Self { channel, text }
    }

    /// Whose text it is. Tool calls of one choice are told apart by the part, where they are numbered.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// The text, decoded. A surrogate pair that was split over two deltas is in the second one, and U+FFFD stands for a
    /// lone surrogate.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A notice about an event; it never stops the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Notice {
    code: NoticeCode,
    span: Span,
}

impl Notice {
    pub(super) const fn new(code: NoticeCode, span: Span) -> Self {
        Self { code, span }
    }

    /// What was found.
    #[must_use]
    pub const fn code(&self) -> NoticeCode {
        self.code
    }

    /// The bytes of the event in the stream of events.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.code, self.span)
    }
}

/// The kinds of [`Notice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoticeCode {
    /// An event whose data are not JSON, which is passed by, or have a number of a channel that is none: what stands under
    /// it is passed by, and the rest is read.
    MalformedEvent,
    /// An event longer than the limit; it is passed by.
    OversizedEvent,
    /// An event that the stream ended within; it is passed by.
    UnterminatedEvent,
    /// Text of one more channel than there may be; it is passed by.
    LimitChannels,
}

impl NoticeCode {
    /// The name used on the wire, such as `malformed-event`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MalformedEvent => "malformed-event",
            Self::OversizedEvent => "oversized-event",
            Self::UnterminatedEvent => "unterminated-event",
            Self::LimitChannels => "limit-channels",
        }
    }
}

impl fmt::Display for NoticeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
