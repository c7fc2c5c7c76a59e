//! Policies of gates: policy files, and Python functions.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use provstream::provenance::{Assertion as RustAssertion, Timestamp, Verdict};
use provstream::{
    Action as RustAction, AtLimit, CitationReason, Question, RulePolicy, Rules, Spacing,
    Unannotated, policy_file,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::action::Action;
use crate::event::{Assertion, object};
use crate::failure::callback_error;
use crate::place::Place;
use crate::settings::value_error;
use crate::toml;
use crate::vocabulary::Vocabulary;

/// The rules of a policy file (TOML): conditions for admitting assertions, and actions on them.
///
/// Raises `ValueError` with the error, line and column. `docs/gate.md` has the keys. Source:
/// `provenance memo 7`.
///
/// The keys of a file can be given as keyword arguments instead, durations also as `timedelta`:
/// `Policy(floor=1, default_window="1h", inadmissible={"action": "discard"})`. `language` replaces the key of that name.
///
/// >>> policy = provstream.Policy('''
/// ... floor = 1
/// ... default_window = "1h"
/// ... [inadmissible]
/// ... action = "replace"
/// ... text = "(withheld)"
/// ... ''')
/// >>> gate = provstream.Gate(policy, now="2026-05-28T12:00:00Z")
/// >>> gate.push("It rained. [unverified-inference] So.") + gate.finish()
/// '(withheld) So.'
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone)]
pub(crate) struct Policy(Arc<Rules>, Arc<PolicySource>);

/// Arguments that a policy was created with.
struct PolicySource {
    toml: String,
    vocabulary: Option<Vocabulary>,
    language: Option<String>,
}

impl Policy {
    pub(crate) const fn rules(&self) -> &Arc<Rules> {
        &self.0
    }

    /// Creates the policy of an argument's text.
    fn of_text(text: &str, vocabulary: Option<&Vocabulary>) -> PyResult<Self> {
        Self::of(PolicySource {
            toml: file_of(text)?.to_owned(),
            vocabulary: vocabulary.cloned(),
            language: None,
        })
    }

    fn of(source: PolicySource) -> PyResult<Self> {
        let memo = provstream::provenance::Vocabulary::memo();
        let vocabulary = source.vocabulary.as_ref().map_or(&memo, Vocabulary::inner);
        let mut rules =
            Rules::from_toml(source.toml.as_bytes(), vocabulary).map_err(value_error)?;
        if let Some(language) = &source.language {
            rules = rules.with_language(language);
        }
        if rules.needs_observations() {
            return Err(value_error(
                "expected a policy without levels and rules about observations, which need a ledger",
            ));
        }
        Ok(Self(Arc::new(rules), Arc::new(source)))
    }
}

