"""Extractor that engines send to their workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

#: The names of the columns that are added.
ADDED = ("assertions", "diagnostics")


def check_names(names: Iterable[str]) -> None:
    """Raises `ValueError` if a table already has a column of the result, because an engine would confuse the two."""
    for name in names:
        if name in ADDED:
            raise ValueError(f'expected a table without a column "{name}", which the result has')


class Extractor:
    """`provstream.arrow.extract` with its settings as plain data, so that it can be pickled and sent to workers.

    `discipline` and `limits` are the keyword arguments of `provstream.Discipline` and `provstream.Limits`, `vocabulary` is the
    text of a vocabulary file, and the others are those of `provstream.arrow.extract`. `now` is the time when the extractor is
    created, unless it is given: every worker judges by the same time, and a task that runs again gives the same verdicts.

    Raises `TypeError` or `ValueError` for a wrong setting.
    """

    def __init__(
        self,
        column: str = "text",
        *,
        mode: str = "auto",
        input: str = "raw",
        field: str | Sequence[str] | None = None,
        discipline: Mapping[str, Any] | None = None,
        now: str | None = None,
        vocabulary: str | None = None,
        limits: Mapping[str, int] | None = None,
        threads: int = 1,
    ) -> None:
        self._column = column
        self._plain: dict[str, Any] = {
            "mode": mode,
            "input": input,
            "field": field,
            "discipline": None if discipline is None else dict(discipline),
            "now": now or datetime.now(timezone.utc).isoformat(),
            "vocabulary": vocabulary,
            "limits": None if limits is None else dict(limits),
            "threads": threads,
        }
        self._options: dict[str, Any] | None = None
        # A wrong setting is reported here, and not by a worker.
        self.types()

    def __getstate__(self) -> tuple[str, dict[str, Any]]:
        return self._column, self._plain

    def __setstate__(self, state: tuple[str, dict[str, Any]]) -> None:
        self._column, self._plain = state
        self._options = None

    @property
    def column(self) -> str:
        """Name of the column with the texts."""
        return self._column

    def options(self) -> dict[str, Any]:
        """Returns the keyword arguments of `provstream.arrow.extract`."""
        if self._options is None:
            import provstream

            options = dict(self._plain)
            vocabulary = options["vocabulary"]
            options["vocabulary"] = None if vocabulary is None else provstream.Vocabulary(vocabulary)
            if options["discipline"] is not None:
                settings = {"vocabulary": options["vocabulary"], **options["discipline"]}
                options["discipline"] = provstream.Discipline(**settings)
            if options["limits"] is not None:
                options["limits"] = provstream.Limits(**options["limits"])
            self._options = options
        return self._options

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        """Returns a table with the columns `assertions` and `diagnostics`."""
        import pyarrow
        from provstream.arrow import extract

        return pyarrow.table(extract(table, self._column, **self.options()))

    def array(self, texts: pyarrow.Array) -> pyarrow.Array:
        """Extracts from an array of texts. Returns structs of `assertions` and `diagnostics`."""
        import pyarrow
        from provstream.arrow import extract

        return pyarrow.record_batch(extract(texts, **self.options())).to_struct_array()

    def batches(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Yields batches with the columns `assertions` and `diagnostics`."""
        import pyarrow
        from provstream.arrow import extract

        for batch in batches:
            yield pyarrow.record_batch(extract(batch, self._column, **self.options()))

    def types(self) -> pyarrow.Schema:
        """Returns the types of the columns `assertions` and `diagnostics`."""
        import pyarrow
        from provstream.arrow import extract

        empty = pyarrow.array([], pyarrow.string())
        return pyarrow.table(extract(empty, **self.options())).schema
