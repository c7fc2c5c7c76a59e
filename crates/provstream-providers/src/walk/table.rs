//! Types of a format's table: rows of constant data.
//!
//! A path names members from the event's root: `choices[].delta.content`. `[]` is each element of an array. `[0]` and
//! `[1]` are also each element, and the element's index is the first or second number of its channel. The empty path
//! is the event itself.

use super::allowed::Allowed;
use crate::text_id::Member;

/// Table of a format.
#[derive(Debug)]
pub(crate) struct FormatTable {
    pub(crate) rows: &'static [FormatRow],
    /// Each string is text that was not read, unless a row or a path that passes is about it.
    pub(crate) is_closed: bool,
    /// Values that are not text.
    pub(crate) passes: &'static [Passes],
    /// The text blocks of a message are joined to one text, whose channel is that of the first block. A block that
    /// loses all its text is removed.
    pub(crate) one_text: bool,
    /// The first number may count deltas instead of naming a text; see `Numbering`.
    pub(crate) counts_up: bool,
    /// The second number may count deltas instead of naming a text; see `Numbering`.
    pub(crate) counts_parts: bool,
    /// Reasoning in two members is two texts.
    pub(crate) parts_reasoning: bool,
    /// The format has an event for the start of a block.
    pub(crate) has_starts: bool,
    /// Text and reasoning come in parts, in their order, also in one event.
    pub(crate) has_parts: bool,
    /// Kinds of parts, and members of parts without a kind, that are text or about text; for [`Role::Holder`].
    pub(crate) plain: &'static [&'static str],
    /// Types of events that show nothing to a reader. If the list is not empty, an event of any other type that no
    /// row names is a break in the text.
    pub(crate) control: &'static [&'static str],
    /// Shortest event with text, for text that is added.
    pub(crate) shortest: Shortest,
    /// Shortest event with text of a refusal, where it has a type of its own.
    pub(crate) shortest_refusal: Option<Shortest>,
}

/// Values that are not text: identifiers, tool calls, binary data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passes {
    /// Kinds of events and parts, by `type` or `object` of the event or of the object around the value; `*` is any
    /// run of characters. Empty: all kinds.
    pub(crate) kinds: &'static [&'static str],
    /// Types of the values. A value of another type counts as one that no row and no path is about.
    pub(crate) allowed: Allowed,
    /// Paths of the objects that contain the values.
    pub(crate) around: &'static [&'static str],
    /// Paths of the values from there, separated by spaces.
    pub(crate) members: &'static str,
}

/// Returns rules for values that are not text, in objects with the paths `around`.
const fn passes(
    allowed: Allowed,
    around: &'static [&'static str],
    members: &'static str,
) -> Passes {
    Passes {
        kinds: &[],
        allowed,
        around,
        members,
    }
}

/// Returns rules for identifiers and names of a closed set.
pub(crate) const fn word(around: &'static [&'static str], members: &'static str) -> Passes {
    passes(Allowed::Word, around, members)
}

/// Returns rules for objects and arrays of identifiers and names of a closed set.
pub(crate) const fn words(around: &'static [&'static str], members: &'static str) -> Passes {
    passes(Allowed::Words, around, members)
}

/// Returns rules for signatures, binary data and addresses, alone or in objects and arrays.
pub(crate) const fn data(around: &'static [&'static str], members: &'static str) -> Passes {
    passes(Allowed::Data, around, members)
}

/// Returns rules for strings of others than the model: names, titles of sources, stop sequences.
pub(crate) const fn string(around: &'static [&'static str], members: &'static str) -> Passes {
    passes(Allowed::Text, around, members)
}

/// Returns rules for values with texts of others than the model: tools, the request, sources.
pub(crate) const fn any(around: &'static [&'static str], members: &'static str) -> Passes {
    passes(Allowed::Any, around, members)
}

impl Passes {
    /// Restricts the rules to events and parts of these kinds.
    pub(crate) const fn in_kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }

    /// Returns each pair of a containing path and a member path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let around = self.around.iter();
        around.flat_map(|around| self.members.split(' ').map(|member| (*around, member)))
    }
}

