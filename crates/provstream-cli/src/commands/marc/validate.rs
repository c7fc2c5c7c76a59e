//! `provstream marc validate`.

use std::process::ExitCode;

use clap::Args;
use provstream_marc::{MarcKind, SequenceValidator};
use provstream_marc::{ValidatedObject, validate_all};
use serde::Serialize;

use super::objects::{ObjectTotals, for_each_value, print_object};
use super::options::{ExpectedKind, ObjectInputOptions, ProfileOptions};
use crate::output::Output;

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
/// not JSON, and an input without objects.
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

struct Validator {
    output: Output,
    /// Checks between records.
    sequence: Option<SequenceValidator>,
    totals: ObjectTotals,
}

/// Runs the command.
pub(crate) fn run(options: &ValidateOptions) -> anyhow::Result<ExitCode> {
    let profile = options.profile.profile();
    let mut validator = Validator {
        output: Output::stdout(),
        sequence: options.session.then(|| SequenceValidator::new(profile)),
        totals: ObjectTotals::default(),
    };
    let flush = |validator: &mut Validator| validator.output.flush();
    let result = for_each_value(&options.input, &mut validator, flush, |validator, value| {
        for object in validate_all(&value, options.kind.kind(), profile) {
            validator.object(object);
        }
    });
    if result.is_ok() {
        validator.finish();
    }
    let result = result.and_then(|()| validator.output.flush());
    if options.fail && result.is_ok() {
        validator
            .totals
            .report_missing(&options.input, "MARC object");
    }
    validator
        .totals
        .exit_code(result, &options.input, options.fail, "MARC object")
}

impl Validator {
    fn object(&mut self, mut object: ValidatedObject) {
        if let Some(sequence) = &mut self.sequence {
            match (&object.document, object.kind) {
                (Some(document), Some(MarcKind::Core)) => object.extend(sequence.check(document)),
                (_, Some(MarcKind::Disclosure)) => {}
                _ => sequence.skip(),
            }
        }
        self.totals.add(object.report.is_valid(), object.line);
        print_object(&object, &mut self.output);
    }

    fn finish(&mut self) {
        let open = self.sequence.as_ref().map(SequenceValidator::finish);
        for violation in open.iter().flat_map(|report| report.violations()) {
            self.output.write_record(&SequenceRecord {
                code: violation.code().as_str(),
                level: violation.level().as_str(),
                section: violation.section(),
                message: violation.message(),
            });
        }
        self.totals.print(&mut self.output, "MARC object");
    }
}
