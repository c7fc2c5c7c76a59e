//! One line for each decision of a gate, in a file that only grows.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use provstream::provenance::{Annotation, Verdict};
use provstream::{Action, Question, Rules, Span, Unannotated};
use provstream_providers::GateEvent;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::terminal::terminal_json;

/// Where the lines of an audit log go.
pub trait AuditLog {
    /// Takes a line with its line feed.
    ///
    /// # Errors
    ///
    /// The line could not be written. Nothing is released after that.
    fn line(&mut self, line: &[u8]) -> io::Result<()>;
}

/// One line. Spans and offsets are in the text of the channel; `clean_span` and `offset` count without annotations.
#[derive(Serialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
enum Entry<'a> {
    /// About an assertion.
    Assertion {
        #[serde(flatten)]
        of: Of<'a>,
        span: Span,
        clean_span: Span,
        /// Of the assertion's text.
        sha256: String,
        untrusted: bool,
        annotations: Vec<Annotation<'a>>,
        /// For each annotation, why it counts or not.
        counting: Vec<String>,
        verdict: Option<&'a Verdict>,
        disposition: &'static str,
        action: &'static str,
    },
    /// About a run of text that no assertion covers, and that is not released as it is.
    Unannotated {
        #[serde(flatten)]
        of: Of<'a>,
        clean_span: Span,
        sha256: String,
        action: &'static str,
    },
    /// Text was released because of a limit.
    Limit {
        #[serde(flatten)]
        of: Of<'a>,
        clean_span: Span,
    },
    /// The text ended before its end: nothing of it from this offset on was released.
    End {
        #[serde(flatten)]
        of: Of<'a>,
        action: &'static str,
        offset: u64,
    },
}

/// What a line is about, and by which policy.
#[derive(Clone, Copy, Serialize)]
struct Of<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    stream: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    policy: &'a str,
    /// Which answer of the stream, if it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<u32>,
}

/// A text whose end has not come.
#[derive(Debug, Default)]
struct Open {
    /// Offset of the next byte that is released or withheld, without annotations.
    offset: u64,
    run: Option<Run>,
}

/// A run of unannotated text that is not released as it is.
#[derive(Debug)]
struct Run {
    start: u64,
    action: &'static str,
    hash: Sha256,
}

impl<L: AuditLog + ?Sized> AuditLog for Box<L> {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        (**self).line(line)
    }
}

/// Writes the lines of one stream: one for each decision of a gate, as [`AuditLog`] takes them.
///
/// `docs/gate.md` has the lines. A gate calls it before what was decided takes effect.
#[derive(Debug)]
pub struct Audit<L> {
    log: L,
    /// How messages call the log.
    name: String,
    stream: String,
    channel: String,
    rules: Arc<Rules>,
    /// Answers before this one in the same stream.
    before: u32,
    /// By channel: the texts of several channels, and runs in them, may be open at a time.
    open: BTreeMap<String, Open>,
    error: Option<io::Error>,
}

impl<L: AuditLog> Audit<L> {
    /// An audit of a stream, with the names of the log for messages and of the stream for the lines, and the rules that are
    /// asked for dispositions.
    pub fn new(log: L, name: String, stream: String, rules: impl Into<Arc<Rules>>) -> Self {
        Self {
            log,
            name,
            stream,
            channel: String::new(),
            rules: rules.into(),
            before: 0,
            open: BTreeMap::new(),
            error: None,
        }
    }

    /// How messages call the log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The following calls are about this channel.
    pub fn enter(&mut self, channel: String) {
        self.channel = channel;
    }

    /// The following calls are about another answer in the same stream, whose texts begin at offset 0. Its lines have its number,
    /// `answer`, which is 2 for the second.
    pub fn next_answer(&mut self) {
        self.before += 1;
        self.open.clear();
    }

    /// The first line that could not be written. Nothing may be released after it.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// The first line that could not be written, unless it was [taken](Self::take_error).
    #[must_use]
    pub const fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Whether a line could not be written. Nothing may be released after it.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Takes what a gate does.
    pub fn push(&mut self, event: &GateEvent<'_>) {
        match event {
            GateEvent::Decided(question, action) => self.decided(question, action),
            GateEvent::Released(text) | GateEvent::Removed(text) => self.text(text.bytes()),
            GateEvent::RunBegins(at, what) => self.run_begins(*at, what),
            GateEvent::RunEnds(at) => self.run_ends(*at),
            GateEvent::Limit(span) => self.limit(*span),
            _ => {}
        }
    }

