//! Valid members of an object, and the violations found while reading it.

use std::borrow::Cow;

use crate::number::JsonNumber;
use crate::score::{Score, Scores};
use crate::violation::Report;

/// Value of a valid member.
#[derive(Clone, Debug)]
pub(crate) enum CheckedValue<'a> {
    Null,
    Text(Cow<'a, str>),
    Integer(JsonNumber<'a>),
    Score(Score),
    Scores(Scores),
}

/// Valid members of an object, and the violations found while reading it.
#[derive(Debug, Default)]
pub(crate) struct CheckedObject<'a> {
    /// Members in order of appearance; `None` if repeated or invalid.
    values: Vec<(&'static str, Option<CheckedValue<'a>>)>,
    pub(crate) report: Report,
}

impl<'a> CheckedObject<'a> {
    /// Records that a member occurs. Returns `false` if it occurred before; a repeated member has
    /// no value.
    pub(super) fn meet(&mut self, name: &'static str) -> bool {
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, value)) => *value = None,
            None => {
                self.values.push((name, None));
                return true;
            }
        }
        false
    }

    pub(super) fn has_met(&self, name: &str) -> bool {
        self.values.iter().any(|(known, _)| *known == name)
    }

    /// Sets the value of the last recorded member.
    pub(super) fn add(&mut self, value: CheckedValue<'a>) {
        if let Some((_, last)) = self.values.last_mut() {
            *last = Some(value);
        }
    }

    /// Returns the value of a member, or `None` if the member is missing, repeated or invalid.
    pub(crate) fn value(&self, name: &str) -> Option<&CheckedValue<'a>> {
        let mut found = self.values.iter().filter(|(known, _)| *known == name);
        found.next()?.1.as_ref()
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            CheckedValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn term<T: core::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// Returns the value of an integral member as written.
    pub(crate) fn number(&self, name: &str) -> Option<JsonNumber<'a>> {
        match self.value(name)? {
            CheckedValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value of an integral member, clamped to the range of `i64`.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.number(name)?.integer()
    }
}
