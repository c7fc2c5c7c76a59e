//! Reads the settings for additions to requests.

use core::fmt::Display;

use provstream::provenance::Vocabulary;
use provstream::settings::{Table, Value};
use provstream_emit::{Grammar, Prompt, PromptForm, Schema, SchemaTarget};
use provstream_providers::Format;
use provstream_route::{RouteError, format_of_path};

use crate::constraint::{Constraint, InferenceEngine, schema_target, takes_grammar};
use crate::emission::Emission;
use crate::request_json::takes_prompt;

/// Description of the valid values of `emit`.
const EXPECTED: &str =
    "\"prompt\", \"schema\" or \"grammar\", or an array of \"prompt\" and one of the others";

pub(super) fn emission(table: &Table<'_>, vocabulary: &Vocabulary) -> Result<Emission, RouteError> {
    let engine = engine(table)?;
    let Some(value) = table.get("emit") else {
        return match table.get("engine") {
            Some(value) => Err(no_engine(&value)),
            None => Ok(Emission::default()),
        };
    };
    let format = format(table)?;
    let of_path = table.need("path")?.string()?;
    let known = format.or_else(|| format_of_path(of_path));
    let (has_prompt, constraint) = parts(&value)?;
    let constraint = match (constraint, engine) {
        ("grammar", None) if known.is_some_and(|known| !takes_grammar(known)) => {
            return Err(takes_none(&value, "grammar", known));
        }
        ("grammar", None) => {
            let message = "expected a key \"engine\" beside \"emit\" with \"grammar\", such as engine = \"llama-cpp\", found none";
            return Err(RouteError::new(value.place(), message));
        }
        ("grammar", Some(engine)) => Some(grammar(&value, engine, known, vocabulary)?),
        ("schema", engine) => Some(schemas(&value, engine, known, vocabulary)?),
        (_, Some(_)) => {
            let place = table.need("engine")?;
            return Err(no_engine(&place));
        }
        _ => None,
    };
    if has_prompt && known.is_some_and(|known| !takes_prompt(known)) {
        return Err(takes_none(&value, "prompt", known));
    }
    let form = match constraint {
        Some(Constraint::Schema(..)) => PromptForm::Json,
        _ => PromptForm::Bracketed,
    };
    let prompt = Prompt::new(vocabulary).asking_for(form).build();
    Ok(Emission {
        format,
        prompt: has_prompt.then(|| prompt.text().into()),
        constraint,
    })
}

fn no_engine(value: &Value<'_>) -> RouteError {
    let message = "expected no \"engine\" without \"schema\" or \"grammar\" in \"emit\", found one";
    RouteError::new(value.place(), message)
}

/// Returns `true` if `emit` has a prompt, and the name of the other addition, which may be empty.
fn parts<'t>(value: &Value<'t>) -> Result<(bool, &'t str), RouteError> {
    let names: Vec<&str> = match value.string() {
        Ok(name) => vec![name],
        Err(_) => {
            let items = value.items().map_err(|_| value.wrong_type(EXPECTED))?;
            items.map(|item| item.string()).collect::<Result<_, _>>()?
        }
    };
    match names[..] {
        ["prompt"] => Ok((true, "")),
        [one @ ("schema" | "grammar")] => Ok((false, one)),
        ["prompt", one @ ("schema" | "grammar")] | [one @ ("schema" | "grammar"), "prompt"] => {
            Ok((true, one))
        }
        _ => Err(value.wrong_type(EXPECTED).into()),
    }
}

fn engine(table: &Table<'_>) -> Result<Option<InferenceEngine>, RouteError> {
    let Some(value) = table.get("engine") else {
        return Ok(None);
    };
    let name = value.string()?;
    let found = InferenceEngine::ALL
        .into_iter()
        .find(|one| one.as_str() == name);
    let names = InferenceEngine::ALL.map(|one| format!("\"{}\"", one.as_str()));
    let expected = format!("one of {}", names.join(", "));
    found
        .map(Some)
        .ok_or_else(|| value.wrong_type(&expected).into())
}

/// Returns the format that the route names. An invalid name is reported elsewhere.
fn format(table: &Table<'_>) -> Result<Option<Format>, RouteError> {
    let name = table
        .get("format")
        .map(|value| value.string())
        .transpose()?;
    Ok(name.and_then(|name| name.parse().ok()))
}

fn takes_none(value: &Value<'_>, what: &str, format: Option<Format>) -> RouteError {
    let found = format.map_or("", Format::as_str);
    let message = format!(
        "expected a format that takes a {what} for \"emit\", found \"{found}\", which takes none"
    );
    RouteError::new(value.place(), &message)
}

fn unwritten(value: &Value<'_>, what: &str, error: impl Display) -> RouteError {
    let message = format!("the {what} of \"emit\" cannot be written: {error}");
    RouteError::new(value.place(), &message)
}

/// Builds the schema for the format, or one for each possible format of a request.
fn schemas(
    value: &Value<'_>,
    engine: Option<InferenceEngine>,
    known: Option<Format>,
    vocabulary: &Vocabulary,
) -> Result<Constraint, RouteError> {
    if let Some(engine) = engine
        && known.is_some_and(|format| !engine.is_for(format))
    {
        let what = format!("schema of \"{}\"", engine.as_str());
        return Err(takes_none(value, &what, known));
    }
    let targets: Vec<SchemaTarget> = match known {
        Some(format) => {
            let target = schema_target(format, engine);
            vec![target.ok_or_else(|| takes_none(value, "schema", known))?]
        }
        None => SchemaTarget::ALL.to_vec(),
    };
    let schema = Schema::new(vocabulary);
    let build = |target| Ok((target, schema.build(target)?));
    let built: Result<_, provstream_emit::SchemaError> = targets.into_iter().map(build).collect();
    built
        .map(|schemas| Constraint::Schema(engine, schemas))
        .map_err(|error| unwritten(value, "schema", error))
}

fn grammar(
    value: &Value<'_>,
    engine: InferenceEngine,
    known: Option<Format>,
    vocabulary: &Vocabulary,
) -> Result<Constraint, RouteError> {
    let Some(target) = engine.grammar_target() else {
        let name = engine.as_str();
        let message = format!(
            "expected an engine that takes a grammar for \"emit\", found \"{name}\", which takes none; \
             use \"schema\" instead"
        );
        return Err(RouteError::new(value.place(), &message));
    };
    if known.is_some_and(|format| !engine.is_for(format)) {
        let what = format!("grammar of \"{}\"", engine.as_str());
        return Err(takes_none(value, &what, known));
    }
    let printed = Grammar::new(vocabulary).print(target);
    let text = printed.map_err(|error| unwritten(value, "grammar", error))?;
    Ok(Constraint::Grammar(engine, text.into()))
}
