//! `provstream marc schema`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provstream_marc::{MarcKind, schema};

use super::options::ProfileOptions;
use crate::output::Output;

/// Print the JSON Schema (2020-12) of MARC objects
///
/// It has what `provstream marc validate` checks, but for repeated members and SHOULD-level rules.
#[derive(Debug, Args)]
pub(crate) struct MarcSchemaOptions {
    /// Kind of object
    #[arg(value_name = "KIND", value_enum, default_value_t = SchemaKind::Core)]
    kind: SchemaKind,
    #[command(flatten)]
    profile: ProfileOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaKind {
    /// MARC-Core records
    Core,
    /// MARC-Disclosure objects
    Disclosure,
}

/// Runs the command.
pub(crate) fn run(options: &MarcSchemaOptions) -> anyhow::Result<ExitCode> {
    let kind = match options.kind {
        SchemaKind::Core => MarcKind::Core,
        SchemaKind::Disclosure => MarcKind::Disclosure,
    };
    let mut output = Output::stdout();
    output.write_bytes(schema(kind, options.profile.profile()).as_bytes());
    output.write_bytes(b"\n");
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
