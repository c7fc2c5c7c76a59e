//! `provstream marc validate`.

use std::process::ExitCode;

use provstream::{DiagnosticCode, Event, Handler};
use provstream_marc::{MarcKind, Profile, SequenceValidator};

use super::args::ValidateArgs;
use super::record::Judged;
use crate::failure::Failure;
use crate::feed::Stream;
use crate::gate;
use crate::line::Line;
use crate::output::Output;
use crate::sink::Sink;

/// Prints every MARC object with what is wrong with it.
#[derive(Debug)]
struct Validate {
    output: Output,
    profile: Profile,
    /// What came before, if that is to be looked at.
    sequence: Option<SequenceValidator>,
    all_valid: bool,
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs) -> Result<ExitCode, Failure> {
    let profile = args.profile.profile();
    let stream = Stream::records(&args.source.file, args.source.limits()?)?;
    let mut validate = Validate {
        output: Output::stdout(),
        profile,
        sequence: args.session.then(|| SequenceValidator::new(profile)),
        all_valid: true,
    };
    let end = stream
        .feed(&mut validate)
        .and_then(|_| validate.output.flush());
    gate::status(end, args.fail, validate.all_valid)
}

impl Handler for Validate {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Marc(object) => {
                let mut judged = Judged::new(&object, self.profile);
                if let Some(sequence) = &mut self.sequence {
                    match &judged.document {
                        Some(document) => judged.report.extend(sequence.check(document)),
                        None if object.kind() == MarcKind::Core => sequence.skip(),
                        None => {}
                    }
                }
                self.all_valid &= judged.report.is_valid();
                self.output.line(&judged.line());
            }
            Event::Diagnostic(diagnostic) => {
                // What is no JSON, or nests too deep, might have been a record.
                let unread = [
                    DiagnosticCode::JsonSyntax,
                    DiagnosticCode::Unterminated,
                    DiagnosticCode::LimitDepth,
                ];
                self.all_valid &= !unread.contains(&diagnostic.code());
                self.output.line(&Line::from(diagnostic));
            }
            _ => {}
        }
    }
}

impl Sink for Validate {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }
}
