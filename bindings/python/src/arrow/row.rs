//! Readers of rows.

use provstream::{Event, Parser, Span};
use provstream_providers::{Pointer, PointerText};

use super::columns::{Columns, DiagnosticMessage, Origin};
use super::points::Points;
use super::response::Responses;
use super::settings::{ColumnSettings, RowSource};
use super::texts::ValueKind;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reader of rows, one per thread.
pub(super) struct RowReader<'s> {
    settings: &'s ColumnSettings,
    reader: ColumnReader<'s>,
}

enum ColumnReader<'s> {
    Raw(Parser, Points),
    Response(Box<Responses>),
    Fields(Parser, Points, &'s [Pointer]),
}

impl<'s> RowReader<'s> {
    pub(super) fn new(settings: &'s ColumnSettings) -> Self {
        let parser = settings.parser.clone();
        let reader = match &settings.source {
            RowSource::Raw => ColumnReader::Raw(parser, Points::new(ValueKind::Strings)),
            RowSource::Response(format) => {
                ColumnReader::Response(Box::new(Responses::new(*format, parser)))
            }
            RowSource::Fields(pointers) => {
                ColumnReader::Fields(parser, Points::new(ValueKind::Strings), pointers)
            }
        };
        Self { settings, reader }
    }

    /// Reads a row that is not null.
    pub(super) fn read(&mut self, row: &[u8], kind: ValueKind, columns: &mut Columns) {
        let settings = self.settings;
        match &mut self.reader {
            ColumnReader::Raw(parser, points) => {
                points.reset(kind);
                let mut output = RowOutput::new(columns, Origin::default());
                read_text(settings, parser, (row, points), &mut output);
            }
            ColumnReader::Response(responses) => responses.read(settings, row, columns),
            ColumnReader::Fields(parser, points, pointers) => {
                let are_named = pointers.len() > 1 || pointers.iter().any(Pointer::has_wildcard);
                for text in texts_at(pointers, row, columns) {
                    points.reset(ValueKind::Strings);
                    let origin = Origin {
                        channel: None,
                        field: are_named.then_some(&*text.pointer),
                    };
                    let mut output = RowOutput::new(columns, origin);
                    read_text(
                        settings,
                        parser,
                        (text.text.as_bytes(), points),
                        &mut output,
                    );
                }
            }
        }
    }
}

/// Adds the findings in one text to the result columns.
pub(super) struct RowOutput<'c, 'o> {
    columns: &'c mut Columns,
    origin: Origin<'o>,
}

impl<'c, 'o> RowOutput<'c, 'o> {
    pub(super) const fn new(columns: &'c mut Columns, origin: Origin<'o>) -> Self {
        Self { columns, origin }
    }

    /// Adds an assertion or a diagnostic.
    #[inline]
    pub(super) fn take(&mut self, settings: &ColumnSettings, event: &Event<'_>) {
        match event {
            Event::Assertion(assertion) => {
                let (columns, origin) = (&mut *self.columns, self.origin);
                if let Some((discipline, now)) = &settings.discipline {
                    let verdict = discipline.judge(assertion, *now);
                    columns.assertion(origin, assertion, Some(&verdict));
                } else {
                    columns.assertion(origin, assertion, None);
                }
            }
            Event::Diagnostic(diagnostic) => {
                self.diagnostic(diagnostic.code().as_str(), diagnostic.span());
            }
            _ => {}
        }
    }

    /// Counts the code points of the assertions added since the last call. All of them must be in
    /// `text`.
    // Not before the parser has read the text: it is in the cache then.
    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.columns.count_points(text, points);
    }

    /// Adds a diagnostic.
    pub(super) fn diagnostic(&mut self, code: &str, span: Span) {
        self.explained(code, None, span);
    }

    /// Adds a diagnostic with an optional message.
    fn explained(&mut self, code: &str, message: Option<&str>, span: Span) {
        let message = DiagnosticMessage {
            code,
            message,
            span,
        };
        self.columns.diagnostic(self.origin, message);
    }
}

/// Parses a whole text.
fn read_text(
    settings: &ColumnSettings,
    parser: &mut Parser,
    (text, points): (&[u8], &mut Points),
    output: &mut RowOutput<'_, '_>,
) {
    parser.push(text, |event: Event<'_>| {
        // Others are not taken. This costs less here than in a call.
        if matches!(event, Event::Assertion(_) | Event::Diagnostic(_)) {
            output.take(settings, &event);
        }
    });
    parser.finish(|event: Event<'_>| output.take(settings, &event));
    parser.reset();
    output.count_points(text, points);
}

/// Returns the texts at the given JSON Pointers in a row, as `provstream extract --field` reads a line.
fn texts_at<'r>(
    pointers: &[Pointer],
    row: &'r [u8],
    columns: &mut Columns,
) -> Vec<PointerText<'r>> {
    let json = row.strip_prefix(BYTE_ORDER_MARK).unwrap_or(row);
    if json.trim_ascii().is_empty() {
        return Vec::new();
    }
    let mut diagnostic = |code, message: Option<&str>| {
        let span = Span::new(0, row.len() as u64);
        RowOutput::new(columns, Origin::default()).explained(code, message, span);
    };
    let Some(found) = Pointer::find_all(pointers, json) else {
        diagnostic("json-syntax", None);
        return Vec::new();
    };
    if found.missing.is_some() {
        diagnostic("no-field", found.missing.as_deref());
    }
    found.texts
}
