//! `provstream marc schema`.

use std::process::ExitCode;

use provstream_marc::schema;

use super::args::SchemaArgs;
use crate::failure::Failure;
use crate::output::Output;

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let mut output = Output::stdout();
    output.bytes(schema(args.kind.into(), args.profile.profile()).as_bytes());
    output.bytes(b"\n");
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
