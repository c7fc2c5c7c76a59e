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
    values: Vec<(&'static str, Value<'a>)>,
    pub(crate) report: Report,
}

impl<'a> Reading<'a> {
    pub(super) fn add(&mut self, name: &'static str, value: Value<'a>) {
        self.values.push((name, value));
    }

    /// Takes back the value of a member: one that is repeated has none.
    pub(super) fn take_back(&mut self, name: &str) {
        self.values.retain(|(known, _)| *known != name);
    }

    /// The value of a member; none if it is missing, repeated, or not as it must be.
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
