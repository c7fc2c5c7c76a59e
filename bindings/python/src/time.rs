//! Times and durations from Python.

use std::time::Duration;

use provstream::provenance::{Timestamp, TimestampError, parse_duration};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::settings::value_error;

/// Most characters of an invalid time in a message.
const MAX_SHOWN: usize = 40;

/// Parses a time: an RFC 3339 text, or an aware `datetime`.
///
/// # Errors
/// `ValueError` for a text that is not a date-time and for a `datetime` without a time zone, `TypeError` for something else.
pub(crate) fn timestamp(value: &Bound<'_, PyAny>) -> PyResult<Timestamp> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        return text.parse().map_err(|error: TimestampError| {
            let shown: String = text.chars().take(MAX_SHOWN).collect();
            PyValueError::new_err(format!(
                "expected a time such as \"2026-05-28T12:00:00Z\", found {shown:?}: {error}"
            ))
        });
    }
    let Ok(offset) = value.call_method0(intern!(value.py(), "utcoffset")) else {
        return Err(PyTypeError::new_err(
            "expected a time as str (RFC 3339) or datetime",
        ));
    };
    if offset.is_none() {
        return Err(PyValueError::new_err(
            "expected a datetime with a time zone, found one without",
        ));
    }
    let text: String = value
        .call_method0(intern!(value.py(), "isoformat"))?
        .extract()?;
    text.parse().map_err(value_error)
}

/// Converts a time to an aware `datetime` in UTC, or returns `None` for year 0, which Python does
/// not support.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn to_datetime(py: Python<'_>, time: Timestamp) -> PyResult<Option<Bound<'_, PyAny>>> {
    let module = py.import("datetime")?;
    let utc = module.getattr("timezone")?.getattr("utc")?;
    let epoch = module
        .getattr("datetime")?
        .call_method1("fromtimestamp", (0, utc))?;
    let micros = time.subsec_nanos() / 1_000;
    let since = module
        .getattr("timedelta")?
        .call1((0, time.unix_seconds(), micros))?;
    match epoch.add(since) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Converts a duration to a `timedelta`.
///
/// # Errors
/// `OverflowError` for more than a `timedelta` can be.
pub(crate) fn to_timedelta(py: Python<'_>, duration: Duration) -> PyResult<Bound<'_, PyAny>> {
    let (seconds, micros) = (duration.as_secs(), duration.subsec_micros());
    py.import("datetime")?
        .getattr("timedelta")?
        .call1((0, seconds, micros))
}

/// Parses the argument `now`.
///
/// # Errors
/// Those of [`timestamp`], with the name of the argument.
pub(crate) fn now(value: &Bound<'_, PyAny>) -> PyResult<Timestamp> {
    timestamp(value).map_err(|error| {
        let py = value.py();
        let message = format!("now: {}", error.value(py));
        PyErr::from_type(error.get_type(py), message)
    })
}

/// Parses the argument `now`; the current time if it is missing.
///
/// # Errors
/// Those of [`now`].
pub(crate) fn or_now(value: Option<&Bound<'_, PyAny>>) -> PyResult<Timestamp> {
    value.map_or_else(|| Ok(Timestamp::now()), now)
}

/// Parses a duration: a text such as `1h30m`, or a `timedelta`.
///
/// # Errors
/// `ValueError` for a text that is not a duration and for a negative `timedelta`, `TypeError` for something else.
pub(crate) fn duration(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if let Ok(text) = value.cast::<PyString>() {
        return parse_duration(text.to_str()?).map_err(value_error);
    }
    let Ok(seconds) = value.call_method0(intern!(value.py(), "total_seconds")) else {
        return Err(PyTypeError::new_err(
            "expected a duration as str (such as \"1h30m\") or timedelta",
        ));
    };
    Duration::try_from_secs_f64(seconds.extract()?).map_err(|_| {
        PyValueError::new_err("expected a duration of at least 0, found a negative one")
    })
}
