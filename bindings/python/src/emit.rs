//! Prompts, schemas and grammars that make a model write annotations.

use provstream_emit::{Grammar, Observations, Prompt, Schema, example_pair};
use pyo3::prelude::*;

use crate::guard::caught;
use crate::settings::value_error;
use crate::vocabulary::Vocabulary;

/// Returns the given vocabulary, or the memo's.
fn or_memo(vocabulary: Option<&Vocabulary>) -> provstream::provenance::Vocabulary {
    vocabulary.map_or_else(provstream::provenance::Vocabulary::memo, |vocabulary| {
        vocabulary.inner().clone()
    })
}

/// Parses a JSON list of observations.
fn observations(
    json: Option<&str>,
    vocabulary: &provstream::provenance::Vocabulary,
) -> PyResult<Option<Observations>> {
    json.map(|json| Observations::from_json(json.as_bytes(), vocabulary).map_err(value_error))
        .transpose()
}

/// Builds a prompt that asks for annotations, and its SHA-256.
#[pyfunction]
#[pyo3(signature = (form, length, language, require, observations_json, vocabulary))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the keyword arguments of `emit.prompt`"
)]
pub(crate) fn prompt(
    form: &str,
    length: &str,
    language: &str,
    require: &str,
    observations_json: Option<&str>,
    vocabulary: Option<&Vocabulary>,
) -> PyResult<(String, String)> {
    let vocabulary = or_memo(vocabulary);
    let mut prompt = Prompt::new(&vocabulary)
        .asking_for(form.parse().map_err(value_error)?)
        .with_length(length.parse().map_err(value_error)?)
        .in_language(language.parse().map_err(value_error)?)
        .requiring(require.parse().map_err(value_error)?);
    if let Some(observations) = observations(observations_json, &vocabulary)? {
        prompt = prompt.citing(&observations);
    }
    caught(|| {
        let text = prompt.build();
        Ok((text.text().to_owned(), text.sha256().to_owned()))
    })
}

/// Builds a schema for structured output, as JSON.
#[pyfunction]
#[pyo3(signature = (target, observations_json, vocabulary))]
pub(crate) fn schema(
    target: &str,
    observations_json: Option<&str>,
    vocabulary: Option<&Vocabulary>,
) -> PyResult<String> {
    let vocabulary = or_memo(vocabulary);
    let target = target.parse().map_err(value_error)?;
    let mut schema = Schema::new(&vocabulary);
    if let Some(observations) = observations(observations_json, &vocabulary)? {
        schema = schema.citing(&observations);
    }
    caught(|| {
        let schema = schema.build(target).map_err(value_error)?;
        crate::event::to_json(&schema)
    })
}

/// Builds a grammar for constrained decoding.
#[pyfunction]
#[pyo3(signature = (target, require, observations_json, vocabulary))]
pub(crate) fn grammar(
    target: &str,
    require: &str,
    observations_json: Option<&str>,
    vocabulary: Option<&Vocabulary>,
) -> PyResult<String> {
    let vocabulary = or_memo(vocabulary);
    let target = target.parse().map_err(value_error)?;
    let mut grammar = Grammar::new(&vocabulary).requiring(require.parse().map_err(value_error)?);
    if let Some(observations) = observations(observations_json, &vocabulary)? {
        grammar = grammar.citing(&observations);
    }
    caught(|| grammar.print(target).map_err(value_error))
}

/// Builds two examples from a conversation: with instructions and annotations, and without.
#[pyfunction]
#[pyo3(signature = (line, instructions, vocabulary))]
pub(crate) fn examples(
    line: &str,
    instructions: &str,
    vocabulary: Option<&Vocabulary>,
) -> PyResult<(String, String)> {
    let vocabulary = or_memo(vocabulary);
    caught(|| {
        let pair = example_pair(line.as_bytes(), instructions, &vocabulary).map_err(value_error)?;
        Ok((pair.annotated().to_owned(), pair.unannotated().to_owned()))
    })
}
