//! The exceptions of the package.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

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
