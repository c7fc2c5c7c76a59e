//! The texts that a caller has for disclosures.

use std::collections::HashMap;

use super::args::ProjectArgs;
use super::fields::Fields;
use super::json_object::text_of;
use crate::failure::Failure;
use crate::settings;

/// Which action a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// `ANSWER`.
    Answer,
    /// `CLARIFY`.
    Question,
    /// `ABSTAIN` and `ESCALATE`.
    Message,
}

impl Text {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Answer, "answer"),
        (Self::Question, "question"),
        (Self::Message, "message"),
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Question => "question",
            Self::Message => "message",
        }
    }
}

/// The texts of one decision, or of all.
#[derive(Debug, Default)]
struct Entry {
    answer: Option<String>,
    question: Option<String>,
    message: Option<String>,
    next_step: Option<String>,
}

impl Entry {
    fn get(&self, text: Text) -> Option<&str> {
        match text {
            Text::Answer => self.answer.as_deref(),
            Text::Question => self.question.as_deref(),
            Text::Message => self.message.as_deref(),
        }
    }
}

/// All texts that were given.
#[derive(Debug)]
pub(crate) struct Texts {
    by_id: HashMap<String, Entry>,
    all: Entry,
    /// The line of the record that took `--answer`.
    answered: Option<u64>,
}

impl Texts {
    /// Those of the arguments, and of the file that they name.
    pub(crate) fn read(args: &ProjectArgs) -> Result<Self, Failure> {
        let by_id = match &args.texts {
            Some(path) => settings::load("--texts", path, entries)?,
            None => HashMap::new(),
        };
        Ok(Self {
            by_id,
            all: Entry {
                answer: args.answer.clone(),
                question: args.question.clone(),
                message: args.message.clone(),
                next_step: args.next_step.clone(),
            },
            answered: None,
        })
    }

    fn entry(&self, id: Option<&str>) -> Option<&Entry> {
        self.by_id.get(id?)
    }

    /// The next step for a decision.
    pub(crate) fn next_step(&self, id: Option<&str>) -> Option<String> {
        let own = self.entry(id).and_then(|entry| entry.next_step.clone());
        own.or_else(|| self.all.next_step.clone())
    }

    /// The question or message for a decision.
    pub(crate) fn get(&self, id: Option<&str>, text: Text) -> Option<&str> {
        let own = self.entry(id).and_then(|entry| entry.get(text));
        own.or_else(|| self.all.get(text))
    }

    /// The answer for a decision. The one of `--answer` is for one record only.
    pub(crate) fn answer(&mut self, id: Option<&str>, line: u64) -> Result<String, String> {
        if let Some(own) = self.entry(id).and_then(|entry| entry.answer.clone()) {
            return Ok(own);
        }
        let Some(text) = self.all.answer.clone() else {
            return Err("ANSWER needs its answer: --answer, or `answer` in a line of --texts with its decision_id".into());
        };
        if let Some(line) = self.answered.replace(line) {
            return Err(format!(
                "--answer is for one record and was used on line {line}; --texts takes one for each decision_id"
            ));
        }
        Ok(text)
    }

    /// The texts of a decision that belong to another action.
    pub(crate) fn unused(&self, id: Option<&str>, used: Text) -> Vec<&'static str> {
        let entry = self.entry(id);
        Text::ALL
            .into_iter()
            .filter(|&(text, _)| {
                text != used && entry.is_some_and(|entry| entry.get(text).is_some())
            })
            .map(|(text, _)| text.name())
            .collect()
    }
}

fn entries(file: &[u8]) -> Result<HashMap<String, Entry>, String> {
    let mut all = HashMap::new();
    let file = text_of(file)?;
    if file.trim_ascii().is_empty() {
        return Err("expected at least one line with texts, found an empty file".to_owned());
    }
    for (index, line) in file.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (id, entry) = entry(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        if all.insert(id.clone(), entry).is_some() {
            return Err(format!(
                "line {}: found decision_id {id:?} again",
                index + 1
            ));
        }
    }
    Ok(all)
}

fn entry(line: &[u8]) -> Result<(String, Entry), String> {
    let fields = Fields::read(
        line,
        "",
        &["decision_id", "answer", "question", "message", "next_step"],
    )?;
    let id = fields.required("decision_id", fields.string("decision_id")?)?;
    let entry = Entry {
        answer: fields.string("answer")?,
        question: fields.string("question")?,
        message: fields.string("message")?,
        next_step: fields.string("next_step")?,
    };
    Ok((id, entry))
}