    /// A policy has decided about an assertion.
    pub fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let assertion = question.assertion();
        let verdict = question.verdict();
        let disposition = verdict.map_or("", |verdict| {
            self.rules.disposition(question, verdict).as_str()
        });
        let counting = verdict.map_or(&[][..], Verdict::counting);
        let entry = Entry::Assertion {
            of: self.of(),
            span: assertion.span(),
            clean_span: question.clean_span(),
            sha256: hex(Sha256::digest(assertion.text())),
            untrusted: question.untrusted(),
            annotations: assertion.annotations().collect(),
            counting: counting.iter().map(ToString::to_string).collect(),
            verdict,
            disposition,
            action: action_name(action),
        };
        let line = terminal_json(&entry);
        self.write(line);
    }

    /// A run of unannotated text begins.
    pub fn run_begins(&mut self, at: u64, what: &Unannotated) {
        let action = match what {
            Unannotated::Mark(..) => "mark",
            Unannotated::Replace(_) => "replace",
            Unannotated::Discard => "discard",
            _ => return,
        };
        let run = Run {
            start: at,
            action,
            hash: Sha256::new(),
        };
        self.text_of_channel().run = Some(run);
    }

    fn text_of_channel(&mut self) -> &mut Open {
        self.open.entry(self.channel.clone()).or_default()
    }

    /// Takes text of the stream that is released or withheld.
    pub fn text(&mut self, bytes: &[u8]) {
        let open = self.text_of_channel();
        open.offset += bytes.len() as u64;
        if let Some(run) = &mut open.run {
            run.hash.update(bytes);
        }
    }

    /// The run ends.
    pub fn run_ends(&mut self, at: u64) {
        if let Some(run) = self.text_of_channel().run.take() {
            let entry = Entry::Unannotated {
                of: self.of(),
                clean_span: Span::new(run.start, at),
                sha256: hex(run.hash.finalize()),
                action: run.action,
            };
            let line = terminal_json(&entry);
            self.write(line);
        }
    }

    /// Text was released because of a limit.
    pub fn limit(&mut self, clean_span: Span) {
        let of = self.of();
        let line = terminal_json(&Entry::Limit { of, clean_span });
        self.write(line);
    }

    /// The text ended before its end, after the run that was open in it. What the same channel has after that is another
    /// text.
    pub fn ended(&mut self, action: &'static str) {
        let text = self.open.remove(&self.channel).unwrap_or_default();
        let entry = Entry::End {
            of: self.of(),
            action,
            offset: text.offset,
        };
        let line = terminal_json(&entry);
        self.write(line);
    }

    /// Nothing more comes: the runs that are open end where they are.
    pub fn end_runs(&mut self) {
        let open = self.open.iter().filter(|(_, text)| text.run.is_some());
        let open: Vec<_> = open
            .map(|(name, text)| (name.clone(), text.offset))
            .collect();
        for (channel, offset) in open {
            self.enter(channel);
            self.run_ends(offset);
        }
    }

    fn of(&self) -> Of<'_> {
        Of {
            stream: &self.stream,
            channel: &self.channel,
            policy: self.rules.version(),
            answer: (self.before > 0).then_some(self.before + 1),
        }
    }

    fn write(&mut self, mut line: Vec<u8>) {
        line.push(b'\n');
        if self.error.is_none() {
            self.error = self.log.line(&line).err();
        }
    }
}

/// The name of an action, as policy files have it.
pub(crate) fn action_name(action: &Action) -> &'static str {
    match action {
        Action::Release => "release",
        Action::Mark(..) => "mark",
        Action::Replace(_) => "replace",
        Action::Discard => "discard",
        Action::Suspend => "suspend",
        Action::Refuse(_) => "refuse",
        _ => "other",
    }
}

fn hex(hash: impl AsRef<[u8]>) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in hash.as_ref() {
        // Writing to a string always succeeds.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use provstream::provenance::Vocabulary;
    use provstream::{Gate, GateHandler, Handler, Parser};

    use super::*;

    /// Counts the lines, and fails at the second.
    struct Full(usize);

    impl AuditLog for Full {
        fn line(&mut self, line: &[u8]) -> io::Result<()> {
            assert_eq!(line.iter().filter(|&&byte| byte == b'\n').count(), 1);
            self.0 += 1;
            if self.0 > 1 {
                return Err(io::Error::other("the disk is full"));
            }
            Ok(())
        }
    }

    struct Watched(Audit<Full>);

    impl Handler for Watched {}

    impl GateHandler for Watched {
        fn decided(&mut self, question: &Question<'_>, action: &Action) {
            self.0.decided(question, action);
        }
    }

    #[test]
    fn a_log_that_fails_is_reported_once_and_left_alone() {
        let rules = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
        let rules = Rules::from_toml(rules, &Vocabulary::memo()).expect("a policy");
        let mut watched = Watched(Audit::new(Full(0), "log".into(), "s".into(), rules.clone()));
        let now = "2026-05-28T12:00:00Z".parse().expect("a time");
        let mut gate = Gate::new(Parser::new(), rules.policy(move || now));
        gate.push(
            b"A. [substrate.grep] B. [substrate.grep] C. [substrate.grep]",
            &mut watched,
        );
        gate.finish(&mut watched);
        assert_eq!(watched.0.log.0, 2);
        assert!(watched.0.has_failed());
        assert_eq!(
            watched.0.take_error().expect("an error").to_string(),
            "the disk is full"
        );
    }

    #[derive(Default)]
    struct Lines(Vec<serde_json::Value>);

    impl AuditLog for &mut Lines {
        fn line(&mut self, line: &[u8]) -> io::Result<()> {
            self.0.push(serde_json::from_slice(line)?);
            Ok(())
        }
    }

    #[test]
    fn runs_end_with_their_texts() {
        let rules = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
        let rules = Rules::from_toml(rules, &Vocabulary::memo()).expect("a policy");
        let mut lines = Lines::default();
        let mut audit = Audit::new(&mut lines, "log".into(), "s".into(), rules);
        for channel in ["0", "1"] {
            audit.enter(channel.into());
            audit.text(b"It rains. ");
            audit.run_begins(10, &Unannotated::Discard);
            audit.text(b"So");
        }
        audit.end_runs();
        audit.end_runs();
        audit.ended("suspend");
        // What the same channel has after that is another text.
        audit.text(b"A");
        audit.ended("refuse");
        let so = hex(Sha256::digest(b"So"));
        let found: Vec<_> = lines
            .0
            .iter()
            .map(|line| {
                (
                    line["channel"].as_str().expect("a channel"),
                    line["clean_span"]["end"].as_u64(),
                    line["offset"].as_u64(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("0", Some(12), None),
                ("1", Some(12), None),
                ("1", None, Some(12)),
                ("1", None, Some(1)),
            ]
        );
        assert_eq!(lines.0[0]["sha256"], so);
    }
}
