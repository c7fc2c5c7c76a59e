//! Records for people.

use std::fmt::{self, Write};

use clap::builder::styling::{AnsiColor, Style};
use provstream::provenance::{Annotation, Assertion, Malformation, Verdict};
use provstream::{Citation, Span};

use super::line_index::{LineIndex, Position};
use super::record::{OutputRecord, RecordContext, ViolationRecord};
use crate::messages::{EscapeControls, EscapeLines, count, description, styled};
use crate::verdict::explain_annotation;

pub(crate) const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

/// Formats a record, with its line feed.
pub(super) fn format(
    record: &OutputRecord<'_>,
    context: &RecordContext,
    lines: Option<&LineIndex>,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_record(&mut text, record, context, lines);
    styled(text)
}

fn write_record(
    out: &mut String,
    record: &OutputRecord<'_>,
    context: &RecordContext,
    lines: Option<&LineIndex>,
) -> fmt::Result {
    let mut start = |span: Span| write!(out, "{DIM}{}{DIM:#}  ", location(span, context, lines));
    match record {
        OutputRecord::Assertion {
            assertion,
            verdict,
            faults,
        } => {
            start(assertion.span())?;
            write_assertion(out, assertion, *verdict, faults)
        }
        OutputRecord::Checked {
            assertion, lines, ..
        } => {
            start(assertion.span())?;
            write_assertion(out, assertion, None, &[])?;
            out.write_str(lines)
        }
        OutputRecord::Citation { citation } => {
            start(citation.span())?;
            write_citation(out, citation)
        }
        OutputRecord::Marc {
            kind,
            span,
            valid,
            violations,
            ..
        } => {
            start(*span)?;
            write_marc(out, kind, *valid, violations)
        }
        OutputRecord::Diagnostic {
            code,
            span,
            message,
        } => {
            start(*span)?;
            let message = message.or(description(code)).unwrap_or_default();
            writeln!(
                out,
                "{WARNING}{code}{WARNING:#}: {}",
                EscapeControls(message)
            )
        }
        OutputRecord::Error { message } => {
            let message = EscapeControls(message);
            writeln!(out, "{BAD}error of the provider{BAD:#}: {message}")
        }
        OutputRecord::Unannotated { text, span, .. } => {
            start(*span)?;
            let text = EscapeControls(text);
            writeln!(
                out,
                "{BOLD}{text}{BOLD:#}  {WARNING}no annotations{WARNING:#}"
            )
        }
        OutputRecord::Text { text } => {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            write!(out, "    {}{end}", EscapeLines(text))
        }
        OutputRecord::End(totals) => {
            let counts = [
                count(totals.assertions, "assertion"),
                count(totals.annotations, "annotation"),
                count(totals.marc, "MARC object"),
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte"),
            ];
            write_totals(out, context, &counts)
        }
        OutputRecord::AdmitEnd(totals) => {
            let counts = [
                count(totals.assertions, "assertion"),
                format!("{} admitted", totals.admitted),
                count(totals.diagnostics, "diagnostic"),
                count(totals.bytes, "byte"),
            ];
            write_totals(out, context, &counts)
        }
    }
}

fn write_citation(out: &mut String, citation: &Citation<'_>) -> fmt::Result {
    writeln!(out, "{BOLD}{}{BOLD:#}", EscapeControls(citation.text()))?;
    for cited in citation.ids() {
        let id = EscapeControls(cited.id);
        write!(out, "    {}  {id}", cited.dialect)?;
        match cited.reason {
            Some(reason) => writeln!(out, "  {WARNING}{reason}{WARNING:#}")?,
            None => writeln!(out, "  {GOOD}listed{GOOD:#}")?,
        }
    }
    Ok(())
}

