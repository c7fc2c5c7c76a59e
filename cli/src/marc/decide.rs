//! `provstream marc decide`.

use std::process::ExitCode;

use provstream::marc::{
    BoundKind, Content, Controller, Decision, Deployment, Deviation, Projected, Projection,
    Remediability, Session, SessionState,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::DecideArgs;
use super::lines::{InputLine, MAX_LINE, each_line};
use super::record::printable;
use super::situation::SituationLine;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::settings;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum DecideLine<'a> {
    /// What was decided on a line of input.
    Decision {
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
    },
    /// A line on which nothing could be decided.
    Refused { line: u64, message: &'a str },
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
        projection: Projection::new()
            .with_wording(deployment.wording().cloned().unwrap_or_default()),
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
        self.begin(&line)?;
        let decision = self
            .session
            .decide(&line.situation(), &line.details())
            .map_err(|error| error.to_string())?;
        self.print(number, &line, &decision);
        Ok(())
    }

    /// Brings the session to where it awaits a situation: behind what was running, or at the start of a new one.
    fn begin(&mut self, line: &SituationLine) -> Result<(), String> {
        match self.session.state() {
            SessionState::Assess => {}
            // Both can be seen from the state not to fail.
            SessionState::Running(_) => {
                self.session
                    .completed(line.spent())
                    .map_err(|error| error.to_string())?;
            }
            SessionState::Over(_) => {
                self.sessions += 1;
                let prefix = format!("{}.{}", self.prefix, self.sessions);
                self.session =
                    Session::new(&self.controller, prefix).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
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
        let disclosure = match &projected {
            Ok(Projected::Disclosed(disclosure)) => printable(disclosure.document()),
            // Without the text of an answer there is nothing to disclose, and a round discloses nothing.
            _ => None,
        };
        self.output.line(&DecideLine::Decision {
            line: number,
            action: decision.action().as_str(),
            step: selection.step().number(),
            requirement: selection.requirement(),
            reason: selection.step().reason(),
            deviation: selection.deviation().map(Deviation::condition),
            bound: decision.bound().map(|hit| BoundFields {
                action: hit.action().as_str(),
                kind: match hit.kind() {
                    BoundKind::Count => "count",
                    BoundKind::Time => "time",
                    BoundKind::Cost => "cost",
                },
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
            disclosure,
        });
    }
}
