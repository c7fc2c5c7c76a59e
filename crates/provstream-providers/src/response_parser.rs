//! A parser for each channel.

use std::collections::BTreeMap;

use super::channel::MAX_CHANNELS;
use super::text_id::TextId;
use super::{Channel, Decoder, Item};
use provstream::Event;
use provstream::Parser;

/// Event of a [`ResponseParser`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireEvent<'a> {
    /// An event of a channel's text; its offsets count within that text.
    Parsed(Channel, Event<'a>),
    /// Item other than text. The end of a channel, or a break, is reported after the events that it completes in the
    /// channel's text.
    Item(Item<'a>),
}

/// A decoder with a parser for the text of each channel.
///
/// Each channel is a stream of its own: its offsets are places in the text that all its deltas make, whatever pieces that
/// came in. Where a channel [ends](Item::ChannelEnd) or something [interrupts](Item::Break) its text, its parser reports what is
/// open, and goes on after that if more text comes. The number of parsers is bounded by [`MAX_CHANNELS`](super::MAX_CHANNELS).
///
/// ```
/// use provstream_providers::{ResponseParser, Decoder, WireEvent};
/// use provstream::{Event, Parser};
///
/// let stream = b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"It is so. [subst\"}]}}]}\n\n\
///                data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"rate.grep]\"}]}}]}\n\n";
/// let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
/// let mut found = Vec::new();
/// let mut sink = |event: WireEvent<'_>| {
///     if let WireEvent::Parsed(channel, Event::Assertion(assertion)) = event {
///         found.push((channel.to_string(), assertion.text().to_string()));
///     }
/// };
/// parsers.push(stream, &mut sink);
/// parsers.finish(&mut sink);
/// assert_eq!(found, [("0".to_owned(), "It is so.".to_owned())]);
/// ```
#[derive(Clone, Debug)]
pub struct ResponseParser {
    decoder: Decoder,
    /// Prototype of the channels' parsers.
    fresh: Parser,
    parsers: BTreeMap<TextId, TextParser>,
}

impl ResponseParser {
    /// Parsers set up like `parser`, which is at the start of a stream, behind a decoder that is so too.
    #[must_use]
    pub const fn new(decoder: Decoder, parser: Parser) -> Self {
        Self {
            decoder,
            fresh: parser,
            parsers: BTreeMap::new(),
        }
    }

    /// The decoder inside.
    #[must_use]
    pub const fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The channels that had text so far, each with its parser.
    pub fn channels(&self) -> impl Iterator<Item = (Channel, &Parser)> {
        self.parsers
            .iter()
            .map(|(id, text)| (id.channel, &text.parser))
    }

    /// Takes the next bytes of the response.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(WireEvent<'_>)) {
        let (parsers, fresh) = (&mut self.parsers, &self.fresh);
        self.decoder
            .push(chunk, |item| parse(item, parsers, fresh, &mut sink));
    }

    /// Reports what is still open at the end of the response.
    pub fn finish(&mut self, mut sink: impl FnMut(WireEvent<'_>)) {
        let (parsers, fresh) = (&mut self.parsers, &self.fresh);
        self.decoder
            .finish(|item| parse(item, parsers, fresh, &mut sink));
        // Those whose channel ended in what could still have become an annotation.
        for (id, text) in parsers {
            if text.parser.buffered_len() > 0 {
                let sink = &mut sink;
                text.parser
                    .finish(|event: Event<'_>| sink(WireEvent::Parsed(id.channel, event)));
            }
        }
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        self.decoder.reset();
        self.parsers.clear();
    }
}

/// The parser of a text.
#[derive(Clone, Debug)]
struct TextParser {
    parser: Parser,
    /// Its channel has ended.
    is_over: bool,
}

fn parse(
    item: Item<'_>,
    parsers: &mut BTreeMap<TextId, TextParser>,
    fresh: &Parser,
    sink: &mut impl FnMut(WireEvent<'_>),
) {
    match item {
        Item::Text(delta) => {
            let channel = delta.channel();
            if parsers.len() >= 2 * MAX_CHANNELS && !parsers.contains_key(&delta.id()) {
                let ended = parsers.iter().find(|(_, text)| text.is_over);
                if let Some(ended) = ended.map(|(id, _)| *id) {
                    parsers.remove(&ended);
                }
            }
            let begin = || {
                let mut parser = fresh.clone();
                if delta.is_after_break() {
                    parser.push_break(());
                }
                TextParser {
                    parser,
                    is_over: false,
                }
            };
            let text = match parsers.first_entry() {
                // Most responses have one.
                Some(first) if *first.key() == delta.id() => first.into_mut(),
                _ => parsers.entry(delta.id()).or_insert_with(begin),
            };
            text.is_over = false;
            let parser = &mut text.parser;
            parser.push(delta.text().as_bytes(), |event: Event<'_>| {
                sink(WireEvent::Parsed(channel, event));
            });
        }
        Item::ChannelEnd(channel) | Item::Break(channel) => {
            let is_break = matches!(item, Item::Break(_));
            let of_channel = parsers.iter_mut().filter(|(id, _)| id.channel == channel);
            for (_, text) in of_channel {
                text.is_over |= !is_break;
                let parser = &mut text.parser;
                // After an end, more text would complete an annotation or a marker that has begun.
                if is_break || !parser.is_in_beginning() {
                    parser.push_break(|event: Event<'_>| sink(WireEvent::Parsed(channel, event)));
                }
            }
            sink(WireEvent::Item(item));
        }
        _ => sink(WireEvent::Item(item)),
    }
}
