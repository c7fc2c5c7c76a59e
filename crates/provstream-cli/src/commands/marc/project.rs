//! `provstream marc project`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provstream_marc::{
    Action, ContextualRecord, Core, Disclosure, Domain, MarcKind, Projection, Speech, TrustContext,
    TrustPolicy,
};
use provstream_marc::{ValidatedObject, validate_value};
use serde::Serialize;
use serde_json::value::RawValue;

use super::objects::{ObjectTotals, RefusedRecord, for_each_value, print_object, raw_json};
use super::options::{ObjectInputOptions, ProfileOptions, WordingOptions};
use super::texts::{DisclosureTexts, TextKind, TextOptions};
use crate::error::usage_error;
use crate::messages::print_note;
use crate::output::Output;

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
    output: Output,
    projection: Projection,
    policy: TrustPolicy,
    context: Option<TrustContext>,
    texts: DisclosureTexts,
    options: &'a ProjectOptions,
    totals: ObjectTotals,
}

/// Runs the command.
pub(crate) fn run(options: &ProjectOptions) -> anyhow::Result<ExitCode> {
    let (mut projection, policy) = options.wording.load()?;
    if options.hide_action {
        projection = projection.without_action();
    }
    let profile = options.profile.profile();
    let mut projector = Projector {
        output: Output::stdout(),
        projection,
        policy,
        context: context(options)?,
        texts: DisclosureTexts::load(&options.texts)?,
        options,
        totals: ObjectTotals::default(),
    };
    let flush = |projector: &mut Projector<'_>| projector.output.flush();
    let result = for_each_value(&options.input, &mut projector, flush, |projector, value| {
        for object in validate_value(&value, None, profile) {
            let line = object.line;
            let passed = projector.object(object);
            projector.totals.add(passed, line);
        }
    });
    if result.is_ok() {
        projector
            .totals
            .print(&mut projector.output, "MARC-Core record");
    }
    let result = result.and_then(|()| projector.output.flush());
    if result.is_ok() {
        if options.fail {
            projector
                .totals
                .report_missing(&options.input, "MARC-Core record");
        }
        if let Some(message) = projector.texts.unused_entry() {
            print_note(message);
        }
    }
    projector
        .totals
        .exit_code(result, &options.input, options.fail, "MARC object")
}

/// The trust context; `None` if it is not known.
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
    /// Prints what may be shown of an object; returns `true` if that is disclosed or deferred.
    fn object(&mut self, object: ValidatedObject) -> bool {
        let line = object.line;
        if !object.report.is_valid() {
            print_object(&object, &mut self.output);
            return false;
        }
        let refused = match (object.kind, object.document) {
            (Some(MarcKind::Core), Some(document)) => {
                match Core::new(document, self.options.profile.profile()) {
                    Ok(record) => return self.record(line, record),
                    Err(report) => report.to_string(),
                }
            }
            _ => "expected a MARC-Core record, found a MARC-Disclosure object; `provstream marc show` prints those".to_owned(),
        };
        self.refuse(line, refused)
    }

    fn refuse(&mut self, line: u64, message: String) -> bool {
        self.output.write_record(&RefusedRecord { line, message });
        false
    }

    fn record(&mut self, line: u64, record: Core) -> bool {
        let id = record.decision_id().map(str::to_owned);
        self.texts.mark_used(id.as_deref());
        let speech = match self.context.clone() {
            None => {
                Err("the trust context of the record is not known; --trust states it".to_owned())
            }
            Some(context) => self.permitted_speech(record.placed(context)),
        };
        match speech.map(|speech| self.disclose(line, speech, id.as_deref())) {
            Ok(Ok(())) => true,
            Ok(Err(message)) => self.refuse(line, message),
            Err(message) => {
                self.output.write_record(&ProjectRecord::Withheld {
                    line,
                    section: "MARC-02 15",
                    message,
                });
                false
            }
        }
    }

    fn permitted_speech(&self, record: ContextualRecord) -> Result<Speech, String> {
        record
            .speech(&self.policy)
            .map_err(|error| error.to_string())
    }

    fn disclose(&mut self, line: u64, speech: Speech, id: Option<&str>) -> Result<(), String> {
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
                (
                    action,
                    Some(TextKind::Answer),
                    projection.answer(turn, &text),
                )
            }
            Speech::Clarify(turn) => {
                let text = self.texts.get(id, TextKind::Question);
                let action = turn.record().selected_action();
                (
                    action,
                    Some(TextKind::Question),
                    projection.clarify(turn, text),
                )
            }
            Speech::Refuse(turn) => {
                let text = self.texts.get(id, TextKind::Message);
                let action = turn.record().selected_action();
                (
                    action,
                    Some(TextKind::Message),
                    projection.refuse(turn, text),
                )
            }
            Speech::Defer(turn) => {
                let action = turn.record().selected_action();
                if !self.options.interim {
                    self.output.write_record(&ProjectRecord::Deferred {
                        line,
                        action: action.as_str(),
                        unused: self.texts.unused(id, None, action),
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
        let draft = self.options.profile.profile().draft();
        let findings = disclosure.check_wording(action).into_iter();
        let findings = findings.map(|(member, finding)| WordingRecord {
            member,
            kind: finding.kind().as_str(),
            section: finding.section_of(draft),
            start: finding.span().start(),
            end: finding.span().end(),
        });
        self.output.write_record(&ProjectRecord::Disclosure {
            line,
            action: action.as_str(),
            disclosure: raw_json(disclosure.document()),
            findings: findings.collect(),
            wording_checked: (!self.projection.wording().language().is_checked()).then_some(false),
            unused,
        });
    }
}
