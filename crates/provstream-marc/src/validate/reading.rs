//! What an object says, as far as it is as it must be.

use std::borrow::Cow;

use crate::number::Number;
use crate::score::{Score, Scores};
use crate::violation::Report;

/// The value of a member that is as it must be.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Text(Cow<'a, str>),
    Integer(Number<'a>),
    Score(Score),
    Scores(Scores),
}

/// What an object says, as far as it is as it must be, and what is not.
#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    /// The members that are there; `None` for one that is repeated or not as it must be.
    values: Vec<(&'static str, Option<Value<'a>>)>,
    pub(crate) report: Report,
}

impl<'a> Reading<'a> {
    /// Notes a member. One that was noted before is repeated, which returns `false`, and has no value.
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

    /// Gives a value to the member that was noted last.
    pub(super) fn add(&mut self, value: Value<'a>) {
        if let Some((_, last)) = self.values.last_mut() {
            *last = Some(value);
        }
    }

    /// The value of a member; none if it is missing, repeated, or not as it must be.
    pub(crate) fn value(&self, name: &str) -> Option<&Value<'a>> {
        let mut found = self.values.iter().filter(|(known, _)| *known == name);
        found.next()?.1.as_ref()
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

    /// A number that is integral.
    pub(crate) fn number(&self, name: &str) -> Option<Number<'a>> {
        match self.value(name)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The same as an integer, the nearest of the type if it is beyond.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.number(name)?.integer()
    }
}
