//! Descriptions of deployments.

use provstream_marc::{ConformanceClass, Deployment as RustDeployment, Language, Projection};
use provstream_marc::{TrustPolicy, Wording};
use pyo3::prelude::*;

use crate::settings::value_error;

/// Description of a deployment of MARC, which also configures its decisions and its wording.
///
/// `toml` is the text of a file; `corpus/marc/deployment.toml` has every key with a comment. Raises `ValueError` with line and
/// column. Source: `MARC-02 20`.
#[pyclass(frozen, name = "Deployment", module = "provstream.marc")]
pub(crate) struct Deployment(RustDeployment);

/// Result for a requirement: class, id, section, level, outcome, basis, title and reason.
type Finding = (
    &'static str,
    &'static str,
    String,
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
    String,
);

/// Class, `True` if claimed, and `True` if the deployment conforms.
type Claim = (&'static str, bool, bool);

impl Deployment {
    pub(super) const fn inner(&self) -> &RustDeployment {
        &self.0
    }
}

#[pymethods]
impl Deployment {
    #[new]
    fn new(toml: &str) -> PyResult<Self> {
        RustDeployment::from_toml(toml.as_bytes())
            .map(Self)
            .map_err(value_error)
    }

    /// Name of the deployment.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Draft that the deployment follows: `01` or `02`.
    #[getter]
    fn draft(&self) -> &'static str {
        self.0.draft().as_str()
    }

    /// Conformance classes that the deployment claims.
    #[getter]
    fn classes(&self) -> Vec<&'static str> {
        self.0.classes().map(ConformanceClass::as_str).collect()
    }

    /// Results for all requirements and classes, and a table of them as text.
    fn _conformance(&self) -> (Vec<Finding>, Vec<Claim>, String) {
        let report = self.0.conformance();
        let findings = report.findings().iter().map(|finding| {
            (
                finding.class().as_str(),
                finding.id(),
                finding.section().to_string(),
                finding.level().as_str(),
                finding.outcome().as_str(),
                finding.basis().map(|basis| basis.as_str()),
                finding.title(),
                finding.reason().to_owned(),
            )
        });
        let classes = ConformanceClass::ALL.iter();
        let classes =
            classes.map(|&class| (class.as_str(), report.claims(class), report.conforms(class)));
        (findings.collect(), classes.collect(), report.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<Deployment {:?}>", self.0.name())
    }
}

/// Returns the wording and the trust policy of a deployment; without one, the wording of a language
/// and the default policy.
///
/// # Errors
/// `ValueError` for an unknown language.
pub(super) fn wording(
    deployment: Option<&Deployment>,
    language: &str,
) -> PyResult<(Projection, TrustPolicy)> {
    let projection = Projection::new();
    if let Some(deployment) = deployment {
        let wording = deployment.0.wording().clone();
        return Ok((
            projection.with_wording(wording),
            *deployment.0.trust_policy(),
        ));
    }
    let language: Language = language.parse().map_err(value_error)?;
    let wording = Wording::in_language(language);
    Ok((projection.with_wording(wording), TrustPolicy::default()))
}
