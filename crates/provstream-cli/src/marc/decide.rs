//! `provstream marc decide`.

use std::collections::HashMap;
use std::process::ExitCode;

use provstream_marc::{
    Controller, DecideError, DecideErrorKind, Decision, Deployment, Session, SessionState, Step,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::DecideArgs;
use super::judge::{REFUSED, Totals};
use super::lines::{InputLine, MAX_LINE, each_line};
use super::record::printable;
use super::situation::SituationLine;
use crate::exit_status;
use crate::failure::{Failure, chain};
use crate::input::Input;
use crate::output::Output;
use crate::settings;

/// Most sessions that are open at once.
const MAX_SESSIONS: usize = 4_096;

/// Why `spent` is refused.
const NOTHING_RUNNING: &str = "`spent`: expected a line after RETRIEVE, TOOL or DELIBERATE in its session, found one with no action running; leave `spent` out";

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum DecideLine<'a> {
    /// What was decided on a line of input.
    Decision(DecisionFields<'a>),
    /// A line on which nothing could be decided.
    Refused { line: u64, message: &'a str },
}

#[derive(Debug, Serialize)]
struct DecisionFields<'a> {
    line: u64,
    session: &'a str,
    action: &'static str,
    steps: Vec<StepFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<BoundFields>,
    record: Option<Box<RawValue>>,
}

/// A step on the way to the action.
#[derive(Debug, Serialize)]
struct StepFields<'a> {
    section: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    reason: &'a str,
}

/// A bound that kept an intervention from being taken.
#[derive(Debug, Serialize)]
struct BoundFields {
    intervention: &'static str,
    bound: &'static str,
}

/// One request after the other under the same name.
#[derive(Clone, Debug)]
struct Requests {
    session: Session,
    /// How many sessions have begun.
    count: u64,
}

/// Decides on one line after the other.
struct Decide<'a> {
    output: Output,
    controller: Controller,
    id: &'a str,
    unused_is_zero: bool,
    requests: HashMap<String, Requests>,
    /// The highest number of a request that is forgotten: those of new sessions are above it, so that no id is given again.
    forgotten: u64,
    totals: Totals,
}

/// What a description lacks that decisions need, and how it looks.
fn undecidable(missing: &[String]) -> String {
    let missing: Vec<_> = missing
        .iter()
        .map(|key| match key.split('.').count() {
            // `bands` or `bounds.LOOP`; all others are keys of the latter.
            1 | 2 => format!("[{key}]"),
            _ => key.clone(),
        })
        .collect();
    format!(
        "missing {}; decisions need [bands], such as calibration_profile = \"tax-2026-05\", medium_from = 0.4 and \
         high_from = 0.75, and in each of [bounds.retrieve], [bounds.tool] and [bounds.deliberate] keys such as count = 3, \
         time = \"20s\" and cost = 30",
        missing.join(", ")
    )
}

/// Runs the command.
pub(crate) fn run(args: &DecideArgs) -> Result<ExitCode, Failure> {
    let deployment = settings::load_toml("--deployment", &args.deployment, Deployment::from_toml)?;
    let name = args.deployment.display();
    let controller = deployment.controller().ok_or_else(|| {
        let missing = deployment.missing_for_controller();
        Failure::Usage(format!("{name}: {}", undecidable(&missing)))
    })?;
    let mut decide = Decide {
        output: Output::stdout(),
        controller,
        id: &args.id,
        unused_is_zero: deployment.unused_scores_are_zero(),
        requests: HashMap::new(),
        forgotten: 0,
        totals: Totals::default(),
    };
    let end = Input::open(&args.file).and_then(|input| {
        each_line(
            input,
            &mut decide,
            |decide| decide.output.flush(),
            |decide, number, line| {
                let decided = decide.line(number, line);
                decide.totals.count(decided.is_ok(), number);
                if let Err(message) = decided {
                    let message = &message;
                    decide.output.line(&DecideLine::Refused {
                        line: number,
                        message,
                    });
                }
            },
        )
    });
    if end.is_ok() {
        decide.totals.end(&mut decide.output, "situation");
        if args.fail {
            decide.totals.complain_of_nothing(&args.file, "situation");
            decide
                .totals
                .note_failed(&args.file, ("refused", "situations"), REFUSED);
        }
    }
    let end = end.and_then(|()| decide.output.flush());
    exit_status::status(end, args.fail, decide.totals.passed())
}

