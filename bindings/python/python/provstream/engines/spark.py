"""Spark: DataFrames on one machine or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from provstream.engines._extractor import ADDED, Extractor, check_names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def extract(frame: DataFrame, column: str = "text", **options: Any) -> DataFrame:
    """Returns a DataFrame with the columns `assertions` and `diagnostics`.

    The options are those of `provstream.engines.Extractor`. Every executor needs the packages provstream and pyarrow. The
    DataFrame is lazy. A task whose executor dies runs again, and gives the same rows.
    """
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    check_names(frame.columns)
    extractor = Extractor(column, **options)
    types = extractor.types()
    added = [StructField(name, from_arrow_type(types.field(name).type), nullable=True) for name in ADDED]
    return frame.mapInArrow(extractor.batches, StructType([*frame.schema.fields, *added]))
