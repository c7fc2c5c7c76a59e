//! The least that a method of the compiled part can cost, for the benchmark.

use pyo3::prelude::*;

/// An object whose method does nothing.
#[pyclass(frozen, name = "_Empty", module = "provstream")]
pub(crate) struct Empty;

#[pymethods]
impl Empty {
    #[new]
    const fn new() -> Self {
        Self
    }

    /// Returns what it is given.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        chunk
    }
}
