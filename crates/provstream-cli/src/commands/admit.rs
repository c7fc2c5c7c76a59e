//! `provstream admit`.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use provstream::UnknownNameError;
use provstream::provenance::{
    Discipline, ObservationLevel, Timestamp, TimestampError, Vocabulary, parse_duration,
};

use crate::error::{exit_code_of_files, usage_error};
use crate::ledger::LedgerOptions;
use crate::messages::print_note;
use crate::options::{
    ClassWindow, WindowParser, duplicate_class_error, floor, unknown_class_error,
};
use crate::scan::{ReportKind, ScanOptions, scan};

/// Judge each assertion by the classes it declares
///
/// An assertion is admitted if annotations of at least K distinct classes count. An annotation
/// counts if its class is not a terminal and its `ts` is neither older than the window of its
/// class nor further in the future than the skew. An annotation that is a terminal, or is taken
/// for one, makes the assertion inadmissible. A program that changes only its own state commonly
/// uses a floor of 2 classes, one with effects beyond it a floor of 3.
///
/// Prints the assertion lines of `provstream extract` with one more member, and totals. On a
/// terminal, lines are for people, as with --pretty, and say why each annotation does not count.
///
///     "verdict":{"admitted":false,"reason":"below-floor","classes":["substrate.grep"],"floor":2}
///
/// `reason` is the first that holds of no-assertion, limit, unknown-in-slot (a bracket beside it may
/// have been meant as an annotation), unannotated (an object in JSON without annotations), terminal,
/// below-floor and admitted. In free text only a sentence with an annotation, or with such a
/// bracket, is an assertion; --require-annotations prints and refuses the others, and what follows
/// an annotation in its sentence:
///
///     {"event":"unannotated","text":"It rained.","span":{"start":0,"end":10},
///      "clean_span":{"start":0,"end":10}}
///
///     provstream admit --floor 2 --window 1h --fail answer.txt
///     provstream admit --floor 1 --window any --require-annotations answer.txt
///
/// A verdict is about what was declared, never evidence that an observation took place.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "provstream admit [OPTIONS] --floor <K> --window <[CLASS=]AGE> [FILE]..."
)]
pub(crate) struct AdmitOptions {
    #[command(flatten)]
    discipline: DisciplineOptions,
    /// Exit with status 3 if an assertion was not admitted, or something could not be judged
    ///
    /// Not judged are: JSON that is not closed or nested too deep, what is not JSON in the modes json and
    /// ndjson, an annotation that is not closed, everything longer than a limit, annotations in brackets
    /// within JSON strings if no assertion was found, and with --input events that were not read, an error of
    /// the provider, and an input that is empty or has neither text nor an end. A stream without assertions
    /// passes.
    #[arg(long)]
    fail: bool,
    /// With --fail, also exit with status 3 if there was no assertion
    #[arg(long, requires = "fail")]
    require_assertions: bool,
    /// Also print the sentences without an annotation, and with --fail exit with status 3 if there is one
    #[arg(long)]
    require_annotations: bool,
    #[command(flatten)]
    scan: ScanOptions,
    #[command(flatten)]
    ledger: LedgerOptions,
}

// Rule of admissibility.
#[derive(Debug, Args)]
pub(crate) struct DisciplineOptions {
    /// Number of distinct classes that must count, 1 to 65536
    #[arg(long, value_name = "K", value_parser = floor)]
    pub(crate) floor: NonZeroUsize,
    /// Oldest age of an observation that counts, for all classes or for one; needed at least once
    ///
    /// A duration such as `90s`, `15m`, `1h30m` or `2d`, or `any` for any age, is for the classes without a
    /// window of their own; `CLASS=DURATION`, such as `substrate.git.log=2d`, is for one class. A class without
    /// any window never counts, and neither does an annotation without a `ts`. One that is too old does no harm
    /// beside others that count; `any_stale = "withhold"` in a policy of `provstream gate` refuses it.
    #[arg(long = "window", value_name = "[CLASS=]AGE", required = true, value_parser = WindowParser, hide_possible_values = true)]
    pub(crate) windows: Vec<ClassWindow>,
    /// Level that the observations of all classes or of one must reach: declared (the default), observed or requeried
    #[arg(long = "require", value_name = "[CLASS=]LEVEL", value_parser = class_level, help_heading = "Observations")]
    pub(crate) levels: Vec<(Option<String>, ObservationLevel)>,
    #[command(flatten)]
    pub(crate) clock: ClockOptions,
}

