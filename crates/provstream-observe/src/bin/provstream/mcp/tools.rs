//! The tools: each makes an observation and records it, and `verify` checks a draft.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::time::{Duration, Instant};

use provstream::provenance::{Assertion, Class, Timestamp};
use provstream::{Event, OwnedEvent};
use provstream_observe::{
    Checked, Checker, Ledger as _, Query, SqliteLedger, SubstrateQuery, Substrates,
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Value, json};

use crate::recording::{RecordedParts, annotation};
use crate::verify::{best_quotes, record};

/// Longest draft in bytes.
const MAX_ANSWER: usize = 1 << 20;
/// Time after which a check repeats no further queries.
const MAX_REQUERY: Duration = Duration::from_secs(30);
/// Member of `_meta` with the observation.
const META: &str = "provstream/observation";

/// Tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    GitLog,
    Grep,
    ReadFile,
    FileMtime,
    PeerCredentials,
    SseCount,
    Ask,
    Verify,
}

impl ToolKind {
    pub(super) const ALL: [Self; 8] = [
        Self::GitLog,
        Self::Grep,
        Self::ReadFile,
        Self::FileMtime,
        Self::PeerCredentials,
        Self::SseCount,
        Self::Ask,
        Self::Verify,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GitLog => "git_log",
            Self::Grep => "grep",
            Self::ReadFile => "read_file",
            Self::FileMtime => "file_mtime",
            Self::PeerCredentials => "peer_credentials",
            Self::SseCount => "sse_count",
            Self::Ask => "ask",
            Self::Verify => "verify",
        }
    }

    /// Returns the class of the observations, and the parameters that a query needs and a call may omit; `None` for `verify`.
    fn class(self) -> Option<(Class, &'static [(&'static str, &'static str)])> {
        Some(match self {
            Self::GitLog => (
                Class::GIT_LOG,
                &[("repository", "."), ("reference", "HEAD")],
            ),
            Self::Grep => (Class::GREP, &[("path", ".")]),
            Self::ReadFile => (Class::CODE_READ, &[]),
            Self::FileMtime => (Class::FS_MTIME, &[]),
            Self::PeerCredentials => (Class::PEERCRED, &[]),
            Self::SseCount => (Class::SSE_COUNT, &[]),
            Self::Ask => (Class::MCP_BRIEF, &[]),
            Self::Verify => return None,
        })
    }

    /// Returns `true` if the settings name anything that the tool can ask.
    pub(super) fn is_available(self, tools: &Tools) -> bool {
        let services = tools.substrates.services();
        match self {
            Self::PeerCredentials => cfg!(target_os = "linux"),
            Self::SseCount => services.is_some_and(|services| services.channels().next().is_some()),
            Self::Ask => services.is_some_and(|services| services.tools().next().is_some()),
            _ => true,
        }
    }
}

/// Ledger and substrates of the tools.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) ledger: SqliteLedger,
    pub(super) substrates: Substrates,
    pub(super) recording: RecordedParts,
    /// Most age of an observation that is not stale.
    pub(super) window: Option<Duration>,
}

impl Tools {
    pub(super) fn call(&self, kind: ToolKind, arguments: JsonObject) -> CallToolResult {
        let result = match kind.class() {
            Some((class, defaults)) => self.observe(&class, defaults, arguments),
            None => self.verify(arguments),
        };
        result.unwrap_or_else(|error| tool_error(&format_args!("{error:#}")))
    }

    fn observe(
        &self,
        class: &Class,
        defaults: &[(&str, &str)],
        mut arguments: JsonObject,
    ) -> anyhow::Result<CallToolResult> {
        for (name, value) in defaults {
            arguments.entry(*name).or_insert_with(|| (*value).into());
        }
        let query = Query::new(&Value::Object(arguments))?;
        let Some(query) = SubstrateQuery::parse(class.as_str(), &query) else {
            anyhow::bail!("no substrate has the class {class}");
        };
        let query = query?;
        let found = self.substrates.observe(&query)?;
        let content = String::from_utf8_lossy(&found.content).into_owned();
        let observation = self.recording.observation(&query, found)?;
        let annotation = annotation(class.clone(), &observation)?;
        let seq = self.ledger.record(&observation)?;

        let cite = format!("Put this after each sentence that the result supports: {annotation}");
        let mut cited = json!({
            "annotation": annotation,
            "class": class.as_str(),
            "observation_id": observation.id(),
            "ts": observation.time().to_string(),
            "seq": seq,
        });
        let meta = JsonObject::from_iter([(META.to_owned(), cited.clone())]);
        cited["content"] = content.as_str().into();
        let blocks = vec![ContentBlock::text(content), ContentBlock::text(cite)];
        let mut result = CallToolResult::success(blocks).with_meta(Some(MetaObject(meta)));
        result.structured_content = Some(cited);
        Ok(result)
    }

