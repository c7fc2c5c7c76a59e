//! Counts of withheld and unjudged text; they decide the status of `gate --fail`.

use std::collections::BTreeMap;

use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, Disposition, Event, GateEnd, Mode, Question, Rules, Unannotated};

use crate::fields::FieldRewriter;
use crate::hidden_annotations::{HiddenAnnotationDetector, hidden_message};
use crate::messages::{CountAndExample, count, print_note};
use crate::scan::totals::UnjudgedDiagnostics;
use crate::verdict::explain_verdict;

/// Most texts whose end has a note of its own.
const MAX_STOP_NOTES: usize = 5;

/// Reason of a stop that no decision explains.
const TOO_LONG: &str = "limit: a sentence is longer than --max-assertion, or the text that is held back than --max-held";

/// Text that the policy ended.
#[derive(Debug)]
pub(crate) struct StoppedText {
    /// Name; `None` if the input is one text.
    pub(crate) name: Option<String>,
    pub(crate) end: GateEnd,
}

/// Decision that ended a text.
#[derive(Clone, Copy, Debug)]
struct StopReason {
    /// Offset in the text.
    at: u64,
    /// Rule of the policy.
    rule: &'static str,
}

/// Counts of one input.
#[derive(Debug)]
pub(crate) struct GateSummary {
    rules: Rules,
    hidden: HiddenAnnotationDetector,
    unjudged: UnjudgedDiagnostics,
    assertions: u64,
    withheld: CountAndExample,
    /// Withheld runs of unannotated text.
    unannotated_runs: CountAndExample,
    /// Bytes of clean text.
    clean: u64,
    has_withheld: bool,
    /// Name of the current text; empty if the input is one text.
    text: String,
    /// Offset of the last thing in it that could not be judged.
    unread: Option<u64>,
    /// Decisions that ended texts.
    stops: BTreeMap<String, StopReason>,
    /// Message about lines that were withheld.
    lines: Option<String>,
}

impl GateSummary {
    /// A summary of an input in this mode.
    pub(crate) fn new(rules: Rules, mode: Mode) -> Self {
        Self {
            rules,
            hidden: HiddenAnnotationDetector::new(mode),
            unjudged: UnjudgedDiagnostics::default(),
            assertions: 0,
            withheld: CountAndExample::default(),
            unannotated_runs: CountAndExample::default(),
            clean: 0,
            has_withheld: false,
            text: String::new(),
            unread: None,
            stops: BTreeMap::new(),
            lines: None,
        }
    }

    /// Counts lines of NDJSON that were withheld.
    pub(crate) fn finish_fields(&mut self, fields: &FieldRewriter) {
        self.has_withheld |= fields.unread.count() > 0;
        self.lines = fields.message("withheld");
    }

    /// Sets the name of the text that the following calls are about.
    pub(crate) fn enter(&mut self, name: &str) {
        if self.text != name {
            name.clone_into(&mut self.text);
            self.unread = None;
        }
    }

    /// Counts clean text.
    pub(crate) fn add_text(&mut self, bytes: &[u8], is_released: bool) {
        self.hidden.push(bytes);
        self.clean += bytes.len() as u64;
        self.has_withheld |= !is_released;
    }

    /// Returns `true` if the input has text.
    pub(crate) const fn has_text(&self) -> bool {
        self.clean > 0
    }

