//! `provstream extract`.

use std::process::ExitCode;

use clap::Args;
use provstream::Limits;

use crate::error::exit_code_of_files;
use crate::messages::print_note;
use crate::options::{DialectOptions, limit};
use crate::scan::{ReportKind, ScanOptions, scan};

/// Print assertions and their annotations, one JSON object a line
///
/// Each assertion is printed with its annotations as soon as nothing can be added to it, and each
/// diagnostic where it arises; the last line has totals. On a terminal, lines are for people, as
/// with --pretty.
///
///     {"event":"assertion","encoding":"bracket","text":"It runs.","span":{"start":0,"end":8},
///      "clean_span":{"start":0,"end":8},"annotations":[{"class":"substrate.grep",
///      "declared":"substrate.grep","span":{"start":9,"end":25}}]}
///     {"event":"diagnostic","code":"unterminated","span":{"start":221,"end":237}}
///     {"event":"end","bytes":237,"assertions":1,"annotations":1,"marc":0,"diagnostics":1}
///
/// Spans are byte offsets. In free text an assertion is the sentence before the brackets, and
/// `clean_span` is its span in what `provstream strip` writes. In JSON it is a string member
/// `assertion`, and `pointer` is its JSON Pointer. MARC objects are validated against MARC-02. Of
/// several files, each line names its own, and the last one has the totals of all. gzip and zstd
/// are decompressed. docs/wire.md 8.1 describes all lines.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExtractOptions {
    /// Also print the text without its annotations, in lines {"event":"text","text":…}, as it becomes certain
    #[arg(long)]
    text: bool,
    /// Exit with status 3 if an annotation is malformed or of an unknown class, or there was a diagnostic
    ///
    /// Also if something was not read, with --input if the input is empty, and with --sources if a cited
    /// identifier is not listed.
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    scan: ScanOptions,
    #[command(flatten)]
    dialects: DialectOptions,
    /// Longest MARC object that is printed with its record, in bytes, 1 to 1048576
    #[arg(long, value_name = "BYTES", help_heading = "Limits", default_value_t = Limits::default().max_record())]
    max_record: usize,
}

/// Runs the command.
pub(crate) fn run(options: &ExtractOptions) -> anyhow::Result<ExitCode> {
    let limits = options.scan.limits()?.with_max_record(options.max_record);
    let limits = limit("record", limits)?;
    let vocabulary = options.scan.input.vocabulary.load()?;
    let report = ReportKind::Events { text: options.text };
    let (result, counts) = scan(
        &options.scan,
        vocabulary,
        limits,
        report,
        Some(&options.dialects),
    )?;
    let diagnostics = counts.totals.diagnostics;
    if options.fail && result.is_ok() {
        let output = options.scan.output.path();
        let lines = match (options.scan.is_pretty(), output) {
            (false, _) => "the lines with the event `diagnostic` or `error`".to_owned(),
            (true, None) => "the lines above".to_owned(),
            (true, Some(path)) => format!("the lines of {}", path.display()),
        };
        for (what, count) in [
            ("diagnostics", diagnostics),
            ("errors of the provider", counts.errors),
        ] {
            if count > 0 {
                print_note(format_args!("{what}: {count}; {lines} say where and what"));
            }
        }
        for (what, found) in [
            ("malformed or unknown annotations", &counts.faulty),
            ("cited identifiers that are not listed", &counts.unlisted),
        ] {
            if found.count() > 0 {
                let (count, example) = (found.count(), found.example());
                print_note(format_args!("{what}: {count}{example}"));
            }
        }
    }
    let found = diagnostics + counts.faulty.count() + counts.unlisted.count();
    let passed = found == 0 && counts.incomplete == 0;
    exit_code_of_files(result, options.fail, passed)
}
