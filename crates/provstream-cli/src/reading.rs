//! Inputs one after the other, from their bytes to lines and totals.

use std::path::Path;
use std::sync::Arc;

use provstream::{Mode, Parser, ParserBuilder};

use crate::failure::{Failure, note};
use crate::feed::{Reader, Stream};
use crate::files::Files;
use crate::findings::{Findings, Outcome, Tally, Task};
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::jobs;
use crate::output::Output;
use crate::pointer::Pointer;
use crate::report::Report;
use crate::strings::BracketsInStrings;

/// How inputs are read, and what is printed of them.
#[derive(Debug)]
pub(crate) struct Reading {
    /// What is printed.
    pub(crate) task: Task,
    /// What parsers are made of.
    pub(crate) parser: ParserBuilder,
    /// How texts are written.
    pub(crate) mode: Mode,
    /// What an input is.
    pub(crate) input: InputFormat,
    /// Where the text is in each line of NDJSON, if the input is that.
    pub(crate) fields: Vec<Pointer>,
    /// The fields to name in lines; none if there are not several.
    pub(crate) field_names: Vec<Arc<str>>,
    /// Most bytes that a parser is given at once, if that was asked for.
    pub(crate) chunk: Option<usize>,
    /// Lines for people.
    pub(crate) is_pretty: bool,
}

impl Reading {
    /// Whether an input can be read in parts that end with a line.
    pub(crate) fn is_by_line(&self) -> bool {
        !self.fields.is_empty() || (self.mode == Mode::Ndjson && self.input == InputFormat::Raw)
    }

    /// A reader that begins at a line with this number.
    pub(crate) fn reader(&self, parser: Parser, line: u64) -> Reader {
        if self.fields.is_empty() {
            Reader::new(self.input, parser)
        } else {
            Reader::of_fields(&self.fields, parser, line)
        }
    }

    /// What prints the findings of an input with this name.
    pub(crate) fn findings(&self, output: Output, name: Option<Arc<str>>) -> Findings<'_> {
        let report = Report::new(output, self.is_pretty, name);
        self.findings_of(report)
    }

    /// The same, with a report that is set up.
    pub(crate) fn findings_of(&self, report: Report) -> Findings<'_> {
        let is_free = !self.fields.is_empty();
        let strings = BracketsInStrings::new(if is_free { Mode::Text } else { self.mode });
        Findings::new(&self.task, report, strings, &self.field_names)
    }

    /// Reads an input to its end.
    pub(crate) fn read_whole(
        &self,
        input: Input,
        output: Output,
        name: Option<Arc<str>>,
    ) -> (Result<(), Failure>, Outcome, Output) {
        let reader = self.reader(self.parser.clone().build(), 1);
        let mut findings = self.findings(output, name);
        match Stream::new(input, reader, self.chunk).feed(&mut findings) {
            Ok(fed) => {
                let (outcome, output) = findings.end(fed);
                (Ok(()), outcome, output)
            }
            Err(failure) => {
                let (outcome, output) = findings.broken();
                (Err(failure), outcome, output)
            }
        }
    }
}

/// What came of all inputs.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The sum of what came of each.
    pub(crate) tally: Tally,
    /// Inputs that could not be read, of several.
    pub(crate) failed: u64,
}

/// Reads all inputs with that many jobs and writes lines and totals, in the order of the inputs.
pub(crate) fn run(
    reading: &Reading,
    files: Files,
    jobs: usize,
    output: Output,
) -> (Result<(), Failure>, Summary) {
    let mut books = Books {
        reading,
        is_of_several: files.are_named,
        summary: Summary::default(),
        count: files.paths.len() as u64,
    };
    let is_alone = files.paths.len() == 1 && !reading.is_by_line();
    let end = if jobs < 2 || is_alone {
        in_turn(reading, files, output, &mut books)
    } else {
        jobs::run(reading, files, jobs, output, &mut books)
    };
    let end = end.and_then(|output| books.close(output));
    (end, books.summary)
}

