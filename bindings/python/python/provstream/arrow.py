"""The assertions in a column of texts, from Arrow data to Arrow data.

Any library that has the Arrow PyCapsule interface can give the texts and read the result: pyarrow, polars, duckdb, arro3,
DataFusion and others. No package is needed besides the one that is used.

>>> import pyarrow
>>> from provstream.arrow import extract
>>> texts = pyarrow.table({"id": [7], "text": ["Größe: 3 m. [substrate.grep] Next."]})
>>> result = pyarrow.table(extract(texts, "text"))
>>> result.column_names
['id', 'text', 'assertions', 'diagnostics']
>>> [found] = result["assertions"][0].as_py()
>>> texts["text"][0].as_py()[found["start"] : found["end"]]
'Größe: 3 m.'
>>> [annotation["class"] for annotation in found["annotations"]]
['substrate.grep']
"""

from provstream._native import Column, Extracted
from provstream._native import arrow_extract as extract

__all__ = ["Column", "Extracted", "extract"]
