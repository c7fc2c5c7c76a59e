//! Reads the settings of a route about citations.

use core::fmt::Display;
use core::str::FromStr;
use std::sync::Arc;

use provstream::provenance::{Class, Vocabulary};
use provstream::render::{Markup, Template, Unlisted};
use provstream::settings::{Table, Value, quoted_piece};
use provstream::{Dialect, Dialects, Sources};

use super::named;
use crate::error::{RouteError, SHOWN};
use crate::route::RouteAction;
use crate::settings::{CitationSettings, RenderSettings};
use crate::source_classes::SourceClasses;
use crate::sources::SourceList;

/// Expected value of the key `sources`.
const EXPECTED_SOURCES: &str =
    "the path of a JSON file with sources, a list of their identifiers, or \"request\"";

/// Expected value of the key `sources_class`.
const EXPECTED_CLASS: &str = "a class, or a table with the classes of tools,";

/// Reads the dialects of a route, its sources, and what is written in the place of markers.
pub(super) fn citations<E: Display>(
    table: &Table<'_>,
    action: RouteAction,
    vocabulary: &Vocabulary,
    read: &mut impl FnMut(&str) -> Result<String, E>,
) -> Result<CitationSettings, RouteError> {
    let mut citations = CitationSettings {
        dialects: dialects(table, action, read)?,
        ..CitationSettings::default()
    };
    if citations.dialects.is_some() {
        citations.sources = sources(table, vocabulary, read)?;
    }
    let value = table.get("sources");
    citations.has_request_sources =
        value.is_some_and(|value| matches!(value.string(), Ok("request")));
    citations.classes = classes(table, citations.has_request_sources, vocabulary)?;
    citations.rendering = rendering(table, action, &citations)?;
    Ok(citations)
}

/// Reads the dialects of a route: built-in names, and names of files, which have a `/` or a `.`.
fn dialects<E: Display>(
    table: &Table<'_>,
    action: RouteAction,
    read: &mut impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<Dialects>, RouteError> {
    let Some(value) = table.get("dialects") else {
        return Ok(None);
    };
    if action == RouteAction::Pass {
        let message = "expected \"dialects\" only with action \"strip\" or \"gate\", found it with action \"pass\"";
        return Err(RouteError::new(value.place(), message));
    }
    let all = value.items()?.map(|item| {
        let name = item.string()?;
        if !name.contains(['/', '.', '\\']) {
            return Dialect::built_in(name).ok_or_else(|| {
                let known = Dialect::built_in_names().map(|name| format!("\"{name}\""));
                let known: Vec<String> = known.collect();
                let expected = format!("one of {}, or the path of a file,", known.join(", "));
                RouteError::value(item.place(), "dialects", &expected, name)
            });
        }
        let error = |found: String| {
            let name = quoted_piece(name, SHOWN);
            RouteError::new(item.place(), &format!("dialect \"{name}\": {found}"))
        };
        let file = read(name).map_err(|found| error(found.to_string()))?;
        Dialect::from_toml(file.as_bytes()).map_err(|found| error(found.to_string()))
    });
    let all = all.collect::<Result<Vec<_>, RouteError>>()?;
    if all.is_empty() {
        return Ok(None);
    }
    let dialects = Dialects::new(all);
    dialects
        .map(Some)
        .map_err(|error| RouteError::new(value.place(), &format!("dialects: {error}")))
}

/// Reads the sources of a route: the path of a JSON file, or the identifiers themselves. `request` is no list.
fn sources<E: Display>(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
    read: &mut impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<Arc<dyn Sources>>, RouteError> {
    let Some(value) = table.get("sources") else {
        return Ok(None);
    };
    let list = match value.string() {
        Ok("") => return Err(value.wrong_type(EXPECTED_SOURCES).into()),
        Ok("request") => return Ok(None),
        Ok(name) => {
            let error = |found: String| {
                let name = quoted_piece(name, SHOWN);
                RouteError::new(value.place(), &format!("sources \"{name}\": {found}"))
            };
            let file = read(name).map_err(|found| error(found.to_string()))?;
            SourceList::from_json(file.as_bytes(), vocabulary)
                .map_err(|found| error(found.to_string()))?
        }
        Err(_) => {
            let items = value
                .items()
                .map_err(|_| value.wrong_type(EXPECTED_SOURCES))?;
            let ids: Vec<&str> = items.map(|item| item.string()).collect::<Result<_, _>>()?;
            SourceList::of_ids(ids)
        }
    };
    Ok(Some(Arc::new(list)))
}

/// Reads the classes of the sources that requests and responses bring.
fn classes(
    table: &Table<'_>,
    has_request_sources: bool,
    vocabulary: &Vocabulary,
) -> Result<SourceClasses, RouteError> {
    let Some(value) = table.get("sources_class") else {
        return Ok(SourceClasses::default());
    };
    if !has_request_sources {
        let message = "expected \"sources_class\" only with sources = \"request\"";
        return Err(RouteError::new(value.place(), message));
    }
    let mut classes = SourceClasses::default();
    if value.string().is_ok() {
        classes.all = Some(class(&value, vocabulary)?);
        return Ok(classes);
    }
    let tools = value.free_table();
    let tools = tools.map_err(|_| value.wrong_type(EXPECTED_CLASS))?;
    for (tool, value) in tools.entries() {
        classes
            .tools
            .insert(tool.name().into(), class(&value, vocabulary)?);
    }
    Ok(classes)
}

fn class(value: &Value<'_>, vocabulary: &Vocabulary) -> Result<Class, RouteError> {
    let name = value.string()?;
    let class = vocabulary.class(name).filter(|class| !class.is_terminal());
    class.ok_or_else(|| {
        let expected = "a class of the vocabulary that is not a terminal";
        RouteError::value(value.place(), "sources_class", expected, name)
    })
}

/// Reads what is written in the place of markers.
fn rendering(
    table: &Table<'_>,
    action: RouteAction,
    citations: &CitationSettings,
) -> Result<Option<RenderSettings>, RouteError> {
    let Some(value) = table.get("render") else {
        for key in ["render_as", "unlisted"] {
            if let Some(value) = table.get(key) {
                let message = format!("expected \"{key}\" only with \"render\"");
                return Err(RouteError::new(value.place(), &message));
            }
        }
        return Ok(None);
    };
    let has_sources = citations.sources.is_some() || citations.has_request_sources;
    if action != RouteAction::Strip || !has_sources {
        let message =
            "expected \"render\" only with action \"strip\", \"dialects\" and \"sources\"";
        return Err(RouteError::new(value.place(), message));
    }
    let markup = word(table, "render_as", "one of \"markdown\", \"html\"")?;
    let unlisted = word(table, "unlisted", "one of \"strip\", \"keep\", \"mark\"")?;
    let template = Template::new(value.string()?, markup.unwrap_or(Markup::Markdown))
        .map_err(|error| RouteError::new(value.place(), &format!("render: {error}")))?;
    Ok(Some(RenderSettings {
        template,
        unlisted: unlisted.unwrap_or(Unlisted::Strip),
    }))
}

/// Reads a value that is one of several names, if it is there.
fn word<T: FromStr>(
    table: &Table<'_>,
    key: &'static str,
    expected: &str,
) -> Result<Option<T>, RouteError> {
    table
        .get(key)
        .map(|value| named(&value, expected))
        .transpose()
}