fn write_marc(
    out: &mut String,
    kind: &str,
    is_valid: bool,
    violations: &[ViolationRecord<'_>],
) -> fmt::Result {
    let (style, word) = match is_valid {
        true => (GOOD, "valid"),
        false => (BAD, "not valid"),
    };
    writeln!(out, "MARC {kind}: {style}{word}{style:#}")?;
    for violation in violations {
        let level = violation.level;
        let pointer = EscapeControls(violation.pointer);
        let message = EscapeControls(violation.message);
        writeln!(out, "    {WARNING}{level}{WARNING:#} {pointer}: {message}")?;
    }
    Ok(())
}

fn write_totals(out: &mut String, context: &RecordContext, totals: &[String]) -> fmt::Result {
    if let Some(file) = &context.file {
        write!(out, "{}: ", EscapeControls(file))?;
    }
    writeln!(out, "{DIM}{}{DIM:#}", totals.join(", "))
}

fn write_assertion(
    out: &mut String,
    assertion: &Assertion<'_>,
    verdict: Option<&Verdict>,
    faults: &[Option<Malformation>],
) -> fmt::Result {
    write!(out, "{BOLD}{}{BOLD:#}", EscapeControls(assertion.text()))?;
    if let Some(pointer) = assertion.pointer() {
        write!(out, "  {DIM}{}{DIM:#}", EscapeControls(pointer))?;
    }
    if let Some(verdict) = verdict {
        match verdict.admitted() {
            true => write!(out, "  {GOOD}admitted{GOOD:#}")?,
            false => write!(out, "  {BAD}not admitted{BAD:#}: {}", verdict.reason())?,
        }
        let counting = verdict.classes().len();
        write!(
            out,
            " (classes that count: {counting}, floor {})",
            verdict.floor()
        )?;
    }
    out.push('\n');
    if !assertion.is_annotated() {
        writeln!(out, "    {WARNING}no annotations{WARNING:#}")?;
    }
    let counting = verdict.map_or(&[][..], Verdict::counting);
    for (index, annotation) in assertion.annotations().enumerate() {
        let counting = counting.get(index);
        let class = annotation.class();
        let style = match counting {
            Some(counting) if counting.counts() => GOOD,
            Some(_) => BAD,
            None if class.is_terminal() => BAD,
            None => GOOD,
        };
        write!(out, "    {style}{}{style:#}", EscapeControls(class))?;
        if let Some(reason) = annotation.reason() {
            write!(out, "  {WARNING}{reason}")?;
            if let Some(Some(fault)) = faults.get(index) {
                write!(out, " ({fault})")?;
            }
            write!(
                out,
                ": {}{WARNING:#}",
                EscapeControls(declared(&annotation))
            )?;
        }
        if let Some(id) = annotation.observation_id() {
            write!(out, "  observation-id={}", EscapeControls(id))?;
        }
        if let Some(ts) = annotation.ts() {
            write!(out, "  ts={}", EscapeControls(ts))?;
        }
        if let Some(counting) = counting.filter(|counting| !counting.counts()) {
            write!(
                out,
                "  {BAD}does not count: it {}{BAD:#}",
                explain_annotation(*counting)
            )?;
        }
        out.push('\n');
    }
    Ok(())
}

/// Returns the declared identifier, for people.
pub(super) fn declared<'a>(annotation: &'a Annotation<'_>) -> &'a str {
    match annotation.declared() {
        "" => "no class",
        declared => declared,
    }
}

/// Formats the location of a span, as the start of a line.
fn location(span: Span, context: &RecordContext, lines: Option<&LineIndex>) -> String {
    let start = span.start();
    let position = lines.map_or(Position::Byte(start), |lines| lines.position(start));
    let mut location = String::new();
    if let Some(file) = &context.file {
        location.push_str(&format!("{}:", EscapeControls(file)));
    }
    if let Some(channel) = context.channel {
        location.push_str(&format!("channel {channel}:"));
    }
    match (context.line, &context.field) {
        (None, _) => {}
        (Some(line), None) => location.push_str(&format!("line {line}:")),
        (Some(line), Some(field)) => {
            location.push_str(&format!("line {line} {}:", EscapeControls(field)));
        }
    }
    format!("{location}{position}")
}
