//! Audit log: one line for each decision of a gate.

use core::fmt;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use provstream::provenance::{Annotation, Counting, Timestamp, Verdict};
use provstream::{Action, Question, Rules, Span, Unannotated};
use provstream_providers::GateEvent;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::observation_ids::ObservationIds;
use crate::terminal::terminal_json;

/// Destination of the lines of an audit log.
pub trait AuditSink {
    /// Appends a line that ends with a line feed.
    ///
    /// # Errors
    ///
    /// If the line cannot be written. Nothing is released after that.
    fn line(&mut self, line: &[u8]) -> io::Result<()>;
}

/// A line of the log. Spans and offsets refer to the text of the channel; `clean_span` and `offset`
/// to the text without annotations.
#[derive(Serialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
enum AuditLine<'a> {
    /// Decision about an assertion.
    Assertion {
        #[serde(flatten)]
        of: AuditContext<'a>,
        span: Span,
        clean_span: Span,
        /// Hash of the assertion's text.
        sha256: String,
        untrusted: bool,
        annotations: Vec<Annotation<'a>>,
        /// For each annotation, the reason why it counts or does not.
        counting: Vec<CountingReason>,
        verdict: Option<&'a Verdict>,
        disposition: &'static str,
        action: &'static str,
    },
    /// Decision about a run of unannotated text that is not released unchanged.
    Unannotated {
        #[serde(flatten)]
        of: AuditContext<'a>,
        clean_span: Span,
        sha256: String,
        action: &'static str,
    },
    /// Text released because of a limit.
    Limit {
        #[serde(flatten)]
        of: AuditContext<'a>,
        clean_span: Span,
    },
    /// Early end of a text: nothing from this offset on was released.
    End {
        #[serde(flatten)]
        of: AuditContext<'a>,
        action: &'static str,
        offset: u64,
    },
}

/// Reason why an annotation counts towards the floor or does not, such as
/// `{"why":"stale","by_seconds":60.5}`.
#[derive(Clone, Copy, Serialize)]
struct CountingReason {
    why: &'static str,
    /// Seconds outside of the window of the class, for `stale` and `future`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_seconds: Option<f64>,
    /// Outcome of the check, for `observation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
}

impl From<&Counting> for CountingReason {
    fn from(counting: &Counting) -> Self {
        let by = match counting {
            Counting::Stale { by } | Counting::Future { by } => Some(by.as_secs_f64()),
            _ => None,
        };
        let outcome = match counting {
            Counting::Observation { outcome } => Some(outcome.as_str()),
            _ => None,
        };
        Self {
            why: counting.as_str(),
            by_seconds: by,
            outcome,
        }
    }
}

/// Members of every line: the time, the text and the policy that the line refers to.
#[derive(Clone, Copy, Serialize)]
struct AuditContext<'a> {
    /// Time of the decision: the one that an assertion was judged by.
    time: Timestamp,
    #[serde(skip_serializing_if = "str::is_empty")]
    stream: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    policy: &'a str,
    /// SHA-256 of the file that the policy was read from.
    policy_sha256: &'a str,
    /// Number of the answer in the stream, from 1; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<u32>,
}

/// A text that has not ended.
#[derive(Debug, Default)]
struct OpenChannelText {
    /// Offset of the next released or withheld byte, without annotations.
    offset: u64,
    run: Option<OpenRun>,
}

/// A run of unannotated text that is not released unchanged.
#[derive(Debug)]
struct OpenRun {
    start: u64,
    action: &'static str,
    hash: Sha256,
}

impl<L: AuditSink + ?Sized> AuditSink for Box<L> {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        (**self).line(line)
    }
}

