//! A provider's event stream as input: each channel's text goes to the command as a stream of its own.

use std::str::FromStr;

use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Parser, Replacement, TextChunk};
use provstream_providers::{ChannelPosition, Format, Item, StreamHandler, StreamRewriter};

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

/// Passes what is in the channels on to a command.
pub(crate) struct Channels<'s, S> {
    /// The command.
    pub(crate) sink: &'s mut S,
    /// What was met by now.
    pub(crate) seen: &'s mut Seen,
}

impl<S: Sink> Channels<'_, S> {
    /// What the command gets; nothing of what repeats text that it got before.
    fn sink(&mut self) -> Option<&mut S> {
        self.seen.text = true;
        (!self.seen.is_repeated).then_some(&mut *self.sink)
    }
}

impl<S: Sink> Handler for Channels<'_, S> {
    fn text(&mut self, text: TextChunk<'_>) {
        if let Some(sink) = self.sink() {
            sink.text(text);
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.sink()
            .map_or(Replacement::Remove, |sink| sink.annotation(annotation))
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.sink()
            .map_or(Replacement::Remove, |sink| sink.record(record))
    }

    fn event(&mut self, event: Event<'_>) {
        if let Some(sink) = self.sink() {
            sink.event(event);
        }
    }
}

impl<S: Sink> StreamHandler for Channels<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.stream(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.seen.is_repeated = position.is_repeated;
        if !position.is_repeated {
            self.sink.enter(position.channel);
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => {
                if notice.code().is_unread() {
                    *self.seen.notices.entry(notice.code()).or_default() += 1;
                }
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
