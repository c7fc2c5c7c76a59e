//! `provstream marc project`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provstream_marc::{
    Action, Core, Disclosure, Domain, MarcKind, Profile, Projection, Speech, TrustContext,
    TrustPolicy, ValidatedObject,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::objects::{ObjectRun, print_object, raw_json};
use super::options::{ObjectInputOptions, ProfileOptions, WordingOptions};
use super::texts::{DisclosureTexts, TextKind, TextOptions};
use crate::error::usage_error;
use crate::messages::print_note;

/// Print what may be disclosed of MARC-Core records: a MARC-Disclosure object for each
///
/// The input is JSON with records in it, such as the lines of `provstream marc decide`. Nothing
/// is disclosed of a record whose trust context is not known (MARC-02 15), so --trust says where
/// the records come from. For each record a line with the event disclosure, deferred, withheld or
/// refused is printed, or `marc` for a record that is not valid.
///
/// An ANSWER takes --answer, which is for one record, a CLARIFY --question, an ABSTAIN or
/// ESCALATE --message. --texts names a file with the texts of several decisions, one a line,
/// which come first:
///
///     {"decision_id":"session-1","answer":"…"}
///
/// If a text is missing, a template words what the user is shown, except for ANSWER. docs/marc.md
/// describes all members of the lines.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ProjectOptions {
    /// Trust context of the records (MARC-02 15)
    #[arg(long, value_enum, default_value_t = TrustLevel::Untrusted)]
    trust: TrustLevel,
    /// Name of the authenticated emitter, with --trust attested
    #[arg(long, value_name = "NAME", required_if_eq("trust", "attested"))]
    emitter: Option<String>,
    #[command(flatten)]
    texts: TextOptions,
    /// Leave the selected action out
    #[arg(long)]
    hide_action: bool,
    /// Disclose also while the system retrieves, uses a tool or deliberates
    #[arg(long)]
    interim: bool,
    /// Exit with status 3 unless every record is disclosed or deferred, and there is one
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    wording: WordingOptions,
    #[command(flatten)]
    profile: ProfileOptions,
    #[command(flatten)]
    input: ObjectInputOptions,
}

/// Trust context of records, as their receiver knows it. Source: MARC-02 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TrustLevel {
    /// Not known: nothing is disclosed
    Untrusted,
    /// The receiver's own administrative domain
    Local,
    /// A component acting under the receiver's policy
    Delegated,
    /// Another administrative domain
    CrossDomain,
    /// Another domain, with an emitter that was authenticated
    Attested,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum ProjectRecord {
    Disclosure {
        line: u64,
        action: &'static str,
        disclosure: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        findings: Vec<WordingRecord>,
        /// `false` if the wording is in a language that is not checked.
        #[serde(skip_serializing_if = "Option::is_none")]
        wording_checked: Option<bool>,
        /// Texts that were given for the record and are for another action.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unused: Vec<&'static str>,
    },
    Deferred {
        line: u64,
        action: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unused: Vec<&'static str>,
    },
    Withheld {
        line: u64,
        section: &'static str,
        message: String,
    },
}

/// Wording that should not be shown.
#[derive(Debug, Serialize)]
struct WordingRecord {
    member: &'static str,
    kind: &'static str,
    section: &'static str,
    /// Offsets in the member's text, in bytes.
    start: u64,
    end: u64,
}

struct Projector<'a> {
    profile: Profile,
    projection: Projection,
    policy: TrustPolicy,
    context: Option<TrustContext>,
    texts: DisclosureTexts,
    options: &'a ProjectOptions,
}

/// Runs the command.
pub(crate) fn run(options: &ProjectOptions) -> anyhow::Result<ExitCode> {
    let (mut projection, policy) = options.wording.load()?;
    if options.hide_action {
        projection = projection.without_action();
    }
    let profile = options.profile.profile();
    let mut projector = Projector {
        profile,
        projection,
        policy,
        context: context(options)?,
        texts: DisclosureTexts::load(&options.texts)?,
        options,
    };
    let ObjectInputOptions { file, max_record } = &options.input;
    let mut run = ObjectRun::new(file, "MARC-Core record", options.fail);
    let result = run.for_each_object(*max_record, profile, |run, object| {
        if !object.report.is_valid() {
            print_object(&object, &mut run.output);
            return false;
        }
        let line = object.line;
        match projector.object(object) {
            Ok(record) => {
                run.output.write_record(&record);
                !matches!(record, ProjectRecord::Withheld { .. })
            }
            Err(message) => run.passes_or_refuse(line, Err(message)),
        }
    });
    if let (Ok(()), Some(message)) = (&result, projector.texts.unused_entry()) {
        print_note(message);
    }
    run.finish_with_totals(result)
}

