//! NDJSON lines that the corpus expects for events, formatted independently of the command line.

use std::fmt::Write;

use provstream::provenance::Encoding;
use provstream::{Event, Span};

/// NDJSON output so far, with the counts for its last line.
#[derive(Default)]
pub struct Lines {
    out: String,
    assertions: u64,
    annotations: u64,
    marc: u64,
    diagnostics: u64,
}

impl Lines {
    /// Appends the line of an event; text, annotations and removed records have no line.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Annotation(_) => self.annotations += 1,
            Event::Assertion(assertion) => {
                self.assertions += 1;
                // In brackets each annotation is an event of its own.
                if assertion.encoding() == Encoding::Json {
                    self.annotations += assertion.annotations().count() as u64;
                }
                let _ = write!(
                    self.out,
                    "{{\"event\":\"assertion\",\"encoding\":\"{}\",\"text\":{},\"span\":{}",
                    assertion.encoding(),
                    string(assertion.text()),
                    span(assertion.span()),
                );
                if let Some(clean) = assertion.clean_span() {
                    let _ = write!(self.out, ",\"clean_span\":{}", span(clean));
                }
                self.pointer(assertion.pointer());
                if assertion.has_unknown_in_slot() {
                    self.out.push_str(",\"reason\":\"unknown-in-slot\"");
                }
                self.out.push_str(",\"annotations\":[");
                for (index, annotation) in assertion.annotations().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    let _ = write!(
                        self.out,
                        "{comma}{{\"class\":\"{}\",\"declared\":{}",
                        annotation.class(),
                        string(annotation.declared())
                    );
                    if let Some(reason) = annotation.reason() {
                        let _ = write!(self.out, ",\"reason\":\"{reason}\"");
                    }
                    if let Some(id) = annotation.observation_id() {
                        let _ = write!(self.out, ",\"observation_id\":{}", string(id));
                    }
                    if let Some(ts) = annotation.ts() {
                        let _ = write!(self.out, ",\"ts\":\"{ts}\"");
                    }
                    let _ = write!(self.out, ",\"span\":{}}}", span(annotation.span()));
                }
                self.out.push_str("]}\n");
            }
            Event::Marc(object) => {
                self.marc += 1;
                let _ = write!(
                    self.out,
                    "{{\"event\":\"marc\",\"kind\":\"{}\",\"span\":{}",
                    object.kind(),
                    span(object.span())
                );
                self.pointer(object.pointer());
                if let Some(raw) = object.raw() {
                    let record: serde_json::Value =
                        serde_json::from_slice(raw).expect("the corpus has sound records");
                    let _ = write!(self.out, ",\"record\":{record}");
                }
                self.out.push_str("}\n");
            }
            Event::Diagnostic(diagnostic) => {
                self.diagnostics += 1;
                let _ = writeln!(
                    self.out,
                    "{{\"event\":\"diagnostic\",\"code\":\"{}\",\"span\":{}}}",
                    diagnostic.code(),
                    span(diagnostic.span())
                );
            }
            _ => {}
        }
    }

    fn pointer(&mut self, pointer: Option<&str>) {
        if let Some(pointer) = pointer {
            let _ = write!(self.out, ",\"pointer\":{}", string(pointer));
        }
    }

    /// Appends the last line, for a stream of `bytes` bytes, and returns all lines.
    pub fn end(mut self, bytes: u64) -> String {
        let _ = writeln!(
            self.out,
            "{{\"event\":\"end\",\"bytes\":{bytes},\"assertions\":{},\"annotations\":{},\"marc\":{},\"diagnostics\":{}}}",
            self.assertions, self.annotations, self.marc, self.diagnostics
        );
        self.out
    }
}

fn span(span: Span) -> String {
    format!("{{\"start\":{},\"end\":{}}}", span.start(), span.end())
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
