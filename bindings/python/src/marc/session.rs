//! Decisions about actions.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use provstream_marc::{
    Action, ContextualRecord, Core, Decision, Details, Remedy, Score, Scores, Session,
    SessionState, Situation, Source, Spent,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::deployment::Deployment;
use super::project::{Trust, context};
use crate::guard::ObjectState;
use crate::settings::value_error;
use crate::time::duration;

/// Keyword arguments of `Session.decide`: the situation, further members of the record, and the
/// resources that the last round used.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given<'py> {
    pre_capability: f64,
    uncertainty: BTreeMap<String, f64>,
    primary_source: String,
    secondary_source: Option<String>,
    judgements: BTreeMap<String, bool>,
    /// Availability, permission and, if assessed, value of each intervention.
    remedies: BTreeMap<String, (bool, bool, Option<bool>)>,
    risk_tier: Option<String>,
    remediability: Option<String>,
    task_family: Option<String>,
    next_steps: BTreeMap<String, String>,
    post_answer_confidence: Option<f64>,
    action_suitability: Option<f64>,
    sub_action: Option<String>,
    /// JSON values by name.
    extensions: BTreeMap<String, String>,
    /// Time and cost of the last round.
    spent: Option<(Option<Bound<'py, PyAny>>, u64)>,
}

/// Result of a decision: the action, the record as JSON, the steps with section, action and reason,
/// the deviation that applied, and the interventions ruled out by a bound, each with the exhausted
/// part.
type Decided = (
    &'static str,
    String,
    Vec<(&'static str, Option<&'static str>, String)>,
    Option<String>,
    Vec<(&'static str, &'static str)>,
);

/// Decides about one request.
#[pyclass(frozen, name = "_Session", module = "provstream.marc")]
pub(crate) struct PySession {
    session: ObjectState<Session>,
    unused_is_zero: bool,
}

#[pymethods]
impl PySession {
    #[new]
    fn new(deployment: &Deployment, id: &str, parent: Option<(String, Trust)>) -> PyResult<Self> {
        let deployment = deployment.inner();
        let controller = deployment.controller().ok_or_else(|| {
            let missing = deployment.missing_for_controller().join(", ");
            PyValueError::new_err(format!(
                "expected a deployment with what decisions need, found one without {missing}"
            ))
        })?;
        let session = match parent {
            None => Session::new(&controller, id),
            Some((json, trust)) => {
                let record = received(&json, &trust, controller.draft().into())?;
                Session::following(&controller, id, &record)
            }
        };
        Ok(Self {
            session: ObjectState::new("session", session.map_err(value_error)?),
            unused_is_zero: deployment.unused_scores_are_zero(),
        })
    }

    /// State: `assess`, `running`, `awaiting-reply` or `over`.
    #[getter]
    fn state(&self) -> PyResult<&'static str> {
        self.session.with(|session| {
            Ok(match session.state() {
                SessionState::Assess => "assess",
                SessionState::Running(_) => "running",
                SessionState::AwaitingReply => "awaiting-reply",
                _ => "over",
            })
        })
    }

    /// Decides about an action. An error leaves the session unchanged.
    fn decide(&self, given: Given<'_>) -> PyResult<Decided> {
        let situation = situation(&given, self.unused_is_zero)?;
        let details = details(&given)?;
        let spent = spent(given.spent)?;
        self.session.with(|session| {
            let mut next = session.clone();
            go_on(&mut next, spent)?;
            let decision = next.decide(&situation, &details).map_err(value_error)?;
            *session = next;
            Ok(decided(&decision))
        })
    }
}

/// Reads a record of another component, in the trust context that its receiver states.
fn received(
    json: &str,
    trust: &Trust,
    profile: provstream_marc::Profile,
) -> PyResult<ContextualRecord> {
    let record = Core::read(json.as_bytes(), profile).map_err(value_error)?;
    let context = context(trust)?.ok_or_else(|| {
        PyValueError::new_err("expected a trust context for the record that the session follows")
    })?;
    Ok(record.placed(context))
}

