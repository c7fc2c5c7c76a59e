//! The values of members, each for itself.

use std::collections::HashSet;

use super::reader::Reader;
use super::reading::Value;
use super::shown::{cut, pointer_to, shown, type_of};
use crate::document::{Document, string};
use crate::members::{Form, Member, Presence};
use crate::number::Number;
use crate::score::{Score, Scores};
use crate::terms::Source;
use crate::violation::{Level, ViolationCode as Code};

impl<'a> Reader<'a> {
    /// Reads a member that the draft defines.
    pub(super) fn member(&mut self, member: &'static Member, pointer: String, json: &'a str) {
        let value = if json == "null" && member.presence == Presence::Nullable {
            Some(Value::Null)
        } else {
            self.value(member, pointer, json)
        };
        if let Some(value) = value {
            self.reading.add(member.name, value);
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
                let section = (
                    member.defined_by(self.draft()),
                    member.value_by(self.draft()),
                );
                let score = self.score(name, section, pointer, json)?;
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
        let section = member.defined_by(self.draft());
        let message = format!(
            "`{}` must be {wanted}; it is {}",
            member.name,
            type_of(json)
        );
        self.violation(Code::WrongType, Level::Must, pointer, section, message);
    }

    fn integer(
        &mut self,
        member: &'static Member,
        pointer: String,
        json: &'a str,
    ) -> Option<Value<'a>> {
        let name = member.name;
        let section = member.value_by(self.draft());
        let Some(number) = Number::of(json) else {
            self.wrong_type(member, pointer, "an integer", json);
            return None;
        };
        let Some(value) = number.integer() else {
            let message = format!("`{name}` must be integral; it is {}", cut(json));
            self.violation(Code::NotIntegral, Level::Must, pointer, section, message);
            return None;
        };
        if value < 0 {
            let message = format!("`{name}` should not be negative; it is {}", cut(json));
            self.violation(Code::Negative, Level::Should, pointer, section, message);
        }
        Some(Value::Integer(number))
    }

    /// `section` is that on the type, and that on the value.
    fn score(
        &mut self,
        name: &str,
        section: (&'static str, &'static str),
        pointer: String,
        json: &str,
    ) -> Option<Score> {
        let Some(number) = Number::of(json) else {
            let message = format!("`{name}` must be a number; it is {}", type_of(json));
            self.violation(Code::WrongType, Level::Must, pointer, section.0, message);
            return None;
        };
        let score = Score::of_number(number);
        if score.is_none() {
            let message = format!("`{name}` must lie from 0.0 to 1.0; it is {}", cut(json));
            self.violation(Code::OutOfRange, Level::Must, pointer, section.1, message);
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
        let each = self.by("MARC-01 D.1", "MARC-02 8.2");
        let mut scores = Scores::all(Score::ZERO);
        let mut sound = true;
        let mut seen = HashSet::new();
        for (name, value) in object.members() {
            let pointer = pointer_to(&[member.name, &name]);
            let repeated = !seen.insert(name.clone());
            match name.parse::<Source>() {
                _ if repeated => {
                    self.repeated(pointer, &name);
                    sound = false;
                }
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
                let section = member.value_by(self.draft());
                self.missing(pointer_to(&[member.name, name]), name, section);
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
        let section = member.value_by(self.draft());
        let (code, level, section, message) = match parts {
            None => (
                Code::BadVersion,
                Level::Must,
                section,
                format!(
                    "`marc_version` must be two numbers and a full stop, such as `1.0`; it is {}",
                    shown(text)
                ),
            ),
            Some(("1", "0")) => return true,
            Some(("1", _)) => (
                Code::OtherMinor,
                Level::Should,
                self.by("MARC-01 10", "MARC-02 11"),
                format!(
                    "version {} may mean what 1.0 does, but is read as 1.0",
                    shown(text)
                ),
            ),
            Some(_) => (
                Code::OtherMajor,
                Level::Must,
                self.by("MARC-01 10", "MARC-02 11"),
                format!("version {} is not version 1", shown(text)),
            ),
        };
        self.violation(code, level, pointer, section, message);
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
            let section = member.value_by(self.draft());
            let message = format!("`{name}` must have content; it is empty");
            self.violation(Code::Empty, Level::Must, pointer, section, message);
            return false;
        }
        let len = text.chars().count();
        if let Some(max) = max.filter(|&max| len > max) {
            let section = self.by("MARC-01 D.1", "MARC-02 9.3");
            let level = self.strictness();
            let message = format!("`{name}` {level} have at most {max} characters; it has {len}");
            self.violation(Code::TooLong, level, pointer, section, message);
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
        let section = member.value_by(self.draft());
        let (code, section, message) = match known.iter().find(|term| term.eq_ignore_ascii_case(text)) {
            Some(term) => {
                let message = format!("`{name}` is {}; letter case counts: `{term}`", shown(text));
                (Code::WrongCase, self.by("MARC-01 8.2", "MARC-02 9.2"), message)
            }
            None if text == "none" && name == "primary_source" => (
                Code::UnknownValue,
                self.by("MARC-01 7.2", "MARC-02 8.2"),
                "`primary_source` must not be `none`: a source is named even if little uncertainty is left".into(),
            ),
            None => {
                let known = known.join("`, `");
                let message = format!("`{name}` must be one of `{known}`; it is {}", shown(text));
                (Code::UnknownValue, section, message)
            }
        };
        self.violation(code, Level::Must, pointer, section, message);
        false
    }
}
