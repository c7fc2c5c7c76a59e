//! The identity of a text.

use super::Channel;

/// One text: what a client accumulates apart, by the numbers and the member that the format's SDK accumulates it by.
///
/// Handlers see its [`Channel`]; several texts can have one, such as the content and the refusal of a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TextId {
    pub(super) channel: Channel,
    pub(super) member: Member,
}

/// The member of a choice, item or message that a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Member {
    /// The content, or the only member that the format has.
    #[default]
    Content,
    Refusal,
    Transcript,
    /// `text` of a legacy completion.
    Completion,
    /// `delta.text` of a chat completion.
    DeltaText,
    /// The texts of `content_list`.
    List,
    /// `response` of Ollama's `/api/generate`.
    Response,
    /// Another answer to the same prompt, of which the content is the best.
    Sequence,
    /// `message.content` where it repeats deltas.
    Message,
    /// Content that came as a whole before its deltas.
    Whole,
    /// A summary of reasoning, or a plan, where the format has reasoning beside it.
    Summary,
    /// Reasoning in the member of the node with this number.
    Reasoning(u16),
}

impl TextId {
    /// The text with these numbers in the usual member.
    pub(super) const fn new(channel: Channel) -> Self {
        Self {
            channel,
            member: Member::Content,
        }
    }

    pub(super) const fn index(self) -> u32 {
        self.channel.index()
    }

    pub(super) const fn part(self) -> Option<u32> {
        self.channel.part()
    }
}

impl Member {
    /// Its name for handlers, if it is not the usual one.
    pub(super) const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Content | Self::Whole | Self::Summary | Self::Reasoning(_) => return None,
            Self::Refusal => "refusal",
            Self::Transcript => "transcript",
            Self::Completion => "text",
            Self::DeltaText => "delta.text",
            Self::List => "content_list",
            Self::Response => "response",
            Self::Sequence => "best_of_sequences",
            Self::Message => "message",
        })
    }
}
