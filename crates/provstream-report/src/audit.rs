//! Body of a page written from an audit log, which has the decisions of a gate but not the text.

use std::collections::HashMap;
use std::io;

use provstream::{Disposition, Span, UnknownNameError};

use crate::audit_fault::AuditLineError;
use crate::audit_line::AuditLogLine;
use crate::counts::Counts;
use crate::escape;
use crate::note::{Deed, Evidence, Note, NoteNumbering, UnnumberedNote};
use crate::outcome::Outcome;
use crate::part::TextSummary;
use crate::sections::SectionWriter;
use crate::wording::{self, Look};

/// Shows the audit log that `provstream gate --audit` writes: one JSON object a line, each a decision. The decisions about a stream
/// are together, in whatever order the lines of several streams are.
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
#[derive(Clone, Debug, Default)]
pub struct AuditLog {
    counts: Counts,
    /// Entries of each stream, channel and policy, in the order of their first lines.
    groups: Vec<(GroupKey, Vec<UnnumberedNote>)>,
    numbers: HashMap<GroupKey, usize>,
}

/// Stream, channel and policy of a line.
type GroupKey = [String; 3];

/// Kind of a decision.
struct DecisionKind {
    look: Look,
    title: &'static str,
    verdict: &'static str,
}

impl AuditLog {
    /// Creates an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
                let kind = DecisionKind {
                    look: Look::Limit,
                    title: "Limit reached",
                    verdict: "",
                };
                self.note(&line, kind, Outcome::Release)
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

    /// Writes the body, and returns the part for the head of the page.
    ///
    /// # Errors
    ///
    /// Returns errors of the writer.
    pub fn finish(self, mut body: impl io::Write) -> io::Result<TextSummary> {
        let mut sections = SectionWriter::new(NoteNumbering::without_text());
        for (of, notes) in &self.groups {
            sections.heading(&heading(of));
            for note in notes {
                sections.note(note);
            }
            body.write_all(sections.take().as_bytes())?;
        }
        let (numbering, index) = sections.finish();
        body.write_all(sections.take().as_bytes())?;
        Ok(TextSummary {
            title: "Decisions".into(),
            prefix: numbering.prefix().into(),
            counts: self.counts,
            problems: numbering.problems(),
            index,
            diagnostics: Vec::new(),
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
        for (annotation, counting) in line.annotations.iter().zip(counting) {
            let class = annotation.class.as_deref();
            counts.annotation(class.unwrap_or(&annotation.declared), counting.counts());
        }
        let kind = DecisionKind {
            look: Look::of(disposition),
            title: wording::disposition(disposition).0,
            verdict: disposition.as_str(),
        };
        self.note(line, kind, outcome)
    }

    fn run(&mut self, line: &AuditLogLine<'_>) -> Result<(), AuditLineError> {
        let outcome = outcome(line)?;
        *self.counts.runs.entry(outcome).or_default() += 1;
        let kind = DecisionKind {
            look: Look::Run,
            title: "Without annotation",
            verdict: "run",
        };
        self.note(line, kind, outcome)
    }

    fn end(&mut self, line: &AuditLogLine<'_>) -> Result<(), AuditLineError> {
        let outcome = outcome(line)?;
        *self.counts.ends.entry(outcome).or_default() += 1;
        let kind = DecisionKind {
            look: Look::Limit,
            title: "End of the stream",
            verdict: "",
        };
        self.note(line, kind, outcome)
    }

    fn note(
        &mut self,
        line: &AuditLogLine<'_>,
        kind: DecisionKind,
        outcome: Outcome,
    ) -> Result<(), AuditLineError> {
        let counting = line.counting()?;
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
            look: kind.look,
            title: kind.title,
            verdict: kind.verdict,
            is_problem: line.disposition.is_some() && kind.look != Look::Admitted,
            detail: detail.unwrap_or_default().into(),
            deed: Deed::Outcome(outcome),
            place: place(line),
            pointer: None,
            evidence: evidence
                .enumerate()
                .map(|(index, (annotation, counting))| Evidence {
                    declared: &annotation.declared,
                    observation_id: annotation.observation_id.as_deref(),
                    ts: annotation.ts.as_deref(),
                    age: annotation.age_at(judged_at),
                    counts: counting.counts(),
                    why: wording::why(
                        counting,
                        line.verdict
                            .as_ref()
                            .and_then(|verdict| verdict.outcome(index)),
                        None,
                        None,
                    )
                    .into(),
                })
                .collect(),
        };
        let of = [&line.stream, &line.channel, &line.policy].map(Clone::clone);
        let number = *self.numbers.entry(of).or_insert_with_key(|of| {
            self.groups.push((of.clone(), Vec::new()));
            self.groups.len() - 1
        });
        self.groups[number].1.push(note.draft());
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
fn heading([stream, channel, policy]: &GroupKey) -> String {
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
