//! `provstream marc decide`.

use std::process::ExitCode;

use provstream_marc::{
    Content, Controller, Decision, Deployment, Deviation, Projected, Projection, Remediability,
    Session, SessionState,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::DecideArgs;
use super::finding::{Finding, findings};
use super::lines::{InputLine, MAX_LINE, each_line};
use super::record::printable;
use super::situation::SituationLine;
use crate::failure::{Failure, chain};
use crate::input::Input;
use crate::output::Output;
use crate::settings;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum DecideLine<'a> {
    /// What was decided on a line of input.
    Decision(Box<DecisionFields<'a>>),
    /// A line on which nothing could be decided.
    Refused { line: u64, message: &'a str },
}

/// What was decided on a line of input.
#[derive(Debug, Serialize)]
struct DecisionFields<'a> {
    line: u64,
    action: &'static str,
    step: u8,
    requirement: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<BoundFields>,
    preference: PreferenceFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfit_remediability: Option<&'static str>,
    record: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disclosure: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
}

/// The bound that kept an action from being taken.
#[derive(Debug, Serialize)]
struct BoundFields {
    action: &'static str,
    kind: &'static str,
}

/// What the draft prefers for the primary source.
#[derive(Debug, Serialize)]
struct PreferenceFields {
    source: &'static str,
    actions: Vec<&'static str>,
    met: bool,
    requirement: &'static str,
}

/// Decides on one line after the other.
struct Decide {
    output: Output,
    controller: Controller,
    projection: Projection,
    prefix: String,
    /// How many sessions have begun.
    sessions: u64,
    session: Session,
}

/// Runs the command.
pub(crate) fn run(args: &DecideArgs) -> Result<ExitCode, Failure> {
    let deployment = settings::load("--deployment", &args.deployment, Deployment::from_toml)?;
    let name = args.deployment.display();
    let controller = deployment.controller().ok_or_else(|| {
        Failure::Usage(format!(
            "{name}: `bands` and all three of `bounds` are needed to decide"
        ))
    })?;
    let session = Session::new(&controller, &*args.id)
        .map_err(|error| Failure::Usage(format!("--id: {error}")))?;
    let mut decide = Decide {
        output: Output::stdout(),
        projection: Projection::new().with_wording(super::wording::of(&deployment)?),
        controller,
        prefix: args.id.clone(),
        sessions: 1,
        session,
    };
    let input = Input::open(&args.file)?;
    each_line(
        input,
        &mut decide,
        |decide| decide.output.flush(),
        |decide, number, line| {
            if let Err(message) = decide.line(number, line) {
                let message = &message;
                decide.output.line(&DecideLine::Refused {
                    line: number,
                    message,
                });
            }
        },
    )?;
    decide.output.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Decide {
    fn line(&mut self, number: u64, line: InputLine<'_>) -> Result<(), String> {
        let InputLine::Whole(bytes) = line else {
            return Err(format!("the line is longer than {MAX_LINE} bytes"));
        };
        let line = SituationLine::read(bytes)?;
        // On a copy, so that a line that is refused leaves the session where it was.
        let (mut session, sessions) = self.session_for(&line)?;
        let decision = session
            .decide(&line.situation, &line.details)
            .map_err(|error| chain(&error))?;
        (self.session, self.sessions) = (session, sessions);
        self.print(number, &line, &decision);
        Ok(())
    }

    /// A session that awaits the situation of a line, and how many there are with it: behind what was running, or new where
    /// the one before is over.
    fn session_for(&self, line: &SituationLine) -> Result<(Session, u64), String> {
        let mut session = self.session.clone();
        let mut sessions = self.sessions;
        match (session.state(), line.spent) {
            (SessionState::Running(_), spent) => {
                session
                    .completed(spent.unwrap_or_default())
                    .map_err(|error| chain(&error))?;
            }
            (_, Some(_)) => return Err("`spent`: nothing was running".to_owned()),
            (SessionState::Over(_), None) => {
                sessions += 1;
                let prefix = format!("{}.{sessions}", self.prefix);
                session = Session::new(&self.controller, prefix).map_err(|error| chain(&error))?;
            }
            (_, None) => {}
        }
        Ok((session, sessions))
    }
}

impl Decide {
    fn print(&mut self, number: u64, line: &SituationLine, decision: &Decision) {
        let selection = decision.selection();
        let preference = selection.preference();
        let content = match &line.answer {
            Some(text) => Content::new().answer(text),
            None => Content::new(),
        };
        let projected = self.projection.project(decision.record(), content);
        // Without the text of an answer there is nothing to disclose, and a round discloses nothing.
        let disclosure = projected.ok().and_then(Projected::disclosure);
        self.output
            .line(&DecideLine::Decision(Box::new(DecisionFields {
                line: number,
                action: decision.action().as_str(),
                step: selection.step().number(),
                requirement: selection.requirement(),
                reason: selection.step().reason(),
                deviation: selection.deviation().map(Deviation::condition),
                bound: decision.bound().map(|hit| BoundFields {
                    action: hit.action().as_str(),
                    kind: hit.kind().as_str(),
                }),
                preference: PreferenceFields {
                    source: preference.source().as_str(),
                    actions: preference
                        .actions()
                        .iter()
                        .map(|action| action.as_str())
                        .collect(),
                    met: preference.is_met(),
                    requirement: preference.requirement(),
                },
                unfit_remediability: selection.unfit_remediability().map(Remediability::as_str),
                record: printable(decision.record().document()),
                findings: disclosure
                    .as_ref()
                    .map_or_else(Vec::new, |shown| findings(shown, decision.action())),
                disclosure: disclosure.and_then(|shown| printable(shown.document())),
            })));
    }
}
