//! Baseline for benchmarks: the minimum cost of a method of the compiled module.

use pyo3::prelude::*;

/// Object with a method that does nothing.
#[pyclass(frozen, name = "_Empty", module = "provstream")]
pub(crate) struct Empty;

#[pymethods]
impl Empty {
    #[new]
    const fn new() -> Self {
        Self
    }

    /// Returns its argument.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        chunk
    }
}