/// Returns the policy file that an argument is or names.
fn file_of(text: &str) -> PyResult<&str> {
    policy_file(text).map_err(|error| {
        value_error(format_args!(
            "{error}, or the text of a policy file; Policy.from_file reads a file"
        ))
    })
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Policy {}

impl Hash for Policy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.version(), self.floor()).hash(state);
    }
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (toml=None, *, vocabulary=None, language=None, **keys))]
    fn new(
        toml: Option<String>,
        vocabulary: Option<&Vocabulary>,
        language: Option<String>,
        keys: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (toml, language) = match (toml, keys) {
            (Some(text), None) => (file_of(&text)?.to_owned(), language),
            (None, Some(keys)) => {
                // It is a key as well, which a policy with texts in several languages needs.
                if let Some(language) = language {
                    keys.set_item("language", language)?;
                }
                (toml::file(keys)?, None)
            }
            (Some(_), Some(_)) | (None, None) => {
                return Err(PyTypeError::new_err(
                    "expected the text of a policy file, the name of a ready policy, or its keys as keyword arguments",
                ));
            }
        };
        Self::of(PolicySource {
            toml,
            vocabulary: vocabulary.cloned(),
            language,
        })
    }

    /// Reads a policy file. Raises `OSError` if it cannot be read, and `ValueError` with the error
    /// and its position.
    #[staticmethod]
    #[pyo3(signature = (path, *, vocabulary=None, language=None))]
    fn from_file(
        path: &Bound<'_, PyAny>,
        vocabulary: Option<&Vocabulary>,
        language: Option<String>,
    ) -> PyResult<Self> {
        let py = path.py();
        let file = py.import("pathlib")?.getattr("Path")?.call1((path,))?;
        let name = file.str()?;
        let named = |error: PyErr| {
            let message = format!("{name}: {}", error.value(py));
            let is_value = error.is_instance_of::<PyValueError>(py);
            if is_value {
                PyValueError::new_err(message)
            } else {
                error
            }
        };
        let text = file.call_method1("read_text", ("utf-8",)).map_err(named)?;
        Self::of(PolicySource {
            toml: text.extract()?,
            vocabulary: vocabulary.cloned(),
            language,
        })
        .map_err(named)
    }

    /// For `copy` and `pickle`.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("vocabulary", self.1.vocabulary.clone())?;
        named.set_item("language", self.1.language.as_deref())?;
        Ok(((&self.1.toml,), named))
    }

    /// Name of the policy in audit logs; may be empty.
    #[getter]
    fn version(&self) -> &str {
        self.0.version()
    }

    /// Number of distinct classes that must count.
    #[getter]
    fn floor(&self) -> usize {
        self.0.discipline().floor()
    }

    /// Languages of the policy's texts.
    #[getter]
    fn languages(&self) -> Vec<&str> {
        self.0.languages().collect()
    }

    fn __repr__(&self) -> String {
        format!("<Policy {:?}: floor {}>", self.0.version(), self.floor())
    }
}

/// Policy of a gate.
#[derive(Clone)]
pub(crate) enum AnyPolicy {
    /// A policy file, and the time to judge by if it is fixed.
    Rules(RulePolicy<fn() -> Timestamp>, Option<Timestamp>),
    /// A Python function.
    Function(Function),
}

impl AnyPolicy {
    /// Creates a policy from an argument: a [`Policy`], the text that one is created with, or a function.
    ///
    /// # Errors
    /// `TypeError` for another type, and `ValueError` if the text is not a policy.
    pub(crate) fn new(
        policy: &Bound<'_, PyAny>,
        vocabulary: Option<&Vocabulary>,
        now: Option<Timestamp>,
    ) -> PyResult<Self> {
        let of = |policy: &Policy| {
            let rules = Rules::clone(policy.rules());
            Self::Rules(rules.policy(Timestamp::now), now)
        };
        if let Ok(policy) = policy.cast::<Policy>() {
            return Ok(of(policy.get()));
        }
        if let Ok(text) = policy.extract::<&str>() {
            return Ok(of(&Policy::of_text(text, vocabulary)?));
        }
        if policy.is_callable() {
            return Ok(Self::Function(Function {
                function: Arc::new(policy.clone().unbind()),
                error: Arc::default(),
            }));
        }
        Err(PyTypeError::new_err(
            "expected a Policy, the text of one such as \"own-state\", or a function that takes a Question and returns an Action",
        ))
    }

    /// Returns the rules of a policy file.
    pub(crate) fn rules(&self) -> Option<&Rules> {
        match self {
            Self::Rules(policy, _) => Some(policy.rules()),
            Self::Function(_) => None,
        }
    }

    /// Returns the Python function, which all clones share.
    pub(crate) fn function(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Rules(..) => None,
            Self::Function(function) => Some(&function.function),
        }
    }

    /// Removes and returns the exception of the Python function.
    pub(crate) fn take_error(&self) -> Option<PyErr> {
        match self {
            Self::Rules(..) => None,
            Self::Function(function) => function.error().take(),
        }
    }
}

