//! `provstream marc show`.

use std::process::ExitCode;

use clap::Args;
use provstream_marc::{Disclosure, MarcKind, Profile, ValidatedObject};

use super::objects::ObjectRun;
use super::options::{ObjectInputOptions, ProfileOptions, WordingOptions};
use crate::input::input_name;
use crate::messages::{EscapeControls, print_error};

/// Print disclosures as text
///
/// The answer, then confidence with what it applies to, uncertainty and next step as one unit (MARC-02 14).
#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// Exit with status 3 unless every object is a valid disclosure, and there is one
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    wording: WordingOptions,
    #[command(flatten)]
    profile: ProfileOptions,
    #[command(flatten)]
    input: ObjectInputOptions,
}

/// Runs the command.
pub(crate) fn run(options: &ShowOptions) -> anyhow::Result<ExitCode> {
    let (projection, _) = options.wording.load()?;
    let profile = options.profile.profile();
    let ObjectInputOptions { file, max_record } = &options.input;
    let mut run = ObjectRun::new(file, "MARC-Disclosure object", options.fail);
    let result = run.for_each_object(*max_record, profile, |run, object| {
        let line = object.error_line();
        let disclosure = match disclosure(object, profile) {
            Ok(disclosure) => disclosure,
            Err(message) => {
                let name = input_name(file);
                print_error(format_args!("{name}: line {line}: {message}"));
                return false;
            }
        };
        if run.objects() > 0 {
            run.output.write_bytes(b"\n");
        }
        for line in projection.wording().show(&disclosure).lines() {
            let line = format!("{}\n", EscapeControls(line));
            run.output.write_bytes(line.as_bytes());
        }
        true
    });
    run.finish(result)
}

fn disclosure(object: ValidatedObject, profile: Profile) -> Result<Disclosure, String> {
    if object.kind == Some(MarcKind::Core) {
        return Err("expected a MARC-Disclosure object, found a MARC-Core record; `provstream marc project` discloses it".to_owned());
    }
    if !object.report.is_valid() {
        return Err(object.describe());
    }
    let document = object.document.ok_or("expected a MARC-Disclosure object")?;
    Disclosure::new(document, profile).map_err(|report| report.to_string())
}
