//! Items that a decoder reports.

use core::fmt;
use std::borrow::Cow;

use super::Channel;
use super::text_id::TextId;
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
    /// Something other than text comes in a channel, such as a tool call: what is open in its text is complete.
    ///
    /// Comes once before more text of the channel. That text continues the channel, and its offsets, but begins anew: no
    /// assertion, annotation or surrogate pair is partly before and partly after a break.
    Break(Channel),
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
    id: TextId,
    text: Cow<'a, str>,
    is_after_break: bool,
}

impl<'a> Delta<'a> {
    pub(super) const fn new(id: TextId, text: Cow<'a, str>) -> Self {
        Self {
            id,
            text,
            is_after_break: false,
        }
    }

    /// Sets `is_after_break`: other content came between earlier text and this delta.
    pub(super) const fn after_break(mut self, is_after_break: bool) -> Self {
        self.is_after_break = is_after_break;
        self
    }

    pub(super) const fn is_after_break(&self) -> bool {
        self.is_after_break
    }

    /// The text that it is a piece of.
    pub(super) const fn id(&self) -> TextId {
        self.id
    }

    /// The member that the text is, if it is not the usual one of its format; see [`ChannelPosition::member`](super::ChannelPosition::member).
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        self.id.member.name()
    }

    /// Whose text it is. Tool calls of one choice are told apart by the part, where they are numbered.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        self.id.channel
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

    /// Returns the kind of the notice.
    #[must_use]
    pub const fn code(&self) -> NoticeCode {
        self.code
    }

    /// Returns the span of the event in the stream.
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
    /// An event whose data are not JSON. Its text is not read.
    MalformedEvent,
    /// An event longer than the limit, or with more than 262,144 values that could be text or about text. Its text is not read.
    OversizedEvent,
    /// An event that the stream ended within. Its text is not read.
    UnterminatedEvent,
    /// Text of one more channel than there may be, or text that a gate withholds because its channel is uncertain or because a
    /// limit of its memory is reached. It is not read.
    LimitChannels,
    /// Text that is not a string. It is not read.
    UnreadText,
    /// A number of a channel that counts deltas instead of naming a text. It is taken for the text of the delta before.
    OddChannel,
    /// A string that may be text, in a member that the format does not have. It is not read, and a gate empties it;
    /// [`ReadReport::unread_members`](super::ReadReport::unread_members) has the paths.
    UnreadMember,
    /// An event that shows several formats, where the format is found out. Its text is not read, and a gate withholds it.
    AmbiguousFormat,
    /// An event that clients can read as different texts: a member that decides which text it is, or of what kind, is
    /// repeated, a number of a channel is not a whole number of 32 bits, the event's name contradicts the type in its
    /// data, or it has too many parts. A gate withholds it. Otherwise, the last of repeated members counts, and an odd
    /// number is taken for 0.
    AmbiguousEvent,
    /// Something that a gate cannot read and withholds: a line of server-sent events that is neither data nor a field without
    /// text, bytes between the values of a JSON body that may be text, JSON that is not an object, what is of another format
    /// than the one asked for or shown before, or an event that may have text and shows no format; or an assertion that only a
    /// copy of a text has. A stripped response keeps it.
    WithheldData,
    /// A comment of server-sent events, whose content a gate withholds.
    Comment,
    /// The body is compressed with gzip, which has to be undone first. None of it is read.
    GzipBody,
    /// The body is compressed with Zstandard, which has to be undone first. None of it is read.
    ZstdBody,
    /// The body is not text; it may be compressed, with Brotli or otherwise. None of it is read.
    BinaryBody,
}

impl NoticeCode {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::MalformedEvent,
        Self::OversizedEvent,
        Self::UnterminatedEvent,
        Self::LimitChannels,
        Self::UnreadText,
        Self::OddChannel,
        Self::UnreadMember,
        Self::AmbiguousFormat,
        Self::AmbiguousEvent,
        Self::WithheldData,
        Self::Comment,
        Self::GzipBody,
        Self::ZstdBody,
        Self::BinaryBody,
    ];

    /// The name used on the wire, such as `malformed-event`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MalformedEvent => "malformed-event",
            Self::OversizedEvent => "oversized-event",
            Self::UnterminatedEvent => "unterminated-event",
            Self::LimitChannels => "limit-channels",
            Self::UnreadText => "unread-text",
            Self::OddChannel => "odd-channel",
            Self::UnreadMember => "unread-member",
            Self::AmbiguousFormat => "ambiguous-format",
            Self::AmbiguousEvent => "ambiguous-event",
            Self::GzipBody => "gzip-body",
            Self::ZstdBody => "zstd-body",
            Self::BinaryBody => "binary-body",
            Self::WithheldData => "withheld-data",
            Self::Comment => "comment",
        }
    }

    /// Returns `true` if a gate withholds the whole event.
    pub(super) const fn is_withheld(self) -> bool {
        self.is_unread() && !matches!(self, Self::UnreadMember)
    }

    /// Returns an explanation for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::MalformedEvent => "an event that is not JSON; its text is not read",
            Self::OversizedEvent => {
                "an event longer than 33554432 bytes, or with more than 262144 values; its text is not read"
            }
            Self::UnterminatedEvent => {
                "an event without an end: the response was cut short; its text is not read"
            }
            Self::LimitChannels => {
                "more channels than are read, or than a gate can tell apart; the text of further ones is not read"
            }
            Self::UnreadText => "a text that is not a JSON string; it is not read",
            Self::UnreadMember => {
                "a string that may be text, in a member that the format does not have; it is not read, and a gate empties it"
            }
            Self::OddChannel => {
                "a channel number that counts deltas; the text is taken for that of the event before"
            }
            Self::AmbiguousFormat => "an event that shows several formats; name its format",
            Self::AmbiguousEvent => {
                "an event that clients can read as different texts: a member such as type or index is repeated or odd, or \
                 contradicts the event's name; a gate withholds it"
            }
            Self::WithheldData => "bytes that cannot be read as an event; a gate withholds them",
            Self::Comment => "a comment between events; a gate empties it",
            Self::GzipBody => {
                "an input that is still gzip once it is decompressed; nothing of it is read"
            }
            Self::ZstdBody => {
                "an input that is still Zstandard once it is decompressed; nothing of it is read"
            }
            Self::BinaryBody => {
                "bytes that are not text, perhaps compressed; decompress them first, nothing of them is read"
            }
        }
    }

    /// Returns `true` if the notice reports text that was not read. No client shows comments, so these do not count.
    #[must_use]
    pub const fn is_unread(self) -> bool {
        !matches!(self, Self::OddChannel | Self::Comment)
    }
}

impl fmt::Display for NoticeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
