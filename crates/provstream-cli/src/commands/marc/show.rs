//! `provstream marc show`.

use std::process::ExitCode;

use clap::Args;
use provstream_marc::{Disclosure, MarcKind, Projection};
use provstream_marc::{ValidatedObject, validate_value};

use super::objects::{ObjectTotals, for_each_value};
use super::options::{ObjectInputOptions, ProfileOptions, WordingOptions};
use crate::input::input_name;
use crate::messages::{EscapeControls, print_error};
use crate::output::Output;

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

struct DisclosurePrinter<'a> {
    output: Output,
    projection: Projection,
    options: &'a ShowOptions,
    totals: ObjectTotals,
}

/// Runs the command.
pub(crate) fn run(options: &ShowOptions) -> anyhow::Result<ExitCode> {
    let (projection, _) = options.wording.load()?;
    let profile = options.profile.profile();
    let name = input_name(&options.input.file);
    let mut printer = DisclosurePrinter {
        output: Output::stdout(),
        projection,
        options,
        totals: ObjectTotals::default(),
    };
    let flush = |printer: &mut DisclosurePrinter<'_>| printer.output.flush();
    let result = for_each_value(&options.input, &mut printer, flush, |printer, value| {
        for object in validate_value(&value, None, profile) {
            let line = object.error_line();
            let shown = printer.print(object);
            printer.totals.add(shown.is_ok(), line);
            if let Err(message) = shown {
                print_error(format_args!("{name}: line {line}: {message}"));
            }
        }
    });
    if result.is_ok() {
        printer
            .totals
            .report_missing(&options.input, "MARC-Disclosure object");
    }
    printer
        .totals
        .exit_code(result, &options.input, options.fail, "MARC object")
}

impl DisclosurePrinter<'_> {
    fn print(&mut self, object: ValidatedObject) -> Result<(), String> {
        if object.kind == Some(MarcKind::Core) {
            return Err("expected a MARC-Disclosure object, found a MARC-Core record; `provstream marc project` discloses it".to_owned());
        }
        if !object.report.is_valid() {
            return Err(object.describe());
        }
        let document = object.document.ok_or("expected a MARC-Disclosure object")?;
        let disclosure = Disclosure::new(document, self.options.profile.profile());
        let disclosure = disclosure.map_err(|report| report.to_string())?;
        if self.totals.objects > 0 {
            self.output.write_bytes(b"\n");
        }
        for line in self.projection.wording().show(&disclosure).lines() {
            self.output
                .write_bytes(format!("{}\n", EscapeControls(line)).as_bytes());
        }
        Ok(())
    }
}
