//! A walk through an event that knows where it is.

use serde_json::Value;

use super::error::{CitationError, CitationErrorKind};
use super::model::Extent;
use super::unit::{Unit, UnitSpan};

/// Expected type of positions and counts.
const NUMBER: &str = "a whole number from 0 on";

/// A value of an event with its place. A member that is null is taken for none.
pub(super) struct Node<'a> {
    value: &'a Value,
    pointer: String,
}

impl<'a> Node<'a> {
    pub(super) const fn root(value: &'a Value) -> Self {
        Self {
            value,
            pointer: String::new(),
        }
    }

    /// A member, if this is an object that has it.
    ///
    /// Names are letters and underscores, so they stand in a pointer as they are.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Self {
            value,
            pointer: self.pointer_to(name),
        })
    }

    /// The member that must be there.
    pub(super) fn required(&self, name: &str) -> Result<Self, CitationError> {
        self.member(name)
            .ok_or_else(|| CitationError::new(CitationErrorKind::Missing, self.pointer_to(name)))
    }

    /// The elements of a member; none if it is no array: for what leads to citations, where another type is another form.
    pub(super) fn elements(&self, name: &str) -> impl Iterator<Item = (u64, Self)> + use<'a> {
        let array = self.member(name).and_then(Self::into_array);
        array.into_iter().flatten()
    }

    /// The elements of a member that holds citations or belongs to one; none if it is not there.
    pub(super) fn list(
        &self,
        name: &str,
    ) -> Result<impl Iterator<Item = (u64, Self)> + use<'a>, CitationError> {
        let array = match self.member(name) {
            Some(list) if !list.value.is_array() => return Err(list.wrong_type("an array")),
            list => list.and_then(Self::into_array),
        };
        Ok(array.into_iter().flatten())
    }

    fn into_array(self) -> Option<impl Iterator<Item = (u64, Self)> + use<'a>> {
        let Self { value, pointer } = self;
        let numbered = (0..).zip(value.as_array()?);
        Some(numbered.map(move |(index, value)| {
            let pointer = format!("{pointer}/{index}");
            (index, Self { value, pointer })
        }))
    }

    pub(super) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn is_object(&self) -> bool {
        self.value.is_object()
    }

    /// Returns `true` if a member is this string.
    pub(super) fn says(&self, name: &str, text: &str) -> bool {
        self.value.get(name).and_then(Value::as_str) == Some(text)
    }

    /// The string it is.
    pub(super) fn string(&self) -> Result<&'a str, CitationError> {
        self.value
            .as_str()
            .ok_or_else(|| self.wrong_type("a string"))
    }

    /// The number it is.
    pub(super) fn number(&self) -> Result<u64, CitationError> {
        self.value.as_u64().ok_or_else(|| self.wrong_type(NUMBER))
    }

    /// Returns the member `type`, which selects one of several forms.
    pub(super) fn form(&self) -> Result<&'a str, CitationError> {
        if !self.is_object() {
            return Err(self.wrong_type("an object"));
        }
        self.required("type")?.string()
    }

    /// The string that a member is, if it is there.
    pub(super) fn text(&self, name: &str) -> Result<Option<Box<str>>, CitationError> {
        let text = self
            .member(name)
            .map(|member| member.string())
            .transpose()?;
        Ok(text.map(Into::into))
    }

    /// The string that a member is, for what anybody may put anything into.
    pub(super) fn text_if_any(&self, name: &str) -> Option<Box<str>> {
        Some(self.value.get(name)?.as_str()?.into())
    }

    /// The string that a member must be.
    pub(super) fn required_text(&self, name: &str) -> Result<Option<Box<str>>, CitationError> {
        Ok(Some(self.required(name)?.string()?.into()))
    }

    /// The number that a member is, if it is there.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, CitationError> {
        self.member(name).map(|member| member.number()).transpose()
    }

    /// The range that two members must be.
    pub(super) fn range(&self, start: &str, end: &str) -> Result<(u64, u64), CitationError> {
        let (from, to) = (self.required(start)?.number()?, self.required(end)?);
        match to.number()? {
            end if end < from => Err(CitationError::new(
                CitationErrorKind::EndBeforeStart,
                to.pointer,
            )),
            end => Ok((from, end)),
        }
    }

    /// The place in the answer that two members are; not known if neither is there.
    pub(super) fn extent(
        &self,
        start: &str,
        end: &str,
        unit: Unit,
    ) -> Result<Extent, CitationError> {
        if self.member(start).is_none() && self.member(end).is_none() {
            return Ok(Extent::Unknown);
        }
        let (start, end) = self.range(start, end)?;
        Ok(UnitSpan::new(start, end, unit).map_or(Extent::Unknown, Extent::Span))
    }

    pub(super) fn wrong_type(&self, expected: &'static str) -> CitationError {
        CitationError::new(
            CitationErrorKind::WrongType {
                expected,
                found: match self.value {
                    Value::Null => "null",
                    Value::Bool(_) => "true or false",
                    Value::Number(_) if expected == NUMBER => "another number",
                    Value::Number(_) => "a number",
                    Value::String(_) => "a string",
                    Value::Array(_) => "an array",
                    Value::Object(_) => "an object",
                },
            },
            self.pointer.as_str(),
        )
    }

    fn pointer_to(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }
}
