"""Daft: DataFrames on one machine, or on a cluster with its Ray runner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from provstream.engines._extractor import Extractor, check_names

if TYPE_CHECKING:
    from daft import DataFrame


def extract(frame: DataFrame, column: str = "text", *, batch_size: int | None = None, **options: Any) -> DataFrame:
    """Returns a DataFrame with the columns `assertions` and `diagnostics`.

    `batch_size` is the number of rows that a worker reads at once, chosen by Daft unless given. The other options are those of
    `provstream.engines.Extractor`. The DataFrame is lazy. Raises `ValueError` if it has a column of one of these names.
    """
    import daft
    import pyarrow

    check_names(frame.column_names)
    extractor = Extractor(column, **options)
    found = daft.DataType.from_arrow_type(pyarrow.struct(list(extractor.types())))

    @daft.func.batch(return_dtype=found, unnest=True, batch_size=batch_size, use_process=False)
    def provstream(texts: daft.Series) -> pyarrow.Array:
        return extractor.array(texts.to_arrow())

    return frame.select(*(daft.col(name) for name in frame.column_names), provstream(daft.col(column)))
