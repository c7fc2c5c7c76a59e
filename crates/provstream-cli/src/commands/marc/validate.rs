//! `provstream marc validate`.

use std::process::ExitCode;

use clap::Args;
use provstream_marc::{MarcKind, SequenceValidator, validate_all};
use serde::Serialize;

use super::objects::{ObjectRun, print_object};
use super::options::{ExpectedKind, ObjectInputOptions, ProfileOptions};

/// Validate MARC objects and print each with its violations
///
/// The input is JSON: objects one after the other, in arrays, or inside other objects. For each
/// MARC object one line is printed:
///
///     {"event":"marc","kind":"disclosure","line":1,"span":{"start":0,"end":160},
///      "pointer":"","valid":false,"violations":[{"code":"wrong-case","level":"must","line":1,
///      "pointer":"/confidence_band","section":"MARC-02 9.2","message":"…"}]}
///
/// It is valid if no violation has the level `must`. An object with members of the drafts that do
/// not show its kind is a violation, too; so are an object without a MARC object, text that is
/// not JSON, and an input without objects. Several files are read as one stream:
///
///     cat records/*.json | provstream marc validate --fail
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ValidateOptions {
    /// Kind of the objects
    #[arg(long, value_enum, default_value_t = ExpectedKind::Auto)]
    kind: ExpectedKind,
    /// Also check what must hold between the records of the stream: unique decision ids, known parents, rounds
    #[arg(long)]
    session: bool,
    /// Exit with status 3 if an object is not valid, or none was found
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    profile: ProfileOptions,
    #[command(flatten)]
    input: ObjectInputOptions,
}

/// Violation of a stream as a whole.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "sequence")]
struct SequenceRecord<'a> {
    code: &'static str,
    level: &'static str,
    section: &'static str,
    message: &'a str,
}

/// Runs the command.
pub(crate) fn run(options: &ValidateOptions) -> anyhow::Result<ExitCode> {
    let profile = options.profile.profile();
    let mut sequence = options.session.then(|| SequenceValidator::new(profile));
    let ObjectInputOptions { file, max_record } = &options.input;
    let mut run = ObjectRun::new(file, "MARC object", options.fail);
    let result = run.for_each_value(*max_record, |run, value| {
        for mut object in validate_all(&value, options.kind.kind(), profile) {
            if let Some(sequence) = &mut sequence {
                match (&object.document, object.kind) {
                    (Some(document), Some(MarcKind::Core)) => {
                        object.extend(sequence.check(document));
                    }
                    (_, Some(MarcKind::Disclosure)) => {}
                    _ => sequence.skip(),
                }
            }
            print_object(&object, &mut run.output);
            run.add(object.report.is_valid(), object.line);
        }
    });
    if let (Ok(()), Some(sequence)) = (&result, sequence) {
        for violation in sequence.finish().violations() {
            run.output.write_record(&SequenceRecord {
                code: violation.code().as_str(),
                level: violation.level().as_str(),
                section: violation.section(),
                message: violation.message(),
            });
        }
    }
    run.finish_with_totals(result)
}
