//! What a format's table is written in: rows of constant data.
//!
//! A path names members from the event's root: `choices[].delta.content`. `[]` is each element of an array; `[0]` and `[1]`
//! the same where the element's place is the first or second number of its channel. The empty path is the event itself.

use crate::text_id::Member;

/// A format.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) rows: &'static [Row],
    /// The paths of objects and arrays in which each string is text that was not read, unless a row or a path that passes is
    /// about it.
    pub(crate) content: &'static [&'static str],
    /// What is not text in them.
    pub(crate) passes: &'static [Passes],
    /// The text blocks of a message are one text: its channel is that of the first block. A block that loses all its text
    /// is removed.
    pub(crate) one_text: bool,
    /// The first number may count deltas instead of naming a text; see `Numbering`.
    pub(crate) counts_up: bool,
    /// The second number may count deltas instead of naming a text; see `Numbering`.
    pub(crate) counts_parts: bool,
    /// Reasoning in two members is two texts.
    pub(crate) parts_reasoning: bool,
    /// An event says that a block begins.
    pub(crate) has_starts: bool,
    /// Text and reasoning come in parts, in their order, also in one event.
    pub(crate) has_parts: bool,
    /// The kinds of parts, and the members of parts without a kind, that are text or about text; for [`Role::Holder`].
    pub(crate) plain: &'static [&'static str],
    /// The types of events that are nothing that a reader sees in its order. Unless the list is empty, an event of any other type
    /// that no row names is.
    pub(crate) control: &'static [&'static str],
    /// A whole text that comes where no piece of text came before is the text.
    pub(crate) whole_alone: bool,
    /// The shortest event with text.
    pub(crate) shortest: Shortest,
}

/// Values that are not text, with all that is in them: identifiers, tool calls, binary data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passes {
    /// The kinds of events and parts, by `type` or `object` of the event or of the object around the value; `*` is any run of
    /// characters. Of all kinds if there are none.
    pub(crate) kinds: &'static [&'static str],
    /// The paths of what they are in.
    pub(crate) around: &'static [&'static str],
    /// Their paths in that, with spaces between.
    pub(crate) members: &'static str,
}

/// Values that are not text, in objects with these paths.
pub(crate) const fn passes(around: &'static [&'static str], members: &'static str) -> Passes {
    Passes {
        kinds: &[],
        around,
        members,
    }
}

impl Passes {
    /// The same in events and parts of these kinds alone.
    pub(crate) const fn in_kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }

    /// The paths around them, each with every path in it.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let around = self.around.iter();
        around.flat_map(|around| self.members.split(' ').map(|member| (*around, member)))
    }
}

/// The shortest event of a format that has text.
#[derive(Debug)]
pub(crate) struct Shortest {
    /// Its type in server-sent events; empty if that is not given.
    pub(crate) event: &'static str,
    /// Its JSON, with `#` and `%` for the numbers of the channel and `@` for the text.
    pub(crate) json: &'static str,
}

impl Table {
    /// A table with these rows and nothing special.
    pub(crate) const fn new(rows: &'static [Row], shortest: Shortest) -> Self {
        Self {
            rows,
            content: &[],
            passes: &[],
            one_text: false,
            counts_up: false,
            counts_parts: false,
            parts_reasoning: false,
            has_starts: false,
            has_parts: false,
            plain: &[],
            control: &[],
            whole_alone: false,
            shortest,
        }
    }
}

/// What the value at one path is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The types of events that it is found in; in every event if there are none.
    pub(crate) on: &'static [&'static str],
    pub(crate) path: &'static str,
    pub(crate) role: Role,
    pub(crate) channel: ChannelOf,
    /// The member that a text is.
    pub(crate) member: Member,
}

/// Which numbers name the channel of a value.
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

