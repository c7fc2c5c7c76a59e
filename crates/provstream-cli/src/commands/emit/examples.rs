//! `provstream emit examples`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use provstream::provenance::Vocabulary;
use provstream_emit::{ExampleError, Language, Prompt, PromptLength, example_pair};

use crate::error::exit_code;
use crate::input::InputSource;
use crate::lines::{BoundedLine, each_line};
use crate::messages::{CountAndExample, print_note};
use crate::options::{VocabularyOptions, one_of};
use crate::output::Output;

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 8 << 20;

/// Print examples for fine-tuning and few-shot prompts, two lines for each conversation
///
/// The input has one JSON object a line, in the chat format: {"messages":[{"role":…,"content":…},…]}. For each
/// whose answers have annotations in brackets that `provstream extract` reads without a diagnostic, a line is
/// printed with the prompt as system message, and one without prompt and annotations.
#[derive(Debug, Args)]
pub(crate) struct ExamplesOptions {
    /// Conversations, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    file: PathBuf,
    /// Exit with status 3 if a conversation was skipped, or there was none
    #[arg(long)]
    fail: bool,
    /// Amount of explanation in the prompt
    #[arg(long, value_name = "LENGTH", default_value_t, value_parser = one_of::<PromptLength>())]
    length: PromptLength,
    /// Language of the prompt
    #[arg(long, value_name = "LANGUAGE", default_value_t, value_parser = one_of::<Language>())]
    language: Language,
    #[command(flatten)]
    vocabulary: VocabularyOptions,
}

/// Writes examples.
struct ExampleWriter<'a> {
    vocabulary: &'a Vocabulary,
    instructions: &'a str,
    output: Output,
    /// Conversations that were skipped, by reason.
    skipped: BTreeMap<&'static str, CountAndExample>,
    conversations: usize,
}

/// Runs the command.
pub(crate) fn run(options: &ExamplesOptions) -> anyhow::Result<ExitCode> {
    let vocabulary = options.vocabulary.load()?;
    let prompt = Prompt::new(&vocabulary)
        .with_length(options.length)
        .in_language(options.language)
        .build();
    let mut writer = ExampleWriter {
        vocabulary: &vocabulary,
        instructions: prompt.text(),
        output: Output::stdout(),
        skipped: BTreeMap::new(),
        conversations: 0,
    };
    let input = InputSource::open(&options.file)?;
    let name = input.name().to_owned();
    let flush = |writer: &mut ExampleWriter<'_>| writer.output.flush();
    let result = each_line(input, MAX_LINE, &mut writer, flush, ExampleWriter::line);
    let result = result.and_then(|()| writer.output.flush());
    if result.is_ok() {
        if writer.conversations == 0 {
            print_note(format_args!(
                "{name} is empty: expected at least one conversation, a line of JSON"
            ));
        }
        for (reason, skipped) in &writer.skipped {
            let (count, example) = (skipped.count(), skipped.example());
            print_note(format_args!(
                "conversations skipped, {reason}: {count}{example}"
            ));
        }
    }
    let passed = writer.conversations > 0 && writer.skipped.is_empty();
    exit_code(result, options.fail, passed)
}

impl ExampleWriter<'_> {
    fn line(&mut self, line: BoundedLine<'_>) {
        self.conversations += 1;
        let (reason, message) = match line.content {
            Err(_) => (
                "not in the chat format",
                format!("more than {MAX_LINE} bytes"),
            ),
            Ok(json) => match example_pair(json, self.instructions, self.vocabulary) {
                Ok(pair) => {
                    for example in [pair.annotated(), pair.unannotated()] {
                        self.output.write_bytes(example.as_bytes());
                        self.output.write_bytes(b"\n");
                    }
                    return;
                }
                Err(error) => (skip_reason(&error), error.to_string()),
            },
        };
        let skipped = self.skipped.entry(reason).or_default();
        skipped.add(|| format!("in line {}: {message}", line.number));
    }
}

const fn skip_reason(error: &ExampleError) -> &'static str {
    match error {
        ExampleError::Unannotated => "without annotations",
        ExampleError::Faulty { .. } => "with faulty annotations",
        _ => "not in the chat format",
    }
}
