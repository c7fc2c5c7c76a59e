//! What a policy answers.

use provstream::Action as RustAction;
use pyo3::prelude::*;

/// What becomes of an assertion. Source: `provenance memo 7`.
#[pyclass(frozen, eq, from_py_object, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Action(pub(crate) RustAction);

#[pymethods]
impl Action {
    /// Its text is released as it is.
    #[staticmethod]
    const fn release() -> Self {
        Self(RustAction::Release)
    }

    /// Its text is released between these two.
    #[staticmethod]
    #[pyo3(signature = (before="", after=""))]
    fn mark(before: &str, after: &str) -> Self {
        Self(RustAction::Mark(
            before.to_owned().into(),
            after.to_owned().into(),
        ))
    }

    /// This is released in its place.
    #[staticmethod]
    fn replace(text: String) -> Self {
        Self(RustAction::Replace(text.into()))
    }

    /// Its text is removed.
    #[staticmethod]
    const fn discard() -> Self {
        Self(RustAction::Discard)
    }

    /// The stream ends before it, so that the rest can be asked for once more.
    #[staticmethod]
    const fn suspend() -> Self {
        Self(RustAction::Suspend)
    }

    /// The stream ends before it with this text.
    #[staticmethod]
    fn refuse(text: String) -> Self {
        Self(RustAction::Refuse(text.into()))
    }

    /// `release`, `mark`, `replace`, `discard`, `suspend` or `refuse`.
    #[getter]
    pub(crate) const fn kind(&self) -> &'static str {
        match &self.0 {
            RustAction::Release => "release",
            RustAction::Mark(..) => "mark",
            RustAction::Replace(_) => "replace",
            RustAction::Discard => "discard",
            RustAction::Suspend => "suspend",
            RustAction::Refuse(_) => "refuse",
            // The crate may know more kinds than this package.
            _ => "other",
        }
    }

    /// Its texts: two for `mark`, one for `replace` and `refuse`.
    #[getter]
    fn texts(&self) -> Vec<&str> {
        match &self.0 {
            RustAction::Mark(before, after) => vec![before, after],
            RustAction::Replace(text) | RustAction::Refuse(text) => vec![text],
            _ => Vec::new(),
        }
    }

    pub(crate) fn __repr__(&self) -> String {
        let texts: Vec<String> = self.texts().into_iter().map(crate::event::quoted).collect();
        format!("Action.{}({})", self.kind(), texts.join(", "))
    }
}
