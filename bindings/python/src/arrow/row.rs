//! One row after the other.

use provstream::{Event, Parser, Span};
use provstream_providers::Pointer;

use super::columns::{Columns, Message, Origin};
use super::points::Points;
use super::response::Responses;
use super::settings::{Settings, Source};
use super::texts::Kind;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads rows; one for each thread.
pub(super) struct RowReader<'s> {
    settings: &'s Settings,
    reader: Reader<'s>,
}

enum Reader<'s> {
    Raw(Parser),
    Response(Box<Responses>),
    Fields(Parser, &'s [Pointer]),
}

impl<'s> RowReader<'s> {
    pub(super) fn new(settings: &'s Settings) -> Self {
        let parser = settings.parser.clone();
        let reader = match &settings.source {
            Source::Raw => Reader::Raw(parser),
            Source::Response(format) => Reader::Response(Box::new(Responses::new(*format, parser))),
            Source::Fields(pointers) => Reader::Fields(parser, pointers),
        };
        Self { settings, reader }
    }

    /// Reads a row that is not null.
    pub(super) fn read(&mut self, row: &[u8], kind: Kind, columns: &mut Columns) {
        let settings = self.settings;
        match &mut self.reader {
            Reader::Raw(parser) => {
                let mut points = Points::of(row, kind);
                let mut output = Output::new(columns, Origin::default());
                read_text(settings, parser, (row, &mut points), &mut output);
            }
            Reader::Response(responses) => responses.read(settings, row, columns),
            Reader::Fields(parser, pointers) => {
                read_fields(settings, parser, pointers, row, columns);
            }
        }
    }
}

/// Where what is found in a text goes.
pub(super) struct Output<'c, 'o> {
    columns: &'c mut Columns,
    origin: Origin<'o>,
}

impl<'c, 'o> Output<'c, 'o> {
    pub(super) const fn new(columns: &'c mut Columns, origin: Origin<'o>) -> Self {
        Self { columns, origin }
    }

    /// Takes an event of the text.
    #[inline]
    pub(super) fn take(
        &mut self,
        settings: &Settings,
        event: &Event<'_>,
        text: &[u8],
        points: &mut Points,
    ) {
        match event {
            Event::Assertion(assertion) => {
                let judge = settings.discipline.as_ref();
                let verdict = judge.map(|(discipline, now)| discipline.judge(assertion, *now));
                let place = |span| points.place(text, span);
                self.columns
                    .assertion(self.origin, assertion, verdict.as_ref(), place);
            }
            Event::Diagnostic(diagnostic) => {
                self.diagnostic(diagnostic.code().as_str(), diagnostic.span());
            }
            _ => {}
        }
    }

    /// Adds a diagnostic.
    pub(super) fn diagnostic(&mut self, code: &str, span: Span) {
        self.explained(code, None, span);
    }

    /// Adds a diagnostic that perhaps has a message.
    fn explained(&mut self, code: &str, message: Option<&str>, span: Span) {
        let message = Message {
            code,
            message,
            span,
        };
        self.columns.diagnostic(self.origin, message);
    }
}

/// Reads a whole text.
fn read_text(
    settings: &Settings,
    parser: &mut Parser,
    (text, points): (&[u8], &mut Points),
    output: &mut Output<'_, '_>,
) {
    parser.push(text, |event: Event<'_>| {
        if !matches!(event, Event::Text(_)) {
            output.take(settings, &event, text, points);
        }
    });
    parser.finish(|event: Event<'_>| output.take(settings, &event, text, points));
    parser.reset();
}

/// Reads the texts at some places of a row of JSON, as `provstream extract --field` reads a line.
fn read_fields(
    settings: &Settings,
    parser: &mut Parser,
    pointers: &[Pointer],
    row: &[u8],
    columns: &mut Columns,
) {
    let json = row.strip_prefix(BYTE_ORDER_MARK).unwrap_or(row);
    if json.trim_ascii().is_empty() {
        return;
    }
    let diagnostic = |columns: &mut Columns, code, message: Option<String>| {
        let span = Span::new(0, row.len() as u64);
        Output::new(columns, Origin::default()).explained(code, message.as_deref(), span);
    };
    let mut is_read = false;
    let mut other = None;
    let mut texts = Vec::new();
    for pointer in pointers {
        let Some(found) = pointer.find(json) else {
            return diagnostic(columns, "json-syntax", None);
        };
        if let Some(what) = found.other {
            let at = pointer.as_str();
            other.get_or_insert_with(|| format!("expected a string at {at}, found {what}"));
        }
        is_read |= found.has_null || !found.texts.is_empty();
        texts.extend(found.texts.into_iter().map(|text| (pointer, text)));
    }
    if other.is_some() || !is_read {
        let all = pointers.iter().map(Pointer::as_str);
        let nothing = || format!("nothing at {}", all.collect::<Vec<_>>().join(" or "));
        diagnostic(columns, "no-field", Some(other.unwrap_or_else(nothing)));
    }
    for (pointer, text) in texts {
        let origin = Origin {
            channel: None,
            field: (pointers.len() > 1).then_some(pointer.as_str()),
        };
        let output = &mut Output::new(columns, origin);
        let mut points = Points::of(text.as_bytes(), Kind::Strings);
        read_text(settings, parser, (text.as_bytes(), &mut points), output);
    }
}