/// The shortest event of a format that has text.
#[derive(Debug)]
pub(crate) struct Shortest {
    /// Value of the field `event` in server-sent events; empty if the field is omitted.
    pub(crate) event: &'static str,
    /// JSON of the event, with `#` and `%` for the two numbers of the channel and `@` for the text.
    pub(crate) json: &'static str,
}

impl FormatTable {
    /// Returns a table with these rows and no special rules.
    pub(crate) const fn new(rows: &'static [FormatRow], shortest: Shortest) -> Self {
        Self {
            rows,
            is_closed: true,
            passes: &[],
            one_text: false,
            counts_up: false,
            counts_parts: false,
            parts_reasoning: false,
            has_starts: false,
            has_parts: false,
            plain: &[],
            control: &[],
            shortest,
            shortest_refusal: None,
        }
    }
}

/// One rule of a table: the role of the value at a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatRow {
    /// Types of the events to which the row applies. Empty: all events.
    pub(crate) on: &'static [&'static str],
    pub(crate) path: &'static str,
    pub(crate) role: Role,
    pub(crate) channel: ChannelOf,
    /// Member of the channel that accumulates the text.
    pub(crate) member: Member,
}

/// Numbers that name the channel of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelOf {
    /// Channel 0.
    Zero,
    /// The first number.
    First,
    /// Both numbers.
    Both,
    /// The number of the text that a citation is about.
    Cited,
    /// All channels.
    All,
}

/// Meaning of a value in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A string: the type of the event.
    Type,
    /// A number of the channel of what is in the same object, and in those inside it: the first, the second, or that of
    /// [`ChannelOf::Cited`].
    Number(usize),
    /// A string: a delta of a channel's text.
    Text,
    /// A string: a delta in an event that begins a block or item, so the event cannot be repeated with other text.
    Start,
    /// A string: text of a response that is not streamed; after deltas, an excerpt of their text.
    Alone,
    /// A string: the first delta if the text has not begun; otherwise a full text that repeats it.
    Initial,
    /// A string: a full text, which repeats the deltas; in a response that is not streamed, the text itself.
    Whole,
    /// A string: a part of a full text. The parts are one text, as deltas are; after deltas, each repeats some of it.
    WholePart,
    /// A full text that some servers fill with the delta of the same event.
    Message,
    /// A string: an excerpt of the text.
    Quote,
    /// A string: a delta of the model's reasoning.
    Reasoning,
    /// A string: full reasoning, which repeats the deltas; in a response that is not streamed, the reasoning itself.
    ReasoningWhole,
    /// A part of reasoning begins, after all text so far.
    ReasoningStart,
    /// The channel's reasoning is over.
    ReasoningEnd,
    /// A string: a delta of a tool call's arguments.
    Tool,
    /// The arguments of a tool call as JSON.
    ToolJson,
    /// `true`: the text in the same object is reasoning.
    Thought,
    /// `true`: the string for text in the same object is a special token, which is not text if it is a mark such as
    /// `</s>`.
    Special,
    /// A string: the kind of the part that the object is; `text` in parts of reasoning is reasoning.
    Kind,
    /// A string: the kind of a delta. If the kind is not [plain](Table::plain), the delta's string is not text of a
    /// block.
    DeltaKind,
    /// An object: a part of a message. A part that is not [plain](Table::plain) is a break in the text.
    Holder,
    /// A string: the identifier of the block that the event is about.
    Id,
    /// A text block begins.
    BlockStart,
    /// A block of any kind begins, which goes with its text if that is all it has.
    InBlockStart,
    /// The next part of an item begins.
    Announced,
    /// A string: the kind of the block that begins. A block that is not text or model output comes after all text so
    /// far.
    Block,
    /// Content of a block other than text.
    InBlock,
    /// A block ends, and its text with it unless the next block continues the text.
    BlockEnd,
    /// An object: a block of a message that is not streamed.
    Element,
    /// The role of a message that begins.
    Begins,
    /// A message begins, whose blocks are counted from the first number on.
    MessageStart,
    /// Content other than text, in its order among the text; held text is written before it.
    Part,
    /// If set, the channel's text ends, unless more of it follows.
    Finish,
    /// The channel's text ends, if the value is set.
    End,
    /// The texts of all channels with this first number end.
    EndAll,
    /// The stream ends, if the value is `true`, an object or an array.
    Done,
    /// The stream ends, but SDKs read events that follow.
    Last,
    /// An error that the provider reports.
    Error,
    /// An error, whatever its value except `null`.
    ErrorName,
    /// A number: an error, unless it is 0 or 200.
    ErrorCode,
    /// An error of the choice that contains the member.
    ChoiceError,
    /// A string: the kind of the event in another member than its type; `error` is an error.
    ErrorKind,
    /// Tokens of the text in the same object, with or without probabilities, or a member that repeats them.
    Logprobs,
    /// A copy of some text in another form, such as audio, or someone else's text about a passage, such as the source
    /// that a citation quotes. Only a gate changes it: the value is emptied.
    Echo,
    /// Sequence number of the event in the stream.
    Sequence,
    /// Offset of the start or end of a passage of the text, in the unit of the format.
    Offset,
    /// Offset that counts from the start of the text or of the prompt before it.
    PromptOffset,
    /// Shows the format of a stream.
    Evidence,
}

