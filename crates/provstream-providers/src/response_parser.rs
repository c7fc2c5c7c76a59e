//! A parser for each channel.

use std::collections::BTreeMap;

use super::{Channel, Decoder, Item};
use provstream::Event;
use provstream::Parser;

/// What [`ResponseParser`] reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireEvent<'a> {
    /// An event of a channel's text; its offsets count within that text.
    Parsed(Channel, Event<'a>),
    /// What is not text. The end of a channel, or a break, comes after what it makes certain in its text.
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
    /// What each channel begins with.
    fresh: Parser,
    parsers: BTreeMap<Channel, Parser>,
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
            .map(|(&channel, parser)| (channel, parser))
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
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        self.decoder.reset();
        self.parsers.clear();
    }
}

fn parse(
    item: Item<'_>,
    parsers: &mut BTreeMap<Channel, Parser>,
    fresh: &Parser,
    sink: &mut impl FnMut(WireEvent<'_>),
) {
    match item {
        Item::Text(delta) => {
            let channel = delta.channel();
            let parser = parsers.entry(channel).or_insert_with(|| fresh.clone());
            parser.push(delta.text().as_bytes(), |event: Event<'_>| {
                sink(WireEvent::Parsed(channel, event));
            });
        }
        Item::ChannelEnd(channel) | Item::Break(channel) => {
            if let Some(parser) = parsers.get_mut(&channel) {
                parser.finish(|event: Event<'_>| sink(WireEvent::Parsed(channel, event)));
            }
            sink(WireEvent::Item(item));
        }
        _ => sink(WireEvent::Item(item)),
    }
}
