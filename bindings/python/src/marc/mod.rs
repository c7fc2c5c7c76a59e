//! MARC objects: validation and schemas. Decisions, disclosures and carriers are in submodules.

pub(crate) mod carry;
pub(crate) mod deployment;
pub(crate) mod project;
pub(crate) mod session;

use provstream_marc::{Document, Draft, MarcKind, Profile, Report, SequenceValidator, Violation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::guard::{ObjectState, caught};
use crate::settings::value_error;

/// Parses the name of a kind.
fn parse_kind(name: &str) -> PyResult<MarcKind> {
    name.parse().map_err(value_error)
}

/// Returns the profile of a draft, lenient or strict.
fn profile(draft: &str, strict: bool) -> PyResult<Profile> {
    let draft = match draft {
        "01" => Draft::Draft01,
        "02" => Draft::Draft02,
        _ => {
            return Err(PyValueError::new_err(format!(
                "expected draft \"01\" or \"02\", found {draft:?}"
            )));
        }
    };
    let profile = Profile::new(draft);
    Ok(if strict { profile.strict() } else { profile })
}

/// Violation of a requirement of a draft.
#[pyclass(frozen, eq, name = "Violation", module = "provstream.marc")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyViolation(Violation);

#[pymethods]
impl PyViolation {
    /// Code of the violation, such as `missing-member`.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code().as_str()
    }

    /// `must` or `should`.
    #[getter]
    fn level(&self) -> &'static str {
        self.0.level().as_str()
    }

    /// Section of the draft.
    #[getter]
    fn section(&self) -> &str {
        self.0.section()
    }

    /// JSON Pointer to the member.
    #[getter]
    fn pointer(&self) -> &str {
        self.0.pointer()
    }

    /// Expected and found values.
    #[getter]
    fn message(&self) -> &str {
        self.0.message()
    }

    fn __repr__(&self) -> String {
        format!("<Violation {}>", self.0)
    }
}

/// Returns the violations of a report.
fn violations(report: &Report) -> Vec<PyViolation> {
    report
        .violations()
        .iter()
        .cloned()
        .map(PyViolation)
        .collect()
}

/// Validates an object; returns its kind, `True` if it is valid, and the violations.
#[pyfunction]
#[pyo3(signature = (json, kind, draft, strict))]
pub(crate) fn marc_validate(
    json: &str,
    kind: Option<&str>,
    draft: &str,
    strict: bool,
) -> PyResult<(Option<&'static str>, bool, Vec<PyViolation>)> {
    let profile = profile(draft, strict)?;
    caught(|| {
        let document = Document::parse(json.as_bytes()).map_err(value_error)?;
        let kind = match kind {
            Some(name) => Some(parse_kind(name)?),
            None => document.kind(),
        };
        let Some(kind) = kind else {
            return Ok((None, false, Vec::new()));
        };
        let report = document.validate(kind, profile);
        Ok((Some(kind.as_str()), report.is_valid(), violations(&report)))
    })
}

/// Builds the JSON Schema of an object under a draft, as JSON.
#[pyfunction]
#[pyo3(signature = (kind, draft, strict))]
pub(crate) fn marc_schema(kind: &str, draft: &str, strict: bool) -> PyResult<String> {
    Ok(provstream_marc::schema(
        parse_kind(kind)?,
        profile(draft, strict)?,
    ))
}

/// Compares the records of a stream with one another. Source: `MARC-02 10`.
#[pyclass(frozen, name = "Sequence", module = "provstream.marc")]
pub(crate) struct Sequence(ObjectState<SequenceValidator>);

#[pymethods]
impl Sequence {
    #[new]
    #[pyo3(signature = (*, draft="02", strict=false))]
    fn new(draft: &str, strict: bool) -> PyResult<Self> {
        let validator = SequenceValidator::new(profile(draft, strict)?);
        Ok(Self(ObjectState::new("sequence", validator)))
    }

    /// Compares the next object with earlier ones, and returns the violations.
    fn check(&self, json: &str) -> PyResult<Vec<PyViolation>> {
        self.0.with(|validator| {
            let document = Document::parse(json.as_bytes()).map_err(value_error)?;
            Ok(violations(&validator.check(&document)))
        })
    }

    /// Skips a record that could not be read, to which later ones may refer.
    fn skip(&self) -> PyResult<()> {
        self.0.with(|validator| {
            validator.skip();
            Ok(())
        })
    }

    /// Ends the stream, and returns the violations of the stream as a whole.
    fn finish(&self) -> PyResult<Vec<PyViolation>> {
        self.0.with(|validator| Ok(violations(&validator.finish())))
    }
}
