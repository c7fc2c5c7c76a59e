//! What can be given to `provstream emit`, and the help that explains it.

use std::path::PathBuf;

use clap::{Args as ArgGroup, Subcommand};
use provstream_emit::{
    GrammarTarget, Language, PromptForm, PromptLength, Requirement, SchemaTarget,
};

use crate::args::ClassesArgs;
use crate::values::named;

/// What `provstream emit` is for.
pub(crate) const EMIT: &str = "\
Make models write provenance annotations.

A prompt asks for annotations; a schema or a grammar enforces them while an answer is decoded. All of them come from the \
vocabulary that the other commands read with. docs/emission.md has a recipe for each provider and engine.";

const EXIT: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  a file cannot be read, or the output cannot be written
  2  an argument is wrong, or what a file says is";

/// The exit statuses of `emit examples`.
const EXIT_EXAMPLES: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  a file cannot be read, or the output cannot be written; with `examples --fail` also when the
     reader of the output has gone away before it was known that everything passes
  2  an argument is wrong, or what the vocabulary file says is
  3  with `examples --fail`: a conversation was skipped, or there was none";

const PROMPT: &str = "\
Print instructions for a model: the rules, each class in a line, the terminals, and two worked answers.

With --observations, the prompt lists what was observed, and the model is asked to cite nothing else. The file is a JSON array:

    [{\"class\": \"substrate.grep\", \"id\": \"src/a.rs:7\",
      \"ts\": \"2026-05-28T11:40:00Z\", \"summary\": \"fn main\"}]

`ts` and `summary` can be left out. The same arguments give the same bytes, so that `sha256sum` of a prompt identifies it; \
--json prints one object with the text, the hash, and the version of the prompts.";

const SCHEMA: &str = "\
Print a JSON Schema of answers that are made of asserted objects.

The schema keeps to what the target's provider documents for structured output. With --observations, annotations can cite \
what the file lists and nothing else.";

const GRAMMAR: &str = "\
Print a grammar of free text in which an annotation, once begun, can only be completed well-formed.

With --observations, an annotation can cite what the file lists and nothing else. --require every-sentence forbids text that no \
annotation follows. A structural tag enforces only what follows one of its triggers.";

const EXAMPLES: &str = "\
Print examples for fine-tuning and few-shot prompts, two lines for each conversation.

The input has one JSON object a line, in the chat format: {\"messages\":[{\"role\":…,\"content\":…},…]}. For each whose answers have \
annotations in brackets that `provstream extract` reads without a diagnostic, a line is printed with the prompt as system message, \
and one without prompt and annotations. Standard error says how many lines gave nothing and why, with the first of each kind.";

/// What to emit.
#[derive(Debug, Subcommand)]
pub(crate) enum EmitCommand {
    /// Print instructions for a model
    #[command(long_about = PROMPT, after_long_help = EXIT)]
    Prompt(PromptArgs),
    /// Print a JSON Schema for structured output
    #[command(long_about = SCHEMA, after_long_help = EXIT)]
    Schema(SchemaArgs),
    /// Print a grammar for constrained decoding
    #[command(long_about = GRAMMAR, after_long_help = EXIT)]
    Grammar(GrammarArgs),
    /// Print examples from annotated conversations
    #[command(long_about = EXAMPLES, after_long_help = EXIT_EXAMPLES)]
    Examples(ExamplesArgs),
}

/// What can be cited.
#[derive(Debug, ArgGroup)]
pub(crate) struct CitedArgs {
    #[command(flatten)]
    pub(crate) classes: ClassesArgs,
    /// A JSON file with the observations made so far, the only ones that can be cited; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) observations: Option<PathBuf>,
}

/// How a prompt is worded.
#[derive(Debug, ArgGroup)]
pub(crate) struct WordingArgs {
    /// The encoding to ask for: bracketed or json
    #[arg(long, value_name = "FORM", default_value_t, value_parser = named::<PromptForm>)]
    pub(crate) form: PromptForm,
    /// How much to explain: short (under 400 tokens of `o200k_base` without observations) or full
    #[arg(long, value_name = "LENGTH", default_value_t, value_parser = named::<PromptLength>)]
    pub(crate) length: PromptLength,
    /// The language: en, de, es, fr or ja
    #[arg(long, value_name = "LANGUAGE", default_value_t, value_parser = named::<Language>)]
    pub(crate) language: Language,
}

/// Arguments of `provstream emit prompt`.
#[derive(Debug, ArgGroup)]
pub(crate) struct PromptArgs {
    /// How it is worded.
    #[command(flatten)]
    pub(crate) wording: WordingArgs,
    /// What the model is asked to annotate: nothing (only what states a fact) or every-sentence
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = named::<Requirement>)]
    pub(crate) require: Requirement,
    /// What can be cited.
    #[command(flatten)]
    pub(crate) cited: CitedArgs,
    /// Print one JSON object with the text and what identifies it
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `provstream emit schema`.
#[derive(Debug, ArgGroup)]
pub(crate) struct SchemaArgs {
    /// Whose structured output it is for: json-schema, openai, anthropic, gemini, ollama, bedrock or cohere
    #[arg(long, value_name = "TARGET", default_value_t = SchemaTarget::JsonSchema, value_parser = named::<SchemaTarget>)]
    pub(crate) target: SchemaTarget,
    /// What can be cited.
    #[command(flatten)]
    pub(crate) cited: CitedArgs,
}

/// Arguments of `provstream emit grammar`.
#[derive(Debug, ArgGroup)]
pub(crate) struct GrammarArgs {
    /// What reads it: lark (llguidance), gbnf (llama.cpp), ebnf (XGrammar), regex, structural-tag or structural-tag-legacy
    #[arg(long, value_name = "TARGET", value_parser = named::<GrammarTarget>)]
    pub(crate) target: GrammarTarget,
    /// What the grammar requires an annotation for: nothing (annotations can be left out) or every-sentence
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = named::<Requirement>)]
    pub(crate) require: Requirement,
    /// What can be cited.
    #[command(flatten)]
    pub(crate) cited: CitedArgs,
}

/// Arguments of `provstream emit examples`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ExamplesArgs {
    /// The conversations, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Exit with status 3 if a conversation was skipped, or there was none
    #[arg(long)]
    pub(crate) fail: bool,
    /// How much the prompt explains: short or full
    #[arg(long, value_name = "LENGTH", default_value_t, value_parser = named::<PromptLength>)]
    pub(crate) length: PromptLength,
    /// The prompt's language: en, de, es, fr or ja
    #[arg(long, value_name = "LANGUAGE", default_value_t, value_parser = named::<Language>)]
    pub(crate) language: Language,
    #[command(flatten)]
    pub(crate) classes: ClassesArgs,
}
