//! Validation of one object.

use std::borrow::Cow;
use std::collections::HashSet;

use super::document::{Document, string};
use super::draft::{Draft, Profile};
use super::members::{Form, Member, Presence, members};
use super::number::Number;
use super::object::{Kind, MarcObject};
use super::score::{Score, Scores};
use super::terms::{Action, Remediability, Source, Target};
use super::violation::{Level, Report, Violation, ViolationCode as Code};
use crate::json_text::push_name;

/// The value of a member that is as it must be.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Text(Cow<'a, str>),
    Integer(i64),
    Score(Score),
    Scores(Scores),
}

/// What an object says, as far as it is as it must be, and what is not.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    values: Vec<(&'static str, Value<'a>)>,
    pub(crate) report: Report,
}

impl<'a> Reading<'a> {
    /// The value of a member; none if it is missing or not as it must be.
    pub(crate) fn value(&self, name: &str) -> Option<&Value<'a>> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn term<T: core::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Integer(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn score(&self, name: &str) -> Option<Score> {
        match self.value(name)? {
            Value::Score(score) => Some(*score),
            _ => None,
        }
    }

    pub(crate) fn scores(&self, name: &str) -> Option<Scores> {
        match self.value(name)? {
            Value::Scores(scores) => Some(*scores),
            _ => None,
        }
    }
}

impl Document {
    /// Which kind of MARC object it is by its members: a record if it has `marc_version`, else a disclosure if it has `answer`,
    /// `confidence_band` and `uncertainty_source`. Source: wire profile, MARC objects.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        let has = |name| self.get(name).is_some();
        if has("marc_version") {
            return Some(Kind::Core);
        }
        let disclosure = ["answer", "confidence_band", "uncertainty_source"];
        disclosure.into_iter().all(has).then_some(Kind::Disclosure)
    }

    /// Holds the object against a draft as an object of the given kind.
    ///
    /// Source: MARC-01 8, 9, D; MARC-02 9, 10, 11.
    ///
    /// ```
    /// use provstream::marc::{Document, Draft, Kind, Profile};
    ///
    /// let disclosure = Document::parse(br#"{
    ///     "answer": "Which tax year?", "confidence_band": "Low", "confidence_target": "direct_answer_suitability",
    ///     "uncertainty_source": "ambiguity", "recommended_next_step": "provide the tax year"}"#)?;
    /// let report = disclosure.validate(Kind::Disclosure, Profile::new(Draft::Draft02));
    /// assert!(!report.is_valid());
    /// assert_eq!(report.violations()[0].pointer(), "/confidence_band");
    /// # Ok::<(), provstream::marc::DocumentError>(())
    /// ```
    pub fn validate(&self, kind: Kind, profile: Profile) -> Report {
        read(self, kind, profile).report
    }
}

impl MarcObject<'_> {
    /// Holds the object against a draft. One whose bytes are missing is not valid: nothing of it is known.
    pub fn validate(&self, profile: Profile) -> Report {
        let mut report = Report::default();
        let whole = |code, message: String| {
            Violation::new(code, Level::Must, String::new(), "M2-9", message)
        };
        match self.raw().map(Document::parse) {
            Some(Ok(document)) => return document.validate(self.kind(), profile),
            // The parser reports objects only, so this is a matter of form.
            Some(Err(error)) => report.push(whole(Code::WrongType, error.to_string())),
            None => report.push(whole(
                Code::LimitRecord,
                "the object is longer than `max_record`, so it was not looked at".into(),
            )),
        }
        report
    }
}

/// Reads an object and finds all that is wrong with it.
pub(crate) fn read(document: &Document, kind: Kind, profile: Profile) -> Reading<'_> {
    let mut reader = Reader {
        kind,
        profile,
        reading: Reading {
            values: Vec::new(),
            report: Report::default(),
        },
    };
    if document.is_ill_formed() {
        reader.violation(
            Code::InvalidUtf8,
            Level::Must,
            String::new(),
            "M2-9",
            "the object is not UTF-8 throughout".into(),
        );
    }
    reader.members(document);
    reader.cross_field_rules(document);
    reader.reading
}

struct Reader<'a> {
    kind: Kind,
    profile: Profile,
    reading: Reading<'a>,
}

impl<'a> Reader<'a> {
    const fn draft(&self) -> Draft {
        self.profile.draft()
    }

