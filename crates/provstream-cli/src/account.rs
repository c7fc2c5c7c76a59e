//! What a gate did, as far as messages and the exit status depend on it.

use std::collections::BTreeMap;

use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, Disposition, Event, GateEnd, Mode, Question, Rules, Unannotated};

use crate::counted::Counted;
use crate::failure::note;
use crate::strings::HiddenBrackets;
use crate::unjudged::{self, Unjudged};
use crate::why::why;

/// The rule of a policy that decides about what was not read.
const LIMIT: &str = "limit";

/// The same, where nothing but a length can be the reason.
const TOO_LONG: &str = "limit: a sentence is longer than --max-assertion, or the text that is held back than --max-held";

/// Why the policy ended a stream.
#[derive(Clone, Copy, Debug)]
struct Cause {
    /// Offset in the text.
    at: u64,
    rule: &'static str,
}

/// Where something begins in the text of a channel, for messages.
fn place(channel: &str, at: u64) -> String {
    match channel {
        "" => format!("at byte {at}"),
        channel => format!("at byte {at} of channel {channel}"),
    }
}

/// The class that an assertion lacks, or that is refused, if that is its disposition.
fn class_of(
    rules: &Rules,
    disposition: Disposition,
    assertion: &Assertion<'_>,
    verdict: &Verdict,
) -> String {
    let mut required = rules.required().iter();
    let mut declared = assertion.classes();
    match disposition {
        Disposition::MissingClass => required
            .find(|class| !verdict.classes().contains(class))
            .map(|class| format!(", {class} does not count")),
        Disposition::RefusedClass => declared
            .find(|class| rules.refused().contains(class))
            .map(|class| format!(", {class} is refused")),
        _ => None,
    }
    .unwrap_or_default()
}

/// Counts what was withheld and what could not be judged.
#[derive(Debug)]
pub(crate) struct Account {
    rules: Rules,
    strings: HiddenBrackets,
    unjudged: Unjudged,
    assertions: u64,
    /// Assertions that were withheld, with the place and the reason.
    withheld: Counted,
    /// Runs of unannotated text that were withheld, with the place.
    runs: Counted,
    /// Bytes of text that were released or withheld, without annotations.
    clean: u64,
    /// Some text was not released as it was.
    has_withheld: bool,
    channel: String,
    /// Where the last thing is that could not be judged.
    unread: Option<u64>,
    /// For each channel, where the policy said that its text ends; there are no channels in a text alone.
    ends: BTreeMap<String, Cause>,
}

impl Account {
    /// The account of a stream that is read in this mode.
    pub(crate) fn new(rules: Rules, mode: Mode) -> Self {
        Self {
            rules,
            strings: HiddenBrackets::new(mode),
            unjudged: Unjudged::default(),
            assertions: 0,
            withheld: Counted::default(),
            runs: Counted::default(),
            clean: 0,
            has_withheld: false,
            channel: String::new(),
            unread: None,
            ends: BTreeMap::new(),
        }
    }

    /// The following calls are about this channel.
    pub(crate) fn enter(&mut self, channel: &str) {
        if self.channel != channel {
            channel.clone_into(&mut self.channel);
            self.unread = None;
        }
    }

    /// Text of the stream without annotations, released or not.
    pub(crate) fn text(&mut self, bytes: &[u8], is_released: bool) {
        self.strings.push(bytes);
        self.clean += bytes.len() as u64;
        self.has_withheld |= !is_released;
    }

    /// Whether there was any text.
    pub(crate) const fn has_text(&self) -> bool {
        self.clean > 0
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Assertion(_) => self.strings.stop(),
            Event::Diagnostic(diagnostic) => {
                let start = diagnostic.span().start();
                let place = || place(&self.channel, start);
                if self.unjudged.note(diagnostic.code().as_str(), place) {
                    self.unread = Some(start);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.assertions += 1;
        let is_withheld = !matches!(action, Action::Release | Action::Mark(..));
        if !is_withheld {
            return;
        }
        self.has_withheld = true;
        let assertion = question.assertion();
        let at = assertion.span().start();
        let Some(verdict) = question.verdict() else {
            return self.withheld.note(|| place(&self.channel, at));
        };
        let (rules, channel) = (&self.rules, &self.channel);
        let disposition = rules.disposition(question, verdict);
        let rule = disposition.as_str();
        self.withheld.note(|| {
            let why = why(rule, assertion, verdict);
            let class = class_of(rules, disposition, assertion, verdict);
            format!("{}: {why}{class}", place(channel, at))
        });
        if action.ends() {
            self.ends.insert(channel.clone(), Cause { at, rule });
        }
    }

    /// A run of unannotated text begins at this offset, without annotations.
    pub(crate) fn run(&mut self, at: u64, what: &Unannotated) {
        if matches!(what, Unannotated::Replace(_) | Unannotated::Discard) {
            self.runs
                .note(|| format!("{} of the clean text", place(&self.channel, at)));
        }
    }

    /// Whether all was judged, and released as it was.
    pub(crate) fn passes(&self) -> bool {
        !self.has_withheld && self.unjudged.is_empty() && self.strings.found().is_none()
    }

    /// Says where and by which rule the policy ended a text.
    pub(crate) fn note_end(&self, channel: Option<&str>, end: GateEnd) {
        let prefix = channel.map_or_else(String::new, |channel| format!("channel {channel}: "));
        let cause = self.ends.get(channel.unwrap_or_default());
        let place = match (cause, self.unread, channel) {
            (Some(Cause { at, rule }), ..) => format!(" at byte {at} ({rule})"),
            (None, Some(at), None) => format!(" at byte {at} ({LIMIT})"),
            (None, None, None) => format!(" at byte {} of the clean text ({TOO_LONG})", self.clean),
            (None, _, Some(_)) => format!(" ({TOO_LONG})"),
        };
        match end {
            GateEnd::Suspended => note(format_args!(
                "{prefix}the policy suspended the stream{place}, so the rest has to be asked for once more"
            )),
            _ => note(format_args!(
                "{prefix}the policy refused the rest of the stream{place}"
            )),
        }
    }

    /// Says what could not be judged and, if the exit status says so, what was withheld, with advice at its end.
    pub(crate) fn note(&self, fails: bool, advice: &str) {
        if !self.unjudged.is_empty() {
            note(&self.unjudged);
        }
        if let Some(place) = self.strings.found() {
            let advice = "a provider's response is read with --input auto";
            note(unjudged::hidden(place, "read", advice));
        }
        if fails && self.has_withheld {
            let mut parts = Vec::new();
            if self.withheld.count() > 0 {
                let (withheld, all) = (self.withheld.count(), self.assertions);
                let first = self.withheld.first();
                parts.push(format!("{withheld} of {all} assertions{first}"));
            }
            let first = self.runs.first();
            match self.runs.count() {
                0 => {}
                1 => parts.push(format!("1 run of text without annotation{first}")),
                runs => parts.push(format!("{runs} runs of text without annotation{first}")),
            }
            if !parts.is_empty() {
                note(format_args!("withheld: {}{advice}", parts.join(", ")));
            }
        }
    }
}
