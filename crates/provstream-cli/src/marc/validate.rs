//! `provstream marc validate`.

use std::process::ExitCode;

use provstream_marc::{MarcKind, SequenceValidator};

use super::args::ValidateArgs;
use super::judge::{Object, Totals, all_objects};
use super::objects::each_object;
use crate::exit_status;
use crate::failure::Failure;
use crate::output::Output;

/// Prints every MARC object with its violations.
struct Validate {
    output: Output,
    /// What came before, if that is to be looked at.
    sequence: Option<SequenceValidator>,
    totals: Totals,
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs) -> Result<ExitCode, Failure> {
    let profile = args.profile.profile();
    let mut validate = Validate {
        output: Output::stdout(),
        sequence: args.session.then(|| SequenceValidator::new(profile)),
        totals: Totals::default(),
    };
    let end = each_object(
        &args.source.file,
        args.source.max(),
        &mut validate,
        |validate| validate.output.flush(),
        |validate, outermost| {
            for object in all_objects(&outermost, args.kind, profile) {
                validate.object(object);
            }
        },
    );
    if end.is_ok() {
        validate.end();
        if args.fail {
            validate
                .totals
                .complain_of_nothing(&args.source.file, "MARC object");
            let reasons = "the lines with \"valid\":false say why";
            validate
                .totals
                .note_failed(&args.source.file, ("not valid", "MARC objects"), reasons);
        }
    }
    let end = end.and_then(|()| validate.output.flush());
    exit_status::status(end, args.fail, validate.totals.passed())
}

impl Validate {
    fn object(&mut self, mut object: Object) {
        if let Some(sequence) = &mut self.sequence {
            match (&object.document, object.kind) {
                (Some(document), Some(MarcKind::Core)) => object.add(sequence.check(document)),
                (_, Some(MarcKind::Disclosure)) => {}
                _ => sequence.skip(),
            }
        }
        self.totals
            .count(object.report.is_valid(), object.place.line);
        object.print(&mut self.output);
    }

    fn end(&mut self) {
        let open = self.sequence.as_ref().map(SequenceValidator::finish);
        for violation in open.iter().flat_map(|report| report.violations()) {
            self.output.line(&super::record::sequence_line(violation));
        }
        self.totals.end(&mut self.output, "MARC object");
    }
}
