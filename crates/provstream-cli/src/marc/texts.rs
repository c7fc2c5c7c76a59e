//! The texts that a caller has for disclosures.

use std::collections::HashMap;

use provstream_marc::Action;

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
    const ALL: [Self; 3] = [Self::Answer, Self::Question, Self::Message];

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
    /// The line of the file that has them.
    line: usize,
    /// Whether there is a record of the decision.
    is_known: bool,
    answer: Option<String>,
    question: Option<String>,
    message: Option<String>,
    /// By action.
    next_steps: NextSteps,
}

/// The next steps of one decision, or of all.
#[derive(Debug, Default)]
enum NextSteps {
    #[default]
    None,
    /// For whichever action the decision has.
    Any(String),
    ByAction(Vec<(Action, String)>),
}

impl NextSteps {
    fn get(&self, action: Action) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Any(text) => Some(text),
            Self::ByAction(all) => {
                let mut all = all.iter();
                all.find(|(of, _)| *of == action).map(|(_, text)| &**text)
            }
        }
    }

    /// Of a line, whose text is that of an answer if the line has one.
    fn read(fields: &Fields, has_answer: bool) -> Result<Self, String> {
        let name = "next_step";
        let Some(json) = fields.get(name, |json| Ok::<_, String>(json.to_owned()))? else {
            return Ok(Self::None);
        };
        if !json.starts_with('{') {
            let text = fields.string(name)?.unwrap_or_default();
            return Ok(match has_answer {
                true => Self::ByAction(vec![(Action::Answer, text)]),
                false => Self::Any(text),
            });
        }
        let by_action = Fields::read(json.as_bytes(), name, Action::NAMES)?;
        let mut all = Vec::new();
        for &action in Action::ALL {
            let text = by_action.string(action.as_str())?;
            all.extend(text.map(|text| (action, text)));
        }
        Ok(Self::ByAction(all))
    }
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
    /// The file with texts.
    file: Option<String>,
    by_id: HashMap<String, Entry>,
    /// Those of the arguments.
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
            file: args.texts.as_ref().map(|path| path.display().to_string()),
            by_id,
            all: Entry {
                answer: args.answer.clone(),
                question: args.question.clone(),
                message: args.message.clone(),
                next_steps: args.next_step.as_deref().map_or(NextSteps::None, |text| {
                    let named = text.split_once('=');
                    let named =
                        named.and_then(|(name, text)| Some((name.parse().ok()?, text.to_owned())));
                    NextSteps::ByAction(vec![named.unwrap_or((Action::Answer, text.to_owned()))])
                }),
                ..Entry::default()
            },
            answered: None,
        })
    }

    /// Notes that there is a record of a decision.
    pub(crate) fn found_record(&mut self, id: Option<&str>) {
        if let Some(entry) = id.and_then(|id| self.by_id.get_mut(id)) {
            entry.is_known = true;
        }
    }

    /// What is wrong with the file, once all records have passed: texts of decisions without a record.
    pub(crate) fn without_record(&self) -> Option<String> {
        let unknown = self.by_id.iter().filter(|(_, entry)| !entry.is_known);
        let (id, entry) = unknown.clone().min_by_key(|(_, entry)| entry.line)?;
        let more = match unknown.count() - 1 {
            0 => String::new(),
            more => format!(", and so for {more} more of its lines"),
        };
        let (file, line) = (self.file.as_deref()?, entry.line);
        Some(format!(
            "{file}: line {line}: no record has decision_id {id:?}{more}"
        ))
    }

    fn entry(&self, id: Option<&str>) -> Option<&Entry> {
        self.by_id.get(id?)
    }

    /// The next step for a decision with an action.
    pub(crate) fn next_step(&self, id: Option<&str>, action: Action) -> Option<String> {
        let own = self.entry(id);
        let own = own.and_then(|entry| entry.next_steps.get(action));
        own.or_else(|| self.all.next_steps.get(action))
            .map(str::to_owned)
    }

    /// The question or message for a decision: its own, or else the one of the arguments.
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

    /// The texts that were given for a decision and are for another action. `--answer` is for one decision.
    pub(crate) fn unused(
        &self,
        id: Option<&str>,
        used: Option<Text>,
        action: Action,
    ) -> Vec<&'static str> {
        let entry = self.entry(id);
        let is_given = |&text: &Text| {
            let is_for_all = text != Text::Answer || self.answered.is_none();
            entry.is_some_and(|entry| entry.get(text).is_some())
                || is_for_all && self.all.get(text).is_some()
        };
        let other = Text::ALL.into_iter().filter(|&text| Some(text) != used);
        let mut unused: Vec<_> = other.filter(is_given).map(Text::name).collect();
        if entry.is_some_and(|entry| {
            !matches!(entry.next_steps, NextSteps::None) && entry.next_steps.get(action).is_none()
        }) {
            unused.push("next_step");
        }
        unused
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
        let at = index + 1;
        let (id, entry) = entry(line, at).map_err(|error| format!("line {at}: {error}"))?;
        if let Some(other) = all.insert(id.clone(), entry) {
            return Err(format!(
                "line {at}: expected each decision_id once, found {id:?} again, as in line {}",
                other.line
            ));
        }
    }
    Ok(all)
}

fn entry(json: &[u8], line: usize) -> Result<(String, Entry), String> {
    const MEMBERS: [&str; 5] = ["decision_id", "answer", "question", "message", "next_step"];
    let fields = Fields::read(json, "", &MEMBERS)?;
    let id = fields.required("decision_id", fields.string("decision_id")?)?;
    let answer = fields.string("answer")?;
    let entry = Entry {
        line,
        is_known: false,
        next_steps: NextSteps::read(&fields, answer.is_some())?,
        answer,
        question: fields.string("question")?,
        message: fields.string("message")?,
    };
    if matches!(entry.next_steps, NextSteps::None)
        && Text::ALL.iter().all(|&text| entry.get(text).is_none())
    {
        let texts = MEMBERS[1..].join(", ");
        return Err(format!("expected at least one of {texts}, found none"));
    }
    Ok((id, entry))
}
