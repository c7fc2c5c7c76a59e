//! Citation dialects, and lists of the sources that a model was given.

use std::sync::{Arc, Mutex, PoisonError};

use provstream::provenance::Vocabulary;
use provstream::render::{MarkerRenderer, Markup, Template, Unlisted};
use provstream::{Dialect, Dialects, Sources};
use provstream_route::SourceList;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Map, Value};

use crate::settings::value_error;

/// Most sets of built-in dialects that stay compiled.
const MAX_COMPILED: usize = 16;

/// Sets of built-in dialects by their names: compiling one takes longer than reading a text.
static COMPILED: Mutex<Vec<(Vec<PyBackedStr>, Dialects)>> = Mutex::new(Vec::new());

/// Compiles dialects: a name or a path, or several.
///
/// # Errors
/// `ValueError` for an unknown name and a file that is no dialect, `OSError` for a file that cannot be read.
pub(crate) fn dialects(names: &Bound<'_, PyAny>) -> PyResult<Option<Dialects>> {
    let all: Vec<Bound<'_, PyAny>> = match is_name(names) {
        true => vec![names.clone()],
        false => names.try_iter()?.collect::<PyResult<_>>()?,
    };
    if all.is_empty() {
        return Ok(None);
    }
    let built_in: Option<Vec<PyBackedStr>> = all
        .iter()
        .map(|one| {
            one.extract()
                .ok()
                .filter(|name: &PyBackedStr| !is_path(name))
        })
        .collect();
    let Some(built_in) = built_in else {
        let all: PyResult<Vec<_>> = all.iter().map(dialect).collect();
        return Dialects::new(all?).map(Some).map_err(value_error);
    };
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, dialects)) = compiled.iter().find(|(names, _)| is_same(names, &built_in)) {
        return Ok(Some(dialects.clone()));
    }
    let all: PyResult<Vec<_>> = built_in.iter().map(|name| named(name)).collect();
    let dialects = Dialects::new(all?).map_err(value_error)?;
    if compiled.len() == MAX_COMPILED {
        compiled.remove(0);
    }
    compiled.push((built_in, dialects.clone()));
    Ok(Some(dialects))
}

fn is_same(one: &[PyBackedStr], other: &[PyBackedStr]) -> bool {
    one.iter()
        .map(|name| &**name)
        .eq(other.iter().map(|name| &**name))
}

/// Returns `true` for a name or a path.
fn is_name(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyString>() || value.hasattr("__fspath__").unwrap_or(false)
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '.', '\\'])
}

/// Returns a built-in dialect.
fn named(name: &str) -> PyResult<Dialect> {
    Dialect::built_in(name).ok_or_else(|| {
        let names: Vec<_> = Dialect::built_in_names().collect();
        let names = names.join(", ");
        PyValueError::new_err(format!(
            "expected a dialect, one of {names}, or the path of a file, found {name:?}"
        ))
    })
}

/// Returns a built-in dialect, or reads one from a file.
fn dialect(value: &Bound<'_, PyAny>) -> PyResult<Dialect> {
    match value.extract::<PyBackedStr>() {
        Ok(name) if !is_path(&name) => return named(&name),
        Err(_) if !is_name(value) => {
            return Err(PyTypeError::new_err(format!(
                "expected the name or the path of a dialect, found {}",
                value.get_type().name()?
            )));
        }
        _ => {}
    }
    let file = value
        .py()
        .import("pathlib")?
        .getattr("Path")?
        .call1((value,))?;
    let text: PyBackedStr = file.call_method1("read_text", ("utf-8",))?.extract()?;
    Dialect::from_toml(text.as_bytes())
        .map_err(|error| PyValueError::new_err(format!("{file}: {error}")))
}

/// Reads a list of sources: identifiers, or mappings with an `id`; or a mapping with such a list `sources`, and with `complete`.
///
/// # Errors
/// `TypeError` for anything else, `ValueError` for what a file of sources may not have either.
pub(crate) fn sources(
    value: &Bound<'_, PyAny>,
    vocabulary: &Vocabulary,
) -> PyResult<Arc<dyn Sources>> {
    let file = match value.cast::<PyDict>() {
        Ok(object) => object_of_file(object)?,
        Err(_) => array_of_file(value)?,
    };
    let list = SourceList::from_json(file.to_string().as_bytes(), vocabulary);
    Ok(Arc::new(list.map_err(value_error)?))
}

