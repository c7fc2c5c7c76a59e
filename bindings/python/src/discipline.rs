//! Disciplines: which assertions may be acted on.

use std::collections::BTreeMap;

use provstream::provenance::{Class, Discipline as RustDiscipline, Verdict as RustVerdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::event::Assertion;
use crate::settings::value_error;
use crate::time;
use crate::vocabulary::Vocabulary;

/// What a relying party asks of an assertion before it acts on it: `floor` distinct classes, each observed within its window.
///
/// Windows are durations such as `"1h30m"` or a `timedelta`; an annotation of a class without one never counts. Classes in one of
/// the `groups` count once together. Raises `ValueError` for a floor of 0, an unknown class, a window of a terminal, and a class
/// in two groups. Source: `provenance memo 7`.
///
/// >>> discipline = provstream.Discipline(2, default_window="1h")
/// >>> text = "It is so. [substrate.grep; ts=2026-05-28T11:40:00Z]"
/// >>> [a] = provstream.parse(text)
/// >>> print(discipline.judge(a, now="2026-05-28T12:00:00Z"))
/// not admitted (below-floor): 1 of 2 classes: substrate.grep
#[pyclass(frozen, eq, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Discipline(RustDiscipline);

impl Discipline {
    pub(crate) const fn inner(&self) -> &RustDiscipline {
        &self.0
    }
}

type Windows<'py> = BTreeMap<String, Bound<'py, PyAny>>;

#[pymethods]
impl Discipline {
    #[new]
    #[pyo3(signature = (floor, *, default_window=None, windows=None, skew=None, groups=None, vocabulary=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "all but the first are optional keyword arguments"
    )]
    fn new(
        floor: usize,
        default_window: Option<&Bound<'_, PyAny>>,
        windows: Option<Windows<'_>>,
        skew: Option<&Bound<'_, PyAny>>,
        groups: Option<Vec<Vec<String>>>,
        vocabulary: Option<&Vocabulary>,
    ) -> PyResult<Self> {
        let memo = provstream::provenance::Vocabulary::memo();
        let vocabulary = vocabulary.map_or(&memo, Vocabulary::inner);
        let class = |name: &str| -> PyResult<Class> {
            vocabulary.class(name).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "expected a class of the vocabulary, found {name:?}"
                ))
            })
        };
        let mut builder = RustDiscipline::builder(floor);
        if let Some(window) = default_window {
            builder = builder.default_window(time::duration(window)?);
        }
        for (name, window) in windows.unwrap_or_default() {
            builder = builder.window(class(&name)?, time::duration(&window)?);
        }
        if let Some(skew) = skew {
            builder = builder.skew(time::duration(skew)?);
        }
        for group in groups.unwrap_or_default() {
            let classes: PyResult<Vec<_>> = group.iter().map(|name| class(name)).collect();
            builder = builder.group(classes?);
        }
        builder.build().map(Self).map_err(value_error)
    }

    /// How many distinct classes must count.
    #[getter]
    const fn floor(&self) -> usize {
        self.0.floor()
    }

    /// Judges what an assertion declares, as of a time (RFC 3339 or an aware `datetime`); that of the clock without one.
    #[pyo3(signature = (assertion, *, now=None))]
    fn judge(&self, assertion: &Assertion, now: Option<&Bound<'_, PyAny>>) -> PyResult<Verdict> {
        let now = time::or_now(now)?;
        Ok(Verdict(self.0.judge(assertion.inner(), now)))
    }

    fn __repr__(&self) -> String {
        format!("<Discipline: floor {}>", self.0.floor())
    }
}

/// Whether an assertion is admitted, and why: a statement about what was declared, never evidence. Source: `provenance memo 7`.
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Verdict(pub(crate) RustVerdict);

#[pymethods]
impl Verdict {
    /// Whether the discipline is met.
    #[getter]
    const fn admitted(&self) -> bool {
        self.0.admitted()
    }

    /// `admitted`, `below-floor`, `terminal`, `unannotated`, `limit` or `no-assertion`.
    #[getter]
    const fn reason(&self) -> &'static str {
        self.0.reason().as_str()
    }

    /// The distinct classes that count, sorted.
    #[getter]
    fn classes(&self) -> Vec<&str> {
        self.0.classes().iter().map(Class::as_str).collect()
    }

    /// What is compared with the floor: the classes, those of one group counted once.
    #[getter]
    const fn count(&self) -> usize {
        self.0.count()
    }

    /// The floor that was applied.
    #[getter]
    const fn floor(&self) -> usize {
        self.0.floor()
    }

    /// For each annotation, `counts` or why it does not, such as `stale`.
    #[getter]
    fn counting(&self) -> Vec<&'static str> {
        self.0
            .counting()
            .iter()
            .map(|found| found.as_str())
            .collect()
    }

    /// The members of a verdict in the lines of JSON that the command line writes.
    fn to_json(&self) -> PyResult<String> {
        crate::event::to_json(&self.0)
    }

    const fn __bool__(&self) -> bool {
        self.0.admitted()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.0)
    }
}
