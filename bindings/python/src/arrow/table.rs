//! Result tables with the columns `assertions` and `diagnostics`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, make_array};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{Field, Schema, SchemaRef};
use pyo3::exceptions::{PyImportError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::capsule::{export_array, export_schema, export_stream, unread};
use super::work::PieceColumns;
use crate::guard::caught;

/// Name of the column of assertions.
pub(super) const ASSERTIONS: &str = "assertions";

/// Name of the column of diagnostics.
pub(super) const DIAGNOSTICS: &str = "diagnostics";

/// Input rows with the columns `assertions` and `diagnostics`; the result of `extract`.
///
/// A table for every library that reads the Arrow `PyCapsule` interface: `pyarrow.table(result)`, `polars.DataFrame(result)`,
/// `arro3.core.Table(result)`, or `from result` in duckdb.
#[pyclass(frozen, module = "provstream.arrow")]
pub(crate) struct Extracted {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Extracted {
    /// Builds a table from the columns of each chunk and the pieces read from the chunk.
    ///
    /// # Errors
    /// `ValueError` if Arrow refuses the columns.
    pub(super) fn new(
        columns: &Schema,
        chunks: &[Vec<ArrayRef>],
        pieces: Vec<PieceColumns>,
    ) -> PyResult<Self> {
        let mut fields: Vec<_> = columns.fields().iter().cloned().collect();
        let mut schema: Option<SchemaRef> = None;
        let mut batches = Vec::with_capacity(pieces.len());
        for PieceColumns { chunk, rows, built } in pieces {
            let schema = schema.get_or_insert_with(|| {
                for (name, column) in [
                    (ASSERTIONS, &built.assertions),
                    (DIAGNOSTICS, &built.diagnostics),
                ] {
                    fields.push(Field::new(name, column.data_type().clone(), true).into());
                }
                let fields = std::mem::take(&mut fields);
                Arc::new(Schema::new_with_metadata(
                    fields,
                    columns.metadata().clone(),
                ))
            });
            let kept = chunks[chunk]
                .iter()
                .map(|column| column.slice(rows.start, rows.len()));
            let found = [built.assertions, built.diagnostics];
            let batch = RecordBatch::try_new(schema.clone(), kept.chain(found).collect());
            batches.push(batch.map_err(unread)?);
        }
        Ok(Self {
            schema: schema.unwrap_or_else(|| Arc::new(columns.clone())),
            batches,
        })
    }

    /// Builds a table with a row for each assertion of a column of lists.
    ///
    /// # Errors
    /// `ValueError` if Arrow refuses the columns.
    pub(super) fn of_assertions(lists: &ArrayRef) -> PyResult<Self> {
        let rows = lists.as_list::<i32>().values();
        let batch = RecordBatch::from(rows.as_struct());
        Ok(Self {
            schema: batch.schema(),
            batches: vec![batch],
        })
    }

    /// Returns all rows of a column as one array.
    fn column(&self, name: &str) -> PyResult<Column> {
        let columns: Vec<_> = self
            .batches
            .iter()
            .filter_map(|batch| batch.column_by_name(name))
            .collect();
        joined(&columns).map(Column)
    }
}

#[pymethods]
impl Extracted {
    /// The assertions of each row: `List<Struct>`. Copied if the result has several chunks.
    #[getter]
    fn assertions(&self, py: Python<'_>) -> PyResult<Column> {
        py.detach(|| caught(|| self.column(ASSERTIONS)))
    }

    /// The diagnostics of each row: `List<Struct>`. Copied if the result has several chunks.
    #[getter]
    fn diagnostics(&self, py: Python<'_>) -> PyResult<Column> {
        py.detach(|| caught(|| self.column(DIAGNOSTICS)))
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// Converts the table to a `pyarrow.Table`. Raises `ImportError` without pyarrow.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        package(slf.py(), "pyarrow")?.call_method1("table", (slf,))
    }

    /// Converts the table to a `pandas.DataFrame`. Raises `ImportError` without pandas or pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        package(slf.py(), "pandas")?;
        Self::to_arrow(slf)?.call_method0("to_pandas")
    }

    /// Converts the table to a `polars.DataFrame`. Raises `ImportError` without polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        package(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Extracted: {} rows, columns {}>",
            self.__len__(),
            self.column_names().join(", ")
        )
    }

    /// Exports the table as a stream of its chunks. Can be called repeatedly.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A request that cannot be met may be ignored (Arrow `PyCapsule` interface, schema requests).
        let _ = requested_schema;
        export_stream(py, self.batches.clone(), self.schema.clone())
    }

    /// Exports the table as one batch. Copied if the result has several chunks.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let whole = py.detach(|| {
            caught(|| {
                let batches = self.batches.iter().cloned();
                let structs = batches.map(|batch| Arc::new(StructArray::from(batch)) as ArrayRef);
                let structs: Vec<_> = structs.collect();
                joined(&structs.iter().collect::<Vec<_>>())
            })
        })?;
        export_array(py, &whole)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.schema)
    }
}

/// A column of a result, for every library that reads the Arrow `PyCapsule` interface: `pyarrow.array(column)`,
/// `polars.Series(column)`.
#[pyclass(frozen, module = "provstream.arrow")]
pub(crate) struct Column(ArrayRef);

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Column: {} rows>", self.0.len())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        export_array(py, &self.0)
    }
}

/// Imports a package that tables are converted for.
///
/// # Errors
/// `ImportError` that names the package.
fn package<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        let named = PyImportError::new_err(format!(
            "expected the package {name}, which this table is converted for, found none: pip install {name}"
        ));
        named.set_cause(py, Some(error));
        named
    })
}

/// Joins arrays of one type. A single array is not copied.
fn joined(arrays: &[&ArrayRef]) -> PyResult<ArrayRef> {
    if let [only] = arrays {
        return Ok(Arc::clone(only));
    }
    let data: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let whole = MutableArrayData::try_new(
        data.iter().collect(),
        false,
        data.iter().map(ArrayData::len).sum(),
    );
    let mut whole = whole.map_err(unread)?;
    for (number, array) in data.iter().enumerate() {
        // Offsets of 32 bits count at most 2 GiB.
        whole.try_extend(number, 0, array.len()).map_err(|_| {
            PyOverflowError::new_err(
                "expected a result of at most 2 GiB for one array, found more: read the table as a stream",
            )
        })?;
    }
    Ok(make_array(whole.freeze()))
}
