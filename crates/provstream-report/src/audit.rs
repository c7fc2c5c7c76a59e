//! Body of a page written from an audit log, which has the decisions of a gate but not the text.

use std::io;

use provstream::{Disposition, Span, UnknownNameError};

use crate::audit_fault::AuditLineError;
use crate::audit_line::AuditLogLine;
use crate::counts::Counts;
use crate::escape;
use crate::note::{Deed, Evidence, Note, NoteNumbering};
use crate::outcome::Outcome;
use crate::part::Part;
use crate::sections::SectionWriter;
use crate::wording::{self, Look};

/// Shows the audit log that `provstream gate --audit` writes: one JSON object a line, each a decision.
///
/// ```
/// use provstream_report::{AuditLog, Page};
///
/// let mut log = AuditLog::new();
/// log.push(br#"{"decision":"end","stream":"answer.txt","action":"suspend"}"#)?;
/// let mut body = Vec::new();
/// let parts = [log.finish(&mut body)?];
/// let mut html = Vec::new();
/// let page = Page::new("audit.ndjson", &parts);
/// page.write_head(&mut html)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AuditLog {
    sections: SectionWriter,
    counts: Counts,
    /// Stream, channel and policy of the last line.
    of: Option<[String; 3]>,
}

impl Default for AuditLog {
    fn default() -> Self {
        Self::new()
    }
}

impl AuditLog {
    /// Creates an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sections: SectionWriter::new(NoteNumbering::without_text()),
            counts: Counts::default(),
            of: None,
        }
    }

    /// Adds the next line, with or without its line feed.
    ///
    /// # Errors
    ///
    /// Fails if the line is not a decision of a gate. The line is then left out.
    pub fn push(&mut self, line: &[u8]) -> Result<(), AuditLineError> {
        let line: AuditLogLine<'_> = serde_json::from_slice(line)?;
        match &*line.decision {
            "assertion" => self.assertion(&line),
            "unannotated" => self.run(&line),
            "limit" => {
                self.counts.limits += 1;
                self.note(
                    &line,
                    Look::Limit,
                    "Limit reached",
                    Deed::Outcome(Outcome::Release),
                )
            }
            "end" => self.end(&line),
            other => {
                let known = &["assertion", "unannotated", "limit", "end"];
                Err(UnknownNameError::new("decision", known, other).into())
            }
        }
    }

    /// Returns the counts of the lines so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Writes the finished part of the body, and drops it from memory.
    ///
    /// # Errors
    ///
    /// Returns errors of the writer. The unwritten part is then lost.
    pub fn write_to(&mut self, mut body: impl io::Write) -> io::Result<()> {
        body.write_all(self.sections.take().as_bytes())
    }

    /// Writes the rest of the body, and returns the part for the head of the page.
    ///
    /// # Errors
    ///
    /// Returns errors of the writer.
    pub fn finish(mut self, body: impl io::Write) -> io::Result<Part> {
        let (numbering, index) = self.sections.finish();
        self.write_to(body)?;
        Ok(Part {
            title: "Decisions".into(),
            prefix: numbering.prefix().into(),
            counts: self.counts,
            problems: numbering.problems(),
            index,
        })
    }

    fn assertion(&mut self, line: &AuditLogLine<'_>) -> Result<(), AuditLineError> {
        let disposition = line.disposition.as_deref();
        let disposition = disposition.ok_or(AuditLineError::missing("disposition"))?;
        let disposition: Disposition = disposition.parse()?;
        let outcome = outcome(line)?;
        let counting = line.counting()?;
        let counts = &mut self.counts;
        *counts.decided.entry((disposition, outcome)).or_default() += 1;
        counts.annotations += line.annotations.len() as u64;
        counts.counting += counting.iter().filter(|it| it.counts()).count() as u64;
        self.note(
            line,
            Look::of(disposition),
            wording::disposition(disposition).0,
            Deed::Outcome(outcome),
        )
    }

    fn run(&mut self, line: &AuditLogLine<'_>) -> Result<(), AuditLineError> {
        let outcome = outcome(line)?;
        *self.counts.runs.entry(outcome).or_default() += 1;
        self.note(
            line,
            Look::Run,
            "Without annotation",
            Deed::Outcome(outcome),
        )
    }

    fn end(&mut self, line: &AuditLogLine<'_>) -> Result<(), AuditLineError> {
        let outcome = outcome(line)?;
        *self.counts.ends.entry(outcome).or_default() += 1;
        self.note(
            line,
            Look::Limit,
            "End of the stream",
            Deed::Outcome(outcome),
        )
    }

    fn note(
        &mut self,
        line: &AuditLogLine<'_>,
        look: Look,
        title: &'static str,
        deed: Deed<'_>,
    ) -> Result<(), AuditLineError> {
        let counting = line.counting()?;
        let of = [&line.stream, &line.channel, &line.policy];
        if self.of.as_ref().is_none_or(|last| last.each_ref() != of) {
            self.sections.heading(&heading(of));
            self.of = Some(of.map(Clone::clone));
        }
        let detail = line.verdict.as_ref().map(|verdict| {
            let (count, floor) = (verdict.classes.len(), verdict.floor);
            let count_of = if count == 1 {
                "class counts"
            } else {
                "classes count"
            };
            format!("{count} {count_of}, floor {floor}")
        });
        let judged_at = line.judged_at();
        let evidence = line.annotations.iter().zip(counting);
        let note = Note {
            look,
            title,
            detail: detail.unwrap_or_default().into(),
            deed,
            place: place(line),
            pointer: None,
            evidence: evidence
                .map(|(annotation, counting)| Evidence {
                    declared: &annotation.declared,
                    observation_id: annotation.observation_id.as_deref(),
                    ts: annotation.ts.as_deref(),
                    age: annotation.age_at(judged_at),
                    counts: counting.counts(),
                    why: wording::why(counting, None).into(),
                })
                .collect(),
        };
        self.sections.note(&note.draft());
        Ok(())
    }
}

fn outcome(line: &AuditLogLine<'_>) -> Result<Outcome, AuditLineError> {
    let action = line.action.as_deref();
    let action = action.ok_or(AuditLineError::missing("action"))?;
    Ok(action.parse()?)
}

/// Returns the location of the decided text and its hash, as HTML.
fn place(line: &AuditLogLine<'_>) -> Option<String> {
    let span = line.clean_span?;
    let span = Span::new(span.start, span.end);
    let mut place = if span.is_empty() {
        format!("at byte {}", span.start())
    } else {
        format!("bytes {} to {}", span.start(), span.end())
    };
    if line.untrusted {
        place.push_str(", untrusted");
    }
    if let Some(hash) = &line.sha256 {
        place.push_str(" <span>SHA-256 <code>");
        escape::value(&mut place, hash, 64);
        place.push_str("</code></span>");
    }
    Some(place)
}

/// Returns the heading of the entries of a stream, channel and policy, as HTML.
fn heading([stream, channel, policy]: [&String; 3]) -> String {
    let mut html = String::new();
    for (name, value) in [("", stream), ("channel ", channel), ("policy ", policy)] {
        if value.is_empty() {
            continue;
        }
        if !html.is_empty() {
            html.push_str(" · ");
        }
        html.push_str(name);
        escape::value(&mut html, value, 256);
    }
    if html.is_empty() {
        html.push_str("A stream without name");
    }
    html
}