/// Reads a level, or a class and its level.
fn class_level(text: &str) -> Result<(Option<String>, ObservationLevel), String> {
    let (class, name) = match text.split_once('=') {
        Some((class, name)) => (Some(class.to_owned()), name),
        None => (None, text),
    };
    let level = name
        .parse()
        .map_err(|error: UnknownNameError| error.to_string())?;
    Ok((class, level))
}

// Time of judgement.
#[derive(Debug, Args)]
pub(crate) struct ClockOptions {
    /// Furthest that an observation can be in the future, for clocks that disagree
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = parse_duration)]
    pub(crate) skew: Duration,
    /// Time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock when an assertion is complete]
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(crate) now: Option<Timestamp>,
}

/// Reads a time.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|error: TimestampError| {
        format!("expected a time such as 2026-05-28T12:00:00Z: {error}")
    })
}

/// Runs the command.
pub(crate) fn run(options: &AdmitOptions) -> anyhow::Result<ExitCode> {
    let vocabulary = options.scan.input.vocabulary.load()?;
    let DisciplineOptions {
        floor,
        windows,
        levels,
        clock,
    } = &options.discipline;
    let discipline = discipline(*floor, (windows, levels), clock.skew, &vocabulary)?;
    options.ledger.check("--require", discipline.max_level())?;
    let report = ReportKind::Verdicts {
        discipline: Box::new(discipline),
        observations: options.ledger.open()?,
        now: clock.now,
        require_annotations: options.require_annotations,
    };
    let limits = options.scan.limits()?;
    let (result, counts) = scan(&options.scan, vocabulary, limits, report, None)?;
    let assertions = counts.totals.assertions;
    let (refused, unannotated) = (&counts.refused, &counts.unannotated);
    let is_missing = options.require_assertions && assertions == 0;
    if result.is_ok() && options.fail {
        if is_missing {
            print_note("there is no assertion, expected at least one (--require-assertions)");
        }
        if refused.count() > 0 {
            let (count, example) = (refused.count(), refused.example());
            print_note(format_args!(
                "not admitted: {count} of {assertions} assertions{example}"
            ));
        }
        if unannotated.count() > 0 {
            let (count, example) = (unannotated.count(), unannotated.example());
            print_note(format_args!(
                "sentences without an annotation: {count}{example}"
            ));
        }
    }
    let passed = refused.count() == 0
        && unannotated.count() == 0
        && counts.unjudged.is_empty()
        && counts.incomplete == 0
        && !is_missing;
    exit_code_of_files(result, options.fail, passed)
}

/// Builds the discipline for a floor and windows.
pub(crate) fn discipline(
    floor: NonZeroUsize,
    (windows, levels): (&[ClassWindow], &[(Option<String>, ObservationLevel)]),
    skew: Duration,
    vocabulary: &Vocabulary,
) -> anyhow::Result<Discipline> {
    let mut builder = Discipline::builder(floor.get()).skew(skew);
    let mut given = BTreeSet::new();
    for window in windows {
        if !given.insert(window.class.as_deref()) {
            return Err(duplicate_class_error("--window", window.class.as_deref()));
        }
        builder = match window.class.as_deref() {
            None => builder.default_window(window.duration),
            Some(name) => {
                let class = vocabulary.class(name);
                let unknown = || unknown_class_error("--window", name, vocabulary);
                builder.window(class.ok_or_else(unknown)?, window.duration)
            }
        };
    }
    for (class, level) in levels {
        builder = match class.as_deref() {
            None => builder.default_level(*level),
            Some(name) => {
                let class = vocabulary.class(name);
                let unknown = || unknown_class_error("--require", name, vocabulary);
                builder.level(class.ok_or_else(unknown)?, *level)
            }
        };
    }
    // A class without a window never counts, so that a higher floor is never reached.
    let mut most = given.len();
    if given.contains(&None) {
        let classes = vocabulary.classes().map(|(class, _)| class);
        most = classes.filter(|class| !class.is_terminal()).count();
    }
    if floor.get() > most {
        return Err(usage_error(format_args!(
            "--floor: expected at most {most}, the number of classes with a window that can count, found {floor}"
        )));
    }
    builder
        .build()
        .map_err(|error| usage_error(format_args!("--window: {error}")))
}
