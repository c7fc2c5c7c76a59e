//! Each API: how an answer looks in it, and where its text is.

mod anthropic;
mod bedrock;
mod cohere;
mod gemini;
mod mistral;
mod ollama;
mod openai_chat;
mod openai_responses;
mod servers;
mod vercel;

use provstream_providers::Format;
use testkit::wire::generate::Random;

use crate::answer::Answer;
use crate::event::{Envelope, Event};

/// What numbers the texts of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// There is one text.
    One,
    /// The nearest member `index` around the text.
    Index,
    /// `output_index` and `content_index`.
    Pair,
    /// `output_index`.
    Output,
    /// The places in the arrays around the text.
    Places,
}

/// What the offsets of citations count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Chars,
    Bytes,
}

/// An API, streamed or not.
pub(crate) struct Api {
    /// The name of the adapter that reads it.
    pub(crate) name: &'static str,
    pub(crate) format: Format,
    pub(crate) envelope: Envelope,
    pub(crate) numbers: Numbers,
    pub(crate) unit: Unit,
    /// Paths to text that is not repeated elsewhere.
    pub(crate) texts: &'static [&'static str],
    /// Whether an annotation may be in the next block of the text, with a part that is not text before it.
    pub(crate) is_one_text: bool,
    /// The most choices that one answer has.
    pub(crate) choices: usize,
    /// Writes an answer.
    pub(crate) write: fn(&mut Answer) -> Vec<Event>,
}

impl Api {
    const fn stream(
        name: &'static str,
        format: Format,
        texts: &'static [&'static str],
        write: fn(&mut Answer) -> Vec<Event>,
    ) -> Self {
        Self {
            name,
            format,
            envelope: Envelope::Sse,
            numbers: Numbers::One,
            unit: Unit::Chars,
            texts,
            is_one_text: matches!(
                format,
                Format::Anthropic
                    | Format::BedrockConverse
                    | Format::MistralConversations
                    | Format::VercelUi
            ),
            choices: 1,
            write,
        }
    }

    const fn body(
        name: &'static str,
        format: Format,
        texts: &'static [&'static str],
        write: fn(&mut Answer) -> Vec<Event>,
    ) -> Self {
        let mut api = Self::stream(name, format, texts, write);
        api.envelope = Envelope::Body;
        api
    }

    const fn numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
    }

    /// The response that consists of these events.
    pub(crate) fn write_events(&self, events: &[Event], random: Random) -> Vec<u8> {
        // Google's client for Python cannot read comments.
        self.envelope.write(events, self.name != "gemini", random)
    }

    const fn choices(mut self, choices: usize) -> Self {
        self.choices = choices;
        self
    }
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Api> {
    let lists: [&[Api]; 10] = [
        &openai_chat::APIS,
        &openai_responses::APIS,
        &anthropic::APIS,
        &gemini::APIS,
        &ollama::APIS,
        &cohere::APIS,
        &mistral::APIS,
        &servers::APIS,
        &bedrock::APIS,
        &vercel::APIS,
    ];
    lists.into_iter().flatten()
}
