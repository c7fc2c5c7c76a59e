//! Decisions of a gate.

use std::sync::Arc;

use provstream::Span;
use provstream::provenance::{Assertion as RustAssertion, Verdict as RustVerdict};
use pyo3::prelude::*;

use super::{Assertion, Located, object, to_json};
use crate::action::Action;
use crate::discipline::Verdict;
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// Decision about an assertion whose code points are not known yet.
pub(crate) struct UnplacedDecision {
    pub(crate) assertion: RustAssertion<'static>,
    pub(crate) clean_span: Span,
    pub(crate) action: provstream::Action,
    pub(crate) verdict: Option<RustVerdict>,
    pub(crate) disposition: Option<&'static str>,
    pub(crate) untrusted: bool,
}

/// Decision of a gate about an assertion, with reasons. Source: `provenance memo 7`.
#[pyclass(frozen, extends = Located, module = "provstream")]
#[derive(Clone)]
pub(crate) struct Decision {
    pub(crate) place: Place,
    assertion: Assertion,
    clean: Span,
    action: provstream::Action,
    verdict: Option<RustVerdict>,
    disposition: Option<&'static str>,
    untrusted: bool,
}

impl Decision {
    pub(crate) fn new(decided: &UnplacedDecision, locate: &impl Locate) -> Result<Self, Unknown> {
        let assertion = Assertion::new(decided.assertion.clone(), locate)?;
        Ok(Self {
            place: assertion.place,
            assertion,
            clean: decided.clean_span,
            action: decided.action.clone(),
            verdict: decided.verdict.clone(),
            disposition: decided.disposition,
            untrusted: decided.untrusted,
        })
    }
}

#[pymethods]
impl Decision {
    /// The assertion.
    #[getter]
    fn assertion(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, Assertion>> {
        let channel: &Arc<str> = slf.as_super().channel_name();
        object(slf.py(), (slf.place, channel), slf.assertion.clone())
    }

    /// Byte offset of the text's start in the stream without annotations, also in JSON.
    #[getter]
    const fn clean_byte_start(&self) -> u64 {
        self.clean.start()
    }

    /// Byte offset of the text's end in the stream without annotations, also in JSON.
    #[getter]
    const fn clean_byte_end(&self) -> u64 {
        self.clean.end()
    }

    /// Action on the text.
    #[getter]
    fn action(&self) -> Action {
        Action(self.action.clone())
    }

    /// The verdict; `None` if the policy does not judge.
    #[getter]
    fn verdict(&self) -> Option<Verdict> {
        self.verdict.clone().map(Verdict)
    }

    /// Disposition by a policy file, such as `below-floor`; `None` for a policy in Python.
    #[getter]
    const fn disposition(&self) -> Option<&'static str> {
        self.disposition
    }

    /// `True` if any of the text is untrusted.
    #[getter]
    const fn untrusted(&self) -> bool {
        self.untrusted
    }

    /// Formats the decision as a line of JSON; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        to_json(&serde_json::json!({
            "event": "decision",
            "disposition": self.disposition,
            "action": Action(self.action.clone()).kind(),
            "untrusted": self.untrusted,
            "clean_span": self.clean,
            "verdict": self.verdict,
            "assertion": self.assertion.inner(),
        }))
    }

    fn __repr__(&self) -> String {
        let what = self.disposition.unwrap_or("decided");
        format!(
            "<Decision {what}: {}>",
            Action(self.action.clone()).__repr__()
        )
    }
}

/// Text that a gate released because it was too long to be held; offsets refer to the text without
/// annotations.
#[pyclass(frozen, extends = Located, module = "provstream")]
#[derive(Clone)]
pub(crate) struct LimitRelease {
    pub(crate) place: Place,
}

impl LimitRelease {
    pub(crate) const fn new(span: Span) -> Self {
        Self {
            place: Place::bytes_only(span),
        }
    }
}

#[pymethods]
impl LimitRelease {
    /// Formats the event as a line of JSON; its span counts bytes.
    fn to_json(&self) -> PyResult<String> {
        to_json(&serde_json::json!({"event": "limit-release", "clean_span": self.place.bytes()}))
    }

    fn __repr__(&self) -> String {
        format!("LimitRelease(bytes {})", self.place.bytes())
    }
}
