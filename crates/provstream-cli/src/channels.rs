//! A provider's event stream as input: each channel's text goes to the command as a stream of its own.

use provstream::{BracketAnnotation, Event, JsonRecord, Replacement, TextChunk};
use provstream_providers::{Channel, Item, Place, StreamSink};

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
                    span: notice.span(),
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
