//! `provstream emit`.

mod examples;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use provstream::provenance::Vocabulary;
use provstream_emit::{
    Grammar, GrammarTarget, Language, Observations, PROMPT_VERSION, Prompt, PromptForm,
    PromptLength, Requirement, Schema, SchemaTarget,
};
use provstream_route::LedgerList;
use serde_json::json;

use crate::error::usage_error;
use crate::ledger::load_list;
use crate::options::{VocabularyOptions, one_of};
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum EmitCommand {
    Prompt(PromptOptions),
    Schema(EmitSchemaOptions),
    Grammar(GrammarOptions),
    Examples(examples::ExamplesOptions),
}

// Observations that can be cited.
#[derive(Debug, Args)]
struct ObservationOptions {
    #[command(flatten)]
    vocabulary: VocabularyOptions,
    /// A JSON file with the observations made so far, the only ones that can be cited
    #[arg(long, value_name = "FILE")]
    observations: Option<PathBuf>,
}

/// Print instructions for a model: the rules, the classes, and two worked answers
///
/// With --observations, the prompt lists what was observed, and the model is asked to cite
/// nothing else. The file is a JSON array; `ts` and `summary` can be left out:
///
///     [{"class": "substrate.grep", "id": "src/a.rs:7",
///       "ts": "2026-05-28T11:40:00Z", "summary": "fn main"}]
///
/// The same arguments give the same bytes; --json prints one object with the text, its hash, and
/// the version of the prompts.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct PromptOptions {
    /// Encoding to ask for
    #[arg(long, value_name = "FORM", default_value_t, value_parser = one_of::<PromptForm>())]
    form: PromptForm,
    /// Amount of explanation: short (under 400 tokens of `o200k_base` without observations) or full
    #[arg(long, value_name = "LENGTH", default_value_t, value_parser = one_of::<PromptLength>())]
    length: PromptLength,
    /// Language of the prompt
    #[arg(long, value_name = "LANGUAGE", default_value_t, value_parser = one_of::<Language>())]
    language: Language,
    /// Text that the model is asked to annotate: nothing (only what states a fact) or every-sentence
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = one_of::<Requirement>())]
    require: Requirement,
    #[command(flatten)]
    observations: ObservationOptions,
    /// Print one JSON object with the text and what identifies it
    #[arg(long)]
    json: bool,
}

/// Print a JSON Schema for structured output
///
/// The schema describes answers that are made of asserted objects, and keeps to what the target's provider
/// documents. With --observations, annotations can cite what the file lists and nothing else.
#[derive(Debug, Args)]
pub(crate) struct EmitSchemaOptions {
    /// Structured output that the schema is for
    #[arg(long, value_name = "TARGET", default_value_t = SchemaTarget::JsonSchema, value_parser = one_of::<SchemaTarget>())]
    target: SchemaTarget,
    #[command(flatten)]
    observations: ObservationOptions,
}

/// Print a grammar for constrained decoding
///
/// An annotation in free text, once begun, can only be completed well-formed. With --observations, it can
/// cite what the file lists and nothing else. A structural tag enforces only what follows one of its triggers.
#[derive(Debug, Args)]
pub(crate) struct GrammarOptions {
    /// Reader of the grammar: lark (llguidance), gbnf (llama.cpp), ebnf (XGrammar), regex or a structural tag
    #[arg(long, value_name = "TARGET", value_parser = one_of::<GrammarTarget>())]
    target: GrammarTarget,
    /// Text that needs an annotation: nothing (annotations can be left out) or every-sentence
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = one_of::<Requirement>())]
    require: Requirement,
    #[command(flatten)]
    observations: ObservationOptions,
}

/// Runs the command.
pub(crate) fn run(command: &EmitCommand) -> anyhow::Result<ExitCode> {
    match command {
        EmitCommand::Prompt(options) => print(&prompt(options)?),
        EmitCommand::Schema(options) => print(&schema(options)?),
        EmitCommand::Grammar(options) => print(&grammar(options)?),
        EmitCommand::Examples(options) => examples::run(options),
    }
}

fn prompt(options: &PromptOptions) -> anyhow::Result<String> {
    let (vocabulary, observations) = load_observations(&options.observations)?;
    if options.form == PromptForm::Json && options.require == Requirement::EverySentence {
        return Err(usage_error(
            "--require every-sentence cannot be used with --form json, where every statement has an annotation",
        ));
    }
    let mut prompt = Prompt::new(&vocabulary)
        .asking_for(options.form)
        .with_length(options.length)
        .in_language(options.language)
        .requiring(options.require);
    if let Some(observations) = &observations {
        prompt = prompt.citing(observations);
    }
    let built = prompt.build();
    if !options.json {
        return Ok(built.text().to_owned());
    }
    let object = json!({
        "prompt_version": PROMPT_VERSION,
        "sha256": built.sha256(),
        "vocabulary": vocabulary.version().to_string(),
        "form": options.form.as_str(),
        "length": options.length.as_str(),
        "language": options.language.as_str(),
        "require": options.require.as_str(),
        "text": built.text(),
    });
    Ok(format!("{object}\n"))
}

fn schema(options: &EmitSchemaOptions) -> anyhow::Result<String> {
    let (vocabulary, observations) = load_observations(&options.observations)?;
    let mut schema = Schema::new(&vocabulary);
    if let Some(observations) = &observations {
        schema = schema.citing(observations);
    }
    let built = schema.build(options.target).map_err(usage_error)?;
    Ok(format!("{built:#}\n"))
}

fn grammar(options: &GrammarOptions) -> anyhow::Result<String> {
    let (vocabulary, observations) = load_observations(&options.observations)?;
    let mut grammar = Grammar::new(&vocabulary).requiring(options.require);
    if let Some(observations) = &observations {
        grammar = grammar.citing(observations);
    }
    grammar.print(options.target).map_err(usage_error)
}

/// Loads the vocabulary, and the observations of a file.
fn load_observations(
    options: &ObservationOptions,
) -> anyhow::Result<(Vocabulary, Option<Observations>)> {
    let vocabulary = options.vocabulary.load()?;
    let load = |path: &Path| {
        load_list("--observations", path, LedgerList::Observations, |file| {
            Observations::from_json(file, &vocabulary)
        })
    };
    let observations = options.observations.as_deref().map(load).transpose()?;
    Ok((vocabulary, observations))
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut output = Output::stdout();
    output.write_bytes(text.as_bytes());
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
