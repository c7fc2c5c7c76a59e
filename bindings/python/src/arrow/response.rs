//! Rows with responses of providers, streamed or not.

use std::collections::BTreeMap;

use provstream::{Event, Parser, Span};
use provstream_providers::{Channel, Decoder, Format, Item, NoticeCode};

use super::columns::{Columns, DiagnosticMessage, Origin};
use super::points::Points;
use super::row::RowOutput;
use super::settings::ColumnSettings;
use super::texts::ValueKind;

/// Reader of responses, one after the other.
pub(super) struct Responses {
    /// Format of the argument `input`; `None` to detect it for each row.
    asked: Option<Format>,
    decoder: Decoder,
    /// Parser that each channel starts as a clone of.
    prototype: Parser,
    channels: BTreeMap<Channel, ChannelText>,
    /// Channels of earlier rows, kept for their allocations.
    spare: Vec<ChannelText>,
}

/// Text of a channel.
struct ChannelText {
    name: String,
    parser: Parser,
    /// Text so far, to which offsets refer.
    text: Vec<u8>,
    points: Points,
}

/// Most bytes of text capacity that a spare channel keeps.
const MAX_KEPT: usize = 1 << 20;

/// Facts about a response from which the diagnostic `unknown-format` is derived.
#[derive(Default)]
struct ResponseFacts {
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
            prototype: parser,
            channels: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    /// Reads a row.
    pub(super) fn read(&mut self, settings: &ColumnSettings, row: &[u8], columns: &mut Columns) {
        let mut facts = ResponseFacts::default();
        let Self {
            decoder,
            prototype,
            channels,
            spare,
            ..
        } = self;
        let mut open = |channel| {
            let mut text = spare.pop().unwrap_or_else(|| ChannelText::new(prototype));
            text.begin(channel);
            text
        };
        let mut take = |item: Item<'_>| match item {
            Item::Text(delta) => {
                facts.text = true;
                let channel = delta.channel();
                let text = channels.entry(channel).or_insert_with(|| open(channel));
                text.push(settings, delta.text(), columns);
            }
            Item::ChannelEnd(channel) | Item::Break(channel) => {
                facts.text = true;
                if let Some(text) = channels.get_mut(&channel) {
                    text.finish(settings, columns);
                }
            }
            Item::Error(message) => {
                facts.error = true;
                let message = DiagnosticMessage {
                    code: "error",
                    message: Some(&message),
                    span: Span::new(0, row.len() as u64),
                };
                columns.diagnostic(Origin::default(), message);
            }
            Item::End => facts.end = true,
            Item::Notice(notice) => {
                facts.is_binary |= notice.code() == NoticeCode::BinaryBody;
                facts.is_cut |= notice.code() == NoticeCode::UnterminatedEvent;
                RowOutput::new(columns, Origin::default())
                    .diagnostic(notice.code().as_str(), notice.span());
            }
            _ => {}
        };
        decoder.push(row, &mut take);
        decoder.finish(&mut take);
        if self.is_of_unknown_format(&facts, row) {
            let span = Span::new(0, row.len() as u64);
            RowOutput::new(columns, Origin::default()).diagnostic("unknown-format", span);
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.decoder.reset();
        while let Some((_, text)) = self.channels.pop_first() {
            if text.text.capacity() <= MAX_KEPT {
                self.spare.push(text);
            }
        }
    }

    /// Returns `true` if `provstream extract --input` would report `unknown-format`: the row has
    /// neither text nor an error, and has no event of the format, or is JSON without the format's
    /// end.
    fn is_of_unknown_format(&self, facts: &ResponseFacts, row: &[u8]) -> bool {
        let start = row.trim_ascii_start();
        if facts.text || facts.error || start.is_empty() {
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
        if (facts.end || has_no_end) && !is_foreign {
            return false;
        }
        let is_json = matches!(start.first(), Some(b'{' | b'['));
        is_foreign || (is_json && !facts.is_cut && !facts.is_binary)
    }
}

impl ChannelText {
    fn new(prototype: &Parser) -> Self {
        Self {
            name: String::new(),
            parser: prototype.clone(),
            text: Vec::new(),
            points: Points::new(ValueKind::Strings),
        }
    }

    fn begin(&mut self, channel: Channel) {
        self.name = channel.to_string();
        self.parser.reset();
        self.text.clear();
        self.points.reset(ValueKind::Strings);
    }

    fn push(&mut self, settings: &ColumnSettings, delta: &str, columns: &mut Columns) {
        let delta = delta.as_bytes();
        self.text.extend_from_slice(delta);
        let mut output = RowOutput::new(columns, origin(&self.name));
        self.parser.push(delta, |event: Event<'_>| {
            if !matches!(event, Event::Text(_)) {
                output.take(settings, &event);
            }
        });
        output.count_points(&self.text, &mut self.points);
    }

    fn finish(&mut self, settings: &ColumnSettings, columns: &mut Columns) {
        let mut output = RowOutput::new(columns, origin(&self.name));
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
