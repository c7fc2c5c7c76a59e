"""Extracts assertions from archives of transcripts, in engines that run on one or several machines.

One module for each engine: `datafusion`, `ray`, `spark` and `daft`. Each needs the engine's package and pyarrow, and has a
function `extract(frame, column, **options)` that takes a table of the engine and returns it with the columns `assertions` and
`diagnostics` of `provstream.arrow.extract`. `datafusion` also has `sql`. The options are those of `Extractor`.
"""

from provstream.engines._extractor import Extractor

__all__ = ["Extractor"]
