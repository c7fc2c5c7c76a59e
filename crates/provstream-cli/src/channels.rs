//! A provider's event stream as input: each channel's text goes to the command as a stream of its own.

use std::str::FromStr;

use provstream::{BracketAnnotation, Event, JsonRecord, Parser, Replacement, TextChunk};
use provstream_providers::{Channel, Format, Item, Place, StreamRewriter, StreamSink};

use crate::feed::Sink;
use crate::line::Line;
use crate::unread::Seen;

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
    /// The format asked for.
    pub(crate) const fn format(self) -> Option<Format> {
        match self {
            Self::Wire(format) => Some(format),
            Self::Raw | Self::Auto => None,
        }
    }

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
    /// The command.
    pub(crate) sink: &'s mut S,
    /// What was met by now.
    pub(crate) seen: &'s mut Seen,
}

impl<S: Sink> Channels<'_, S> {
    fn enter(&mut self, channel: Channel) {
        self.seen.text = true;
        self.sink.enter(channel);
    }
}

impl<S: Sink> StreamSink for Channels<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.stream(bytes);
    }

    fn text(&mut self, channel: Channel, text: &[u8]) {
        self.enter(channel);
        // No command uses the offset of text.
        self.sink.text(TextChunk::new(text, 0));
    }

    fn annotation(&mut self, place: Place, annotation: &BracketAnnotation<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.enter(place.channel);
        self.sink.annotation(annotation)
    }

    fn record(&mut self, place: Place, record: &JsonRecord<'_>) -> Replacement {
        if place.is_repeated {
            return Replacement::Remove;
        }
        self.enter(place.channel);
        self.sink.record(record)
    }

    fn event(&mut self, channel: Channel, event: Event<'_>) {
        self.enter(channel);
        self.sink.event(event);
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => {
                *self.seen.notices.entry(notice.code()).or_default() += 1;
                self.sink.notice(&Line::Diagnostic {
                    code: notice.code().as_str(),
                    span: notice.span().into(),
                });
            }
            Item::Error(message) => {
                self.seen.errors += 1;
                self.sink.notice(&Line::Error { message: &message });
            }
            Item::ChannelEnd(_) => self.seen.text = true,
            Item::End => self.seen.end = true,
            _ => {}
        }
    }
}
