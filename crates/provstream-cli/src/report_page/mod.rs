//! `provstream report`.

mod audit_log;
mod spool;
mod texts;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use provstream::Mode;
use provstream::provenance::Timestamp;
use provstream_report::{Counts, Outcome, Page, Part, Report};

use self::spool::Bodies;
use self::texts::{Shown, Texts};
use crate::account::Account;
use crate::args::ReportArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::gated::Gated;
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::output::Output;
use crate::own_file;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let vocabulary = args.gated.source.classes.vocabulary.as_deref();
    let read = [
        ("--policy", args.policy.as_deref()),
        ("--vocabulary", vocabulary),
        ("FILE", args.file.as_deref()),
    ];
    own_file::check_output(args.output.as_deref(), read)?;
    match &args.policy {
        Some(policy) => of_answer(args, policy),
        // The command line has --audit-log then.
        None => of_audit_log(args),
    }
}

fn of_answer(args: &ReportArgs, policy: &Path) -> Result<ExitCode, Failure> {
    let gated = Gated::open(args.file.as_deref(), policy, &args.gated)?;
    let output = Output::open(args.output.as_deref())?;
    let name = gated.name().to_owned();
    let source = title(args, &name);
    let now = args.gated.now.unwrap_or_else(Timestamp::now);
    let report = Report::new(gated.rules.clone(), now);
    let policy = report.policy();
    let (format, mode) = (args.gated.source.input, args.gated.source.mode);
    let mut texts = match format {
        InputFormat::Raw => Texts::of_one(report, matches!(mode, Mode::Json | Mode::Ndjson)),
        _ => Texts::of_channels(report),
    };
    let mut account = Account::new(gated.rules.clone(), mode);
    let (ended, unread) = gated.feed(policy, &mut texts, &mut account)?;
    account.note(args.fail, "");
    if let Some(unknown) = unread.unknown() {
        return Err(Failure::Unknown(format!("nothing can be shown: {unknown}")));
    }
    if !account.has_text() && !unread.is_blank() {
        note(format_args!(
            "there is no text in {name}, expected an answer"
        ));
    }
    let Shown {
        report,
        parts,
        bodies,
    } = texts.into_parts()?;
    let mut page = Page::new(&source, &parts).with_report(&report);
    page = match (format, mode) {
        (InputFormat::Wire(format), _) => page.with_fact("Format", format.as_str()),
        (InputFormat::Raw, Mode::Json | Mode::Ndjson) => page.with_fact("Format", mode.as_str()),
        _ => page,
    };
    if !unread.is_empty() {
        note(&unread);
        page = page.with_remark(capitalised(&unread.to_string()));
    }
    // The policy is asked, but everything is released, so that it is the page that knows what is withheld.
    let withholds = page.counts().withholds();
    let passed = ended.is_empty() && unread.passes() && account.passes() && !withholds;
    if args.fail {
        note_withheld(page.counts());
    }
    let end = write(&page, &parts, bodies, output);
    exit_status::status(end, args.fail, passed)
}

fn of_audit_log(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let input = Input::open(args.file.as_deref().unwrap_or(Path::new("-")))?;
    let output = Output::open(args.output.as_deref())?;
    let source = title(args, input.name());
    let name = input.name().to_owned();
    let read = audit_log::read(input)?;
    if read.is_empty {
        note(format_args!(
            "there is no line in {name}, expected those that `provstream gate --audit` writes"
        ));
    }
    let parts = [read.part];
    let mut page = Page::new(&source, &parts)
        .with_fact("Format", "audit log")
        .with_remark(
            "An audit log has hashes instead of texts, and no time by which ages could be known.",
        );
    if read.odd > 0 {
        page = page.with_remark(format!("Lines that are not of an audit log: {}.", read.odd));
    }
    let passed = read.odd == 0 && !page.counts().withholds();
    if args.fail {
        note_withheld(page.counts());
    }
    let end = write(&page, &parts, read.bodies, output);
    exit_status::status(end, args.fail, passed)
}

/// Says how much a gate withholds, if anything.
fn note_withheld(counts: &Counts) {
    let withholding = || {
        Outcome::ALL
            .into_iter()
            .filter(|outcome| outcome.withholds())
    };
    let sum = |of: fn(&Counts, Outcome) -> u64| -> u64 {
        withholding().map(|outcome| of(counts, outcome)).sum()
    };
    let all = counts.assertions();
    let mut parts = Vec::new();
    match sum(Counts::treated) {
        0 => {}
        assertions => parts.push(format!("{assertions} of {all} assertions")),
    }
    match sum(Counts::runs) {
        0 => {}
        1 => parts.push("1 run of text without annotation".to_owned()),
        runs => parts.push(format!("{runs} runs of text without annotation")),
    }
    match sum(Counts::ended) {
        0 => {}
        1 => parts.push("the rest of 1 text".to_owned()),
        texts => parts.push(format!("the rest of {texts} texts")),
    }
    if !parts.is_empty() {
        note(format_args!(
            "the gate withholds {}; the page shows which and why",
            parts.join(", ")
        ));
    }
}

/// What the page calls an input: its name without the folders that it is in.
fn title(args: &ReportArgs, name: &str) -> String {
    let file = args.file.as_deref().and_then(Path::file_name);
    let file = file.filter(|file| *file != "-");
    match (&args.title, file) {
        (Some(title), _) => title.clone(),
        (None, Some(file)) => file.to_string_lossy().into_owned(),
        (None, None) => name.to_owned(),
    }
}

/// A sentence of a note, as one on a page.
fn capitalised(note: &str) -> String {
    let mut characters = note.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}

fn write(
    page: &Page<'_>,
    parts: &[Part],
    mut bodies: Bodies,
    mut output: Output,
) -> Result<(), Failure> {
    let kept = |error| Failure::Create("the page".to_owned(), error);
    page.write_head(Bytes(&mut output)).map_err(kept)?;
    for (part, place) in parts.iter().zip(bodies.places) {
        page.write_part(part, Bytes(&mut output)).map_err(kept)?;
        let read = bodies.spool.read(place, |bytes| output.bytes(bytes));
        read.map_err(|error| Failure::Read("a temporary file".to_owned(), error))?;
        output.check()?;
    }
    page.write_end(Bytes(&mut output)).map_err(kept)?;
    output.commit()
}

/// The output as a writer, which keeps its errors to itself until it is asked for them.
struct Bytes<'o>(&'o mut Output);

impl Write for Bytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
