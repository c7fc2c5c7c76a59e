//! Actions that a policy returns.

use provstream::Action as RustAction;
use pyo3::prelude::*;

/// Action on an assertion. Source: `provenance memo 7`.
#[pyclass(frozen, eq, from_py_object, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Action(pub(crate) RustAction);

#[pymethods]
impl Action {
    /// Releases the text unchanged.
    #[staticmethod]
    const fn release() -> Self {
        Self(RustAction::Release)
    }

    /// Releases the text between two texts.
    #[staticmethod]
    #[pyo3(signature = (before="", after=""))]
    fn mark(before: &str, after: &str) -> Self {
        Self(RustAction::Mark(
            before.to_owned().into(),
            after.to_owned().into(),
        ))
    }

    /// Releases this text instead.
    #[staticmethod]
    fn replace(text: String) -> Self {
        Self(RustAction::Replace(text.into()))
    }

    /// Removes the text.
    #[staticmethod]
    const fn discard() -> Self {
        Self(RustAction::Discard)
    }

    /// Ends the stream before the text, so that the caller can ask for the rest again.
    #[staticmethod]
    const fn suspend() -> Self {
        Self(RustAction::Suspend)
    }

    /// Ends the stream before the text, with this text.
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

    /// Texts of the action: two for `mark`, one for `replace` and `refuse`, none for others.
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
