//! Exchange of Arrow data with other libraries through the Arrow `PyCapsule` interface.
//!
//! Accepts any object with a method `__arrow_c_array__` or `__arrow_c_stream__`. Data is not
//! copied.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, LargeStringBuilder};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type, to_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayReader, ArrayRef, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, Field, FieldRef, Schema, SchemaRef};
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyFloat, PyString};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Column or table of another library.
pub(super) struct Imported {
    /// Type of the data; `Struct` for a table.
    pub(super) field: FieldRef,
    pub(super) chunks: Vec<ArrayRef>,
}

/// Reads an object of another library to its end, or with `is_column` an iterable of texts.
///
/// # Errors
/// `TypeError` if it is neither, `ValueError` if it cannot be read, and its own exceptions.
pub(super) fn import(data: &Bound<'_, PyAny>, is_column: bool) -> PyResult<Imported> {
    let py = data.py();
    match import_arrow(data) {
        Ok(Some(imported)) => Ok(imported),
        // A series of pandas needs pyarrow for this.
        Err(error) if is_column && error.is_instance_of::<PyImportError>(py) => column(data),
        Err(error) => Err(error),
        Ok(None) if is_iterable(data)? => column(data),
        Ok(None) => Err(PyTypeError::new_err(format!(
            "expected Arrow data, such as a column or table of pyarrow, polars, pandas, duckdb or arro3, or a list of str, found {}",
            data.get_type().name()?
        ))),
    }
}

/// Reads Arrow data; returns `None` for other objects.
fn import_arrow(data: &Bound<'_, PyAny>) -> PyResult<Option<Imported>> {
    if data.hasattr(intern!(data.py(), "__arrow_c_array__"))? {
        let pair = data.call_method0(intern!(data.py(), "__arrow_c_array__"))?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
        return import_array(&schema, &array).map(Some);
    }
    if data.hasattr(intern!(data.py(), "__arrow_c_stream__"))? {
        let stream = data.call_method0(intern!(data.py(), "__arrow_c_stream__"))?;
        return import_stream(stream.cast::<PyCapsule>()?).map(Some);
    }
    Ok(None)
}

/// Returns `true` for an iterable of values; one of keys or of columns' names is not.
fn is_iterable(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_text = data.is_instance_of::<PyString>() || data.is_instance_of::<PyBytes>();
    let is_table = data.hasattr("keys")? && !data.hasattr("dtype")? || data.hasattr("columns")?;
    Ok(!is_text && !is_table && data.hasattr("__iter__")?)
}

/// Builds a column of the `str` or the `bytes` of an iterable, in which `None` and the missing values of pandas are null.
fn column(data: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let (mut strings, mut bytes) = (LargeStringBuilder::new(), LargeBinaryBuilder::new());
    let mut is_bytes = None;
    for (row, value) in data.try_iter()?.enumerate() {
        let value = value?;
        if is_missing(&value)? {
            strings.append_null();
            bytes.append_null();
            continue;
        }
        let (text, binary) = (value.cast::<PyString>(), value.cast::<PyBytes>());
        match (text, binary, is_bytes) {
            (Ok(text), _, None | Some(false)) => {
                is_bytes = Some(false);
                strings.append_value(text.to_str()?);
            }
            (_, Ok(binary), None | Some(true)) => {
                is_bytes = Some(true);
                bytes.append_value(binary.as_bytes());
            }
            (_, _, is_bytes) => {
                let expected = match is_bytes {
                    None => "str or bytes",
                    Some(false) => "str, as in the rows before",
                    Some(true) => "bytes, as in the rows before",
                };
                return Err(PyTypeError::new_err(format!(
                    "row {row}: expected {expected}, found {}",
                    value.get_type().name()?
                )));
            }
        }
    }
    let column: ArrayRef = match is_bytes {
        Some(true) => Arc::new(bytes.finish()),
        _ => Arc::new(strings.finish()),
    };
    Ok(Imported {
        field: Field::new("", column.data_type().clone(), true).into(),
        chunks: vec![column],
    })
}

/// Returns `true` for `None`, NaN and the missing value of pandas.
fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    Ok(value.is_none() || value.get_type().name()? == "NAType")
}

fn import_array(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<Imported> {
    let schema = pointer::<FFI_ArrowSchema>(schema, SCHEMA)?;
    let array = pointer::<FFI_ArrowArray>(array, ARRAY)?;
    #[expect(unsafe_code, reason = "the Arrow C data interface is made of pointers")]
    // SAFETY: a capsule of that name has a pointer to a valid structure (Arrow `PyCapsule` interface, exporting arrays), which
    // lives as long as the capsule, and this thread holds a reference to both. `from_raw` takes the array out of its capsule.
    let (field, array) = unsafe {
        let array = FFI_ArrowArray::from_raw(array.as_ptr());
        (Field::try_from(schema.as_ref()).map_err(unread)?, array)
    };
    if array.is_released() {
        return Err(PyValueError::new_err(
            "expected Arrow data that nothing has read yet, found a capsule that is empty",
        ));
    }
    #[expect(unsafe_code, reason = "the Arrow C data interface is made of pointers")]
    // SAFETY: the producer gave both capsules together, so that the array is of the type that the schema describes.
    let data = unsafe { from_ffi_and_data_type(array, field.data_type().clone()) };
    Ok(Imported {
        field: field.into(),
        chunks: vec![make_array(data.map_err(unread)?)],
    })
}

fn import_stream(stream: &Bound<'_, PyCapsule>) -> PyResult<Imported> {
    let pointer = pointer::<FFI_ArrowArrayStream>(stream, STREAM)?;
    #[expect(
        unsafe_code,
        reason = "the Arrow C stream interface is made of pointers"
    )]
    // SAFETY: a capsule of that name has a pointer to a valid structure (Arrow `PyCapsule` interface, exporting streams), which
    // lives as long as the capsule. `from_raw` takes the stream out of it.
    let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr()) };
    let reader = reader.map_err(unread)?;
    let field = reader.field().clone();
    // The producer may need the interpreter, in this thread or in another one.
    let chunks = stream.py().detach(|| reader.collect::<Result<_, _>>());
    Ok(Imported {
        field,
        chunks: chunks.map_err(unread)?,
    })
}

/// Returns the pointer in a capsule of this name.
fn pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

/// Batches as a stream, in a capsule.
///
/// # Errors
/// Those of Python.
pub(super) fn export_stream<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// An array, in two capsules.
///
/// # Errors
/// `ValueError` for a type without a description, and those of Python.
pub(super) fn export_array<'py>(
    py: Python<'py>,
    array: &dyn Array,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (array, schema) = to_ffi(&array.to_data()).map_err(unread)?;
    Ok((
        PyCapsule::new_with_value(py, schema, SCHEMA)?,
        PyCapsule::new_with_value(py, array, ARRAY)?,
    ))
}

/// The schema of a table, in a capsule.
///
/// # Errors
/// `ValueError` for a type without a description, and those of Python.
pub(super) fn export_schema<'py>(
    py: Python<'py>,
    schema: &Schema,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(unread)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Converts an Arrow error to `ValueError`.
pub(super) fn unread(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
