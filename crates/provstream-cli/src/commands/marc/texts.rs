//! Texts of disclosures.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use provstream_marc::Action;
use serde::Deserialize;

use super::options::text;
use crate::settings;

// Texts of disclosures.
#[derive(Debug, Args)]
pub(super) struct TextOptions {
    /// Answer of the one ANSWER among the records
    #[arg(long, value_name = "TEXT", value_parser = text)]
    answer: Option<String>,
    /// Question of a CLARIFY
    #[arg(long, value_name = "TEXT", value_parser = text)]
    question: Option<String>,
    /// Message of an ABSTAIN or ESCALATE
    #[arg(long, value_name = "TEXT", value_parser = text)]
    message: Option<String>,
    /// A file with texts by decision id
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Next step of an ANSWER as the user is shown it, or of another action, as in CLARIFY=TEXT [default: the record's]
    #[arg(long, value_name = "TEXT", value_parser = text)]
    next_step: Option<String>,
}

/// Text of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// `ANSWER`.
    Answer,
    /// `CLARIFY`.
    Question,
    /// `ABSTAIN` and `ESCALATE`.
    Message,
}

/// Texts of one decision, or of all.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionTexts {
    decision_id: Option<String>,
    answer: Option<String>,
    question: Option<String>,
    message: Option<String>,
    next_step: Option<NextStep>,
    /// Line of the file.
    #[serde(skip)]
    line: usize,
    /// `true` if the decision has a record.
    #[serde(skip)]
    is_used: bool,
}

/// Next step of a decision.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, or an object with a text for each action"
)]
enum NextStep {
    /// For the action of the decision.
    Any(String),
    ByAction(HashMap<String, String>),
}

impl NextStep {
    fn get(&self, action: Action) -> Option<&str> {
        match self {
            Self::Any(text) => Some(text),
            Self::ByAction(texts) => texts.get(action.as_str()).map(String::as_str),
        }
    }

    fn of(action: Action, text: &str) -> Self {
        let text = (action.as_str().to_owned(), text.to_owned());
        Self::ByAction(HashMap::from([text]))
    }

    /// Reads `--next-step`: a text, which is that of ANSWER, or `ACTION=TEXT`.
    fn of_option(option: &str) -> Self {
        let named = option.split_once('=');
        let named = named.and_then(|(name, text)| Some((name.parse().ok()?, text)));
        let (action, text) = named.unwrap_or((Action::Answer, option));
        Self::of(action, text)
    }

    fn texts(&self) -> Vec<&String> {
        match self {
            Self::Any(text) => vec![text],
            Self::ByAction(texts) => texts.values().collect(),
        }
    }

