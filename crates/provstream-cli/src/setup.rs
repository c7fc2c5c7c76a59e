//! From arguments to what they ask for.

use std::collections::BTreeSet;

use provstream::provenance::Vocabulary;
use provstream::{Limits, Parser, ParserBuilder};
use provstream_providers::Pointer;

use crate::args::{ClassesArgs, FileArgs, SourceArgs};
use crate::failure::{Failure, note};
use crate::findings::Task;
use crate::reading::Reading;
use crate::settings;

/// Loads a vocabulary from a TOML file; without one, the built-in vocabulary.
pub(crate) fn vocabulary(args: &ClassesArgs) -> Result<Vocabulary, Failure> {
    let Some(path) = &args.vocabulary else {
        return Ok(Vocabulary::memo());
    };
    let vocabulary = settings::load_toml("--vocabulary", path, Vocabulary::from_toml)?;
    let memo = Vocabulary::memo();
    let missing: Vec<_> = memo
        .classes()
        .filter(|(class, _)| vocabulary.class(class.as_str()).is_none())
        .map(|(class, _)| class.to_string())
        .collect();
    if !missing.is_empty() {
        note(format_args!(
            "{}: vocabulary {} does not have these classes of version 1.0, which count as unknown: {}",
            path.display(),
            vocabulary.version(),
            missing.join(", ")
        ));
    }
    Ok(vocabulary)
}

/// An option that names a class which the vocabulary does not have.
pub(crate) fn unknown_class(option: &str, class: &str, vocabulary: &Vocabulary) -> Failure {
    let version = vocabulary.version();
    let advice = match vocabulary.similar(class) {
        Some(similar) => format!("did you mean {similar} (`provstream vocabulary` lists all)"),
        None => "`provstream vocabulary` lists them".to_owned(),
    };
    Failure::Usage(format!(
        "{option}: unknown class `{class}`, expected one of vocabulary {version}; {advice}"
    ))
}

/// An option that was given twice for a class, or for all classes.
pub(crate) fn given_twice(option: &str, class: Option<&str>) -> Failure {
    let of = class.unwrap_or("all classes");
    Failure::Usage(format!(
        "{option}: expected one for each class, found two for {of}; leave out one of them"
    ))
}

/// A parser that reads what the arguments say, with limits of the command's choice.
pub(crate) fn parser(source: &SourceArgs, limits: Limits, vocabulary: Vocabulary) -> ParserBuilder {
    Parser::builder()
        .mode(source.mode)
        .limits(limits)
        .vocabulary(vocabulary)
}

/// How inputs are read.
///
/// # Errors
///
/// If a field is given twice.
pub(crate) fn reading(
    source: &SourceArgs,
    files: &FileArgs,
    parser: ParserBuilder,
    task: Task,
    is_pretty: bool,
) -> Result<Reading, Failure> {
    let mut given = BTreeSet::new();
    for field in files.fields.iter().map(Pointer::as_str) {
        if !given.insert(field) {
            return Err(Failure::Usage(format!(
                "--field: expected each pointer once, found `{field}` twice; leave out one of them"
            )));
        }
    }
    let names = files.fields.iter().map(|field| field.as_str().into());
    Ok(Reading {
        task,
        parser,
        mode: source.mode,
        input: source.input,
        fields: files.fields.clone(),
        field_names: if files.fields.len() > 1 {
            names.collect()
        } else {
            Vec::new()
        },
        chunk: source.chunk_size.map(usize::from),
        is_pretty,
    })
}