/// Returns the trust context; `None` if it is not known.
fn context(options: &ProjectOptions) -> anyhow::Result<Option<TrustContext>> {
    let domain = match options.trust {
        TrustLevel::Untrusted => None,
        TrustLevel::Local => Some(Domain::Local),
        TrustLevel::Delegated => Some(Domain::Delegated),
        TrustLevel::CrossDomain | TrustLevel::Attested => Some(Domain::CrossDomain),
    };
    let context = domain.map(TrustContext::new);
    match (&options.emitter, options.trust, context) {
        (Some(emitter), TrustLevel::Attested, Some(context)) => {
            let context = context.attested_by(emitter);
            let wrong = |error| usage_error(format_args!("--emitter: {error}"));
            Ok(Some(context.map_err(wrong)?))
        }
        (Some(_), ..) => Err(usage_error("--emitter is for --trust attested only")),
        (None, _, context) => Ok(context),
    }
}

impl Projector<'_> {
    /// Projects an object to the parts that may be shown, or returns the message that refuses it.
    fn object(&mut self, object: ValidatedObject) -> Result<ProjectRecord, String> {
        let line = object.line;
        let (Some(MarcKind::Core), Some(document)) = (object.kind, object.document) else {
            return Err("expected a MARC-Core record, found a MARC-Disclosure object; `provstream marc show` prints those".to_owned());
        };
        let record = Core::new(document, self.profile).map_err(|report| report.to_string())?;
        let id = record.decision_id().map(str::to_owned);
        self.texts.mark_used(id.as_deref());
        let speech = match self.context.clone() {
            Some(context) => {
                let speech = record.placed(context).speech(&self.policy);
                speech.map_err(|error| error.to_string())
            }
            None => {
                Err("the trust context of the record is not known; --trust states it".to_owned())
            }
        };
        match speech {
            Ok(speech) => self.disclose(line, speech, id.as_deref()),
            Err(message) => Ok(ProjectRecord::Withheld {
                line,
                section: "MARC-02 15",
                message,
            }),
        }
    }

    fn disclose(
        &mut self,
        line: u64,
        speech: Speech,
        id: Option<&str>,
    ) -> Result<ProjectRecord, String> {
        let mut projection = self.projection.clone();
        for &action in Action::ALL {
            if let Some(text) = self.texts.next_step(id, action) {
                projection = projection.with_next_step_for(action, text);
            }
        }
        let (action, used) = match &speech {
            Speech::Answer(turn) => (turn.record().selected_action(), Some(TextKind::Answer)),
            Speech::Clarify(turn) => (turn.record().selected_action(), Some(TextKind::Question)),
            Speech::Refuse(turn) => (turn.record().selected_action(), Some(TextKind::Message)),
            Speech::Defer(turn) => (turn.record().selected_action(), None),
            _ => return Err("this action is not known here".to_owned()),
        };
        let disclosure = match speech {
            Speech::Answer(turn) => projection.answer(turn, &self.texts.answer(id, line)?),
            Speech::Clarify(turn) => projection.clarify(turn, self.texts.get(id, used)),
            Speech::Refuse(turn) => projection.refuse(turn, self.texts.get(id, used)),
            Speech::Defer(turn) if self.options.interim => projection.interim(turn),
            _ => {
                return Ok(ProjectRecord::Deferred {
                    line,
                    action: action.as_str(),
                    unused: self.texts.unused(id, None, action),
                });
            }
        };
        let disclosure = disclosure.map_err(|error| error.to_string())?;
        let is_checked = projection.wording().language().is_checked();
        Ok(ProjectRecord::Disclosure {
            line,
            action: action.as_str(),
            disclosure: raw_json(disclosure.document()),
            findings: self.findings(&disclosure, action),
            wording_checked: (!is_checked).then_some(false),
            unused: self.texts.unused(id, used, action),
        })
    }

    fn findings(&self, disclosure: &Disclosure, action: Action) -> Vec<WordingRecord> {
        let findings = disclosure.check_wording(action).into_iter();
        let findings = findings.map(|(member, finding)| WordingRecord {
            member,
            kind: finding.kind().as_str(),
            section: finding.section_of(self.profile.draft()),
            start: finding.span().start(),
            end: finding.span().end(),
        });
        findings.collect()
    }
}