/// Completes a running action, or records the user's reply.
fn go_on(session: &mut Session, spent: Option<Spent>) -> PyResult<()> {
    let is_running = matches!(session.state(), SessionState::Running(_));
    if spent.is_some() && !is_running {
        return Err(PyValueError::new_err(
            "spent: expected a call after RETRIEVE, TOOL or DELIBERATE, found one with no action running",
        ));
    }
    match session.state() {
        SessionState::Running(_) => session.completed(spent.unwrap_or_default()),
        SessionState::AwaitingReply => session.replied(),
        _ => Ok(()),
    }
    .map_err(value_error)
}

fn decided(decision: &Decision) -> Decided {
    let selection = decision.selection();
    let steps = selection.steps().iter().map(|step| {
        let action = step.action().map(Action::as_str);
        (step.section(), action, step.reason().to_owned())
    });
    let skipped = selection.skipped().iter();
    (
        decision.action().as_str(),
        decision.record().document().to_json(),
        steps.collect(),
        selection.deviation().map(str::to_owned),
        skipped
            .map(|hit| (hit.intervention().as_str(), hit.kind().as_str()))
            .collect(),
    )
}

/// Creates an error about an argument.
fn about(name: &str, error: impl Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {error}"))
}

/// Parses a value of an enumeration.
fn term<T: FromStr<Err: Display>>(name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error: T::Err| about(name, error))
}

fn score(name: &str, value: f64) -> PyResult<Score> {
    Score::new(value).map_err(|error| about(name, error))
}

fn situation(given: &Given<'_>, unused_is_zero: bool) -> PyResult<Situation> {
    let mut scores = Scores::all(Score::ZERO);
    for (name, &value) in &given.uncertainty {
        let source = term("uncertainty", name)?;
        scores = scores.with(source, score(&format!("uncertainty.{name}"), value)?);
    }
    let names = Source::NAMES.iter().copied();
    let missing: Vec<_> = names
        .filter(|&name| !given.uncertainty.contains_key(name))
        .collect();
    if !missing.is_empty() && !unused_is_zero {
        let missing = missing.join(", ");
        return Err(about(
            "uncertainty",
            format!("missing: {missing}; every source needs a score (MARC-02 9.3)"),
        ));
    }
    let mut situation = Situation::new(
        score("pre_capability", given.pre_capability)?,
        scores,
        term("primary_source", &given.primary_source)?,
    );
    if let Some(name) = &given.secondary_source {
        situation = situation.with_secondary_source(term("secondary_source", name)?);
    }
    for (name, &holds) in &given.judgements {
        situation = situation.with_judgement(term("judgements", name)?, holds);
    }
    for (name, &(available, permitted, worthwhile)) in &given.remedies {
        let mut remedy = Remedy::USABLE
            .with_available(available)
            .with_permitted(permitted);
        if let Some(worthwhile) = worthwhile {
            remedy = remedy.with_worthwhile(worthwhile);
        }
        situation = situation.with_remedy(term("remedies", name)?, remedy);
    }
    if let Some(name) = &given.risk_tier {
        situation = situation.with_risk_tier(term("risk_tier", name)?);
    }
    if let Some(name) = &given.remediability {
        situation = situation.with_remediability(term("remediability", name)?);
    }
    if let Some(name) = &given.task_family {
        situation = situation.with_task_family(name);
    }
    Ok(situation)
}

fn details(given: &Given<'_>) -> PyResult<Details> {
    let mut details = Details::new();
    for (name, text) in &given.next_steps {
        details = details.with_next_step_for(term("recommended_next_step", name)?, text);
    }
    if let Some(value) = given.post_answer_confidence {
        details = details.with_post_answer_confidence(score("post_answer_confidence", value)?);
    }
    if let Some(value) = given.action_suitability {
        details = details.with_action_suitability(score("action_suitability", value)?);
    }
    if let Some(name) = &given.sub_action {
        details = details.with_sub_action(name);
    }
    for (name, json) in &given.extensions {
        details = details
            .with_extension(name, json)
            .map_err(|error| about(&format!("extensions.{name}"), error))?;
    }
    Ok(details)
}

fn spent(given: Option<(Option<Bound<'_, PyAny>>, u64)>) -> PyResult<Option<Spent>> {
    let Some((time, cost)) = given else {
        return Ok(None);
    };
    let time = time.as_ref().map(duration).transpose()?;
    Ok(Some(Spent::new(time.unwrap_or_default(), cost)))
}