impl provstream::Policy for AnyPolicy {
    fn judge(&mut self, assertion: &RustAssertion<'_>) -> Option<Verdict> {
        match self {
            Self::Rules(policy, now) => {
                let now = now.unwrap_or_else(Timestamp::now);
                Some(policy.rules().discipline().judge(assertion, now))
            }
            Self::Function(_) => None,
        }
    }

    fn assertion(&mut self, question: &Question<'_>) -> RustAction {
        match self {
            Self::Rules(policy, _) => policy.assertion(question),
            Self::Function(function) => function.ask(question),
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        match self {
            Self::Rules(policy, _) => policy.unannotated(),
            Self::Function(_) => Unannotated::Release,
        }
    }

    fn limit(&mut self) -> AtLimit {
        match self {
            Self::Rules(policy, _) => policy.limit(),
            Self::Function(_) => AtLimit::Release,
        }
    }

    fn spacing(&self) -> Spacing {
        match self {
            Self::Rules(policy, _) => policy.spacing(),
            Self::Function(_) => Spacing::Join,
        }
    }
}

/// Python function that decides about assertions. If it raises an exception, the stream is
/// suspended, so that nothing more is written.
#[derive(Clone)]
pub(crate) struct Function {
    function: Arc<Py<PyAny>>,
    error: Arc<Mutex<Option<PyErr>>>,
}

impl Function {
    fn ask(&self, question: &Question<'_>) -> RustAction {
        if self.error().is_some() {
            return RustAction::Suspend;
        }
        let answer = Python::attach(|py| -> PyResult<RustAction> {
            let question = PyQuestion {
                assertion: Assertion::unplaced(question.assertion().clone().into_owned()),
                channel: question.channel().into(),
                untrusted: question.untrusted(),
                ids: cited(question, |_| true),
                unknown_ids: cited(question, |reason| {
                    reason == Some(CitationReason::UnknownSource)
                }),
            };
            let answer = self.function.bind(py).call1((question,));
            let answer = answer.map_err(|error| callback_error(py, error))?;
            Ok(answer.extract::<Action>()?.0)
        });
        answer.unwrap_or_else(|error| {
            *self.error() = Some(error);
            RustAction::Suspend
        })
    }

    fn error(&self) -> std::sync::MutexGuard<'_, Option<PyErr>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Question to a policy in Python: the action on an assertion.
#[pyclass(frozen, name = "Question", module = "provstream")]
pub(crate) struct PyQuestion {
    assertion: Assertion,
    channel: Arc<str>,
    untrusted: bool,
    ids: Vec<String>,
    unknown_ids: Vec<String>,
}

/// Returns the identifiers that the markers of a question's assertion name and whose reason fits.
fn cited(question: &Question<'_>, fits: impl Fn(Option<CitationReason>) -> bool) -> Vec<String> {
    let Some(citation) = question.citation() else {
        return Vec::new();
    };
    let ids = citation.ids().filter(|cited| fits(cited.reason));
    ids.map(|cited| cited.id.to_owned()).collect()
}

#[pymethods]
impl PyQuestion {
    /// The assertion, with positions in bytes only.
    #[getter]
    fn assertion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Assertion>> {
        let place: Place = self.assertion.place;
        object(py, (place, &self.channel), self.assertion.clone())
    }

    /// Channel of a provider's response; empty for other streams.
    #[getter]
    fn channel(&self) -> &str {
        &self.channel
    }

    /// `True` if any of the text is untrusted.
    #[getter]
    const fn untrusted(&self) -> bool {
        self.untrusted
    }

    /// Identifiers of the sources that the sentence cites with markers; empty for an assertion with annotations.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.ids.clone()
    }

    /// Identifiers in `ids` that the complete list of sources does not have.
    #[getter]
    fn unknown_ids(&self) -> Vec<String> {
        self.unknown_ids.clone()
    }
}
