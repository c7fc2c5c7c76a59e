//! `provstream.arrow`: extracts assertions from a column of texts, from Arrow data to Arrow data.

mod capsule;
mod columns;
mod points;
mod response;
mod row;
mod settings;
mod table;
mod texts;
mod work;

use std::collections::HashMap;
use std::num::NonZeroUsize;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::{DataType, Schema};
use provstream::Span;
use provstream_providers::{Format, Pointer};
use pyo3::exceptions::{PyKeyError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use self::capsule::{Imported, import};
use self::columns::{Columns, Origin};
use self::settings::{ColumnSettings, RowSource};
use self::table::{ASSERTIONS, DIAGNOSTICS};
use self::texts::TextColumn;
use self::work::Failure;
use crate::discipline::Discipline;
use crate::event::Assertion;
use crate::guard::caught;
use crate::settings::{Limits, Settings as StreamSettings};
use crate::time;
use crate::vocabulary::Vocabulary;

pub(crate) use self::table::{Column, Extracted};

/// Most threads of one call.
const MAX_THREADS: usize = 256;

/// Error message for a column name without a table.
const NO_TABLE: &str = "expected a table or batch, or no column";

/// Finds the assertions in each row of a column of texts.
///
/// `data` is any Arrow table or batch, with the name of the column that has the texts, or a column alone, such as a list of `str`.
/// Frames and series of pandas and polars are tables and columns. The texts are strings or bytes in any of Arrow's layouts; a null
/// row (`None`, or NaN of pandas) has a null result. What is returned is a table: the columns of
/// `data`, if it is a table, and for each row `assertions` and `diagnostics`, both `List<Struct>`. Offsets of an assertion
/// count in the row's text, `start` and `end` code points, `byte_start` and `byte_end` bytes of UTF-8.
///
/// `input` is `raw` for the text itself, the name of a provider's format for its responses, streamed or whole, or `auto` for any
/// of these. With `field`, a JSON Pointer or a sequence of them, a row is JSON that has the text there. `mode` is how a text is
/// read: `text`, `json`, `ndjson` or `auto`.
///
/// With `discipline`, each assertion has a verdict, judged at the time `now` (RFC 3339, or a `datetime` with a time zone);
/// the clock when the call begins, if absent.
///
/// `threads`, 1 to 256, share the rows; the result is then in more chunks. The GIL is released.
///
/// Raises `TypeError` if `data` is not Arrow data or the column is not one of texts, `KeyError` for an unknown column, `ValueError`
/// for a wrong argument, and `OverflowError` if one row has more than 2 GiB of results.
#[pyfunction]
#[pyo3(name = "arrow_extract", signature = (data, column=None, *, mode="auto", input="raw", field=None, discipline=None, now=None, vocabulary=None,
    limits=None, threads=1))]
#[expect(
    clippy::too_many_arguments,
    reason = "most are keyword arguments, and optional"
)]
pub(crate) fn extract(
    data: &Bound<'_, PyAny>,
    column: Option<&str>,
    mode: &str,
    input: &str,
    field: Option<&Bound<'_, PyAny>>,
    discipline: Option<&Discipline>,
    now: Option<&Bound<'_, PyAny>>,
    vocabulary: Option<&Vocabulary>,
    limits: Option<&Limits>,
    threads: usize,
) -> PyResult<Extracted> {
    let py = data.py();
    let parser = StreamSettings::new(mode, vocabulary, limits, false)?.parser();
    let now = time::or_now(now)?;
    let settings = ColumnSettings {
        parser,
        source: source(input, field)?,
        discipline: discipline.map(|discipline| (discipline.inner().clone(), now)),
    };
    let threads = NonZeroUsize::new(threads)
        .filter(|threads| threads.get() <= MAX_THREADS)
        .ok_or_else(|| {
            PyValueError::new_err(format!(
                "expected 1 to {MAX_THREADS} threads, found {threads}"
            ))
        })?;
    let imported = caught(|| import(data, column.is_none()))?;
    py.detach(|| caught(|| read(imported, column, &settings, threads.get())))
}

