//! Rows that are responses of providers, streamed or not.

use std::collections::BTreeMap;

use provstream::{Event, Parser, Span};
use provstream_providers::{Channel, Decoder, Format, Item, NoticeCode};

use super::columns::{Columns, Message, Origin};
use super::points::Points;
use super::row::Output;
use super::settings::Settings;
use super::texts::Kind;

/// Reads responses, one after the other.
pub(super) struct Responses {
    /// The format asked for.
    asked: Option<Format>,
    decoder: Decoder,
    /// What each channel begins with.
    fresh: Parser,
    channels: BTreeMap<Channel, Text>,
    /// Channels of earlier rows, whose memory is used again.
    spare: Vec<Text>,
}

/// The text of a channel.
struct Text {
    name: String,
    parser: Parser,
    /// All of it so far, to which offsets refer.
    text: Vec<u8>,
    points: Points,
}

/// Memory that a spare channel may keep.
const MOST_KEPT: usize = 1 << 20;

/// What was met in a response, as far as it shows what was not read.
#[derive(Default)]
struct Seen {
    text: bool,
    end: bool,
    error: bool,
    is_binary: bool,
    is_cut: bool,
}

impl Responses {
    pub(super) fn new(asked: Option<Format>, parser: Parser) -> Self {
        Self {
            asked,
            decoder: asked.map_or_else(Decoder::detect, Decoder::new),
            fresh: parser,
            channels: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    /// Reads a row.
    pub(super) fn read(&mut self, settings: &Settings, row: &[u8], columns: &mut Columns) {
        let mut seen = Seen::default();
        let Self {
            decoder,
            fresh,
            channels,
            spare,
            ..
        } = self;
        let mut open = |channel| {
            let mut text = spare.pop().unwrap_or_else(|| Text::new(fresh));
            text.begin(channel);
            text
        };
        let mut take = |item: Item<'_>| match item {
            Item::Text(delta) => {
                seen.text = true;
                let channel = delta.channel();
                let text = channels.entry(channel).or_insert_with(|| open(channel));
                text.push(settings, delta.text(), columns);
            }
            Item::ChannelEnd(channel) | Item::Break(channel) => {
                seen.text = true;
                if let Some(text) = channels.get_mut(&channel) {
                    text.finish(settings, columns);
                }
            }
            Item::Error(message) => {
                seen.error = true;
                let message = Message {
                    code: "error",
                    message: Some(&message),
                    span: Span::new(0, row.len() as u64),
                };
                columns.diagnostic(Origin::default(), message);
            }
            Item::End => seen.end = true,
            Item::Notice(notice) => {
                seen.is_binary |= notice.code() == NoticeCode::BinaryBody;
                seen.is_cut |= notice.code() == NoticeCode::UnterminatedEvent;
                Output::new(columns, Origin::default())
                    .diagnostic(notice.code().as_str(), notice.span());
            }
            _ => {}
        };
        decoder.push(row, &mut take);
        decoder.finish(&mut take);
        if self.is_of_unknown_format(&seen, row) {
            let span = Span::new(0, row.len() as u64);
            Output::new(columns, Origin::default()).diagnostic("unknown-format", span);
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.decoder.reset();
        while let Some((_, text)) = self.channels.pop_first() {
            if text.text.capacity() <= MOST_KEPT {
                self.spare.push(text);
            }
        }
    }

    /// Whether `provstream extract --input` gives the diagnostic `unknown-format`: the row has neither text, an error nor
    /// the end of its format, and no event of the format, or is JSON.
    fn is_of_unknown_format(&self, seen: &Seen, row: &[u8]) -> bool {
        let start = row.trim_ascii_start();
        if seen.text || seen.error || start.is_empty() {
            return false;
        }
        let found = match self.asked {
            None => self.decoder.format(),
            Some(_) => {
                let mut probe = Decoder::detect();
                probe.push(row, |_| {});
                probe.finish(|_| {});
                probe.format()
            }
        };
        let is_foreign = found.is_none() || found != self.asked.or(found);
        let has_no_end = matches!(found, Some(Format::Gemini | Format::LlamaCpp | Format::Tgi));
        if (seen.end || has_no_end) && !is_foreign {
            return false;
        }
        let is_json = matches!(start.first(), Some(b'{' | b'['));
        is_foreign || (is_json && !seen.is_cut && !seen.is_binary)
    }
}

impl Text {
    fn new(fresh: &Parser) -> Self {
        Self {
            name: String::new(),
            parser: fresh.clone(),
            text: Vec::new(),
            points: Points::new(Kind::Strings),
        }
    }

    fn begin(&mut self, channel: Channel) {
        self.name = channel.to_string();
        self.parser.reset();
        self.text.clear();
        self.points.reset(Kind::Strings);
    }

    fn push(&mut self, settings: &Settings, delta: &str, columns: &mut Columns) {
        let delta = delta.as_bytes();
        self.text.extend_from_slice(delta);
        let mut output = Output::new(columns, origin(&self.name));
        self.parser.push(delta, |event: Event<'_>| {
            if !matches!(event, Event::Text(_)) {
                output.take(settings, &event);
            }
        });
        output.count_points(&self.text, &mut self.points);
    }

    fn finish(&mut self, settings: &Settings, columns: &mut Columns) {
        let mut output = Output::new(columns, origin(&self.name));
        self.parser
            .finish(|event: Event<'_>| output.take(settings, &event));
        output.count_points(&self.text, &mut self.points);
    }
}

const fn origin(name: &str) -> Origin<'_> {
    Origin {
        channel: Some(name),
        field: None,
    }
}