impl Role {
    /// Returns `true` if the value is text of an answer, or repeats some.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Start
                | Self::Alone
                | Self::Initial
                | Self::Whole
                | Self::WholePart
                | Self::Message
                | Self::Quote
        )
    }

    /// Returns the values with this role that are read or are known not to be text.
    pub(crate) const fn allowed(self) -> Allowed {
        match self {
            Self::Text
            | Self::Start
            | Self::Alone
            | Self::Initial
            | Self::Whole
            | Self::WholePart
            | Self::Message
            | Self::Quote
            | Self::Reasoning
            | Self::ReasoningWhole
            | Self::Id => Allowed::Text,
            Self::Type
            | Self::Kind
            | Self::DeltaKind
            | Self::Block
            | Self::Begins
            | Self::Finish
            | Self::ErrorKind => Allowed::Word,
            Self::Tool
            | Self::ToolJson
            | Self::Error
            | Self::ErrorName
            | Self::ChoiceError
            | Self::Logprobs
            | Self::Echo
            | Self::Evidence => Allowed::Any,
            _ => Allowed::Number,
        }
    }

    /// Returns `true` if the value decides which text a string belongs to, or what kind of text it is.
    pub(crate) const fn is_evidence(self) -> bool {
        matches!(
            self,
            Self::Type
                | Self::Number(_)
                | Self::Thought
                | Self::Special
                | Self::Kind
                | Self::DeltaKind
                | Self::Id
                | Self::Block
        )
    }

    /// Returns `true` if the role is an end or an error, which is processed after everything else in its event.
    pub(crate) const fn is_end(self) -> bool {
        matches!(
            self,
            Self::Finish
                | Self::End
                | Self::EndAll
                | Self::BlockEnd
                | Self::MessageStart
                | Self::Done
                | Self::Last
                | Self::Error
                | Self::ErrorName
                | Self::ErrorCode
                | Self::ChoiceError
                | Self::ErrorKind
        )
    }
}

/// Events of all types.
pub(crate) const ANY: &[&str] = &[];

/// Returns a row whose channel is named by one number.
pub(crate) const fn row(on: &'static [&'static str], path: &'static str, role: Role) -> FormatRow {
    FormatRow {
        on,
        path,
        role,
        channel: ChannelOf::First,
        member: Member::Content,
    }
}

impl FormatRow {
    /// Sets the channel to the one that both numbers name.
    pub(crate) const fn both(mut self) -> Self {
        self.channel = ChannelOf::Both;
        self
    }

    /// Sets the channel to 0.
    pub(crate) const fn zero(mut self) -> Self {
        self.channel = ChannelOf::Zero;
        self
    }

    /// Sets the channel to the cited one.
    pub(crate) const fn cited(mut self) -> Self {
        self.channel = ChannelOf::Cited;
        self
    }

    /// Sets the member, for a text other than the channel's content.
    pub(crate) const fn of(mut self, member: Member) -> Self {
        self.member = member;
        self
    }

    /// Applies the row to all channels.
    pub(crate) const fn all(mut self) -> Self {
        self.channel = ChannelOf::All;
        self
    }
}
