"""DataFusion: SQL over Parquet on one machine.

>>> import provstream
>>> rows = provstream.sql('''
...     select class, count(*) as annotations
...     from assertions('transcripts/*.parquet')
...     group by class order by annotations desc
... ''')                                                        # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import datafusion
from datafusion import Expr, SessionContext, col, functions, lit, udf, udtf

from provstream.engines._extractor import ADDED, Extractor, check_names

if TYPE_CHECKING:
    import pyarrow

#: The column with the texts, unless a table function names another one.
COLUMN = "text"


def sql(
    query: str, *, context: SessionContext | None = None, column: str = COLUMN, **options: Any
) -> datafusion.DataFrame:
    """Runs a query that can use `assertions(path[, column])` and `transcripts(path[, column])` as tables.

    `path` is a Parquet file, a folder or a pattern such as `transcripts/*.parquet`, and `column` the one with the texts; where a query
    does not name it, it is the argument `column`, `text` unless given. The files' other columns are columns of both tables; one that
    has the name of another column of the table gets the prefix `transcript_`, as often as it takes to have a name of its own.

    - `transcripts` has a row for each row of the files, with `assertions` and `diagnostics`.
    - `assertions` has a row for each annotation of each assertion, and one for an assertion without any: `text`, `start`, `end`
      and the other members of an assertion, `class`, `declared`, `reason`, `observation_id`, `ts`, `time`, the place of the
      annotation as `annotation_start` and so on, and `admitted`, `verdict`. `assertion` is the number of the assertion in its
      row of the files, from 0: with a column that identifies the row, `count(distinct ...)` counts assertions.

    The options are those of `provstream.engines.Extractor`. The query is lazy: `collect`, `show`, `to_pandas`,
    `to_arrow_table` and others run it.
    """
    return register(context or SessionContext(), column=column, **options).sql(query)


def register(context: SessionContext, *, column: str = COLUMN, **options: Any) -> SessionContext:
    """Adds the table functions of `sql` to a context."""
    extractor = Extractor(column, **options)

    def extracted(path: Expr, named: Expr | None) -> tuple[datafusion.DataFrame, str]:
        frame, name = _read(context, path), _literal(named, column)
        kept = _apart(frame.schema().names, ADDED)
        frame = frame.select(*(_col(old).alias(new) for old, new in kept.items()))
        name = kept.get(name, name)
        return extract(frame, name, extractor=extractor), name

    def transcripts(path: Expr, column: Expr | None = None) -> Any:
        frame, _ = extracted(path, column)
        return frame.into_view()

    def assertions(path: Expr, column: Expr | None = None) -> Any:
        return flatten(*extracted(path, column)).into_view()

    context.register_udtf(udtf(transcripts, "transcripts"))
    context.register_udtf(udtf(assertions, "assertions"))
    return context


def extract(
    frame: datafusion.DataFrame, column: str = COLUMN, *, extractor: Extractor | None = None, **options: Any
) -> datafusion.DataFrame:
    """Returns a table with the columns `assertions` and `diagnostics`; the options are those of `Extractor`.

    Raises `ValueError` if the table has a column of one of these names.
    """
    import pyarrow

    extractor = extractor or Extractor(**options)
    names = frame.schema().names
    check_names(names)
    texts = frame.schema().field(column).type
    found = pyarrow.struct(list(extractor.types()))
    # What is volatile is called once for a row, even if two columns are made of its result.
    function = udf(extractor.array, [texts], found, "volatile", "provstream")
    [new] = _apart(["found"], names).values()
    whole = frame.with_column(new, function(_col(column)))
    return whole.select(*map(_col, names), *(_col(new)[name].alias(name) for name in ADDED))


def flatten(frame: datafusion.DataFrame, column: str = COLUMN) -> datafusion.DataFrame:
    """Returns a row for each annotation in the result of `extract`, as the table `assertions` of `sql`."""
    import pyarrow

    schema: pyarrow.Schema = frame.schema()
    members = schema.field("assertions").type.value_type
    annotations = members.field("annotations").type.value_type
    own = {member.name for member in members} | {"admitted", "assertion"} | set(_names(annotations))
    kept = _apart([name for name in schema.names if name not in (*ADDED, column)], own)
    number = functions.range(lit(0), functions.array_length(col("assertions")), lit(1))
    # Numbers, until the last step, are names that no other column has.
    numbered = [_col(name).alias(str(at)) for at, name in enumerate(kept)]
    frame = frame.select(*numbered, col("assertions"), number.alias("assertion"))
    frame = frame.unnest_columns("assertions", "assertion", preserve_nulls=False)
    # A list without elements would leave the assertion out.
    listed = col("assertions")["annotations"]
    none = lit(pyarrow.scalar([None], pyarrow.list_(annotations)))
    listed = functions.when(functions.array_length(listed) > lit(0), listed).otherwise(none)
    frame = frame.with_column("annotation", listed).unnest_columns("annotation")
    verdict = col("assertions")["verdict"]
    return frame.select(
        *(_col(str(at)).alias(new) for at, new in enumerate(kept.values())),
        col("assertion"),
        *(col("assertions")[member.name].alias(member.name) for member in members if member.name not in ("annotations", "verdict")),
        verdict["admitted"].alias("admitted"),
        verdict["reason"].alias("verdict"),
        *(col("annotation")[old].alias(new) for new, old in _names(annotations).items()),
    )


def _apart(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Returns unique names: a name that is taken gets the prefix `transcript_` until it is unique."""
    names = list(names)
    used = {*names, *taken}
    found = {}
    for name in names:
        new = name
        if name in taken:
            while new in used:
                new = f"transcript_{new}"
            used.add(new)
        found[name] = new
    return found


def _names(annotations: pyarrow.StructType) -> dict[str, str]:
    """Returns the column names of an annotation's members, and the members. Its offsets get names of their own."""
    places = ("start", "end", "byte_start", "byte_end")
    names = [member.name for member in annotations]
    return {f"annotation_{name}" if name in places else name: name for name in names}


def _read(context: SessionContext, path: Expr) -> datafusion.DataFrame:
    # A table function is called within DataFusion's runtime, where its blocking functions panic.
    with ThreadPoolExecutor(1) as outside:
        return outside.submit(context.read_parquet, _literal(path, "")).result()


def _literal(expression: Expr | None, default: str) -> str:
    if expression is None:
        return default
    value = expression.python_value()
    value = value.as_py() if hasattr(value, "as_py") else value
    if not isinstance(value, str):
        raise TypeError(f"expected a string, found {value!r}")
    return value


def _col(name: str) -> Expr:
    """Returns the column of exactly this name; DataFusion converts unquoted names to lower case."""
    return col('"' + name.replace('"', '""') + '"')
