//! An input, from its bytes to lines.

use std::sync::Arc;

use provstream::{Mode, Parser, ParserBuilder};
use provstream_providers::Pointer;

use crate::failure::Failure;
use crate::feed::{Reader, Stream};
use crate::findings::{Findings, Outcome, Task};
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::output::Output;
use crate::report::Report;
use crate::strings::HiddenBrackets;

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
        let strings = HiddenBrackets::new(if is_free { Mode::Text } else { self.mode });
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
