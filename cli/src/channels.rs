//! A provider's event stream as input: each channel's text goes to the command as a stream of its own.

use std::str::FromStr;

use provstream::wire::{Channel, Format, Item, Place, StreamRewriter, StreamSink};
use provstream::{BracketAnnotation, Event, JsonRecord, Parser, Replacement};

use crate::feed::Sink;
use crate::line::Line;

/// What the input is, as given on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// Text as it is.
    #[default]
    Raw,
    /// The event stream of a provider, which its first event tells.
    Auto,
    /// The event stream of this provider.
    Wire(Format),
}

impl FromStr for InputFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "raw" => Ok(Self::Raw),
            "auto" => Ok(Self::Auto),
            _ => name.parse().map(Self::Wire).map_err(|_| {
                let names = Format::ALL.map(Format::as_str).join(", ");
                format!("the inputs are raw, {names} and auto")
            }),
        }
    }
}

impl InputFormat {
    /// What reads such a stream; none for text as it is.
    pub(crate) fn rewriter(self, parser: Parser) -> Option<StreamRewriter> {
        match self {
            Self::Raw => None,
            Self::Auto => Some(StreamRewriter::detect(parser)),
            Self::Wire(format) => Some(StreamRewriter::new(format, parser)),
        }
    }
}

/// Hands a command what is in the channels.
pub(crate) struct Channels<'s, S> {
    pub(crate) sink: &'s mut S,
    pub(crate) seen: &'s mut Seen,
}

/// What was in an event stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// How often something could not be read, or the provider told of an error.
    pub(crate) unread: u64,
    /// Some channel had text.
    pub(crate) text: bool,
}

impl<S: Sink> StreamSink for Channels<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.stream(bytes);
    }

    fn text(&mut self, channel: Channel, text: &[u8]) {
        self.seen.text = true;
        self.sink.enter(channel);
        self.sink.text(text);
    }

    fn annotation(&mut self, place: Place, annotation: &BracketAnnotation<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.seen.text = true;
        self.sink.enter(place.channel);
        self.sink.annotation(annotation)
    }

    fn record(&mut self, place: Place, record: &JsonRecord<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.seen.text = true;
        self.sink.enter(place.channel);
        self.sink.record(record)
    }

    fn event(&mut self, channel: Channel, event: Event<'_>) {
        self.sink.enter(channel);
        self.sink.event(event);
    }

    fn item(&mut self, item: Item<'_>) {
        self.seen.unread += u64::from(matches!(item, Item::Notice(_) | Item::Error(_)));
        match item {
            Item::Notice(notice) => self.sink.notice(&Line::Diagnostic {
                code: notice.code().as_str(),
                span: notice.span().into(),
            }),
            Item::Error(message) => self.sink.notice(&Line::Error { message: &message }),
            _ => {}
        }
    }
}
