//! Exceptions of the package.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyGeneratorExit, PyRuntimeError, PyStopAsyncIteration, PyStopIteration, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    provstream,
    BusyError,
    PyRuntimeError,
    "An object is used by two threads at once, or by a callback of its own call."
);
create_exception!(
    provstream,
    InternalError,
    PyRuntimeError,
    "A defect of the package: its compiled part panicked."
);
create_exception!(
    provstream,
    OffsetError,
    PyValueError,
    "The code points of a place are no longer known, because it is too far back in the stream."
);
create_exception!(
    provstream,
    WithheldError,
    PyValueError,
    "A record of which nothing may be disclosed in its context of trust."
);

/// Converts an exception of a callback for the caller.
///
/// `StopIteration`, `StopAsyncIteration` and `GeneratorExit` become the cause of a `RuntimeError`,
/// as in a generator (PEP 479). Otherwise a loop over the stream would take them for its end, and
/// miss the rest silently.
pub(crate) fn callback_error(py: Python<'_>, error: PyErr) -> PyErr {
    let ends_a_loop = error.is_instance_of::<PyStopIteration>(py)
        || error.is_instance_of::<PyStopAsyncIteration>(py)
        || error.is_instance_of::<PyGeneratorExit>(py);
    if !ends_a_loop {
        return error;
    }
    let name = error.get_type(py).name();
    let name = name.map_or_else(|_| String::new(), |name| name.to_string());
    let raised = PyRuntimeError::new_err(format!("a callback raised {name}"));
    raised.set_cause(py, Some(error));
    raised
}