fn in_turn(
    reading: &Reading,
    files: Files,
    mut output: Output,
    books: &mut Books<'_>,
) -> Result<Output, Failure> {
    let Files {
        paths,
        are_named,
        progress,
    } = files;
    for path in paths {
        let path = match path {
            Ok(path) => path,
            Err(failure) => {
                books.fail(failure)?;
                continue;
            }
        };
        let name = name(&path, are_named);
        let input = match Input::open_with(&path, progress.clone()) {
            Ok(input) => input,
            Err(failure) => {
                books.fail(failure)?;
                continue;
            }
        };
        let (end, outcome, back) = reading.read_whole(input, output, name.clone());
        output = back;
        books.enter(&path, end, outcome, &mut output)?;
    }
    Ok(output)
}

/// How lines call an input, if they name it.
pub(crate) fn name(path: &Path, are_named: bool) -> Option<Arc<str>> {
    are_named.then(|| path.to_string_lossy().into_owned().into())
}

/// Adds up what comes of inputs, and writes their totals.
#[derive(Debug)]
pub(crate) struct Books<'r> {
    reading: &'r Reading,
    is_of_several: bool,
    summary: Summary,
    count: u64,
}

impl Books<'_> {
    /// Enters an input that was read, in the order of the inputs.
    pub(crate) fn enter(
        &mut self,
        path: &Path,
        end: Result<(), Failure>,
        mut outcome: Outcome,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.warn(path, &mut outcome);
        self.summary.tally.add(&outcome.tally);
        if let Err(failure) = end {
            return self.fail(failure);
        }
        let name = name(path, self.is_of_several);
        let is_pretty = self.reading.is_pretty;
        let end = outcome.tally.end(&self.reading.task);
        // The report borrows nothing, so it takes the output and gives it back.
        let taken = std::mem::replace(output, Output::nowhere());
        let mut report = Report::new(taken, is_pretty, name);
        report.line(&end);
        *output = report.into_output();
        output.check()
    }

    /// Enters an input that could not be read: of several the others are read all the same.
    pub(crate) fn fail(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Read(..) | Failure::Directory(_) if self.is_of_several => {
                self.summary.failed += 1;
                let _ = failure.report();
                Ok(())
            }
            failure => Err(failure),
        }
    }

    /// Says what of an input was not read or not judged.
    fn warn(&self, path: &Path, outcome: &mut Outcome) {
        let prefix = match self.is_of_several {
            true => format!("{}: ", path.display()),
            false => String::new(),
        };
        let is_judged = matches!(self.reading.task, Task::Admit { .. });
        match outcome.unread.unknown() {
            // `extract` prints lines about the rest.
            Some(unknown) if !is_judged => note(format_args!("{prefix}{unknown}")),
            _ if is_judged && !outcome.unread.is_empty() => {
                note(format_args!("{prefix}{}", outcome.unread));
            }
            _ => {}
        }
        if let (true, Some(unjudged)) = (is_judged, outcome.tally.unjudged()) {
            note(format_args!(
                "{prefix}not all was judged: {unjudged}; `provstream extract --pretty` shows where"
            ));
        }
        if outcome.has_brackets_in_strings {
            note(format_args!(
                "{prefix}annotations in brackets within JSON strings are not read; read the text of a member with --field, as in \
                 --field /text"
            ));
        }
        let is_incomplete = !outcome.unread.is_empty() || outcome.has_brackets_in_strings;
        outcome.tally.incomplete += u64::from(is_incomplete);
    }

    /// Writes the totals of all inputs, if there are several, and ends the output.
    fn close(&mut self, mut output: Output) -> Result<(), Failure> {
        if self.is_of_several && self.summary.failed == 0 {
            let mut report = Report::new(output, self.reading.is_pretty, None);
            report.count_files(self.count);
            report.line(&self.summary.tally.end(&self.reading.task));
            output = report.into_output();
        }
        output.commit()
    }
}
