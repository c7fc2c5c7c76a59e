//! `provstream marc project`.

use std::process::ExitCode;

use clap::ValueEnum;
use provstream_marc::{
    Action, ContextualRecord, Core, Deployment, Disclosure, MarcKind, Projection, Speech,
    TrustContext, TrustPolicy,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::args::{KindArg, ProjectArgs, TrustArg, WordingArgs};
use super::judge::{Object, Totals, objects};
use super::objects::each_object;
use super::record::printable;
use super::texts::{Text, Texts};
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::output::Output;
use crate::settings;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum ProjectLine<'a> {
    /// What may be shown of a record.
    Disclosure {
        line: u64,
        action: &'static str,
        disclosure: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        findings: Vec<Finding>,
        /// Left out unless the wording is in a language that is not checked.
        #[serde(skip_serializing_if = "Option::is_none")]
        wording_checked: Option<bool>,
        /// Texts that were given for the record and are for another action.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unused: Vec<&'static str>,
    },
    /// Nothing is shown of a record yet.
    Deferred {
        line: u64,
        action: &'static str,
        /// Texts that were given for the record and are for another action.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unused: Vec<&'static str>,
    },
    /// A record of which nothing may be shown in its trust context.
    Withheld {
        line: u64,
        section: &'static str,
        message: String,
    },
    /// An object of which nothing can be shown.
    Refused { line: u64, message: &'a str },
}

/// Wording that should not be shown.
#[derive(Debug, Serialize)]
struct Finding {
    member: &'static str,
    kind: &'static str,
    section: &'static str,
    /// In bytes of the member's text.
    start: u64,
    end: u64,
}

/// The wording of a command, with the trust policy of its deployment.
pub(super) fn wording(args: &WordingArgs) -> Result<(Projection, TrustPolicy), Failure> {
    let projection = Projection::new();
    let Some(path) = &args.deployment else {
        let language = args.language.unwrap_or(provstream_marc::Language::English);
        let wording = provstream_marc::Wording::in_language(language);
        return Ok((projection.with_wording(wording), TrustPolicy::default()));
    };
    let deployment = settings::load_toml("--deployment", path, Deployment::from_toml)?;
    Ok((
        projection.with_wording(deployment.wording().clone()),
        *deployment.trust_policy(),
    ))
}

struct Project<'a> {
    output: Output,
    projection: Projection,
    policy: TrustPolicy,
    context: Option<TrustContext>,
    texts: Texts,
    args: &'a ProjectArgs,
    totals: Totals,
}

/// Runs the command.
pub(crate) fn run(args: &ProjectArgs) -> Result<ExitCode, Failure> {
    let (mut projection, policy) = wording(&args.wording)?;
    if args.hide_action {
        projection = projection.without_action();
    }
    let profile = args.profile.profile();
    let mut project = Project {
        output: Output::stdout(),
        projection,
        policy,
        context: context(args)?,
        texts: Texts::read(args)?,
        args,
        totals: Totals::default(),
    };
    let end = each_object(
        &args.source.file,
        args.source.max(),
        &mut project,
        |project| project.output.flush(),
        |project, outermost| {
            for object in objects(&outermost, KindArg::Auto, profile) {
                let line = object.place.line;
                let passed = project.object(object);
                project.totals.count(passed, line);
            }
        },
    );
    if end.is_ok() {
        project.totals.end(&mut project.output, "MARC-Core record");
        if args.fail {
            project
                .totals
                .complain_of_nothing(&args.source.file, "MARC-Core record");
            let reasons = "the lines with the event marc, withheld or refused say why";
            project.totals.note_failed(
                &args.source.file,
                ("not disclosed", "MARC objects"),
                reasons,
            );
        }
        if let Some(message) = project.texts.without_record() {
            note(message);
        }
    }
    let end = end.and_then(|()| project.output.flush());
    exit_status::status(end, args.fail, project.totals.passed())
}

fn unused_emitter(trust: TrustArg) -> Failure {
    let value = trust.to_possible_value();
    let found = value.as_ref().map_or("", |value| value.get_name());
    Failure::Usage(format!(
        "--emitter is for --trust attested only, found {found}; leave it out"
    ))
}

