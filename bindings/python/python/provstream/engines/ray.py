"""Ray Data: datasets on one machine or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from provstream.engines._extractor import Extractor

if TYPE_CHECKING:
    from ray.data import Dataset


def extract(dataset: Dataset, column: str = "text", *, batch_size: int = 4_096, **options: Any) -> Dataset:
    """Returns a dataset with the columns `assertions` and `diagnostics`.

    `batch_size` is the number of rows that a worker reads at once. The other options are those of `provstream.engines.Extractor`.
    The dataset is lazy. A task whose worker dies runs again, and gives the same rows.
    """
    return dataset.map_batches(
        Extractor(column, **options),
        batch_format="pyarrow",
        batch_size=batch_size,
        zero_copy_batch=True,
        udf_modifying_row_count=False,
    )