impl Decide<'_> {
    fn line(&mut self, number: u64, line: InputLine<'_>) -> Result<(), String> {
        let InputLine::Whole(bytes) = line else {
            return Err(format!(
                "expected a line of at most {MAX_LINE} bytes, found a longer one"
            ));
        };
        let line = SituationLine::read(bytes, self.unused_is_zero)?;
        let name = line.session.as_deref().unwrap_or(self.id).to_owned();
        // On a copy, so that a line that is refused leaves the session as it was.
        let mut requests = self.requests_for(&name, &line)?;
        let decision = requests
            .session
            .decide(&line.situation, &line.details)
            .map_err(|error| self.message(&error))?;
        self.print(number, &name, &decision);
        self.requests.insert(name, requests);
        Ok(())
    }

    /// A session that awaits the situation of a line: after what was running, or new where the one before is over.
    fn requests_for(&mut self, name: &str, line: &SituationLine) -> Result<Requests, String> {
        let Some(mut requests) = self.requests.get(name).cloned() else {
            if line.spent.is_some() {
                return Err(NOTHING_RUNNING.to_owned());
            }
            if self.requests.len() >= MAX_SESSIONS {
                let forgotten = &mut self.forgotten;
                self.requests.retain(|_, one| {
                    let is_over = matches!(one.session.state(), SessionState::Over(_));
                    if is_over {
                        *forgotten = one.count.max(*forgotten);
                    }
                    !is_over
                });
            }
            if self.requests.len() >= MAX_SESSIONS {
                return Err(format!(
                    "expected at most {MAX_SESSIONS} open sessions, found more"
                ));
            }
            let count = self.forgotten + 1;
            return Ok(Requests {
                session: self.session(name, count)?,
                count,
            });
        };
        if line.spent.is_some() && !matches!(requests.session.state(), SessionState::Running(_)) {
            return Err(NOTHING_RUNNING.to_owned());
        }
        match requests.session.state() {
            SessionState::Running(_) => requests.session.completed(line.spent.unwrap_or_default()),
            SessionState::AwaitingReply => requests.session.replied(),
            SessionState::Over(_) => {
                requests.count += 1;
                requests.session = self.session(name, requests.count)?;
                Ok(())
            }
            SessionState::Assess => Ok(()),
        }
        .map_err(|error| error.to_string())?;
        Ok(requests)
    }

    /// Why no decision was taken, with the names that are known where one is not.
    fn message(&self, error: &DecideError) -> String {
        let (what, name, known, section): (_, _, Vec<_>, _) = match error.kind() {
            DecideErrorKind::UnknownFamily(name) => {
                let families = self.controller.calibration().families();
                let known = families.map(|(family, _)| family).collect();
                ("task family", name, known, "8.5")
            }
            DecideErrorKind::UnknownSubAction(name) => {
                let known = self.controller.sub_actions().keys();
                let known = known.map(String::as_str).collect();
                ("sub-action", name, known, "8.7")
            }
            _ => return chain(error),
        };
        let expected = if known.is_empty() {
            "the deployment has none".to_owned()
        } else {
            format!("expected one of {}", known.join(", "))
        };
        format!("unknown {what} {name:?}, {expected} (MARC-02 {section})")
    }

    fn session(&self, name: &str, number: u64) -> Result<Session, String> {
        Session::numbered(&self.controller, name, number).map_err(|error| error.to_string())
    }

    fn print(&mut self, line: u64, session: &str, decision: &Decision) {
        let selection = decision.selection();
        let step = |step| StepFields::from(step);
        self.output.line(&DecideLine::Decision(DecisionFields {
            line,
            session,
            action: decision.action().as_str(),
            steps: selection.steps().iter().map(step).collect(),
            deviation: selection.deviation(),
            skipped: selection
                .skipped()
                .iter()
                .map(|hit| BoundFields {
                    intervention: hit.intervention().as_str(),
                    bound: hit.kind().as_str(),
                })
                .collect(),
            record: printable(decision.record().document()),
        }));
    }
}

impl<'a> From<&'a Step> for StepFields<'a> {
    fn from(step: &'a Step) -> Self {
        Self {
            section: step.section(),
            action: step.action().map(|action| action.as_str()),
            reason: step.reason(),
        }
    }
}
