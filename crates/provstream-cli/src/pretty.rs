//! Lines for people.

use std::fmt::{self, Write};
use std::sync::Arc;

use clap::builder::styling::{AnsiColor, Style};
use provstream::Span;
use provstream::provenance::{Assertion, Verdict};
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

#[expect(clippy::too_many_lines, reason = "one arm for each event")]
fn write_line(
    out: &mut String,
    line: &Line<'_>,
    origin: &Origin,
    places: Option<&Places>,
) -> fmt::Result {
    match line {
        Line::Assertion { assertion, .. } => {
            write!(
                out,
                "{DIM}{}{DIM:#}  ",
                head(assertion.span(), origin, places)
            )?;
        }
        Line::Marc { span, .. } | Line::Diagnostic { span, .. } => {
            write!(out, "{DIM}{}{DIM:#}  ", head(*span, origin, places))?;
        }
        Line::End(_) | Line::Judged(_) => name(out, origin),
        Line::Error { .. } | Line::Text { .. } => {}
    }
    match line {
        Line::Assertion { assertion, verdict } => {
            write!(out, "{BOLD}{}{BOLD:#}", Printable(assertion.text()))?;
            if let Some(pointer) = assertion.pointer() {
                write!(out, "  {DIM}{}{DIM:#}", Printable(pointer))?;
            }
            if let Some(verdict) = verdict {
                write_verdict(out, verdict)?;
            }
            out.push('\n');
            write_annotations(out, assertion)
        }
        Line::Marc {
            kind,
            valid,
            violations,
            ..
        } => {
            let (style, word) = if *valid {
                (GOOD, "valid")
            } else {
                (BAD, "not valid")
            };
            writeln!(out, "MARC {kind}: {style}{word}{style:#}")?;
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
        Line::Diagnostic { code, message, .. } => match message.as_deref().or(messages::of(code)) {
            Some(message) => writeln!(out, "{ODD}{code}{ODD:#}: {}", Printable(message)),
            None => writeln!(out, "{ODD}{code}{ODD:#}"),
        },
        Line::Error { message } => {
            writeln!(
                out,
                "{BAD}error of the provider{BAD:#}: {}",
                Printable(message)
            )
        }
        Line::Text { text } => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            write!(out, "    {}{end}", PrintableLines(text))
        }
        Line::End(totals) => {
            let found = [
                count(totals.assertions, "assertion"),
                count(totals.annotations, "annotation"),
                count(totals.marc, "MARC object"),
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte"),
            ];
            writeln!(out, "{DIM}{}{DIM:#}", found.join(", "))
        }
        Line::Judged(totals) => {
            let found = [
                count(totals.assertions, "assertion"),
                format!("{} admitted", totals.admitted),
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte"),
            ];
            writeln!(out, "{DIM}{}{DIM:#}", found.join(", "))
        }
    }
}

fn write_verdict(out: &mut String, verdict: &Verdict) -> fmt::Result {
    if verdict.admitted() {
        write!(out, "  {GOOD}admitted{GOOD:#}")?;
    } else {
        write!(out, "  {BAD}not admitted{BAD:#}: {}", verdict.reason())?;
    }
    write!(out, " ({} of {})", verdict.classes().len(), verdict.floor())
}

fn write_annotations(out: &mut String, assertion: &Assertion<'_>) -> fmt::Result {
    if !assertion.is_annotated() {
        writeln!(out, "    {ODD}no annotations{ODD:#}")?;
    }
    for annotation in assertion.annotations() {
        let class = annotation.class();
        let style = if class.is_terminal() { BAD } else { GOOD };
        write!(out, "    {style}{}{style:#}", Printable(class))?;
        if let Some(reason) = annotation.reason() {
            let declared = match annotation.declared() {
                "" => "no class",
                declared => declared,
            };
            write!(out, "  {ODD}{reason}: {}{ODD:#}", Printable(declared))?;
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
