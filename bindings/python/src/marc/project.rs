//! Projection of records to disclosures.

use std::collections::BTreeMap;

use provstream_marc::{
    Action, Core, Disclosure, Document, Domain, Draft, MarcKind, Profile, Projection, Speech,
    TrustContext, WordingFinding, check_wording,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::deployment::{Deployment, wording};
use super::profile;
use crate::failure::WithheldError;
use crate::guard::caught;
use crate::settings::value_error;

/// Trust context of a record, and its authenticated emitter.
pub(super) type Trust = (String, Option<String>);

/// Unsuitable wording: kind, section, and start and end in code points.
type PlacedFinding = (&'static str, &'static str, usize, usize);

/// Action, disclosure as JSON unless deferred, findings by member, unused texts, and `True` if
/// there are rules for the wording's language.
type Projected = (
    &'static str,
    Option<String>,
    Vec<(&'static str, PlacedFinding)>,
    Vec<&'static str>,
    bool,
);

/// Texts for the user, and options of the projection.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ProjectionTexts {
    answer: Option<String>,
    question: Option<String>,
    message: Option<String>,
    /// Next step by action.
    next_steps: BTreeMap<String, String>,
    hide_action: bool,
    interim: bool,
}

impl ProjectionTexts {
    /// Returns the names of the given texts except `used` and a next step of the action.
    fn unused(&self, used: Option<&str>, action: Action) -> Vec<&'static str> {
        let has_next_step = self.next_steps.contains_key(action.as_str());
        let given = [
            ("answer", self.answer.is_some()),
            ("question", self.question.is_some()),
            ("message", self.message.is_some()),
            ("next_step", !self.next_steps.is_empty() && !has_next_step),
        ];
        let other = given.into_iter().filter(|(name, _)| Some(*name) != used);
        other
            .filter_map(|(name, is_given)| is_given.then_some(name))
            .collect()
    }
}

/// Parses a trust context; `None` for `untrusted`.
///
/// # Errors
/// `ValueError` for an unknown name, and for an emitter that is missing or of no use.
pub(super) fn context((trust, emitter): &Trust) -> PyResult<Option<TrustContext>> {
    let domain = match &**trust {
        "untrusted" => None,
        "local" => Some(Domain::Local),
        "delegated" => Some(Domain::Delegated),
        "cross-domain" | "attested" => Some(Domain::CrossDomain),
        _ => {
            return Err(PyValueError::new_err(format!(
                "expected trust \"untrusted\", \"local\", \"delegated\", \"cross-domain\" or \"attested\", found {trust:?}"
            )));
        }
    };
    match (domain, emitter) {
        (Some(domain), Some(emitter)) if trust == "attested" => {
            let context = TrustContext::new(domain).attested_by(emitter);
            context.map(Some).map_err(value_error)
        }
        (_, Some(_)) => Err(PyValueError::new_err(format!(
            "expected an emitter with trust \"attested\" only, found it with {trust:?}"
        ))),
        (_, None) if trust == "attested" => Err(PyValueError::new_err(
            "expected an emitter with trust \"attested\", such as \"example.com\"",
        )),
        (domain, None) => Ok(domain.map(TrustContext::new)),
    }
}

