//! `provstream emit`.

pub(crate) mod args;
mod examples;

use std::path::Path;
use std::process::ExitCode;

use provstream::provenance::Vocabulary;
use provstream_emit::{
    Grammar, GrammarError, Observations, PROMPT_VERSION, Prompt, PromptForm, Requirement, Schema,
};
use serde_json::json;

use self::args::{CitedArgs, EmitCommand, GrammarArgs, PromptArgs, SchemaArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::{settings, setup};

/// Runs the command.
pub(crate) fn run(command: &EmitCommand) -> Result<ExitCode, Failure> {
    match command {
        EmitCommand::Prompt(args) => print(&prompt(args)?),
        EmitCommand::Schema(args) => print(&schema(args)?),
        EmitCommand::Grammar(args) => print(&grammar(args)?),
        EmitCommand::Examples(args) => examples::run(args),
    }
}

fn prompt(args: &PromptArgs) -> Result<String, Failure> {
    let (vocabulary, observations) = cited(&args.cited)?;
    let wording = &args.wording;
    if wording.form == PromptForm::Json && args.require == Requirement::EverySentence {
        let what = "--require every-sentence: expected --form bracketed, found json, where every statement has an annotation";
        return Err(Failure::Usage(what.into()));
    }
    let mut prompt = Prompt::new(&vocabulary)
        .asking_for(wording.form)
        .with_length(wording.length)
        .in_language(wording.language)
        .requiring(args.require);
    if let Some(observations) = &observations {
        prompt = prompt.citing(observations);
    }
    let built = prompt.build();
    if !args.json {
        return Ok(built.text().to_owned());
    }
    let object = json!({
        "prompt_version": PROMPT_VERSION,
        "sha256": built.sha256(),
        "vocabulary": vocabulary.version().to_string(),
        "form": wording.form.as_str(),
        "length": wording.length.as_str(),
        "language": wording.language.as_str(),
        "require": args.require.as_str(),
        "text": built.text(),
    });
    Ok(format!("{object}\n"))
}

fn schema(args: &SchemaArgs) -> Result<String, Failure> {
    let (vocabulary, observations) = cited(&args.cited)?;
    let mut schema = Schema::new(&vocabulary);
    if let Some(observations) = &observations {
        schema = schema.citing(observations);
    }
    let built = schema.build(args.target);
    let built = built.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(format!("{built:#}\n"))
}

fn grammar(args: &GrammarArgs) -> Result<String, Failure> {
    let (vocabulary, observations) = cited(&args.cited)?;
    let mut grammar = Grammar::new(&vocabulary).requiring(args.require);
    if let Some(observations) = &observations {
        grammar = grammar.citing(observations);
    }
    let printed = grammar.print(args.target);
    printed.map_err(|error| {
        let path = args.cited.observations.as_deref();
        match (&error, path) {
            (&GrammarError::Uncitable { index, .. }, Some(path)) => uncitable(path, index, &error),
            _ => Failure::Usage(error.to_string()),
        }
    })
}

/// An observation that a grammar refuses, with its place in the file, which is read once more to find it.
fn uncitable(path: &Path, index: usize, error: &GrammarError) -> Failure {
    let refuse = |file: &[u8]| -> Result<(), String> {
        let place = Observations::place(file, index);
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        Err(format!("{place}{error}"))
    };
    match settings::load("--observations", path, refuse) {
        Err(failure) => failure,
        Ok(()) => Failure::Usage(error.to_string()),
    }
}

/// The vocabulary and the observations that were made, if a file lists them.
fn cited(args: &CitedArgs) -> Result<(Vocabulary, Option<Observations>), Failure> {
    let vocabulary = setup::vocabulary(&args.classes)?;
    let read = |path: &Path| {
        settings::load("--observations", path, |file| {
            let example = r#"[{"class":"substrate.grep","id":"src/a.rs:7"}]"#;
            Observations::from_json(file, &vocabulary).map_err(|error| {
                let is_other = !file.trim_ascii_start().starts_with(b"[");
                let message = error.to_string();
                match is_other && message.contains("expected JSON, ") {
                    true => format!("{message}; give an array of observations, such as {example}"),
                    false => message,
                }
            })
        })
    };
    let observations = args.observations.as_deref().map(read).transpose()?;
    Ok((vocabulary, observations))
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut output = Output::stdout();
    output.bytes(text.as_bytes());
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