    fn verify(&self, mut arguments: JsonObject) -> anyhow::Result<CallToolResult> {
        let answer = match arguments.remove("answer") {
            Some(Value::String(answer)) if answer.len() <= MAX_ANSWER => answer,
            Some(Value::String(answer)) => {
                let length = answer.len();
                anyhow::bail!("answer: expected at most {MAX_ANSWER} bytes, found {length}");
            }
            _ => anyhow::bail!("answer: expected a string, found none"),
        };
        let requery = match arguments.remove("requery") {
            None => true,
            Some(Value::Bool(requery)) => requery,
            Some(_) => anyhow::bail!("requery: expected a boolean, found another value"),
        };
        if let Some(name) = arguments.keys().next() {
            anyhow::bail!(
                "expected no further argument, found \"{}\"",
                name.escape_debug()
            );
        }
        let deadline = requery.then(|| Instant::now() + MAX_REQUERY);
        let mut draft = CheckedDraft::default();
        for event in provstream::parse(answer.as_bytes()) {
            self.check_event(&event, deadline, &mut draft)?;
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(draft.summary())]);
        result.structured_content = Some(json!({
            "outcomes": draft.outcomes,
            "assertions": draft.assertions,
            "diagnostics": draft.diagnostics,
        }));
        Ok(result)
    }

    fn check_event(
        &self,
        event: &OwnedEvent,
        deadline: Option<Instant>,
        draft: &mut CheckedDraft,
    ) -> anyhow::Result<()> {
        match event {
            Event::Assertion(assertion) => {
                let mut checked = Vec::new();
                for annotation in assertion.annotations() {
                    let mut checker = Checker::new(&self.ledger);
                    if deadline.is_some_and(|deadline| Instant::now() < deadline) {
                        checker = checker.requery(&self.substrates);
                    }
                    if let Some(window) = self.window {
                        checker = checker.with_window(window);
                    }
                    if let Some(reason) = annotation.reason() {
                        // What it cites says nothing about the class that it names.
                        let declared = annotation.declared().escape_debug();
                        let fault = format!("{reason}: \"{declared}\"");
                        draft.diagnostics.push(fault);
                    }
                    checked.push(checker.check(&annotation, Timestamp::now())?);
                }
                draft.add(assertion, &checked);
            }
            Event::Diagnostic(diagnostic) => draft.diagnostics.push(diagnostic.to_string()),
            _ => {}
        }
        Ok(())
    }
}

/// Result of checking a draft.
#[derive(Debug, Default)]
struct CheckedDraft {
    outcomes: BTreeMap<&'static str, u64>,
    assertions: Vec<Value>,
    diagnostics: Vec<String>,
    /// A line for each annotation and each absent quote.
    lines: String,
}

impl CheckedDraft {
    fn add(&mut self, assertion: &Assertion<'_>, checked: &[Checked]) {
        let text = assertion.text();
        let line: Vec<_> = text.split_whitespace().collect();
        let line = line.join(" ");
        // Writing to a string cannot fail.
        for checked in checked {
            *self.outcomes.entry(checked.outcome.as_str()).or_default() += 1;
            let _ = write!(self.lines, "{}: {line}", checked.outcome);
            if let Some(detail) = &checked.detail {
                let _ = write!(self.lines, " ({detail})");
            }
            if let Some(change) = &checked.change {
                let _ = write!(self.lines, " ({change})");
            }
            self.lines.push('\n');
        }
        let quotes = best_quotes(text, checked).into_iter();
        let quotes: Vec<_> = quotes
            .map(|quote| json!({ "text": quote.text, "tier": quote.tier.as_str() }))
            .collect();
        for quote in quotes.iter().filter(|quote| quote["tier"] == "absent") {
            let _ = writeln!(
                self.lines,
                "quote is absent from what was observed: {}",
                quote["text"]
            );
        }
        let outcomes: Vec<_> = checked.iter().map(record).collect();
        let span = assertion.span();
        self.assertions.push(json!({
            "text": text,
            "span": { "start": span.start(), "end": span.end() },
            "outcomes": outcomes,
            "quotes": quotes,
        }));
    }

    fn summary(&self) -> String {
        let counts: Vec<_> = self
            .outcomes
            .iter()
            .map(|(outcome, count)| format!("{count} {outcome}"))
            .collect();
        let mut summary = match counts.is_empty() {
            true => "The draft has no annotations.\n".to_owned(),
            false => format!("Annotations: {}.\n", counts.join(", ")),
        };
        for diagnostic in &self.diagnostics {
            let _ = writeln!(summary, "fault: {diagnostic}");
        }
        summary + &self.lines
    }
}

/// Builds the result of a call that failed: an error that the model reads.
pub(super) fn tool_error(error: &dyn Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
