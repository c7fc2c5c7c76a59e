//! `provstream marc decide`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use provstream_marc::{Controller, Decision, Deployment, Session, SessionState, SituationInput};
use serde::Serialize;
use serde_json::value::RawValue;

use super::objects::{ObjectRun, raw_json};
use crate::error::usage_error;
use crate::output::Output;
use crate::settings;

/// Most open sessions.
const MAX_SESSIONS: usize = 4_096;

/// Select an action for each situation, and print the record of the decision
///
/// Each line of the input is a JSON object that describes a decision point:
///
///     {"pre_capability":0.39,
///      "uncertainty":{"ambiguity":0.09,"missing_evidence":0.84,"capability_limit":0.14,
///        "evidence_conflict":0.11,"safety":0},
///      "primary_source":"missing_evidence","remediability":"retrieval","remedies":{"human":true}}
///
/// docs/marc.md describes all members. No text for the user is read here: the action comes first,
/// and `provstream marc project` takes the texts. For each line one is printed, with the action,
/// the steps that led to it and the record; or {"event":"refused","line":1,"message":"…"}, which
/// leaves the session as it was.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct DecideOptions {
    /// File with situations, one a line, or - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    file: PathBuf,
    /// A TOML file that describes the deployment: draft, bands, bounds, thresholds and policy
    #[arg(long, value_name = "FILE")]
    deployment: PathBuf,
    /// Prefix of the decision ids: ID-1, ID-2 and so on
    ///
    /// After an action that ends the session the next one has ID.2-1 and so on. Lines with a `session` have its
    /// name in place of ID. 1 to 256 bytes.
    #[arg(long, value_name = "ID", default_value = "session", value_parser = id)]
    id: String,
    /// Exit with status 3 unless every line is decided, and there is one
    #[arg(long)]
    fail: bool,
}

fn id(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("expected 1 to 256 bytes, found a blank text"),
        _ if text.len() > 256 => Err("expected 1 to 256 bytes, found more"),
        _ => Ok(text.to_owned()),
    }
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "decision")]
struct DecisionRecord<'a> {
    line: u64,
    session: &'a str,
    action: &'static str,
    steps: Vec<StepRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<BoundRecord>,
    record: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
struct StepRecord<'a> {
    section: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    reason: &'a str,
}

/// Bound that prevented an intervention.
#[derive(Debug, Serialize)]
struct BoundRecord {
    intervention: &'static str,
    bound: &'static str,
}

/// Sessions of the same name, one after the other.
#[derive(Clone, Debug)]
struct OpenSession {
    session: Session,
    /// Number of sessions that have begun.
    count: u64,
}

struct Decider<'a> {
    controller: Controller,
    id: &'a str,
    unused_is_zero: bool,
    sessions: HashMap<String, OpenSession>,
    /// Highest number of a forgotten session. Those of new sessions are above it, so that no id is given again.
    forgotten: u64,
}

/// Runs the command.
pub(crate) fn run(options: &DecideOptions) -> anyhow::Result<ExitCode> {
    let path = &options.deployment;
    let deployment = settings::load("--deployment", path, Deployment::from_toml)?;
    let controller = deployment.controller().ok_or_else(|| {
        let missing = deployment.missing_for_controller().join(", ");
        usage_error(format_args!(
            "{}: missing {missing}; decisions need [bands], with calibration_profile, medium_from and high_from, and \
             [bounds.retrieve], [bounds.tool] and [bounds.deliberate], each with count, time and cost",
            path.display()
        ))
    })?;
    let mut decider = Decider {
        controller,
        id: &options.id,
        unused_is_zero: deployment.unused_scores_are_zero(),
        sessions: HashMap::new(),
        forgotten: 0,
    };
    let mut run = ObjectRun::new(&options.file, "situation", options.fail);
    let result = run.for_each_line(|run, line, json| {
        let (session, decision) = decider.decide(json)?;
        print(line, &session, &decision, &mut run.output);
        Ok(())
    });
    run.finish_with_totals(result)
}

impl Decider<'_> {
    /// Decides about a situation, in the session that is returned.
    fn decide(&mut self, json: &[u8]) -> Result<(String, Decision), String> {
        let input = SituationInput::from_json(json, self.unused_is_zero)?;
        let name = input.session.as_deref().unwrap_or(self.id).to_owned();
        // A copy, so that a line that is refused leaves the session as it was.
        let mut open = self.session_for(&name, &input)?;
        let decision = open.session.decide(&input.situation, &input.details);
        let decision = decision.map_err(|error| format!("{:#}", anyhow::Error::new(error)))?;
        self.sessions.insert(name.clone(), open);
        Ok((name, decision))
    }

    /// Returns a copy of the session that awaits a situation: the one with the name, or a new one.
    fn session_for(&mut self, name: &str, input: &SituationInput) -> Result<OpenSession, String> {
        let open = self.sessions.get(name).cloned();
        let state = open.as_ref().map(|open| open.session.state());
        if input.spent.is_some() && !matches!(state, Some(SessionState::Running(_))) {
            return Err("`spent`: expected a line after RETRIEVE, TOOL or DELIBERATE in its session, found one with no action running; leave `spent` out".to_owned());
        }
        let Some(mut open) = open else {
            if self.sessions.len() >= MAX_SESSIONS {
                self.forget_sessions();
            }
            if self.sessions.len() >= MAX_SESSIONS {
                return Err(format!(
                    "expected at most {MAX_SESSIONS} open sessions, found more"
                ));
            }
            return self.new_session(name, self.forgotten + 1);
        };
        match open.session.state() {
            SessionState::Running(_) => open.session.completed(input.spent.unwrap_or_default()),
            SessionState::AwaitingReply => open.session.replied(),
            SessionState::Over(_) => return self.new_session(name, open.count + 1),
            SessionState::Assess => Ok(()),
        }
        .map_err(|error| error.to_string())?;
        Ok(open)
    }

    /// Forgets sessions that are over.
    fn forget_sessions(&mut self) {
        let forgotten = &mut self.forgotten;
        self.sessions.retain(|_, open| {
            let is_over = matches!(open.session.state(), SessionState::Over(_));
            if is_over {
                *forgotten = open.count.max(*forgotten);
            }
            !is_over
        });
    }

    fn new_session(&self, name: &str, count: u64) -> Result<OpenSession, String> {
        let session = Session::numbered(&self.controller, name, count);
        let session = session.map_err(|error| error.to_string())?;
        Ok(OpenSession { session, count })
    }
}

fn print(line: u64, session: &str, decision: &Decision, output: &mut Output) {
    let selection = decision.selection();
    let steps = selection.steps().iter().map(|step| StepRecord {
        section: step.section(),
        action: step.action().map(|action| action.as_str()),
        reason: step.reason(),
    });
    let skipped = selection.skipped().iter().map(|bound| BoundRecord {
        intervention: bound.intervention().as_str(),
        bound: bound.kind().as_str(),
    });
    output.write_record(&DecisionRecord {
        line,
        session,
        action: decision.action().as_str(),
        steps: steps.collect(),
        deviation: selection.deviation(),
        skipped: skipped.collect(),
        record: raw_json(decision.record().document()),
    });
}
