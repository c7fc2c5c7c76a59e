//! `provstream admit`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use provstream::provenance::{Discipline, Vocabulary};

use crate::args::AdmitArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::files::Files;
use crate::findings::Task;
use crate::inputs;
use crate::output::Output;
use crate::own_file;
use crate::setup;

/// Runs the command.
pub(crate) fn run(args: &AdmitArgs) -> Result<ExitCode, Failure> {
    let vocabulary = setup::vocabulary(&args.source.classes)?;
    let task = Task::Admit {
        discipline: Box::new(discipline(args, &vocabulary)?),
        now: args.now,
    };
    let limits = args.limits.with(&args.source)?;
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
    let is_missing = args.require_assertions && tally.totals.assertions == 0;
    if is_missing && end.is_ok() {
        note("there is no assertion, expected at least one (--require-assertions)");
    }
    let refused = tally.refused.count();
    if args.fail && refused > 0 && end.is_ok() {
        let (all, first) = (tally.totals.assertions, tally.refused.first());
        note(format_args!(
            "not admitted: {refused} of {all} assertions{first}"
        ));
    }
    let passed = refused == 0 && tally.unjudged.is_empty() && tally.incomplete == 0 && !is_missing;
    exit_status::status_of_all(end, args.fail, passed, summary.failed > 0)
}

fn discipline(args: &AdmitArgs, vocabulary: &Vocabulary) -> Result<Discipline, Failure> {
    let mut builder = Discipline::builder(args.floor.get()).skew(args.skew);
    let mut given = BTreeSet::new();
    for window in &args.windows {
        // Of two different windows for the same class it is not clear which one is meant.
        if !given.insert(window.class.as_deref()) {
            return Err(setup::given_twice("--window", window.class.as_deref()));
        }
        builder = match window.class.as_deref() {
            None => builder.default_window(window.duration),
            Some(identifier) => {
                let class = vocabulary
                    .class(identifier)
                    .ok_or_else(|| setup::unknown_class("--window", identifier, vocabulary))?;
                builder.window(class, window.duration)
            }
        };
    }
    // A class without a window never counts, so that a higher floor is never reached.
    let mut most = given.len();
    if given.contains(&None) {
        let classes = vocabulary.classes().map(|(class, _)| class);
        most = classes.filter(|class| !class.is_terminal()).count();
    }
    if args.floor.get() > most {
        let floor = args.floor;
        return Err(Failure::Usage(format!(
            "--floor: expected at most {most}, the number of classes with a window that can count, found {floor}; lower it, or give more classes a window"
        )));
    }
    builder
        .build()
        .map_err(|error| Failure::Usage(format!("--window: {error}")))
}
