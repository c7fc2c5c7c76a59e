//! `provstream emit examples`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use provstream::provenance::Vocabulary;
use provstream_emit::{ExampleError, Prompt, example_pair};

use super::args::ExamplesArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::output::Output;
use crate::setup;

/// How much is read at once.
const CHUNK: usize = 1 << 16;

/// Longest line that is kept; the library refuses it too.
const MAX_LINE: usize = (8 << 20) + 1;

/// Why a line is skipped that is not a conversation.
const NOT_CHAT: &str = "not in the chat format";

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
        number: 0,
        conversations: 0,
    };
    let mut input = Input::open(&args.file)?;
    let end = writer.read(&mut input);
    if end.is_ok() && writer.conversations == 0 {
        note(format_args!(
            "{} is empty: expected at least one conversation, a line of JSON",
            input.name()
        ));
    }
    if end.is_ok() {
        writer.report();
    }
    let passed = writer.conversations > 0 && writer.skipped.is_empty();
    exit_status::status(end, args.fail, passed)
}
struct Writer<'a> {
    vocabulary: &'a Vocabulary,
    instructions: &'a str,
    output: Output,
    /// Lines that gave no example, by the reason.
    skipped: BTreeMap<&'static str, Skipped>,
    number: usize,
    /// Lines that are not blank.
    conversations: usize,
}

/// Lines that gave no example for the same reason.
struct Skipped {
    count: usize,
    /// The number of the first line, and what is wrong with it.
    first: (usize, String),
}

impl Writer<'_> {
    /// Writes the examples of all conversations.
    fn read(&mut self, input: &mut Input) -> Result<(), Failure> {
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
                    self.line(&line)?;
                    line.clear();
                }
            }
        }
        self.line(&line)?;
        self.output.flush()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.number += 1;
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if self.number == 1 => rest,
            _ => line,
        };
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        self.conversations += 1;
        let error = match example_pair(line, self.instructions, self.vocabulary) {
            Ok(pair) => {
                for example in [pair.annotated(), pair.unannotated()] {
                    self.output.bytes(example.as_bytes());
                    self.output.bytes(b"\n");
                }
                return self.output.check();
            }
            Err(error) => error,
        };
        let why = match error {
            ExampleError::Unannotated => "without annotations",
            ExampleError::Faulty { .. } => "with faulty annotations",
            _ => NOT_CHAT,
        };
        let first = (self.number, error.to_string());
        let skipped = self.skipped.entry(why);
        skipped.or_insert(Skipped { count: 0, first }).count += 1;
        Ok(())
    }

    fn report(&self) {
        for (why, skipped) in &self.skipped {
            let (count, (line, what)) = (skipped.count, &skipped.first);
            let help = match *why {
                NOT_CHAT => "; `provstream emit examples --help` shows the format",
                _ => "",
            };
            note(format_args!(
                "conversations skipped, {why}: {count}, the first in line {line}: {what}{help}"
            ));
        }
    }
}
