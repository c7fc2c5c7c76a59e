//! Validation of single members.

use super::reading::CheckedValue;
use super::shown::{cut, shown, type_of};
use crate::document::string;
use crate::draft::Profile;
use crate::members::{MemberForm, MemberSpec, has_content};
use crate::number::JsonNumber;
use crate::score::Score;
use crate::violation::{Level, PROFILE, ViolationCode as Code};

/// A violation found in one value.
pub(super) struct ValueFault {
    pub(super) code: Code,
    /// Sections of the two drafts, if they differ from those of the code or the member.
    pub(super) by: Option<[&'static str; 2]>,
    pub(super) message: String,
}

impl ValueFault {
    pub(super) const fn new(code: Code, message: String) -> Self {
        let by = None;
        Self { code, by, message }
    }
}

/// A usable value and its violation, if any, or the violation of an unusable value.
pub(super) type Judged<'a> = Result<(CheckedValue<'a>, Option<ValueFault>), ValueFault>;

pub(super) fn wrong_type(name: &str, wanted: &str, json: &str) -> ValueFault {
    let message = format!("`{name}` must be {wanted}; it is {}", type_of(json));
    ValueFault::new(Code::WrongType, message)
}

/// Reads the value of a member that is not an object.
pub(super) fn value<'a>(member: &MemberSpec, json: &'a str, profile: Profile) -> Judged<'a> {
    let name = member.name;
    match member.form {
        MemberForm::Integer => return integer(name, json),
        MemberForm::Score => return Ok((CheckedValue::Score(score(name, json)?), None)),
        _ => {}
    }
    let text = string(json).ok_or_else(|| wrong_type(name, "a string", json))?;
    let fault = match member.form {
        MemberForm::Version => version(&text),
        MemberForm::Content(max) => content(name, &text, max, profile),
        MemberForm::Term(known) => term(name, &text, known),
        _ => None,
    };
    match fault {
        Some(fault) if fault.code.level() == Level::Must => Err(fault),
        fault => Ok((CheckedValue::Text(text), fault)),
    }
}

fn integer<'a>(name: &str, json: &'a str) -> Judged<'a> {
    let number = JsonNumber::of(json).ok_or_else(|| wrong_type(name, "an integer", json))?;
    let fault = match number.integer() {
        None => {
            let message = format!("`{name}` must be integral; it is {}", cut(json));
            return Err(ValueFault::new(Code::NotIntegral, message));
        }
        Some(..0) => {
            let message = format!("`{name}` should not be negative; it is {}", cut(json));
            Some(ValueFault::new(Code::Negative, message))
        }
        Some(_) => None,
    };
    Ok((CheckedValue::Integer(number), fault))
}

pub(super) fn score(name: &str, json: &str) -> Result<Score, ValueFault> {
    let number = JsonNumber::of(json).ok_or_else(|| wrong_type(name, "a number", json))?;
    Score::of_number(number).ok_or_else(|| {
        let message = format!("`{name}` must lie from 0.0 to 1.0; it is {}", cut(json));
        ValueFault::new(Code::OutOfRange, message)
    })
}

fn version(text: &str) -> Option<ValueFault> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits && (text == "0" || !text.starts_with('0'))
    };
    let parts = text.split_once('.');
    let parts = parts.filter(|(major, minor)| number(major) && number(minor));
    let text = shown(text);
    let (code, message) = match parts {
        Some(("1", "0")) => return None,
        Some(("1", _)) => {
            let message = format!("version {text} may mean what 1.0 does, but is read as 1.0");
            (Code::OtherMinor, message)
        }
        Some(_) => (Code::OtherMajor, format!("version {text} is not version 1")),
        None => {
            let expected = "two numbers and a full stop, such as `1.0`";
            let message = format!("`marc_version` must be {expected}; it is {text}");
            (Code::BadVersion, message)
        }
    };
    Some(ValueFault::new(code, message))
}

fn content(name: &str, text: &str, max: Option<usize>, profile: Profile) -> Option<ValueFault> {
    if !has_content(text) {
        let found = if text.is_empty() { "empty" } else { "blank" };
        let message = format!("`{name}` must have content; it is {found}");
        let by = match (name, found) {
            ("answer", "empty") => ["MARC-01 D.2", "MARC-02 10.1"],
            ("answer", _) => ["MARC-01 9.1", "MARC-02 10.1"],
            (_, "empty") => ["MARC-01 D", PROFILE],
            _ => [PROFILE; 2],
        };
        let by = Some(by);
        return Some(ValueFault {
            code: Code::Empty,
            by,
            message,
        });
    }
    let len = text.chars().count();
    let max = max.filter(|&max| len > max)?;
    let level = [Level::Should, Level::Must][usize::from(profile.is_strict())];
    let message = format!("`{name}` {level} have at most {max} characters; it has {len}");
    Some(ValueFault::new(Code::TooLong, message))
}

fn term(name: &str, text: &str, known: &[&str]) -> Option<ValueFault> {
    if known.contains(&text) {
        return None;
    }
    let given = shown(text);
    let alike = known.iter().find(|term| term.eq_ignore_ascii_case(text));
    Some(match alike {
        Some(term) => {
            let message = format!("`{name}` is {given}; letter case counts: `{term}`");
            ValueFault::new(Code::WrongCase, message)
        }
        None if text == "none" && name == "primary_source" => ValueFault {
            code: Code::UnknownValue,
            by: Some(["MARC-01 7.2", "MARC-02 8.2"]),
            message: "`primary_source` must not be `none`: a source is named even if little uncertainty is left".into(),
        },
        None => {
            let known = known.join("`, `");
            let message = format!("`{name}` must be one of `{known}`; it is {given}");
            ValueFault::new(Code::UnknownValue, message)
        }
    })
}