    /// The one of two requirements that the draft has.
    const fn by(&self, first: &'static str, second: &'static str) -> &'static str {
        match self.draft() {
            Draft::Draft01 => first,
            Draft::Draft02 => second,
        }
    }

    /// The level of what strictness decides.
    const fn strictness(&self) -> Level {
        if self.profile.is_strict() {
            Level::Must
        } else {
            Level::Should
        }
    }

    fn violation(
        &mut self,
        code: Code,
        level: Level,
        pointer: String,
        requirement: &'static str,
        message: String,
    ) {
        let violation = Violation::new(code, level, pointer, requirement, message);
        self.reading.report.push(violation);
    }

    fn members(&mut self, document: &'a Document) {
        let mut seen = HashSet::new();
        for (name, value) in document.members() {
            let known = members(self.kind, self.draft()).find(|member| member.name == name);
            let pointer = pointer(&[&name]);
            let repeated = !seen.insert(name.clone());
            match known {
                _ if repeated => self.repeated(pointer, &name),
                Some(member) => self.member(member, pointer, value),
                None => self.unknown(pointer, &name),
            }
        }
        for member in members(self.kind, self.draft()) {
            if member.presence == Presence::Required && !seen.contains(member.name) {
                let requirement = member.defined_by(self.draft()).unwrap_or_default();
                self.missing(pointer(&[member.name]), member.name, requirement);
            }
        }
    }

    fn repeated(&mut self, pointer: String, name: &str) {
        let message = format!("{} stands there more than once", shown(name));
        self.violation(Code::DuplicateMember, Level::Must, pointer, "M2-9", message);
    }

    fn missing(&mut self, pointer: String, name: &str, requirement: &'static str) {
        let message = format!("`{name}` is required and missing");
        self.violation(
            Code::MissingMember,
            Level::Must,
            pointer,
            requirement,
            message,
        );
    }

    fn unknown(&mut self, pointer: String, name: &str) {
        if name.starts_with("x_") {
            return;
        }
        let level = self.strictness();
        let scores = ["pre_capability", "uncertainty", "post_answer_confidence"];
        let (code, requirement, message) =
            if self.kind == Kind::Disclosure && scores.contains(&name) {
                let message = format!("`{name}` belongs to the record and should not be shown");
                (Code::ExposedScore, "M2-125", message)
            } else {
                let message = format!(
                    "{} is not defined by the draft; private members begin with `x_`",
                    shown(name)
                );
                (Code::UnknownMember, self.by("M1-24", "M2-135"), message)
            };
        self.violation(code, level, pointer, requirement, message);
    }

    fn member(&mut self, member: &'static Member, pointer: String, json: &'a str) {
        let value = if json == "null" && member.presence == Presence::Nullable {
            Some(Value::Null)
        } else {
            self.value(member, pointer, json)
        };
        if let Some(value) = value {
            self.reading.values.push((member.name, value));
        }
    }

    fn value(
        &mut self,
        member: &'static Member,
        pointer: String,
        json: &'a str,
    ) -> Option<Value<'a>> {
        let name = member.name;
        match member.form {
            Form::Integer => self.integer(member, pointer, json),
            Form::Score => {
                let requirement = (
                    member.defined_by(self.draft()).unwrap_or_default(),
                    member.value_by(self.draft()),
                );
                let score = self.score(name, requirement, pointer, json)?;
                Some(Value::Score(score))
            }
            Form::Scores => self.scores(member, pointer, json),
            Form::Version | Form::Text | Form::Content(_) | Form::Term(_) => {
                let Some(text) = string(json) else {
                    self.wrong_type(member, pointer, "a string", json);
                    return None;
                };
                let sound = match member.form {
                    Form::Version => self.version(member, pointer, &text),
                    Form::Content(max) => self.content(member, pointer, &text, max),
                    Form::Term(known) => self.term(member, pointer, &text, known),
                    _ => true,
                };
                sound.then_some(Value::Text(text))
            }
        }
    }

    fn wrong_type(&mut self, member: &'static Member, pointer: String, wanted: &str, json: &str) {
        let requirement = member.defined_by(self.draft()).unwrap_or_default();
        let message = format!(
            "`{}` must be {wanted}; it is {}",
            member.name,
            type_of(json)
        );
        self.violation(Code::WrongType, Level::Must, pointer, requirement, message);
    }

    fn integer(
        &mut self,
        member: &'static Member,
        pointer: String,
        json: &str,
    ) -> Option<Value<'a>> {
        let name = member.name;
        let requirement = member.value_by(self.draft());
        let Some(number) = Number::of(json) else {
            self.wrong_type(member, pointer, "an integer", json);
            return None;
        };
        let Some(value) = number.integer() else {
            let message = format!("`{name}` must be integral; it is {}", cut(json));
            self.violation(
                Code::NotIntegral,
                Level::Must,
                pointer,
                requirement,
                message,
            );
            return None;
        };
        if value < 0 {
            let message = format!("`{name}` should not be negative; it is {}", cut(json));
            self.violation(Code::Negative, Level::Should, pointer, requirement, message);
        }
        Some(Value::Integer(value))
    }

    /// `requirement` is that on the type, and that on the value.
    fn score(
        &mut self,
        name: &str,
        requirement: (&'static str, &'static str),
        pointer: String,
        json: &str,
    ) -> Option<Score> {
        let Some(number) = Number::of(json) else {
            let message = format!("`{name}` must be a number; it is {}", type_of(json));
            self.violation(
                Code::WrongType,
                Level::Must,
                pointer,
                requirement.0,
                message,
            );
            return None;
        };
        let score = Score::of_number(number);
        if score.is_none() {
            let message = format!("`{name}` must lie from 0.0 to 1.0; it is {}", cut(json));
            self.violation(
                Code::OutOfRange,
                Level::Must,
                pointer,
                requirement.1,
                message,
            );
        }
        score
    }

    fn scores(
        &mut self,
        member: &'static Member,
        pointer: String,
        json: &str,
    ) -> Option<Value<'a>> {
        let Ok(object) = Document::parse(json.as_bytes()) else {
            self.wrong_type(member, pointer, "an object", json);
            return None;
        };
        let each = self.by("M1-28", "M2-25");
        let mut scores = Scores::default();
        let mut sound = true;
        let mut seen = HashSet::new();
        for (name, value) in object.members() {
            let pointer = self::pointer(&[member.name, &name]);
            let repeated = !seen.insert(name.clone());
            match name.parse::<Source>() {
                _ if repeated => self.repeated(pointer, &name),
                Ok(source) => {
                    match self.score(&name, (member.value_by(self.draft()), each), pointer, value) {
                        Some(score) => scores = scores.with(source, score),
                        None => sound = false,
                    }
                }
                Err(_) => self.unknown(pointer, &name),
            }
        }
        for name in Source::NAMES {
            if !seen.contains(*name) {
                let requirement = member.value_by(self.draft());
                self.missing(self::pointer(&[member.name, name]), name, requirement);
                sound = false;
            }
        }
        sound.then_some(Value::Scores(scores))
    }

    fn version(&mut self, member: &'static Member, pointer: String, text: &str) -> bool {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits && (text == "0" || !text.starts_with('0'))
        };
        let parts = text
            .split_once('.')
            .filter(|(major, minor)| number(major) && number(minor));
        let requirement = member.value_by(self.draft());
        let (code, level, requirement, message) = match parts {
            None => (
                Code::BadVersion,
                Level::Must,
                requirement,
                format!(
                    "`marc_version` must be two numbers and a full stop, such as `1.0`; it is {}",
                    shown(text)
                ),
            ),
            Some(("1", "0")) => return true,
            Some(("1", _)) => (
                Code::OtherMinor,
                Level::Should,
                "M2-133",
                format!(
                    "version {} may mean what 1.0 does, but is read as 1.0",
                    shown(text)
                ),
            ),
            Some(_) => (
                Code::OtherMajor,
                Level::Must,
                "M2-132",
                format!("version {} is not version 1", shown(text)),
            ),
        };
        self.violation(code, level, pointer, requirement, message);
        level == Level::Should
    }

    fn content(
        &mut self,
        member: &'static Member,
        pointer: String,
        text: &str,
        max: Option<usize>,
    ) -> bool {
        let name = member.name;
        if text.is_empty() {
            let requirement = member.value_by(self.draft());
            let message = format!("`{name}` must have content; it is empty");
            self.violation(Code::Empty, Level::Must, pointer, requirement, message);
            return false;
        }
        let len = text.chars().count();
        if let Some(max) = max.filter(|&max| len > max) {
            let requirement = self.by("M1-32", "M2-105");
            let message = format!("`{name}` should have at most {max} characters; it has {len}");
            self.violation(
                Code::TooLong,
                self.strictness(),
                pointer,
                requirement,
                message,
            );
        }
        true
    }

    fn term(
        &mut self,
        member: &'static Member,
        pointer: String,
        text: &str,
        known: &'static [&'static str],
    ) -> bool {
        if known.contains(&text) {
            return true;
        }
        let name = member.name;
        let requirement = member.value_by(self.draft());
        let (code, requirement, message) = match known.iter().find(|term| term.eq_ignore_ascii_case(text)) {
            Some(term) => {
                let message = format!("`{name}` is {}; letter case counts: `{term}`", shown(text));
                (Code::WrongCase, self.by("M1-9", "M2-101"), message)
            }
            None if text == "none" && name == "primary_source" => (
                Code::UnknownValue,
                "M2-29",
                "`primary_source` must not be `none`: a source is named even if little uncertainty is left".into(),
            ),
            None => {
                let known = known.join("`, `");
                let message = format!("`{name}` must be one of `{known}`; it is {}", shown(text));
                (Code::UnknownValue, requirement, message)
            }
        };
        self.violation(code, Level::Must, pointer, requirement, message);
        false
    }

    /// The rules between members. Each looks only at members that are as they must be, so that one fault is told once.
    fn cross_field_rules(&mut self, document: &Document) {
        if let Some(action) = self.reading.term("selected_action") {
            self.confidence(document, action);
            self.target(action);
            self.remediability(action);
        }
        let iteration = self.reading.integer("iteration");
        let max = self.reading.integer("max_iterations");
        if let (Some(iteration), Some(max)) = (iteration, max)
            && iteration > max
        {
            self.violation(
                Code::IterationAboveMaximum,
                Level::Should,
                "/iteration".into(),
                "M2-80",
                format!("`iteration` is {iteration}, above `max_iterations`, which is {max}"),
            );
        }
    }

    fn confidence(&mut self, document: &Document, action: Action) {
        if self.kind != Kind::Core {
            return;
        }
        let name = "post_answer_confidence";
        let given = document.get(name).is_some_and(|json| json != "null");
        let known = self.reading.score(name).is_some();
        if action == Action::Answer && !given {
            self.violation(
                Code::AnswerWithoutConfidence,
                Level::Must,
                pointer(&[name]),
                self.by("M1-10", "M2-103"),
                format!("`selected_action` is ANSWER, so `{name}` must be a number"),
            );
        } else if action != Action::Answer && known {
            self.violation(
                Code::ConfidenceWithoutAnswer,
                Level::Should,
                pointer(&[name]),
                "M2-104",
                format!("`selected_action` is {action}, so there is no answer for `{name}` unless a policy defines one"),
            );
        }
    }

    fn target(&mut self, action: Action) {
        let Some(target) = self.reading.term::<Target>("confidence_target") else {
            return;
        };
        let (code, level, requirement) = match (action, target) {
            (Action::Answer, Target::Answer) => return,
            (Action::Answer, _) => (Code::AnswerTarget, Level::Must, "M2-45"),
            (_, Target::Answer) => (Code::TargetWithoutAnswer, Level::Should, "M2-46"),
            _ => return,
        };
        let verb = if level == Level::Must {
            "must"
        } else {
            "should"
        };
        let wanted = Target::of(action);
        self.violation(
            code,
            level,
            "/confidence_target".into(),
            requirement,
            format!("`selected_action` is {action}, so `confidence_target` {verb} be `{wanted}`; it is `{target}`"),
        );
    }

    fn remediability(&mut self, action: Action) {
        let given = self.reading.term::<Remediability>("remediability");
        let (Draft::Draft02, Some(given), Some(wanted)) =
            (self.draft(), given, action.remediability())
        else {
            return;
        };
        // A human path may exist that this system does not initiate.
        let human_path = action == Action::Abstain && given == Remediability::Human;
        if given == wanted || human_path {
            return;
        }
        let requirement = match action {
            Action::Clarify => "M2-107",
            Action::Retrieve => "M2-108",
            Action::Tool => "M2-109",
            Action::Escalate => "M2-110",
            _ => "M2-111",
        };
        self.violation(
            Code::RemediabilityMismatch,
            Level::Should,
            "/remediability".into(),
            requirement,
            format!("`selected_action` is {action}, so `remediability` should be `{wanted}`; it is `{given}`"),
        );
    }
}

/// The JSON Pointer of a member. Source: RFC 6901 3.
fn pointer(names: &[&str]) -> String {
    let mut pointer = Vec::new();
    for name in names {
        push_name(&mut pointer, name.as_bytes(), false, usize::MAX);
    }
    // What is appended is UTF-8.
    String::from_utf8(pointer).unwrap_or_default()
}

/// The type of a JSON value, for a reader.
fn type_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Most code points of a value that a message repeats.
const SHOWN: usize = 40;

/// A text of the object in a message: in backticks, without control characters, and cut.
fn shown(text: &str) -> String {
    let safe: String = text
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    let more = if text.chars().nth(SHOWN).is_some() {
        "…"
    } else {
        ""
    };
    format!("`{safe}{more}`")
}

/// A number of the object in a message.
fn cut(json: &str) -> Cow<'_, str> {
    match json.char_indices().nth(SHOWN) {
        None => json.into(),
        Some((at, _)) => format!("{}…", &json[..at]).into(),
    }
}