/// Source of the times of lines.
type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// Writes the audit lines of one stream to an [`AuditSink`].
///
/// `docs/gate.md` describes the lines. Report each event of the gate before it takes effect:
///
/// ```
/// use std::io::{self, Write};
/// use std::sync::Arc;
///
/// use provstream::provenance::{Timestamp, Vocabulary};
/// use provstream::{Action, Gate, GateHandler, Handler, Parser, Question, RulePolicy, Rules};
/// use provstream_route::{Audit, AuditSink};
///
/// /// Lines in memory; a service would append them to a file, as `AuditFile` does.
/// #[derive(Default)]
/// struct Lines(Vec<u8>);
///
/// impl AuditSink for Lines {
///     fn line(&mut self, line: &[u8]) -> io::Result<()> {
///         self.0.write_all(line)
///     }
/// }
///
/// struct Audited(Audit<Lines>);
///
/// impl Handler for Audited {}
///
/// impl GateHandler for Audited {
///     fn decided(&mut self, question: &Question<'_>, action: &Action) {
///         self.0.decided(question, action);
///     }
/// }
///
/// let policy = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
/// let rules = Arc::new(Rules::from_toml(policy, &Vocabulary::memo())?);
/// let audit = Audit::new(Lines::default(), "audit".into(), "request-7".into(), rules.clone(), Timestamp::now);
/// let mut audited = Audited(audit);
/// let mut gate = Gate::new(Parser::new(), RulePolicy::new(rules, Timestamp::now));
/// gate.push(b"It rains. [substrate.grep; ts=2026-05-28T11:40:00Z] So.", &mut audited);
/// gate.finish(&mut audited);
/// let lines = String::from_utf8(audited.0.into_log().0)?;
/// assert!(lines.contains(r#""stream":"request-7""#) && lines.contains(r#""why":"stale""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Audit<L> {
    log: L,
    /// Name of the log in messages.
    name: String,
    stream: String,
    channel: String,
    rules: Arc<Rules>,
    /// SHA-256 of the file of the rules.
    rules_sha256: String,
    clock: Clock,
    /// Number of earlier answers in the same stream.
    before: u32,
    /// Form of the observation ids; `None` keeps them. Most streams need no memory for it.
    ids: Option<Box<ObservationIds>>,
    /// Open texts by channel. Several channels can have open texts and runs at a time.
    open: BTreeMap<String, OpenChannelText>,
    error: Option<io::Error>,
}