/// The trust context that the arguments state; `None` if it is not known.
fn context(args: &ProjectArgs) -> Result<Option<TrustContext>, Failure> {
    let Some(domain) = args.trust.domain() else {
        return match args.emitter {
            Some(_) => Err(unused_emitter(args.trust)),
            None => Ok(None),
        };
    };
    let context = TrustContext::new(domain);
    match (&args.emitter, args.trust) {
        (Some(emitter), TrustArg::Attested) => {
            let context = context.attested_by(emitter);
            Ok(Some(context.map_err(|error| {
                Failure::Usage(format!("--emitter: {error}"))
            })?))
        }
        (Some(_), found) => Err(unused_emitter(found)),
        (None, TrustArg::Attested) => Err(Failure::Usage(
            "--trust attested needs --emitter, such as example.com".to_owned(),
        )),
        (None, _) => Ok(Some(context)),
    }
}

impl Project<'_> {
    /// Prints what may be shown of an object; whether that went well.
    fn object(&mut self, object: Object) -> bool {
        let line = object.place.line;
        if !object.report.is_valid() {
            object.print(&mut self.output);
            return false;
        }
        let (Some(MarcKind::Core), Some(document)) = (object.kind, object.document) else {
            let message = "expected a MARC-Core record, found a MARC-Disclosure object; `provstream marc show` prints those";
            self.output.line(&ProjectLine::Refused { line, message });
            return false;
        };
        match Core::new(document, self.args.profile.profile()) {
            Ok(record) => self.record(line, record),
            Err(report) => {
                let message = &*report.to_string();
                self.output.line(&ProjectLine::Refused { line, message });
                false
            }
        }
    }

    fn record(&mut self, line: u64, record: Core) -> bool {
        let id = record.decision_id().map(str::to_owned);
        self.texts.found_record(id.as_deref());
        let speech = match self.context.clone() {
            None => {
                Err("the trust context of the record is not known; --trust states it".to_owned())
            }
            Some(context) => self.speech(record.placed(context)),
        };
        let speech = match speech {
            Ok(speech) => speech,
            Err(message) => {
                let section = "MARC-02 15";
                self.output.line(&ProjectLine::Withheld {
                    line,
                    section,
                    message,
                });
                return false;
            }
        };
        match self.speak(line, speech, id.as_deref()) {
            Ok(()) => true,
            Err(message) => {
                let message = &*message;
                self.output.line(&ProjectLine::Refused { line, message });
                false
            }
        }
    }

    fn speech(&self, record: ContextualRecord) -> Result<Speech, String> {
        record
            .speech(&self.policy)
            .map_err(|error| error.to_string())
    }

    fn speak(&mut self, line: u64, speech: Speech, id: Option<&str>) -> Result<(), String> {
        let mut projection = self.projection.clone();
        for &action in Action::ALL {
            if let Some(text) = self.texts.next_step(id, action) {
                projection = projection.with_next_step_for(action, text);
            }
        }
        let (action, used, disclosure) = match speech {
            Speech::Answer(turn) => {
                let text = self.texts.answer(id, line)?;
                let action = turn.record().selected_action();
                let disclosure = projection.answer(turn, &text);
                (action, Some(Text::Answer), disclosure)
            }
            Speech::Clarify(turn) => {
                let text = self.texts.get(id, Text::Question);
                let action = turn.record().selected_action();
                (action, Some(Text::Question), projection.clarify(turn, text))
            }
            Speech::Refuse(turn) => {
                let text = self.texts.get(id, Text::Message);
                let action = turn.record().selected_action();
                (action, Some(Text::Message), projection.refuse(turn, text))
            }
            Speech::Defer(turn) => {
                let action = turn.record().selected_action();
                if !self.args.interim {
                    let unused = self.texts.unused(id, None, action);
                    let action = action.as_str();
                    self.output.line(&ProjectLine::Deferred {
                        line,
                        action,
                        unused,
                    });
                    return Ok(());
                }
                (action, None, projection.interim(turn))
            }
            _ => return Err("this action is not known here".to_owned()),
        };
        let disclosure = disclosure.map_err(|error| error.to_string())?;
        let unused = self.texts.unused(id, used, action);
        self.print(line, action, &disclosure, unused);
        Ok(())
    }

    fn print(
        &mut self,
        line: u64,
        action: Action,
        disclosure: &Disclosure,
        unused: Vec<&'static str>,
    ) {
        let findings = disclosure.check_wording(action).into_iter();
        self.output.line(&ProjectLine::Disclosure {
            line,
            action: action.as_str(),
            disclosure: printable(disclosure.document()),
            findings: findings
                .map(|(member, finding)| Finding {
                    member,
                    kind: finding.kind().as_str(),
                    section: finding.section_of(self.args.profile.profile().draft()),
                    start: finding.span().start(),
                    end: finding.span().end(),
                })
                .collect(),
            wording_checked: (!self.projection.wording().language().is_checked()).then_some(false),
            unused,
        });
    }
}