/// What a value is to the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A string: the type of the event.
    Type,
    /// A number of the channel of what is in the same object, and in those inside it: the first, the second, or that of
    /// [`ChannelOf::Cited`].
    Number(usize),
    /// A string: the next piece of a channel's text.
    Text,
    /// The same in an event that begins something, so that it cannot be repeated with other text.
    Start,
    /// The same if the text has not begun; else a whole text that repeats it.
    Initial,
    /// A string: a whole text of its own, which repeats what came in pieces; in a response that is not streamed, the text.
    Whole,
    /// A whole text that some servers fill with the delta of the same event.
    Message,
    /// A string: a passage of the text.
    Quote,
    /// A string: the next piece of the model's reasoning.
    Reasoning,
    /// A string: reasoning of its own, which repeats what came in pieces; in a response that is not streamed, the reasoning.
    ReasoningWhole,
    /// A part of reasoning begins, after all text so far.
    ReasoningStart,
    /// The channel's reasoning is over.
    ReasoningEnd,
    /// A string: the next piece of a tool call's arguments.
    Tool,
    /// The arguments of a tool call as JSON.
    ToolJson,
    /// `true`: the text in the same object is reasoning.
    Thought,
    /// `true`: the string for text in the same object is not text that a client shows.
    Special,
    /// A string: the kind of the part that the object is; `text` in parts of reasoning is reasoning.
    Kind,
    /// A string: the kind of a delta. Unless it is [plain](Table::plain), what it has for text is no text of a block.
    DeltaKind,
    /// An object: a part of a message. One that is not [plain](Table::plain) is something that a reader sees in its order.
    Holder,
    /// A string: the identifier of the block that the event is about.
    Id,
    /// A text block begins.
    BlockStart,
    /// The next part of an item begins.
    Announced,
    /// A string: the kind of the block that begins. One that is not text, or output of the model, comes after all text so
    /// far.
    Block,
    /// Something of a block that is not text.
    InBlock,
    /// A block ends, and with it its text, unless the next block goes on with it.
    BlockEnd,
    /// An object: a block of a message that is not streamed.
    Element,
    /// The role of a message that begins.
    Begins,
    /// Something other than text that a reader sees in its order; text that was held back comes before it.
    Part,
    /// Set: the channel's text is over, unless more of it follows.
    Finish,
    /// The channel's text is over; of a value, if it is set.
    End,
    /// The texts of all channels with this first number are over.
    EndAll,
    /// The stream is over; of a value, if it is `true` or an object.
    Done,
    /// The same, and more may follow that SDKs read.
    Last,
    /// An error that the provider reports.
    Error,
    /// The same by its name alone, whatever its value is but `null`.
    ErrorName,
    /// An error of the choice that it is in.
    ChoiceError,
    /// A string: the kind of the event in another member than its type; `error` is an error.
    ErrorKind,
    /// Tokens of the text in the same object, with or without probabilities, or what repeats them.
    Logprobs,
    /// What carries some of the text in another form, such as its audio, or what someone else wrote about a passage of it, such
    /// as the source that a citation quotes. Only a gate changes it: it empties it.
    Echo,
    /// The number of the event in the stream.
    Sequence,
    /// Where a passage of the text starts or ends, in the unit of the format.
    Offset,
    /// The same, counted from the start of the text or of the prompt before it.
    PromptOffset,
    /// Shows the format of a stream.
    Evidence,
}

impl Role {
    /// Whether it is about the text of an answer.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Text | Self::Start | Self::Initial | Self::Whole | Self::Message | Self::Quote
        )
    }

    /// Whether a string is read, or known not to be text, where it has this role.
    pub(crate) const fn takes_strings(self) -> bool {
        !matches!(
            self,
            Self::Number(_)
                | Self::Thought
                | Self::Special
                | Self::ToolJson
                | Self::Element
                | Self::ReasoningStart
                | Self::ReasoningEnd
                | Self::BlockEnd
                | Self::End
                | Self::EndAll
                | Self::Done
                | Self::Last
                | Self::Holder
                | Self::Sequence
                | Self::Offset
                | Self::PromptOffset
        )
    }

    /// The same of an object or array that no row looks into.
    pub(crate) const fn takes_containers(self) -> bool {
        matches!(
            self,
            Self::Tool
                | Self::ToolJson
                | Self::Part
                | Self::InBlock
                | Self::BlockEnd
                | Self::Error
                | Self::ErrorName
                | Self::ChoiceError
                | Self::Logprobs
                | Self::Echo
                | Self::Evidence
        )
    }

    /// Whether it ends something, so that it comes after all else in its event.
    pub(crate) const fn is_end(self) -> bool {
        matches!(
            self,
            Self::Finish
                | Self::End
                | Self::EndAll
                | Self::BlockEnd
                | Self::Done
                | Self::Last
                | Self::Error
                | Self::ErrorName
                | Self::ChoiceError
                | Self::ErrorKind
        )
    }
}

/// In events of any type.
pub(crate) const ANY: &[&str] = &[];

/// A row whose channel is named by one number.
pub(crate) const fn row(on: &'static [&'static str], path: &'static str, role: Role) -> Row {
    Row {
        on,
        path,
        role,
        channel: ChannelOf::First,
        member: Member::Content,
    }
}

impl Row {
    /// The same with a channel named by two numbers.
    pub(crate) const fn both(mut self) -> Self {
        self.channel = ChannelOf::Both;
        self
    }

    /// The same with channel 0.
    pub(crate) const fn zero(mut self) -> Self {
        self.channel = ChannelOf::Zero;
        self
    }

    /// The same about the channel that is cited.
    pub(crate) const fn cited(mut self) -> Self {
        self.channel = ChannelOf::Cited;
        self
    }

    /// The same of another text of the channel than its content.
    pub(crate) const fn of(mut self, member: Member) -> Self {
        self.member = member;
        self
    }

    /// The same about all channels.
    pub(crate) const fn all(mut self) -> Self {
        self.channel = ChannelOf::All;
        self
    }
}
