//! `provstream strip`.

use std::process::ExitCode;

use provstream::RewriteSink;

use crate::args::StripArgs;
use crate::failure::Failure;
use crate::feed::{Sink, Stream, parser};
use crate::output::Output;
use crate::vocabulary;

/// Writes the text without its annotations.
#[derive(Debug)]
struct Strip {
    output: Output,
}

/// Runs the command.
pub(crate) fn run(args: &StripArgs) -> Result<ExitCode, Failure> {
    let vocabulary = vocabulary::load(args.source.vocabulary.as_deref())?;
    let limits = args.source.limits()?.with_max_record(args.max_record)?;
    let parser = parser(&args.source, limits, vocabulary).hold_records(args.json);
    let stream = Stream::of(&args.source, parser)?;
    let mut strip = Strip {
        output: Output::stdout(),
    };
    stream.feed(&mut strip)?;
    strip.output.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl RewriteSink for Strip {
    fn text(&mut self, bytes: &[u8]) {
        self.output.bytes(bytes);
    }
}

impl Sink for Strip {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }
}
