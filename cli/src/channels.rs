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
pub(crate) struct Channels<'s, S>(pub(crate) &'s mut S);

impl<S: Sink> StreamSink for Channels<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.stream(bytes);
    }

    fn text(&mut self, channel: Channel, text: &[u8]) {
        self.0.enter(channel);
        self.0.text(text);
    }

    fn annotation(&mut self, place: Place, annotation: &BracketAnnotation<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.0.enter(place.channel);
        self.0.annotation(annotation)
    }

    fn record(&mut self, place: Place, record: &JsonRecord<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.0.enter(place.channel);
        self.0.record(record)
    }

    fn event(&mut self, channel: Channel, event: Event<'_>) {
        self.0.enter(channel);
        self.0.event(event);
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => self.0.notice(&Line::Diagnostic {
                code: notice.code().as_str(),
                span: notice.span().into(),
            }),
            Item::Error(message) => self.0.notice(&Line::Error { message: &message }),
            _ => {}
        }
    }
}
