//! Vocabularies of classes.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use provstream::provenance::{Class, Vocabulary as RustVocabulary};
use pyo3::prelude::*;

use crate::settings::value_error;

/// The substrate classes that annotations can name, and the two terminals.
///
/// `Vocabulary()` is the memo's. `Vocabulary(toml)` loads the text of a file: `version`, and a `[[class]]` table with `id`,
/// `since` and perhaps `description` for each class. Raises `ValueError` that names what is wrong, line and column.
/// Source: `provenance memo 4`.
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone)]
pub(crate) struct Vocabulary(RustVocabulary, Option<Arc<str>>);

impl Vocabulary {
    pub(crate) const fn inner(&self) -> &RustVocabulary {
        &self.0
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Vocabulary {}

impl Hash for Vocabulary {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.version().hash(state);
    }
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[pyo3(signature = (toml=None))]
    fn new(toml: Option<&str>) -> PyResult<Self> {
        let Some(toml) = toml else {
            return Ok(Self(RustVocabulary::memo(), None));
        };
        let loaded = RustVocabulary::from_toml(toml.as_bytes()).map_err(value_error)?;
        Ok(Self(loaded, Some(toml.into())))
    }

    /// For `copy` and `pickle`.
    fn __getnewargs__(&self) -> (Option<&str>,) {
        (self.1.as_deref(),)
    }

    /// Version, such as `1.0`.
    #[getter]
    fn version(&self) -> String {
        self.0.version().to_string()
    }

    /// Identifiers of the classes, without the terminals.
    #[getter]
    fn classes(&self) -> Vec<String> {
        let names = self.0.classes().map(|(class, _)| class.as_str().to_owned());
        names.collect()
    }

    /// Identifiers of the two terminals.
    #[getter]
    fn terminals(&self) -> Vec<String> {
        let terminals = self.0.terminals();
        terminals
            .iter()
            .map(|class| class.as_str().to_owned())
            .collect()
    }

    /// Returns the description of a class in prompts, or `None` if it has none.
    fn description(&self, class_: &str) -> Option<String> {
        let class: Class = self.0.class(class_)?;
        self.0.description(&class).map(str::to_owned)
    }

    /// Returns the class that an identifier maps to, and the reason if that differs from the
    /// identifier.
    fn resolve(&self, declared: &str) -> (String, Option<&'static str>) {
        let found = self.0.resolve(declared.as_bytes());
        let reason = found.reason().map(|reason| reason.as_str());
        (found.class().as_str().to_owned(), reason)
    }

    /// Escapes the annotations in untrusted text, so that a later parser reads them as text.
    fn escape(&self, text: &str) -> String {
        provstream::provenance::escape_str(text, &self.0).into_owned()
    }

    fn __contains__(&self, class_: &str) -> bool {
        self.0.class(class_).is_some()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Vocabulary {}: {} classes>",
            self.0.version(),
            self.0.classes().count()
        )
    }
}