    /// Counts an event.
    pub(crate) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Assertion(_) => self.hidden.stop(),
            Event::Diagnostic(diagnostic) => {
                let start = diagnostic.span().start();
                let location = || location(&self.text, start);
                if self.unjudged.add(diagnostic.code().as_str(), location) {
                    self.unread = Some(start);
                }
            }
            _ => {}
        }
    }

    /// Counts a decision.
    pub(crate) fn add_decision(&mut self, question: &Question<'_>, action: &Action) {
        self.assertions += 1;
        if matches!(action, Action::Release | Action::Mark(..)) {
            return;
        }
        self.has_withheld = true;
        let assertion = question.assertion();
        let at = assertion.span().start();
        let (rules, text) = (&self.rules, &self.text);
        let Some(verdict) = question.verdict() else {
            return self.withheld.add(|| location(text, at));
        };
        let disposition = rules.disposition(question, verdict);
        let rule = disposition.as_str();
        self.withheld.add(|| {
            let why = explain_verdict(rule, assertion, verdict);
            let class = explain_class(rules, disposition, assertion, verdict);
            format!("{}: {why}{class}", location(text, at))
        });
        if action.ends() {
            self.stops.insert(text.clone(), StopReason { at, rule });
        }
    }

    /// Counts a run of unannotated text, if it is withheld.
    pub(crate) fn add_run(&mut self, at: u64, what: &Unannotated) {
        if matches!(what, Unannotated::Replace(_) | Unannotated::Discard) {
            let text = &self.text;
            self.unannotated_runs
                .add(|| format!("{} of the clean text", location(text, at)));
        }
    }

    /// Returns `true` if all was judged, and released as it was.
    pub(crate) fn passes(&self) -> bool {
        !self.has_withheld && self.unjudged.is_empty() && self.hidden.found().is_none()
    }

    /// Prints where and why the policy ended texts.
    pub(crate) fn report_stops(&self, stopped: &[StoppedText]) {
        for stop in stopped.iter().take(MAX_STOP_NOTES) {
            self.report_stop(stop);
        }
        if let Some(more) = stopped
            .len()
            .checked_sub(MAX_STOP_NOTES)
            .filter(|more| *more > 0)
        {
            print_note(format_args!("the policy also ended {more} more texts"));
        }
    }

    fn report_stop(&self, stop: &StoppedText) {
        let name = stop.name.as_deref();
        let prefix = match name {
            None => String::new(),
            Some(line) if line.starts_with("line") => format!("{line}: "),
            Some(channel) => format!("channel {channel}: "),
        };
        let place = match (self.stops.get(name.unwrap_or_default()), self.unread, name) {
            (Some(StopReason { at, rule }), ..) => format!(" at byte {at} ({rule})"),
            (None, Some(at), None) => format!(" at byte {at} (limit)"),
            (None, None, None) => format!(" at byte {} of the clean text ({TOO_LONG})", self.clean),
            (None, _, Some(_)) => format!(" ({TOO_LONG})"),
        };
        print_note(match stop.end {
            GateEnd::Suspended => format!(
                "{prefix}the policy suspended the stream{place}, so the rest has to be asked for once more"
            ),
            _ => format!("{prefix}the policy refused the rest of the stream{place}"),
        });
    }

    /// Prints what could not be judged and, with `--fail`, what was withheld.
    pub(crate) fn report(&self, fail: bool) {
        if !self.unjudged.is_empty() {
            print_note(&self.unjudged);
        }
        if let Some(message) = &self.lines {
            print_note(message);
        }
        if let Some(place) = self.hidden.found() {
            print_note(hidden_message(place, "read"));
        }
        let mut parts = Vec::new();
        if self.withheld.count() > 0 {
            let (withheld, all) = (self.withheld.count(), self.assertions);
            parts.push(format!(
                "{withheld} of {all} assertions{}",
                self.withheld.example()
            ));
        }
        if self.unannotated_runs.count() > 0 {
            let runs = count(self.unannotated_runs.count(), "run");
            let example = self.unannotated_runs.example();
            parts.push(format!("{runs} of text without annotation{example}"));
        }
        if fail && !parts.is_empty() {
            print_note(format_args!("withheld: {}", parts.join(", ")));
        }
    }
}

/// Location in a text, for messages.
fn location(text: &str, at: u64) -> String {
    match text {
        "" => format!("at byte {at}"),
        line if line.starts_with("line") => format!("at byte {at} of {line}"),
        channel => format!("at byte {at} of channel {channel}"),
    }
}

/// Explains which class an assertion lacks, or which is refused.
fn explain_class(
    rules: &Rules,
    disposition: Disposition,
    assertion: &Assertion<'_>,
    verdict: &Verdict,
) -> String {
    let class = match disposition {
        Disposition::MissingClass => {
            let mut required = rules.required().iter();
            let missing = required.find(|class| !verdict.classes().contains(class));
            missing.map(|class| format!(", {class} does not count"))
        }
        Disposition::RefusedClass => {
            let mut declared = assertion.classes();
            let refused = declared.find(|class| rules.refused().contains(class));
            refused.map(|class| format!(", {class} is refused"))
        }
        _ => None,
    };
    class.unwrap_or_default()
}
