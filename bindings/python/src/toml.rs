//! Settings given as Python keyword arguments.

use std::fmt::Write;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::event::quoted;
use crate::time;

/// Formats keyword arguments as the text of a TOML file.
///
/// # Errors
/// `TypeError` for a value that no file has.
pub(crate) fn file(keys: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut text = String::new();
    for (key, value) in keys {
        push_member(&mut text, &key, &value)?;
        text.push('\n');
    }
    Ok(text)
}

fn push_member(
    text: &mut String,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    text.push_str(&string(key.cast::<PyString>()?)?);
    text.push_str(" = ");
    push_value(text, value)
}

fn push_value(text: &mut String, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(value) = value.cast::<PyString>() {
        text.push_str(&string(value)?);
    } else if value.is_instance_of::<PyBool>() {
        text.push_str(if value.is_truthy()? { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        let _ = write!(text, "{}", value.repr()?);
    } else if let Ok(table) = value.cast::<PyDict>() {
        text.push('{');
        for (at, (key, value)) in table.iter().enumerate() {
            text.push_str(if at == 0 { " " } else { ", " });
            push_member(text, &key, &value)?;
        }
        text.push_str(" }");
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        text.push('[');
        for value in value.try_iter()? {
            push_value(text, &value?)?;
            text.push(',');
        }
        text.push(']');
    } else if value.hasattr("total_seconds")? {
        let duration = time::duration(value)?;
        if duration.subsec_nanos() > 0 {
            return Err(PyValueError::new_err(
                "expected a duration in whole seconds, found a part of one",
            ));
        }
        let _ = write!(text, "\"{}s\"", duration.as_secs());
    } else {
        return Err(PyTypeError::new_err(format!(
            "expected str, int, bool, timedelta, list or dict in a policy, found {}",
            value.get_type().name()?
        )));
    }
    Ok(())
}

/// Formats a TOML string, whose escapes are those of JSON, plus one for DEL.
fn string(text: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(quoted(text.to_str()?).replace('\u{7f}', "\\u007f"))
}
