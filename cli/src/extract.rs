//! `provstream extract`.

use std::process::ExitCode;

use provstream::marc::Profile;
use provstream::provenance::Encoding;
use provstream::{BracketAnnotation, Event, Replacement, RewriteSink};

use crate::args::ExtractArgs;
use crate::failure::Failure;
use crate::feed::{Sink, Stream, parser};
use crate::line::{Line, Totals};
use crate::marc::record::Judged;
use crate::output::Output;
use crate::pieces::Pieces;
use crate::vocabulary;

/// Prints every event.
#[derive(Debug)]
struct Extract {
    output: Output,
    totals: Totals,
    /// The text, if it is to be printed.
    text: Option<Pieces>,
}

/// Runs the command.
pub(crate) fn run(args: &ExtractArgs) -> Result<ExitCode, Failure> {
    let vocabulary = vocabulary::load(args.source.vocabulary.as_deref())?;
    let limits = args.limits.with(&args.source)?;
    let stream = Stream::of(&args.source, parser(&args.source, limits, vocabulary))?;
    let mut extract = Extract {
        output: Output::stdout(),
        totals: Totals::default(),
        text: args.text.then(Pieces::default),
    };
    extract.totals.bytes = stream.feed(&mut extract)?;
    extract.end()?;
    Ok(ExitCode::SUCCESS)
}

impl Extract {
    fn end(mut self) -> Result<(), Failure> {
        if let Some(pieces) = &mut self.text {
            pieces.finish(|text| self.output.line(&Line::Text { text }));
        }
        self.output.line(&Line::End(self.totals));
        self.output.flush()
    }
}

impl RewriteSink for Extract {
    fn text(&mut self, bytes: &[u8]) {
        if let Some(pieces) = &mut self.text {
            pieces.push(bytes, |text| self.output.line(&Line::Text { text }));
        }
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.totals.annotations += 1;
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Assertion(assertion) => {
                self.totals.assertions += 1;
                // One in brackets was counted at its bracket.
                if assertion.encoding() == Encoding::Json {
                    self.totals.annotations += assertion.annotations().len() as u64;
                }
                self.output.line(&Line::assertion(&assertion, None));
            }
            Event::Marc(object) => {
                self.totals.marc += 1;
                let judged = Judged::new(&object, Profile::default());
                self.output.line(&judged.line());
            }
            Event::Diagnostic(diagnostic) => {
                self.totals.diagnostics += 1;
                self.output.line(&Line::from(diagnostic));
            }
            _ => {}
        }
    }
}

impl Sink for Extract {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }
}
