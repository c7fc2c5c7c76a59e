//! What comes of several inputs, added up.

use std::path::Path;
use std::sync::Arc;

use provstream_providers::Pointer;

use crate::failure::{Failure, note};
use crate::findings::{FieldLines, Outcome, Tally, Task};
use crate::output::Output;
use crate::reading::Reading;
use crate::report::Report;
use crate::unjudged;

/// What came of all inputs.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The sum of what came of each.
    pub(crate) tally: Tally,
    /// Inputs that could not be read, of several.
    pub(crate) failed: u64,
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

impl<'r> Books<'r> {
    /// Books of that many inputs, which are named if there are several.
    pub(crate) fn new(reading: &'r Reading, is_of_several: bool, count: u64) -> Self {
        Self {
            reading,
            is_of_several,
            summary: Summary::default(),
            count,
        }
    }

    /// What came of all inputs.
    pub(crate) fn into_summary(self) -> Summary {
        self.summary
    }

    /// Enters an input that was read, in the order of the inputs.
    pub(crate) fn enter(
        &mut self,
        path: &Path,
        end: Result<(), Failure>,
        mut outcome: Outcome,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.warn(path, &mut outcome);
        if self.is_of_several {
            let file = path.display().to_string();
            outcome.tally.refused.in_file(&file);
        }
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
            // It has no line that could say so.
            _ if outcome.unread.is_blank() => note(format_args!("{prefix}{}", outcome.unread)),
            _ if is_judged && !outcome.unread.is_empty() => {
                note(format_args!("{prefix}{}", outcome.unread));
            }
            _ => {}
        }
        let unjudged = &outcome.tally.unjudged;
        if is_judged && !unjudged.is_empty() {
            note(format_args!("{prefix}{unjudged}"));
        }
        // `admit` counts these lines among what was not judged.
        if !is_judged && let Some(message) = self.note_of_fields(path, outcome.fields) {
            note(message);
        }
        if let Some(place) = outcome.hidden {
            let advice = "read the text of a member with --field, as in --field /text, and a provider's response with --input auto";
            let hidden = unjudged::hidden(place, "read", advice);
            note(format_args!("{prefix}{hidden}"));
        }
        let is_incomplete = !outcome.unread.is_empty() || outcome.hidden.is_some();
        outcome.tally.incomplete += u64::from(is_incomplete);
    }

    fn note_of_fields(&self, path: &Path, lines: FieldLines) -> Option<String> {
        let pointers = self.reading.fields.iter().map(Pointer::as_str);
        let input = match path.to_str() {
            Some("-") => "standard input".to_owned(),
            _ => path.display().to_string(),
        };
        lines.note(&input, &pointers.collect::<Vec<_>>().join(" or "))
    }

    /// Writes the totals of all inputs, if there are several, and ends the output.
    pub(crate) fn close(&mut self, mut output: Output) -> Result<(), Failure> {
        if self.is_of_several && self.summary.failed == 0 {
            let mut report = Report::new(output, self.reading.is_pretty, None);
            report.count_files(self.count);
            report.line(&self.summary.tally.end(&self.reading.task));
            output = report.into_output();
        }
        output.commit()
    }
}