    /// Returns an error for an unknown action.
    fn check(&self) -> Result<(), String> {
        if let Self::ByAction(texts) = self {
            for name in texts.keys() {
                let action: Result<Action, _> = name.parse();
                action.map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

impl DecisionTexts {
    fn get(&self, kind: TextKind) -> Option<&str> {
        match kind {
            TextKind::Answer => self.answer.as_deref(),
            TextKind::Question => self.question.as_deref(),
            TextKind::Message => self.message.as_deref(),
        }
    }

    /// Parses a line of the file.
    fn parse(line: &str) -> Result<(String, Self), String> {
        let mut texts: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let next_step = texts.next_step.as_ref();
        next_step.map_or(Ok(()), NextStep::check)?;
        let given = [&texts.answer, &texts.question, &texts.message];
        let given: Vec<_> = given.into_iter().flatten().collect();
        let given = [given, next_step.map_or_else(Vec::new, NextStep::texts)].concat();
        let id = texts.decision_id.clone().filter(|_| !given.is_empty());
        let id = id.ok_or(
            "expected decision_id and at least one of answer, question, message, next_step",
        )?;
        if given
            .into_iter()
            .chain([&id])
            .any(|text| text.trim().is_empty())
        {
            return Err("expected texts with content, found a blank one".to_owned());
        }
        // A text in a line with an answer is that of the answer.
        if let (Some(NextStep::Any(text)), Some(_)) = (&texts.next_step, &texts.answer) {
            texts.next_step = Some(NextStep::of(Action::Answer, text));
        }
        Ok((id, texts))
    }
}

/// Texts of `--texts` and of the options.
#[derive(Debug)]
pub(super) struct DisclosureTexts {
    file: String,
    by_id: HashMap<String, DecisionTexts>,
    /// Texts of the options.
    all: DecisionTexts,
    /// Line of the record that took `--answer`.
    answered: Option<u64>,
}

impl DisclosureTexts {
    /// Loads the texts.
    pub(super) fn load(options: &TextOptions) -> anyhow::Result<Self> {
        let path = options.texts.as_deref();
        let by_id = path.map(|path| settings::load("--texts", path, parse));
        Ok(Self {
            file: path.map_or_else(String::new, |path| path.display().to_string()),
            by_id: by_id.transpose()?.unwrap_or_default(),
            all: DecisionTexts {
                answer: options.answer.clone(),
                question: options.question.clone(),
                message: options.message.clone(),
                next_step: options.next_step.as_deref().map(NextStep::of_option),
                ..DecisionTexts::default()
            },
            answered: None,
        })
    }

    /// Notes that a decision has a record.
    pub(super) fn mark_used(&mut self, id: Option<&str>) {
        if let Some(texts) = id.and_then(|id| self.by_id.get_mut(id)) {
            texts.is_used = true;
        }
    }

    /// Returns a message about texts of decisions without a record, if there are any.
    pub(super) fn unused_entry(&self) -> Option<String> {
        let unused = self.by_id.iter().filter(|(_, texts)| !texts.is_used);
        let (id, texts) = unused.clone().min_by_key(|(_, texts)| texts.line)?;
        let (file, line, count) = (&self.file, texts.line, unused.count());
        Some(format!(
            "{file}: lines without a record: {count}, the first in line {line}: {id:?}"
        ))
    }

    fn own(&self, id: Option<&str>) -> Option<&DecisionTexts> {
        self.by_id.get(id?)
    }

    /// Returns the next step for an action in a decision.
    pub(super) fn next_step(&self, id: Option<&str>, action: Action) -> Option<String> {
        let of = |texts: &DecisionTexts| Some(texts.next_step.as_ref()?.get(action)?.to_owned());
        self.own(id).and_then(of).or_else(|| of(&self.all))
    }

    /// Returns the text of a decision, or the one given as option.
    pub(super) fn get(&self, id: Option<&str>, kind: Option<TextKind>) -> Option<&str> {
        let own = self.own(id).and_then(|texts| texts.get(kind?));
        own.or_else(|| self.all.get(kind?))
    }

    /// Returns the answer of a decision. `--answer` is for one record.
    pub(super) fn answer(&mut self, id: Option<&str>, line: u64) -> Result<String, String> {
        let own = self.own(id).and_then(|texts| texts.answer.clone());
        let Some(text) = own.clone().or_else(|| self.all.answer.clone()) else {
            return Err("ANSWER needs its answer: --answer, or `answer` in a line of --texts with its decision_id".into());
        };
        if own.is_none()
            && let Some(line) = self.answered.replace(line)
        {
            return Err(format!(
                "--answer is for one record and was used on line {line}; --texts takes one for each decision_id"
            ));
        }
        Ok(text)
    }

    /// Lists the names of texts that were given for a decision but belong to another action.
    pub(super) fn unused(
        &self,
        id: Option<&str>,
        used: Option<TextKind>,
        action: Action,
    ) -> Vec<&'static str> {
        let own = self.own(id);
        let is_given = |kind: TextKind| {
            let is_for_all = kind != TextKind::Answer || self.answered.is_none();
            own.is_some_and(|texts| texts.get(kind).is_some())
                || is_for_all && self.all.get(kind).is_some()
        };
        let kinds = [
            (TextKind::Answer, "answer"),
            (TextKind::Question, "question"),
            (TextKind::Message, "message"),
        ];
        let others = kinds.into_iter().filter(|&(kind, _)| Some(kind) != used);
        let others = others.filter(|&(kind, _)| is_given(kind));
        let mut unused: Vec<_> = others.map(|(_, name)| name).collect();
        let next_step = own.and_then(|texts| texts.next_step.as_ref());
        if next_step.is_some_and(|next_step| next_step.get(action).is_none()) {
            unused.push("next_step");
        }
        unused
    }
}

/// Parses a file of NDJSON.
fn parse(file: &[u8]) -> Result<HashMap<String, DecisionTexts>, String> {
    let text = std::str::from_utf8(file).map_err(|error| format!("expected UTF-8: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut all: HashMap<String, DecisionTexts> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let parsed = DecisionTexts::parse(line);
        let (id, mut texts) = parsed.map_err(|error| format!("line {number}: {error}"))?;
        texts.line = number;
        if all.insert(id.clone(), texts).is_some() {
            return Err(format!(
                "line {number}: expected each decision_id once, found {id:?} again"
            ));
        }
    }
    match all.is_empty() {
        true => Err("expected at least one line with texts, found none".to_owned()),
        false => Ok(all),
    }
}
