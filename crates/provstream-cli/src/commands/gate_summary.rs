//! Counts of withheld and unjudged text; they decide the status of `gate --fail`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, Disposition, Event, GateEnd, Mode, Question, Rules, Unannotated};
use provstream_providers::{GateEvent, Pointer};

use crate::hidden_annotations::{HiddenAnnotationDetector, hidden_message};
use crate::input::input_name;
use crate::messages::{CountAndExample, count, print_no_annotations, print_note};
use crate::reader::StreamEnd;
use crate::scan::totals::UnjudgedDiagnostics;
use crate::sink::{StoppedText, TextName};
use crate::verdict::explain_verdict;

/// Most texts whose end has a note of its own.
const MAX_STOP_NOTES: usize = 5;

/// Reason of a stop that no decision explains.
const AT_LIMIT: &str = " (limit: a sentence is longer than --max-assertion, the text that is held back than --max-held, or something was not read)";

/// Counts of one input.
#[derive(Debug)]
pub(crate) struct GateSummary {
    rules: Rules,
    /// Beginning of messages, with the name of the file if there are several.
    prefix: String,
    hidden: HiddenAnnotationDetector,
    unjudged: UnjudgedDiagnostics,
    assertions: u64,
    withheld: CountAndExample,
    /// Withheld runs of unannotated text.
    unannotated_runs: CountAndExample,
    /// `true` if there is text.
    pub(crate) has_text: bool,
    has_withheld: bool,
    /// Name of the current text; empty if the input is one text.
    text: String,
    /// Places and reasons of decisions that ended texts.
    stops: BTreeMap<String, String>,
}

impl GateSummary {
    /// Creates a summary of an input in the given mode; `file` is its name if there are several.
    pub(crate) fn new(rules: Rules, mode: Mode, file: Option<&Path>) -> Self {
        Self {
            rules,
            prefix: file.map_or_else(String::new, |file| format!("{}: ", input_name(file))),
            hidden: HiddenAnnotationDetector::new(mode),
            unjudged: UnjudgedDiagnostics::default(),
            assertions: 0,
            withheld: CountAndExample::default(),
            unannotated_runs: CountAndExample::default(),
            has_text: false,
            has_withheld: false,
            text: String::new(),
            stops: BTreeMap::new(),
        }
    }

    /// Sets the name of the text that the following calls are about.
    pub(crate) fn enter(&mut self, name: &TextName) {
        self.text = name.to_string();
        self.hidden.enter(name);
    }

    /// Counts an event.
    pub(crate) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Assertion(_) => self.hidden.stop(),
            Event::Diagnostic(diagnostic) => {
                let start = diagnostic.span().start();
                let location = || location(&self.text, start);
                self.unjudged.add(diagnostic.code().as_str(), location);
            }
            _ => {}
        }
    }

    /// Counts what a gate does.
    pub(crate) fn add_gate(&mut self, event: &GateEvent<'_>) {
        match event {
            GateEvent::Decided(question, action) => self.add_decision(question, action),
            GateEvent::Released(text) | GateEvent::Removed(text) => {
                self.hidden.push(text.bytes());
                self.has_text |= !text.bytes().is_empty();
                self.has_withheld |= matches!(event, GateEvent::Removed(_));
            }
            GateEvent::RunBegins(at, Unannotated::Replace(_) | Unannotated::Discard) => {
                let text = &self.text;
                self.unannotated_runs
                    .add(|| format!("{} of the clean text", location(text, *at)));
            }
            _ => {}
        }
    }

    fn add_decision(&mut self, question: &Question<'_>, action: &Action) {
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
            self.stops
                .insert(text.clone(), format!(" at byte {at} ({rule})"));
        }
    }

    /// Returns `true` if all was read and judged, and released as it was.
    pub(crate) fn passes(&self, end: &StreamEnd) -> bool {
        self.has_passed_so_far()
            && end.stopped.is_empty()
            && end.status.passes()
            && !end.fields.has_unjudged()
    }

    /// Returns `true` unless something was withheld or could not be judged.
    pub(crate) fn has_passed_so_far(&self) -> bool {
        !self.has_withheld && self.unjudged.is_empty() && self.hidden.found().is_none()
    }

    /// Prints a note about the input.
    pub(crate) fn note(&self, message: impl Display) {
        print_note(format_args!("{}{message}", self.prefix));
    }

    /// Returns the beginning of messages about the input.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Prints where and why the policy ended texts.
    pub(crate) fn report_stops(&self, stopped: &[StoppedText]) {
        for stop in stopped.iter().take(MAX_STOP_NOTES) {
            let name = stop.name.as_deref().unwrap_or_default();
            let prefix = match name {
                "" => String::new(),
                line if line.starts_with("line") => format!("{line}: "),
                channel => format!("channel {channel}: "),
            };
            let place = self.stops.get(name).map_or(AT_LIMIT, String::as_str);
            self.note(match stop.end {
                GateEnd::Suspended => format!(
                    "{prefix}the policy suspended the stream{place}, so the rest has to be asked for once more"
                ),
                _ => format!("{prefix}the policy refused the rest of the stream{place}"),
            });
        }
        if stopped.len() > MAX_STOP_NOTES {
            let more = stopped.len() - MAX_STOP_NOTES;
            self.note(format_args!("the policy also ended {more} more texts"));
        }
    }

    /// Prints what could not be judged and, with `--fail`, what was withheld.
    pub(crate) fn report(&self, end: &StreamEnd, pointers: &[Pointer], fail: bool) {
        if !self.unjudged.is_empty() {
            self.note(&self.unjudged);
        }
        if let Some(message) = end.fields.message(pointers, "withheld") {
            self.note(message);
        }
        if let Some(message) = end.fields.absent() {
            self.note(message);
        }
        if let Some(place) = self.hidden.found() {
            self.note(hidden_message(place, "read"));
        } else if self.assertions == 0 && self.has_text && end.status.is_fully_read() {
            print_no_annotations();
        }
        let mut parts = Vec::new();
        if self.withheld.count() > 0 {
            let (withheld, example) = (self.withheld.count(), self.withheld.example());
            parts.push(format!(
                "{withheld} of {} assertions{example}",
                self.assertions
            ));
        }
        if self.unannotated_runs.count() > 0 {
            let runs = count(self.unannotated_runs.count(), "run");
            let example = self.unannotated_runs.example();
            parts.push(format!("{runs} of text without annotation{example}"));
        }
        if fail && !parts.is_empty() {
            self.note(format_args!("withheld: {}", parts.join(", ")));
        }
    }
}

/// Formats the location of an offset in a text, for messages.
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
