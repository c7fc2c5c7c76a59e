//! HTML pages about answers.

use provstream::{Gate, Rules};
use provstream_report::{Page, Report};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::guard::caught;
use crate::policy::Policy;
use crate::settings::{Limits, Settings};
use crate::time;
use crate::vocabulary::Vocabulary;

/// Remark on a page about a response that was not read completely.
const INCOMPLETE: &str = "Not all text of the response was read.";

/// Builds an HTML page about the texts of an answer. Each has its channel, which is empty if the
/// answer is one text, and its pieces, between which something other than text comes.
#[pyfunction]
#[pyo3(signature = (texts, is_complete, policy, name, now, mode, vocabulary, limits))]
#[expect(
    clippy::too_many_arguments,
    reason = "most are the keyword arguments of `report.html`"
)]
pub(crate) fn report_page(
    texts: Vec<(String, Vec<PyBackedBytes>)>,
    is_complete: bool,
    policy: &Policy,
    name: &str,
    now: Option<&Bound<'_, PyAny>>,
    mode: &str,
    vocabulary: Option<&Vocabulary>,
    limits: Option<&Limits>,
) -> PyResult<String> {
    let settings = Settings::new(mode, vocabulary, limits, false)?;
    let rules = Rules::clone(policy.rules());
    let mut report = Report::new(rules, time::or_now(now)?);
    caught(|| {
        let (mut parts, mut bodies) = (Vec::new(), Vec::new());
        for (channel, pieces) in &texts {
            let mut transcript = report.transcript(Some(&**channel).filter(|it| !it.is_empty()));
            transcript.resume();
            let mut gate = Gate::new(settings.parser(), report.policy());
            for (at, piece) in pieces.iter().enumerate() {
                if at > 0 {
                    gate.push_break(&mut transcript);
                }
                gate.push(piece, &mut transcript);
            }
            gate.finish(&mut transcript);
            let mut body = Vec::new();
            parts.push(transcript.finish(&mut body)?);
            bodies.push(body);
        }
        let mut page = Page::new(name, &parts).with_report(&report);
        if !is_complete {
            page = page.with_remark(INCOMPLETE);
        }
        let mut html = Vec::new();
        page.write_head(&mut html)?;
        for (part, body) in parts.iter().zip(&mut bodies) {
            page.write_part(part, &mut html)?;
            html.append(body);
        }
        page.write_end(&mut html)?;
        Ok(String::from_utf8(html)?)
    })
}

/// Escapes untrusted text as content of an HTML element.
#[pyfunction]
pub(crate) fn escaped(text: &str) -> String {
    provstream_report::escaped(text)
}
