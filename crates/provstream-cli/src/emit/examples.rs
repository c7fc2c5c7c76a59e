//! `provstream emit examples`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use provstream::provenance::Vocabulary;
use provstream_emit::{ExampleError, Prompt, example_pair};

use super::args::ExamplesArgs;
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::output::Output;
use crate::setup;

/// How much is read at once.
const CHUNK: usize = 1 << 16;

/// Longest line that is kept; the library refuses it too.
const MAX_LINE: usize = (8 << 20) + 1;

/// Runs the command.
pub(crate) fn run(args: &ExamplesArgs) -> Result<ExitCode, Failure> {
    let vocabulary = setup::vocabulary(&args.classes)?;
    let prompt = Prompt::new(&vocabulary)
        .with_length(args.length)
        .in_language(args.language)
        .build();
    let mut writer = Writer {
        vocabulary: &vocabulary,
        instructions: prompt.text(),
        output: Output::stdout(),
        skipped: BTreeMap::new(),
        first: None,
        number: 0,
    };
    let mut input = Input::open(&args.file)?;
    let mut chunk = vec![0; CHUNK];
    let mut line = Vec::new();
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        for piece in chunk[..count].split_inclusive(|&byte| byte == b'\n') {
            let room = MAX_LINE.saturating_sub(line.len());
            line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                writer.line(&line)?;
                line.clear();
            }
        }
    }
    writer.line(&line)?;
    writer.output.flush()?;
    writer.report();
    Ok(ExitCode::SUCCESS)
}

struct Writer<'a> {
    vocabulary: &'a Vocabulary,
    instructions: &'a str,
    output: Output,
    /// How many lines gave no example, by the reason.
    skipped: BTreeMap<&'static str, usize>,
    /// The first line that is not in the format: its number and what is wrong.
    first: Option<(usize, String)>,
    number: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.number += 1;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let why = match example_pair(line, self.instructions, self.vocabulary) {
            Ok(pair) => {
                for example in [pair.annotated(), pair.unannotated()] {
                    self.output.bytes(example.to_string().as_bytes());
                    self.output.bytes(b"\n");
                }
                return self.output.check();
            }
            Err(ExampleError::Unannotated) => "without annotations",
            Err(ExampleError::Faulty(_)) => "with malformed or unknown annotations",
            Err(error) => {
                let number = self.number;
                self.first
                    .get_or_insert_with(|| (number, error.to_string()));
                "not in the chat format"
            }
        };
        *self.skipped.entry(why).or_default() += 1;
        Ok(())
    }

    fn report(&self) {
        for (why, count) in &self.skipped {
            note(format_args!("conversations skipped, {why}: {count}"));
        }
        if let Some((number, what)) = &self.first {
            note(format_args!("line {number}: {what}"));
        }
    }
}