/// Projects a record in its trust context to a disclosure.
#[pyfunction]
pub(crate) fn marc_project(
    json: &str,
    texts: ProjectionTexts,
    trust: Trust,
    wording: (Option<PyRef<'_, Deployment>>, String),
    draft: (String, bool),
) -> PyResult<Projected> {
    let profile = profile(&draft.0, draft.1)?;
    let context = context(&trust)?;
    let (projection, policy) = self::wording(wording.0.as_deref(), &wording.1)?;
    caught(|| {
        let record = Core::read(json.as_bytes(), profile).map_err(value_error)?;
        let context = context.ok_or_else(|| {
            WithheldError::new_err(
                "the trust context of the record is not known; `trust` states it (MARC-02 15)",
            )
        })?;
        let speech = record.placed(context).speech(&policy);
        let speech = speech.map_err(|error| WithheldError::new_err(error.to_string()))?;
        let mut projection = projection;
        if texts.hide_action {
            projection = projection.without_action();
        }
        for (name, text) in &texts.next_steps {
            let action = name.parse().map_err(value_error)?;
            projection = projection.with_next_step_for(action, text);
        }
        speak(&projection, speech, &texts)
    })
}

fn speak(projection: &Projection, speech: Speech, texts: &ProjectionTexts) -> PyResult<Projected> {
    let is_checked = projection.wording().language().is_checked();
    let question = texts.question.as_deref();
    let message = texts.message.as_deref();
    let (action, used, disclosure) = match speech {
        Speech::Answer(turn) => {
            let answer = texts.answer.as_deref().ok_or_else(|| {
                PyValueError::new_err("expected `answer`, as the action is ANSWER, found none")
            })?;
            let action = turn.record().selected_action();
            (action, Some("answer"), projection.answer(turn, answer))
        }
        Speech::Clarify(turn) => {
            let action = turn.record().selected_action();
            let disclosure = projection.clarify(turn, question);
            (action, Some("question"), disclosure)
        }
        Speech::Refuse(turn) => {
            let action = turn.record().selected_action();
            (action, Some("message"), projection.refuse(turn, message))
        }
        Speech::Defer(turn) => {
            let action = turn.record().selected_action();
            if !texts.interim {
                let unused = texts.unused(None, action);
                return Ok((action.as_str(), None, Vec::new(), unused, is_checked));
            }
            (action, None, projection.interim(turn))
        }
        _ => return Err(PyValueError::new_err("this action is not known here")),
    };
    let disclosure = disclosure.map_err(value_error)?;
    let findings = disclosure.check_wording(action).into_iter();
    let findings = findings.map(|(member, finding)| {
        let text = match member {
            "answer" => disclosure.answer(),
            _ => disclosure.recommended_next_step(),
        };
        (member, place(text, &finding, disclosure.draft()))
    });
    Ok((
        action.as_str(),
        Some(disclosure.to_json()),
        findings.collect(),
        texts.unused(used, action),
        is_checked,
    ))
}

/// Converts a finding to code points.
fn place(text: &str, finding: &WordingFinding, draft: Draft) -> PlacedFinding {
    let points = |at: u64| {
        let head = usize::try_from(at).ok().and_then(|at| text.get(..at));
        head.unwrap_or(text).chars().count()
    };
    let span = finding.span();
    (
        finding.kind().as_str(),
        finding.section_of(draft),
        points(span.start()),
        points(span.end()),
    )
}

/// Finds wording that a disclosure should avoid.
#[pyfunction]
pub(crate) fn marc_check_wording(text: &str) -> PyResult<Vec<PlacedFinding>> {
    caught(|| {
        let findings = check_wording(text);
        Ok(findings
            .iter()
            .map(|finding| place(text, finding, Draft::Draft02))
            .collect())
    })
}

/// Formats a disclosure as text: the answer, and below it the uncertainty.
#[pyfunction]
pub(crate) fn marc_show(
    json: &str,
    wording: (Option<PyRef<'_, Deployment>>, String),
    draft: (String, bool),
) -> PyResult<String> {
    let profile = profile(&draft.0, draft.1)?;
    let (projection, _) = self::wording(wording.0.as_deref(), &wording.1)?;
    caught(|| {
        let disclosure = Disclosure::read(json.as_bytes(), profile).map_err(value_error)?;
        Ok(projection.wording().show(&disclosure))
    })
}

/// Converts an object of draft 01 to draft 02.
#[pyfunction]
pub(crate) fn marc_upgrade(json: &str, action: Option<&str>) -> PyResult<String> {
    let action = action.map(str::parse).transpose().map_err(value_error)?;
    let profile = Profile::new(Draft::Draft01);
    caught(|| {
        let document = Document::parse(json.as_bytes()).map_err(value_error)?;
        match document.kind() {
            Some(MarcKind::Core) => {
                let record = Core::new(document, profile).and_then(Core::upgrade);
                Ok(record.map_err(value_error)?.to_json())
            }
            Some(MarcKind::Disclosure) => {
                let disclosure = Disclosure::new(document, profile).map_err(value_error)?;
                let action = disclosure.selected_action().or(action).ok_or_else(|| {
                    PyValueError::new_err(
                        "expected `action`, as the disclosure does not name its own, found none",
                    )
                })?;
                let upgraded = disclosure.upgrade(action).map_err(value_error)?;
                Ok(upgraded.to_json())
            }
            None => Err(PyValueError::new_err(
                "expected a MARC object of draft 01, found an object of another kind",
            )),
        }
    })
}
