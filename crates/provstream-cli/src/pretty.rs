//! Lines for people.

use std::fmt::Write;
use std::sync::Arc;

use clap::builder::styling::{AnsiColor, Style};
use provstream::Span;
use provstream_providers::Channel;

use crate::line::Line;
use crate::messages;
use crate::places::{Place, Places};
use crate::printable::{Printable, PrintableLines};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ODD: Style = AnsiColor::Yellow.on_default();

/// What a line is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The input, if there is more than one.
    pub(crate) file: Option<Arc<str>>,
    /// The line of NDJSON.
    pub(crate) line: Option<u64>,
    /// The field that is read in it, if there is more than one.
    pub(crate) field: Option<Arc<str>>,
    /// The channel of a provider's event stream.
    pub(crate) channel: Option<Channel>,
}

/// A line for people, with styles and its line feed. Styles are taken out again where they are not wanted.
pub(crate) fn line(line: &Line<'_>, origin: &Origin, places: Option<&Places>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_line(&mut text, line, origin, places);
    if crate::color::is_wanted() {
        text
    } else {
        anstream::adapter::strip_str(&text).to_string()
    }
}

fn write_line(
    out: &mut String,
    line: &Line<'_>,
    origin: &Origin,
    places: Option<&Places>,
) -> std::fmt::Result {
    let at = |span: Span| head(span, origin, places);
    match line {
        Line::Assertion { assertion, verdict } => {
            write!(
                out,
                "{DIM}{}{DIM:#}  {BOLD}{}{BOLD:#}",
                at(assertion.span()),
                Printable(assertion.text())
            )?;
            if let Some(pointer) = assertion.pointer() {
                write!(out, "  {DIM}{}{DIM:#}", Printable(pointer))?;
            }
            if let Some(verdict) = verdict {
                let (style, word) = match verdict.admitted() {
                    true => (GOOD, "admitted"),
                    false => (BAD, "not admitted"),
                };
                write!(out, "  {style}{word}{style:#}")?;
                if !verdict.admitted() {
                    write!(out, ": {}", verdict.reason())?;
                }
                write!(out, " ({} of {})", verdict.classes().len(), verdict.floor())?;
            }
            out.push('\n');
            if assertion.annotations().len() == 0 {
                writeln!(out, "    {ODD}no annotations{ODD:#}")?;
            }
            for annotation in assertion.annotations() {
                let class = annotation.class();
                let style = if class.is_terminal() { BAD } else { GOOD };
                write!(out, "    {style}{}{style:#}", Printable(class))?;
                if let Some(reason) = annotation.reason() {
                    let declared = Printable(annotation.declared());
                    write!(out, "  {ODD}{reason}: {declared}{ODD:#}")?;
                }
                if let Some(id) = annotation.observation_id() {
                    write!(out, "  observation-id={}", Printable(id))?;
                }
                if let Some(ts) = annotation.ts() {
                    write!(out, "  ts={}", Printable(ts))?;
                }
                out.push('\n');
            }
            Ok(())
        }
        Line::Marc {
            kind,
            span,
            valid,
            violations,
            ..
        } => {
            let (style, word) = match valid {
                true => (GOOD, "valid"),
                false => (BAD, "not valid"),
            };
            writeln!(
                out,
                "{DIM}{}{DIM:#}  MARC {kind}: {style}{word}{style:#}",
                at(*span)
            )?;
            for violation in violations {
                let pointer = Printable(violation.pointer);
                let message = Printable(violation.message);
                writeln!(
                    out,
                    "    {ODD}{}{ODD:#} {pointer}: {message}",
                    violation.level
                )?;
            }
            Ok(())
        }
        Line::Diagnostic { code, span } => {
            write!(out, "{DIM}{}{DIM:#}  {ODD}{code}{ODD:#}", at(*span))?;
            match messages::of(code) {
                Some(message) => writeln!(out, ": {message}"),
                None => writeln!(out),
            }
        }
        Line::Error { message } => {
            writeln!(
                out,
                "{BAD}error of the provider{BAD:#}: {}",
                Printable(message)
            )
        }
        Line::Text { text } => {
            for line in text.split_inclusive('\n') {
                write!(out, "    {}", PrintableLines(line))?;
            }
            if !text.ends_with('\n') {
                out.push('\n');
            }
            Ok(())
        }
        Line::End(totals) => {
            name(out, origin);
            writeln!(
                out,
                "{DIM}{}, {}, {}, {}, {}{DIM:#}",
                count(totals.assertions, "assertion"),
                count(totals.annotations, "annotation"),
                count(totals.marc, "MARC object"),
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte")
            )
        }
        Line::Judged(totals) => {
            name(out, origin);
            writeln!(
                out,
                "{DIM}{}, {} admitted, {}, {}{DIM:#}",
                count(totals.assertions, "assertion"),
                totals.admitted,
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte")
            )
        }
    }
}

/// The file, as the start of a line.
fn name(out: &mut String, origin: &Origin) {
    if let Some(file) = &origin.file {
        out.push_str(&Printable(file).to_string());
        out.push_str(": ");
    }
}

/// A number of things.
fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

/// Where something is, as the start of a line.
fn head(span: Span, origin: &Origin, places: Option<&Places>) -> String {
    let place = places.map_or(Place::Byte(span.start()), |places| places.of(span.start()));
    let mut head = String::new();
    if let Some(file) = &origin.file {
        head.push_str(&format!("{}:", Printable(file)));
    }
    if let Some(channel) = origin.channel {
        head.push_str(&format!("channel {channel}:"));
    }
    match (origin.line, &origin.field) {
        (None, _) => {}
        (Some(line), None) => head.push_str(&format!("line {line}:")),
        (Some(line), Some(field)) => head.push_str(&format!("line {line} {}:", Printable(field))),
    }
    format!("{head}{place}")
}
