//! Disciplines: conditions for acting on assertions.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use provstream::provenance::{Class, Discipline as RustDiscipline, Verdict as RustVerdict};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::event::Assertion;
use crate::settings::value_error;
use crate::time;
use crate::vocabulary::Vocabulary;

/// Conditions of a relying party for acting on an assertion: `floor` distinct classes, each
/// observed within its window.
///
/// Windows are durations such as `"1h30m"` or a `timedelta`; an annotation of a class without one never counts. Classes in one of
/// the `groups` count once together. Raises `ValueError` for a floor of 0, an unknown class, a window of a terminal, a class
/// in two groups, and where no assertion can be admitted: without a window, with a window of 0, or with a floor above the number
/// of classes that can count. Source: `provenance memo 7`.
///
/// >>> discipline = provstream.Discipline(2, default_window="1h")
/// >>> text = "It is so. [substrate.grep; ts=2026-05-28T11:40:00Z]"
/// >>> [a] = provstream.parse(text)
/// >>> print(discipline.judge(a, now="2026-05-28T12:00:00Z"))
/// not admitted (below-floor): 1 of 2 classes: substrate.grep
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone)]
pub(crate) struct Discipline(RustDiscipline, Arc<Arguments>);

/// Arguments of the constructor, for copies and pickles.
struct Arguments {
    default_window: Option<Duration>,
    windows: BTreeMap<String, Duration>,
    skew: Option<Duration>,
    groups: Vec<Vec<String>>,
    vocabulary: Option<Vocabulary>,
}

/// Keyword arguments of the constructor.
const KEYWORDS: [&str; 5] = ["default_window", "windows", "skew", "groups", "vocabulary"];

impl Arguments {
    /// Checks the windows, as those of a policy file are.
    fn check(&self) -> PyResult<()> {
        let mut windows = self.default_window.iter().chain(self.windows.values());
        if self.default_window.is_none() && self.windows.is_empty() {
            return Err(PyValueError::new_err(
                "expected default_window or windows, such as default_window=\"1h\", found neither: without a window no annotation counts",
            ));
        }
        if windows.any(Duration::is_zero) {
            return Err(PyValueError::new_err(
                "expected windows above zero, found one of 0",
            ));
        }
        Ok(())
    }
}

/// The error for a class that the vocabulary does not have.
fn unknown_class(name: &str, vocabulary: &provstream::provenance::Vocabulary) -> PyErr {
    let similar = vocabulary.similar(name);
    let hint = similar.map_or_else(
        || "Vocabulary.classes has all".to_owned(),
        |class| format!("did you mean {:?}", class.as_str()),
    );
    PyValueError::new_err(format!(
        "expected a class of vocabulary {}, found {name:?}; {hint}",
        vocabulary.version()
    ))
}

/// The error for keyword arguments that the constructor does not have.
fn unknown_keyword(given: &Bound<'_, PyDict>) -> PyErr {
    let error = || -> PyResult<PyErr> {
        let name: String = given.keys().get_item(0)?.extract()?;
        let difflib = given.py().import("difflib")?;
        let close = difflib.call_method1("get_close_matches", (&name, KEYWORDS, 1))?;
        let hint = match close.extract::<Vec<String>>()?.first() {
            Some(close) => format!("did you mean {close:?}"),
            None => format!("expected one of {}", KEYWORDS.join(", ")),
        };
        let message = format!("unexpected keyword argument {name:?}; {hint}");
        Ok(PyTypeError::new_err(message))
    };
    error().unwrap_or_else(|error| error)
}

impl PartialEq for Discipline {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Discipline {}

impl Hash for Discipline {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.floor().hash(state);
    }
}

impl Discipline {
    pub(crate) const fn inner(&self) -> &RustDiscipline {
        &self.0
    }
}

type WindowArguments<'py> = BTreeMap<String, Bound<'py, PyAny>>;

