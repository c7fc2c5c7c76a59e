//! `provstream extract`.

use std::process::ExitCode;

use crate::args::ExtractArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::files::Files;
use crate::findings::Task;
use crate::inputs;
use crate::output::Output;
use crate::own_file;
use crate::setup;

/// Runs the command.
pub(crate) fn run(args: &ExtractArgs) -> Result<ExitCode, Failure> {
    let vocabulary = setup::vocabulary(&args.source.classes)?;
    let limits = args.limits.with(&args.source)?;
    let limits = limits.with_max_record(args.max_record)?;
    let task = Task::Extract { text: args.text };
    let parser = setup::parser(&args.source, limits, vocabulary);
    let reading = setup::reading(&args.source, &args.files, parser, task, args.pretty)?;
    let files = Files::new(&args.files.files, args.files.recursive)?;
    let vocabulary = args.source.classes.vocabulary.as_deref();
    let read = files
        .paths
        .iter()
        .flatten()
        .map(|path| ("FILE", Some(path.as_path())));
    let read = read.chain([("--vocabulary", vocabulary)]);
    own_file::check_output(args.output.as_deref(), read)?;
    let output = Output::open(args.output.as_deref())?;
    let (end, summary) = inputs::run(&reading, files, args.files.jobs.get(), output);
    let tally = &summary.tally;
    let diagnostics = tally.totals.diagnostics;
    if args.fail && end.is_ok() {
        let found = [
            ("diagnostics", diagnostics, "diagnostic"),
            ("errors of the provider", tally.errors, "error"),
        ];
        for (what, count, event) in found.into_iter().filter(|&(_, count, _)| count > 0) {
            let lines = match (args.pretty, &args.output) {
                (false, _) => format!("the lines with \"event\":\"{event}\""),
                (true, None) => "the lines above".to_owned(),
                (true, Some(path)) => format!("the lines of {}", path.display()),
            };
            let place = match event {
                "diagnostic" => " and where",
                _ => "",
            };
            note(format_args!("{what}: {count}; {lines} say what{place}"));
        }
    }
    let passed = diagnostics == 0 && tally.incomplete == 0;
    exit_status::status_of_all(end, args.fail, passed, summary.failed > 0)
}