/// Builds a table with a row for each assertion; its columns are the members of an assertion of `extract`.
///
/// # Errors
/// `OffsetError` for an assertion whose code points are not known, and `OverflowError` for more than 2 GiB.
#[pyfunction]
#[pyo3(name = "arrow_assertions", signature = (assertions, discipline=None, now=None))]
pub(crate) fn assertions_table(
    assertions: Vec<PyRef<'_, Assertion>>,
    discipline: Option<&Discipline>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<Extracted> {
    let now = time::or_now(now)?;
    let mut columns = Columns::new(0);
    for found in &assertions {
        let verdict = discipline.map(|discipline| discipline.inner().judge(found.inner(), now));
        let channel = found.as_super().channel_name();
        let origin = Origin {
            channel: (!channel.is_empty()).then_some(channel),
            field: None,
        };
        columns.assertion(origin, found.inner(), verdict.as_ref());
        let mut points = HashMap::new();
        for place in found.places() {
            points.insert(place.bytes(), Span::new(place.start()?, place.end()?));
        }
        columns.set_points(|span| points.get(&span).copied().unwrap_or(span));
    }
    columns.end_row(true);
    let too_large =
        |_| PyOverflowError::new_err("expected at most 2 GiB of assertions, found more");
    columns.is_full().map_err(too_large)?;
    let built = columns.finish();
    Extracted::of_assertions(&built.map_err(capsule::unread)?.assertions)
}

/// Parses the arguments `input` and `field`.
fn source(input: &str, field: Option<&Bound<'_, PyAny>>) -> PyResult<RowSource> {
    if let Some(field) = field {
        if input != "raw" {
            return Err(PyValueError::new_err(format!(
                "expected `field` or `input`, found both: input {input:?}"
            )));
        }
        let pointers: Vec<String> = match field.extract::<String>() {
            Ok(pointer) => vec![pointer],
            Err(_) => field.extract().map_err(|_| {
                PyTypeError::new_err("field: expected a JSON Pointer or a sequence of them")
            })?,
        };
        if pointers.is_empty() {
            return Err(PyValueError::new_err(
                "field: expected at least one JSON Pointer, found none",
            ));
        }
        let pointers = pointers.iter().map(|pointer| {
            pointer
                .parse::<Pointer>()
                .map_err(|error| PyValueError::new_err(format!("field: {error}")))
        });
        return Ok(RowSource::Fields(pointers.collect::<PyResult<_>>()?));
    }
    match input {
        "raw" => Ok(RowSource::Raw),
        "auto" => Ok(RowSource::Response(None)),
        name => name.parse().map(|format| RowSource::Response(Some(format))).map_err(|_| {
            let formats = Format::ALL.map(Format::as_str).join("\", \"");
            PyValueError::new_err(format!(
                "input: expected \"raw\", \"auto\" or the format of a provider (\"{formats}\"), found {name:?}"
            ))
        }),
    }
}

/// Reads the column of texts from imported data.
fn read(
    imported: Imported,
    column: Option<&str>,
    settings: &ColumnSettings,
    threads: usize,
) -> PyResult<Extracted> {
    let Imported { field, mut chunks } = imported;
    if chunks.is_empty() {
        chunks.push(new_empty_array(field.data_type()));
    }
    let (schema, columns, texts) = match (column, field.data_type()) {
        (None, DataType::Struct(fields)) => {
            let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
            return Err(PyTypeError::new_err(format!(
                "expected the name of the column with the texts, one of {}",
                names.join(", ")
            )));
        }
        (None, _) => {
            let columns = vec![Vec::new(); chunks.len()];
            (Schema::empty(), columns, chunks)
        }
        (Some(name), DataType::Struct(fields)) => {
            let schema = Schema::new_with_metadata(fields.clone(), field.metadata().clone());
            let at = index_of(&schema, name)?;
            let chunks = chunks.iter().map(|chunk| children(chunk));
            let columns = chunks.collect::<PyResult<Vec<_>>>()?;
            let texts = columns.iter().map(|columns| columns[at].clone()).collect();
            (schema, columns, texts)
        }
        (Some(_), found) => {
            return Err(PyTypeError::new_err(format!("{NO_TABLE}, found {found}")));
        }
    };
    let texts: Vec<_> = texts.iter().map(texts_of).collect::<PyResult<_>>()?;
    let pieces = work::run(settings, &texts, threads);
    let pieces = pieces.map_err(|failure| exception(&failure, &texts))?;
    Extracted::new(&schema, &columns, pieces)
}

/// Returns the index of the column with this name.
fn index_of(schema: &Schema, name: &str) -> PyResult<usize> {
    let fields = schema.fields();
    let names = || -> Vec<_> { fields.iter().map(|field| field.name().as_str()).collect() };
    if let Some(taken) = names()
        .into_iter()
        .find(|name| [ASSERTIONS, DIAGNOSTICS].contains(name))
    {
        return Err(PyValueError::new_err(format!(
            "expected a table without a column {taken:?}, which the result has"
        )));
    }
    let mut found = (0..fields.len()).filter(|&at| fields[at].name() == name);
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => Err(PyValueError::new_err(format!(
            "expected one column {name:?}, found several"
        ))),
        (None, _) => Err(PyKeyError::new_err(format!(
            "unknown column {name:?}, expected one of {}",
            names().join(", ")
        ))),
    }
}

/// Returns the columns of a chunk of a table.
fn children(chunk: &ArrayRef) -> PyResult<Vec<ArrayRef>> {
    if chunk.null_count() > 0 {
        return Err(PyTypeError::new_err(format!(
            "{NO_TABLE}, found a column of structs with nulls"
        )));
    }
    Ok(chunk.as_struct().columns().to_vec())
}

fn texts_of(column: &ArrayRef) -> PyResult<TextColumn> {
    TextColumn::of(column).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "expected a column of strings or bytes, found {}",
            column.data_type()
        ))
    })
}

/// Creates the exception for a failure, with the row's index in the whole column.
fn exception(failure: &Failure, texts: &[TextColumn]) -> PyErr {
    let number = |chunk: usize, row: usize| -> usize {
        texts[..chunk].iter().map(TextColumn::len).sum::<usize>() + row
    };
    match *failure {
        Failure::BadOffset(chunk, row) => PyValueError::new_err(format!(
            "row {}: expected offsets that lie in the column",
            number(chunk, row)
        )),
        Failure::RowTooLarge(chunk, row) => PyOverflowError::new_err(format!(
            "row {}: expected at most 2 GiB of results for one row, found more",
            number(chunk, row)
        )),
        Failure::Arrow(ref error) => PyValueError::new_err(error.to_string()),
    }
}