#[pymethods]
impl Discipline {
    #[new]
    #[pyo3(signature = (floor, *, default_window=None, windows=None, skew=None, groups=None, vocabulary=None, **unknown))]
    #[expect(
        clippy::too_many_arguments,
        reason = "all but the first are optional keyword arguments"
    )]
    fn new(
        floor: usize,
        default_window: Option<&Bound<'_, PyAny>>,
        windows: Option<WindowArguments<'_>>,
        skew: Option<&Bound<'_, PyAny>>,
        groups: Option<Vec<Vec<String>>>,
        vocabulary: Option<&Vocabulary>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Some(unknown) = unknown {
            return Err(unknown_keyword(unknown));
        }
        let durations = windows.unwrap_or_default().into_iter();
        let durations = durations.map(|(name, window)| Ok((name, time::duration(&window)?)));
        let given = Arguments {
            default_window: default_window.map(time::duration).transpose()?,
            windows: durations.collect::<PyResult<_>>()?,
            skew: skew.map(time::duration).transpose()?,
            groups: groups.unwrap_or_default(),
            vocabulary: vocabulary.cloned(),
        };
        let memo = provstream::provenance::Vocabulary::memo();
        let vocabulary = vocabulary.map_or(&memo, Vocabulary::inner);
        let class = |name: &str| -> PyResult<Class> {
            let class = vocabulary.class(name);
            class.ok_or_else(|| unknown_class(name, vocabulary))
        };
        let mut builder = RustDiscipline::builder(floor);
        if let Some(window) = given.default_window {
            builder = builder.default_window(window);
        }
        for (name, &window) in &given.windows {
            builder = builder.window(class(name)?, window);
        }
        if let Some(skew) = given.skew {
            builder = builder.skew(skew);
        }
        for group in &given.groups {
            let classes: PyResult<Vec<_>> = group.iter().map(|name| class(name)).collect();
            builder = builder.group(classes?);
        }
        let discipline = builder.build().map_err(value_error)?;
        given.check()?;
        let most = discipline.max_count(vocabulary.classes().map(|(class, _)| class));
        if floor > most {
            return Err(PyValueError::new_err(format!(
                "expected a floor of at most {most}, the number of classes with a window that can count, found {floor}"
            )));
        }
        Ok(Self(discipline, Arc::new(given)))
    }

    /// For `copy` and `pickle`.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((usize,), Bound<'py, PyDict>)> {
        let (given, named) = (&self.1, PyDict::new(py));
        let duration = |given: Option<Duration>| {
            given.map_or(Ok(None), |given| time::to_timedelta(py, given).map(Some))
        };
        let windows = PyDict::new(py);
        for (name, &window) in &given.windows {
            windows.set_item(name, time::to_timedelta(py, window)?)?;
        }
        named.set_item("default_window", duration(given.default_window)?)?;
        named.set_item("windows", windows)?;
        named.set_item("skew", duration(given.skew)?)?;
        named.set_item("groups", &given.groups)?;
        named.set_item("vocabulary", given.vocabulary.clone())?;
        Ok(((self.floor(),), named))
    }

    /// Number of distinct classes that must count.
    #[getter]
    const fn floor(&self) -> usize {
        self.0.floor()
    }

    /// Judges the annotations of an assertion as of a time (RFC 3339 or an aware `datetime`); by
    /// default now.
    #[pyo3(signature = (assertion, *, now=None))]
    fn judge(&self, assertion: &Assertion, now: Option<&Bound<'_, PyAny>>) -> PyResult<Verdict> {
        let now = time::or_now(now)?;
        Ok(Verdict(self.0.judge(assertion.inner(), now)))
    }

    fn __repr__(&self) -> String {
        format!("<Discipline: floor {}>", self.0.floor())
    }
}

/// Admission of an assertion, with reasons: a statement about declared annotations, never evidence.
/// Source: `provenance memo 7`.
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Verdict(pub(crate) RustVerdict);

#[pymethods]
impl Verdict {
    /// `True` if the conditions of the discipline are met.
    #[getter]
    const fn admitted(&self) -> bool {
        self.0.admitted()
    }

    /// `admitted`, `below-floor`, `terminal`, `unannotated`, `limit` or `no-assertion`.
    #[getter]
    const fn reason(&self) -> &'static str {
        self.0.reason().as_str()
    }

    /// Distinct classes that count, sorted.
    #[getter]
    fn classes(&self) -> Vec<&str> {
        self.0.classes().iter().map(Class::as_str).collect()
    }

    /// Number that is compared with the floor: the distinct classes, those of one group counted
    /// once.
    #[getter]
    const fn count(&self) -> usize {
        self.0.count()
    }

    /// Floor of the discipline.
    #[getter]
    const fn floor(&self) -> usize {
        self.0.floor()
    }

    /// For each annotation, `counts` or the reason why it does not count, such as `stale`.
    #[getter]
    fn counting(&self) -> Vec<&'static str> {
        self.0
            .counting()
            .iter()
            .map(|found| found.as_str())
            .collect()
    }

    /// The members of a verdict in the command line's JSON output.
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