impl<L: fmt::Debug> fmt::Debug for Audit<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit")
            .field("log", &self.log)
            .field("name", &self.name)
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl<L: AuditSink> Audit<L> {
    /// Creates the audit of a stream. `name` names the log in messages, `stream` the response in
    /// the lines, and `clock` returns the time of lines without a verdict that has one.
    pub fn new(
        log: L,
        name: String,
        stream: String,
        rules: impl Into<Arc<Rules>>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        let rules = rules.into();
        Self {
            log,
            name,
            stream,
            channel: String::new(),
            rules_sha256: hex(Sha256::digest(rules.source())),
            rules,
            clock: Box::new(clock),
            before: 0,
            ids: None,
            open: BTreeMap::new(),
            error: None,
        }
    }

    /// Sets the form of the observation ids in the lines.
    #[must_use]
    pub fn with_observation_ids(mut self, ids: ObservationIds) -> Self {
        self.ids = (ids != ObservationIds::Keep).then(|| Box::new(ids));
        self
    }

    /// Returns the log.
    #[must_use]
    pub const fn log(&self) -> &L {
        &self.log
    }

    /// Returns the log, to change it.
    pub const fn log_mut(&mut self) -> &mut L {
        &mut self.log
    }

    /// Returns the log.
    #[must_use]
    pub fn into_log(self) -> L {
        self.log
    }

    /// Returns the name of the log in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the channel of the following calls.
    pub fn enter(&mut self, channel: String) {
        self.channel = channel;
    }

    /// Begins the next answer in the same stream. Its texts begin at offset 0, and its lines have
    /// the number `answer`, which is 2 for the second answer.
    pub fn next_answer(&mut self) {
        self.before += 1;
        self.open.clear();
    }

    /// Removes and returns the error of the first failed write. Nothing may be released after a
    /// failed write.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Returns the error of the first failed write, unless it was [taken](Self::take_error).
    #[must_use]
    pub const fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Returns `true` if a write failed. Nothing may be released after that.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Records an event of the gate.
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

    /// Records the decision about an assertion.
    pub fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let assertion = question.assertion();
        let verdict = question.verdict();
        let disposition = verdict.map_or("", |verdict| {
            self.rules.disposition(question, verdict).as_str()
        });
        let counting = verdict.map_or(&[][..], Verdict::counting);
        let annotations = assertion.annotations().map(|each| match &self.ids {
            Some(ids) => ids.redact(each),
            None => each,
        });
        let entry = AuditLine::Assertion {
            of: AuditContext {
                time: verdict.map_or_else(&self.clock, Verdict::judged_at),
                ..self.of()
            },
            span: assertion.span(),
            clean_span: question.clean_span(),
            sha256: hex(Sha256::digest(assertion.text())),
            untrusted: question.untrusted(),
            annotations: annotations.collect(),
            counting: counting.iter().map(CountingReason::from).collect(),
            verdict,
            disposition,
            action: action_name(action),
        };
        let line = terminal_json(&entry);
        self.write(line);
    }

    /// Records the beginning of a run of unannotated text.
    pub fn run_begins(&mut self, at: u64, what: &Unannotated) {
        let action = match what {
            Unannotated::Mark(..) => "mark",
            Unannotated::Replace(_) => "replace",
            Unannotated::Discard => "discard",
            _ => return,
        };
        let run = OpenRun {
            start: at,
            action,
            hash: Sha256::new(),
        };
        self.text_of_channel().run = Some(run);
    }

    fn text_of_channel(&mut self) -> &mut OpenChannelText {
        self.open.entry(self.channel.clone()).or_default()
    }

    /// Records released or withheld text.
    pub fn text(&mut self, bytes: &[u8]) {
        let open = self.text_of_channel();
        open.offset += bytes.len() as u64;
        if let Some(run) = &mut open.run {
            run.hash.update(bytes);
        }
    }

    /// Records the end of a run of unannotated text.
    pub fn run_ends(&mut self, at: u64) {
        if let Some(run) = self.text_of_channel().run.take() {
            let entry = AuditLine::Unannotated {
                of: self.of(),
                clean_span: Span::new(run.start, at),
                sha256: hex(run.hash.finalize()),
                action: run.action,
            };
            let line = terminal_json(&entry);
            self.write(line);
        }
    }

    /// Records that text was released because of a limit.
    pub fn limit(&mut self, clean_span: Span) {
        let of = self.of();
        let line = terminal_json(&AuditLine::Limit { of, clean_span });
        self.write(line);
    }

    /// Records the early end of a text, after the end of its open run. Further text of the channel
    /// is another text.
    pub fn ended(&mut self, action: &'static str) {
        let text = self.open.remove(&self.channel).unwrap_or_default();
        let entry = AuditLine::End {
            of: self.of(),
            action,
            offset: text.offset,
        };
        let line = terminal_json(&entry);
        self.write(line);
    }

    /// Ends the text of the channel, of which all is released. Further text of the channel is another text.
    pub fn end_text(&mut self) {
        self.open.remove(&self.channel);
    }

    /// Ends all open runs at their current offsets.
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

    fn of(&self) -> AuditContext<'_> {
        AuditContext {
            time: (self.clock)(),
            stream: &self.stream,
            channel: &self.channel,
            policy: self.rules.version(),
            policy_sha256: &self.rules_sha256,
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

/// Returns the name of an action in policy files.
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

    impl AuditSink for Full {
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
        let mut watched = Watched(Audit::new(
            Full(0),
            "log".into(),
            "s".into(),
            rules.clone(),
            Timestamp::now,
        ));
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

    impl AuditSink for &mut Lines {
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
        let mut audit = Audit::new(&mut lines, "log".into(), "s".into(), rules, Timestamp::now);
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
