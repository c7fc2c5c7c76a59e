//! What a gate did, as far as messages and the exit status depend on it.

use std::collections::BTreeMap;

use provstream::{Action, Event, GateEnd, Mode, Question, Rules, Unannotated};

use crate::failure::note;
use crate::strings::HiddenBrackets;
use crate::unjudged::{self, Unjudged};

/// The rule of a policy that decides about what was not read.
const LIMIT: &str = "limit";

/// Why the policy ended a stream.
#[derive(Clone, Copy, Debug)]
struct Cause {
    /// Offset in the text, if it is known.
    at: Option<u64>,
    rule: &'static str,
}

/// Counts what was withheld and what could not be judged.
#[derive(Debug)]
pub(crate) struct Account {
    rules: Rules,
    strings: HiddenBrackets,
    unjudged: Unjudged,
    assertions: u64,
    withheld: u64,
    /// Runs of unannotated text that were withheld.
    runs: u64,
    /// There was text.
    has_text: bool,
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
            withheld: 0,
            runs: 0,
            has_text: false,
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
        self.has_text |= !bytes.is_empty();
        self.has_withheld |= !is_released;
    }

    /// Whether there was any text.
    pub(crate) const fn has_text(&self) -> bool {
        self.has_text
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Assertion(_) => self.strings.stop(),
            Event::Diagnostic(diagnostic) if self.unjudged.note(diagnostic.code().as_str()) => {
                self.unread = Some(diagnostic.span().start());
            }
            _ => {}
        }
    }

    pub(crate) fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.assertions += 1;
        let is_withheld = !matches!(action, Action::Release | Action::Mark(..));
        self.withheld += u64::from(is_withheld);
        self.has_withheld |= is_withheld;
        if let (true, Some(verdict)) = (action.ends(), question.verdict()) {
            let cause = Cause {
                at: Some(question.assertion().span().start()),
                rule: self.rules.disposition(question, verdict).as_str(),
            };
            self.ends.insert(self.channel.clone(), cause);
        }
    }

    pub(crate) fn run(&mut self, what: &Unannotated) {
        let is_withheld = matches!(what, Unannotated::Replace(_) | Unannotated::Discard);
        self.runs += u64::from(is_withheld);
    }

    /// Whether all was judged, and released as it was.
    pub(crate) fn passes(&self) -> bool {
        !self.has_withheld && self.unjudged.is_empty() && self.strings.found().is_none()
    }

    /// Says where and by which rule the policy ended a text.
    pub(crate) fn note_end(&self, channel: Option<&str>, end: GateEnd) {
        let prefix = channel.map_or_else(String::new, |channel| format!("channel {channel}: "));
        let cause = self.ends.get(channel.unwrap_or_default());
        let cause = cause.copied().unwrap_or(Cause {
            at: self.unread.filter(|_| channel.is_none()),
            rule: LIMIT,
        });
        let at = cause
            .at
            .map_or_else(String::new, |at| format!(" at byte {at}"));
        let rule = cause.rule;
        match end {
            GateEnd::Suspended => note(format_args!(
                "{prefix}the policy suspended the stream{at} ({rule}), so the rest has to be asked for once more"
            )),
            _ => note(format_args!(
                "{prefix}the policy refused the rest of the stream{at} ({rule})"
            )),
        }
    }

    /// Says what could not be judged and, if the exit status says so, what was withheld.
    pub(crate) fn note(&self, fails: bool) {
        if !self.unjudged.is_empty() {
            note(&self.unjudged);
        }
        if let Some(place) = self.strings.found() {
            let advice = "a provider's response is read with --input auto";
            note(unjudged::hidden(place, "read", advice));
        }
        if fails && self.has_withheld {
            let mut parts = Vec::new();
            if self.withheld > 0 {
                parts.push(format!(
                    "{} of {} assertions",
                    self.withheld, self.assertions
                ));
            }
            match self.runs {
                0 => {}
                1 => parts.push("1 run of text without annotation".to_owned()),
                runs => parts.push(format!("{runs} runs of text without annotation")),
            }
            if !parts.is_empty() {
                note(format_args!("withheld: {}", parts.join(", ")));
            }
        }
    }
}
