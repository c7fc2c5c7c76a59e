//! What the events of each format say.

mod anthropic;
mod cohere;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use std::borrow::Cow;

use smallvec::SmallVec;

use super::json::{self, RawValue};
use super::{Channel, Format};

/// One thing that an event says. Strings are what stands between the quotes, borrowed from the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    Text(Channel, &'a str, Shape),
    /// A place that repeats text which came in deltas.
    Repeat(Channel, &'a str),
    Reasoning(Channel, &'a str),
    ToolCall(Channel, &'a str),
    /// Arguments that are not a string but JSON.
    ToolCallJson(Channel, &'a str),
    ChannelEnd(Channel),
    Error(Cow<'a, str>),
    End,
    /// A number of a channel that is none, so that what it has is not known.
    BadNumber,
}

/// What kind of event a delta is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One that may be repeated with other text.
    Delta,
    /// One that begins the channel, so that it cannot.
    Start,
    /// One of Ollama's `/api/generate`.
    Generate,
}

/// All that an event says, in its order.
pub(super) type Findings<'a> = SmallVec<[Found<'a>; 4]>;

/// Reads an event of a format.
pub(super) fn read<'a>(format: Format, event: &'a RawValue) -> Findings<'a> {
    let mut found = Findings::new();
    match format {
        Format::OpenAiChat => openai_chat::read(event, &mut found),
        Format::OpenAiResponses => openai_responses::read(event, &mut found),
        Format::Anthropic => anthropic::read(event, &mut found),
        Format::Gemini => gemini::read(event, &mut found),
        Format::Ollama => ollama::read(event, &mut found),
        Format::Cohere => cohere::read(event, &mut found),
    }
    found
}

/// The error that an event of a format not known yet reports, in a member `error` or under the type `error`.
pub(super) fn read_error<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    let [kind, error] = json::members(event, ["type", "error"]);
    if json::is_set(error) {
        found.extend(error.map(|error| Found::Error(message(error))));
    } else if kind
        .and_then(json::text)
        .is_some_and(|kind| kind == "error")
    {
        found.push(Found::Error(message(event)));
    }
}

/// The message of an error: a string, the member `message`, or else the JSON as it is.
fn message(error: &RawValue) -> Cow<'_, str> {
    let message = json::text(error).or_else(|| json::member(error, "message").and_then(json::text));
    message.unwrap_or(Cow::Borrowed(error.get()))
}

/// The content of a member that is a string.
fn string(value: Option<&RawValue>) -> Option<&str> {
    value.and_then(json::string)
}

/// The number of a channel, 0 if there is none; an error if it is no whole number of 32 bits.
fn number(value: Option<&RawValue>) -> Result<u32, Found<'static>> {
    match value {
        Some(value) if value.get() != "null" => value.get().parse().map_err(|_| Found::BadNumber),
        _ => Ok(0),
    }
}

/// A channel with one number.
fn channel(value: Option<&RawValue>) -> Result<Channel, Found<'static>> {
    number(value).map(Channel::new)
}

/// Adds what a reader found out about one part of an event, or why it could not.
fn read_part<'a>(
    found: &mut Findings<'a>,
    part: impl FnOnce(&mut Findings<'a>) -> Result<(), Found<'a>>,
) {
    if let Err(bad) = part(found) {
        found.push(bad);
    }
}
