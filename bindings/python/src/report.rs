//! HTML pages about answers.

use provstream::Rules;
use pyo3::prelude::*;

use crate::guard::caught;
use crate::policy::Policy;
use crate::settings::{Limits, Settings};
use crate::time;
use crate::vocabulary::Vocabulary;

/// Builds an HTML page about an answer.
#[pyfunction]
#[pyo3(signature = (answer, policy, name, now, mode, vocabulary, limits))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the keyword arguments of `report.html`"
)]
pub(crate) fn report_page(
    answer: &[u8],
    policy: &Policy,
    name: &str,
    now: Option<&Bound<'_, PyAny>>,
    mode: &str,
    vocabulary: Option<&Vocabulary>,
    limits: Option<&Limits>,
) -> PyResult<String> {
    let settings = Settings::new(mode, vocabulary, limits, false)?;
    let rules = Rules::clone(policy.rules());
    let report = provstream_report::Report::new(rules, time::or_now(now)?);
    caught(|| {
        Ok(provstream_report::page(
            name,
            answer,
            settings.parser(),
            report,
        ))
    })
}
