//! A provider's event stream as input: each channel's text goes to the command as a stream of its own.

use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Replacement, TextChunk};
use provstream_providers::{ChannelPosition, Item, StreamHandler};

use crate::line::Line;
use crate::sink::Sink;
use crate::unread::Seen;

/// Gives a command what is in the channels.
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
                self.seen.notice(&notice);
                self.sink.notice(&Line::Diagnostic {
                    code: notice.code().as_str(),
                    span: notice.span(),
                    message: None,
                });
            }
            Item::Error(message) => {
                self.seen.error(&message);
                self.sink.notice(&Line::Error { message: &message });
            }
            Item::ChannelEnd(_) => self.seen.text = true,
            Item::End => self.seen.end = true,
            _ => {}
        }
    }
}