fn object_of_file(object: &Bound<'_, PyDict>) -> PyResult<Value> {
    let mut members = Map::new();
    for (name, value) in object {
        let name: String = name.extract()?;
        let value = match &*name {
            "sources" => array_of_file(&value)?,
            "complete" => value.extract::<bool>()?.into(),
            // Its name is an error, whatever its value is.
            _ => Value::Null,
        };
        members.insert(name, value);
    }
    Ok(members.into())
}

fn array_of_file(list: &Bound<'_, PyAny>) -> PyResult<Value> {
    if list.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "expected a list of sources, found a str",
        ));
    }
    list.try_iter()?.map(|one| source(&one?)).collect()
}

/// Converts a source to what a file has of it. Other members of a mapping need not be JSON.
fn source(source: &Bound<'_, PyAny>) -> PyResult<Value> {
    let mut members = Map::new();
    members.insert("id".to_owned(), id(source)?.into());
    if let Ok(object) = source.cast::<PyDict>() {
        for name in ["class", "title", "ts", "url"] {
            let value = object.get_item(name)?.filter(|value| !value.is_none());
            if let Some(value) = value {
                members.insert(name.to_owned(), word(name, &value)?.into());
            }
        }
    }
    Ok(members.into())
}

fn word(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!(
            "expected a str in {name:?} of a source, found {}",
            value.get_type().name()?
        )));
    };
    Ok(text.to_str()?.to_owned())
}

/// Reads what is written in the place of markers: a template, or a mapping with `template`, `markup` and `unlisted`.
///
/// # Errors
/// `ValueError` for a template that is not valid and for unknown names, `TypeError` for anything else.
pub(crate) fn renderer(
    value: &Bound<'_, PyAny>,
    sources: Arc<dyn Sources>,
) -> PyResult<MarkerRenderer> {
    let (mut text, mut markup, mut unlisted) = (None, Markup::Markdown, Unlisted::Strip);
    if let Ok(object) = value.cast::<PyDict>() {
        for (key, value) in object {
            let (key, value): (String, String) = (key.extract()?, value.extract()?);
            match &*key {
                "template" => text = Some(value),
                "markup" => markup = value.parse().map_err(value_error)?,
                "unlisted" => unlisted = value.parse().map_err(value_error)?,
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "expected \"template\", \"markup\" or \"unlisted\" in \"render\", found {key:?}"
                    )));
                }
            }
        }
    } else {
        text = Some(value.extract()?);
    }
    let Some(text) = text else {
        return Err(PyValueError::new_err(
            "expected a \"template\" in \"render\", found none",
        ));
    };
    let template = Template::new(&text, markup).map_err(value_error)?;
    Ok(MarkerRenderer::new(template, sources).with_unlisted(unlisted))
}

/// Reads the sources that a request brings: `None` without any, otherwise what `sources` takes.
#[pyfunction]
pub(crate) fn request_sources<'py>(
    py: Python<'py>,
    body: &[u8],
    dialects: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(dialects) = self::dialects(dialects)? else {
        return Ok(None);
    };
    let Some(found) = provstream_route::request_sources(body, &dialects) else {
        return Ok(None);
    };
    let sources = PyList::empty(py);
    for source in found.iter() {
        let one = PyDict::new(py);
        one.set_item("id", source.id)?;
        for (name, value) in [("title", source.title), ("url", source.url)] {
            if let Some(value) = value {
                one.set_item(name, value)?;
            }
        }
        sources.append(one)?;
    }
    let list = PyDict::new(py);
    list.set_item("sources", sources)?;
    list.set_item("complete", found.is_complete())?;
    Ok(Some(list))
}

/// Returns the identifier of a source; a whole number is one, too.
fn id(source: &Bound<'_, PyAny>) -> PyResult<String> {
    let id = match source.cast::<PyDict>() {
        Ok(object) => object.get_item("id")?,
        Err(_) => Some(source.clone()),
    };
    let found = id.as_ref().and_then(|id| match id.extract::<String>() {
        Ok(id) => Some(id),
        Err(_) => id.extract::<u64>().ok().map(|id| id.to_string()),
    });
    found.ok_or_else(|| {
        PyTypeError::new_err(
            "expected sources that are identifiers, or dicts with an \"id\", found another value",
        )
    })
}
