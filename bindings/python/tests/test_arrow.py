"""Arrow data in and out."""

from __future__ import annotations

import json
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import provstream
import pytest

pyarrow = pytest.importorskip("pyarrow")

from provstream.arrow import extract  # noqa: E402

CORPUS = Path(__file__).parents[3] / "corpus"
ENGINES = Path(__file__).parents[1] / "engines"
NOW = "2026-05-28T12:00:00Z"
TEXTS = [
    "Größe: 3 m. [substrate.grep; ts=2026-05-28T11:40:00Z; observation-id=a] Next. [substrate.git.log] [nonsense",
    None,
    "",
    'Voilà 🎉. [unverified-inference] {"assertion": "Ça va 🚀.", "provenance": {"substrate_class": "substrate.grep"}}',
    "x" * 40 + ". [substrate.grep; ts=yesterday] [substrate.nothing]",
    "[substrate.grep",
]


def to_rows(result: Any) -> list[dict[str, Any]]:
    """The rows of a result."""
    rows: list[dict[str, Any]] = pyarrow.table(result).select(["assertions", "diagnostics"]).to_pylist()
    return rows


def expected(text: str | bytes, mode: str = "auto", discipline: provstream.Discipline | None = None) -> dict[str, Any]:
    """The row of a text, by the objects of the package."""
    parsed: provstream.Parsed[Any] = provstream.parse(text, mode=mode)
    return {
        "assertions": [assertion(found, discipline) for found in parsed.assertions],
        "diagnostics": [diagnostic(found) for found in parsed.diagnostics],
    }


def diagnostic(found: provstream.Diagnostic, channel: str | None = None) -> dict[str, Any]:
    places = {"byte_start": found.byte_start, "byte_end": found.byte_end}
    return {"channel": channel, "field": None, "code": found.code, "message": None, **places}


def assertion(found: provstream.Assertion, discipline: provstream.Discipline | None = None) -> dict[str, Any]:
    line = json.loads(found.to_json())
    clean = line.get("clean_span", {"start": None, "end": None})
    verdict = None
    if discipline is not None:
        judged = discipline.judge(found, now=NOW)
        verdict = {name: getattr(judged, name) for name in ("admitted", "reason", "classes", "floor")}
    return {
        "channel": line.get("channel"),
        "field": None,
        "encoding": found.encoding,
        "text": found.text,
        **place(found),
        "clean_byte_start": clean["start"],
        "clean_byte_end": clean["end"],
        "pointer": found.pointer,
        "limit_hit": found.limit_hit,
        "annotations": [annotation(one) for one in found.annotations],
        "verdict": verdict,
    }


def annotation(found: provstream.Annotation) -> dict[str, Any]:
    return {
        "class": found.class_,
        "declared": found.declared,
        "reason": found.reason,
        "observation_id": found.observation_id,
        "ts": found.ts,
        **place(found),
    }


def place(found: provstream.Assertion | provstream.Annotation) -> dict[str, int]:
    return {name: getattr(found, name) for name in ("start", "end", "byte_start", "byte_end")}


def without_time(row: dict[str, Any]) -> dict[str, Any]:
    """Removes the parsed times, which the objects of the package do not have."""
    for found in row["assertions"]:
        for one in found["annotations"]:
            assert (one.pop("time") is None) == (one["ts"] is None)
    return row


def wanted() -> list[dict[str, Any]]:
    none = {"assertions": None, "diagnostics": None}
    return [none if text is None else expected(text) for text in TEXTS]


def stripped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row if row["assertions"] is None else without_time(row) for row in rows]


def test_rows_are_those_of_parse() -> None:
    assert stripped(to_rows(extract(pyarrow.array(TEXTS)))) == wanted()


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "string": lambda texts: texts,
    "large": lambda texts: texts.cast(pyarrow.large_string()),
    "view": lambda texts: texts.cast(pyarrow.string_view()),
    "binary": lambda texts: texts.cast(pyarrow.binary()),
    "large binary": lambda texts: texts.cast(pyarrow.large_binary()),
    "binary view": lambda texts: texts.cast(pyarrow.binary_view()),
    "dictionary": lambda texts: texts.dictionary_encode(),
    "dictionary of bytes": lambda texts: pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([5, None, 2, 3, 4, 1], pyarrow.uint8()),
        pyarrow.array(["never", TEXTS[5], TEXTS[2], TEXTS[3], TEXTS[4], TEXTS[0]], pyarrow.large_string()),
    ),
    "dictionary with a null": lambda texts: pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1, 2, 3, 4, 5], pyarrow.int64()), texts
    ),
    "slice": lambda texts: pyarrow.concat_arrays([texts.slice(3), texts, texts]).slice(3, 6),
    "slice of views": lambda texts: pyarrow.concat_arrays([texts, texts]).cast(pyarrow.string_view()).slice(6),
    "chunks": lambda texts: pyarrow.chunked_array([texts.slice(0, 1), texts.slice(1, 0), texts.slice(1, 4), texts.slice(5)]),
    "batch": lambda texts: pyarrow.record_batch({"id": range(6), "text": texts}),
    "table": lambda texts: pyarrow.table({"id": range(6), "text": texts}),
    "reader": lambda texts: pyarrow.table({"id": range(6), "text": texts}).to_reader(max_chunksize=2),
    "polars": lambda texts: pytest.importorskip("polars").Series(texts.to_pylist()),
    "polars table": lambda texts: pytest.importorskip("polars").DataFrame({"text": texts.to_pylist()}),
    "arro3": lambda texts: pytest.importorskip("arro3.core").Array.from_arrow(texts),
    "arro3 table": lambda texts: pytest.importorskip("arro3.core").Table.from_arrow(pyarrow.table({"text": texts})),
    "pandas": lambda texts: pytest.importorskip("pandas").DataFrame({"text": texts.to_pylist()}),
    "duckdb": lambda texts: duckdb_relation(pyarrow.table({"text": texts})),
    "datafusion": lambda texts: pytest.importorskip("datafusion").SessionContext().from_arrow(pyarrow.table({"text": texts})),
}


def duckdb_relation(table: Any) -> Any:
    return pytest.importorskip("duckdb").from_arrow(table)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, threads: int) -> None:
    data = LAYOUTS[layout](pyarrow.array(TEXTS))
    is_table = layout in ("batch", "table", "reader", "pandas", "duckdb", "datafusion") or "table" in layout
    result = extract(data, "text" if is_table else None, threads=threads)
    assert len(result) == 6
    assert stripped(to_rows(result)) == wanted()


@pytest.mark.parametrize("mode", ["text", "json", "ndjson", "auto"])
def test_corpus(mode: str) -> None:
    """Files that are not UTF-8 too."""
    paths = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in (".txt", ".json", ".lines")]
    files = [path.read_bytes() for path in paths]
    assert len(files) > 200
    found = to_rows(extract(pyarrow.array(files, pyarrow.binary()), mode=mode))
    for path, file, row in zip(paths, files, found):
        assert without_time(row) == expected(file, mode), path


def test_places_in_bytes_that_are_not_utf8() -> None:
    text = b"a\xff\xc3\xa9\xe2\x82 b. [substrate.grep] \xf0\x9f\x8e\x89 c\xe2. [substrate.grep]"
    [row] = to_rows(extract(pyarrow.array([text], pyarrow.binary())))
    decoded = text.decode(errors="replace")
    assert [decoded[a["start"] : a["end"]] for a in row["assertions"]] == [a["text"] for a in row["assertions"]]
    assert len(row["assertions"]) == 2


def test_ends_of_blocks() -> None:
    """Columns grow in blocks of 64 values: some have none for the first rows, or end with a block."""
    plain = "A. [unverified-inference]"
    one = {"substrate_class": "substrate.nothing", "observation_id": "i", "ts": "2026-05-28T11:40:00Z"}
    provenance = [one, {"substrate_class": "substrate.grep", "ts": "yesterday"}]
    full = json.dumps({"assertion": "é", "provenance": provenance}, ensure_ascii=False)
    discipline = provstream.Discipline(1, default_window="1h")
    rows = {text: expected(text, discipline=discipline) for text in (plain, full)}
    [[found], [problem]] = rows[full].values()
    assert found["pointer"] is not None and found["annotations"][0]["reason"] is not None and problem["code"], rows
    for before in (0, 1, 62, 63, 64, 65, 127, 128, 129):
        for after in (0, 1, 62, 63, 64):
            texts = [plain] * before + [full] + [plain] * after
            found = to_rows(extract(pyarrow.array(texts), discipline=discipline, now=NOW))
            assert stripped(found) == [rows[text] for text in texts], (before, after)
            whole = "\n\n".join(texts)
            assert stripped(to_rows(extract(pyarrow.array([whole])))) == [expected(whole)], (before, after)


def test_verdicts() -> None:
    discipline = provstream.Discipline(1, default_window="1h")
    found = to_rows(extract(pyarrow.array(TEXTS), discipline=discipline, now=NOW))
    for text, row in zip(TEXTS, found):
        if text is not None:
            assert without_time(row) == expected(text, discipline=discipline)
    assert [a["verdict"]["admitted"] for a in found[0]["assertions"]] == [True, False]


def test_limits_and_vocabulary() -> None:
    limits = provstream.Limits(max_assertion=8)
    [row] = to_rows(extract(pyarrow.array(["It rained here. [substrate.grep]"]), limits=limits))
    assert row["assertions"][0]["limit_hit"]
    assert row["diagnostics"][0]["code"] == "limit-assertion"
    vocabulary = provstream.Vocabulary('version = "2.0"\n[[class]]\nid = "substrate.sky"\nsince = "2.0"\n')
    [row] = to_rows(extract(pyarrow.array(["It rained. [substrate.sky]"]), vocabulary=vocabulary))
    assert row["assertions"][0]["annotations"][0]["class"] == "substrate.sky"


def test_fields() -> None:
    lines = [
        '{"messages": [{"content": "Größe. [substrate.grep]"}], "note": "A. [substrate.git.log]"}',
        '{"messages": [{"content": null}]}',
        '{"messages": []}',
        '{"messages": [{"content": 7}]}',
        "{",
        " ",
        None,
    ]
    found = to_rows(extract(pyarrow.array(lines), field="/messages/0/content"))
    assert [[(a["text"], a["start"], a["end"], a["field"]) for a in row["assertions"] or ()] for row in found] == [
        [("Größe.", 0, 6, None)], [], [], [], [], [], []
    ]
    codes = [[(d["code"], d["byte_end"]) for d in row["diagnostics"] or ()] for row in found]
    assert codes == [[], [], [("no-field", len('{"messages": []}'))], [("no-field", len('{"messages": [{"content": 7}]}'))], [("json-syntax", 1)], [], []]
    assert found[2]["diagnostics"][0]["message"] == "nothing at /messages/0/content"
    assert found[3]["diagnostics"][0]["message"] == "expected a string at /messages/0/content, found a number"
    [row] = to_rows(extract(pyarrow.array(lines[:1]), field=["/note", "/messages/0/content"]))
    assert [a["field"] for a in row["assertions"]] == ["/note", "/messages/0/content"]
    mixed = '{"messages": [{"content": "A. [substrate.grep]"}, {"content": [{"text": "B. [substrate.grep]"}, {"image": ""}]}]}'
    [row] = to_rows(extract(pyarrow.array([mixed]), field=["/messages/*/content", "/messages/*/content/*/text"]))
    assert [a["field"] for a in row["assertions"]] == ["/messages/0/content", "/messages/1/content/0/text"]
    assert row["diagnostics"] == []


def bytes_only(found: dict[str, Any]) -> dict[str, Any]:
    """An assertion as its line; the rewriter of a response knows no code points."""
    sys.path.insert(0, str(ENGINES))
    import compare

    line: dict[str, Any] = compare.assertion(found)
    return line


def response(data: bytes, format: str | None = None) -> list[dict[str, Any]]:
    """The assertions in a response, by the rewriter of the package."""
    found: list[dict[str, Any]] = []

    def take(event: provstream.Event) -> None:
        if isinstance(event, provstream.Assertion):
            found.append(json.loads(event.to_json()) | {"channel": event.channel})

    reader = provstream.Response(format=format, on_event=take)
    reader.push(data)
    reader.finish()
    return found


@pytest.mark.parametrize("input", ["auto", "named"])
def test_responses(input: str) -> None:
    """Whole and cut short, all of them by one reader, so that nothing of a row is left in the next."""
    paths = [path for path in sorted((CORPUS / "wire").rglob("*")) if path.suffix in (".sse", ".ndjson", ".json") and "events" not in path.name]
    for name in ("auto",) if input == "auto" else provstream.FORMATS:
        rows = [path.read_bytes() for path in paths]
        rows += [row[: len(row) * 2 // 3] for row in rows] + rows
        result = to_rows(extract(pyarrow.array(rows, pyarrow.binary()), input=name))
        for number, (row, found) in enumerate(zip(rows, result)):
            wanted = response(row, None if name == "auto" else name)
            assert [bytes_only(one) for one in found["assertions"]] == wanted, (name, paths[number % len(paths)])


STREAM = (
    'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Gr\\u00f6ße. [subst"}}]}\n\n'
    'data: {"choices":[{"index":1,"delta":{"role":"assistant","content":"B. [substrate.grep]"}}]}\n\n'
    'data: {"choices":[{"index":0,"delta":{"content":"rate.grep] So."}}]}\n\n'
    "data: {broken\n\n"
)


def test_response() -> None:
    streams = [
        STREAM + "data: [DONE]\n\n",
        STREAM + 'data: {"error":{"message":"overloaded"}}\n\n',
        '{"hello":"world"}',
        "plain text",
        "",
    ]
    found = to_rows(extract(pyarrow.array(streams), input="auto"))
    for row in found[:2]:
        texts = {a["channel"]: (a["text"], a["start"], a["end"], a["byte_end"]) for a in row["assertions"]}
        assert texts == {"0": ("Größe.", 0, 6, 8), "1": ("B.", 0, 2, 2)}
    assert [d["code"] for d in found[0]["diagnostics"]] == ["malformed-event"]
    assert [(d["code"], d["message"]) for d in found[1]["diagnostics"]] == [("malformed-event", None), ("error", "overloaded")]
    assert [d["code"] for d in found[2]["diagnostics"]] == ["unknown-format"]
    assert [d["code"] for d in found[3]["diagnostics"]] == ["unknown-format"]
    assert found[4] == {"assertions": [], "diagnostics": []}


def test_code_points_at_every_place() -> None:
    """Texts of every length, of which bytes are counted in blocks; characters of every length, also where blocks meet."""
    texts = [
        fill * length + "Und ß. [substrate.grep; observation-id=é] Ja. [substrate.git.log]"
        for fill in ("a", "é", "€", "🎉", "ab🎉")
        for length in range(140)
    ]
    streams = []
    for size, text in enumerate(texts):
        pieces = [text[at : at + size % 23 + 1] for at in range(0, len(text), size % 23 + 1)]
        chunks = ({"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces)
        streams.append("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n")
    columns: list[tuple[Any, dict[str, Any]]] = [
        (pyarrow.array(texts), {}),
        (pyarrow.array([text.encode() for text in texts]), {}),
        (pyarrow.array([json.dumps({"text": text}) for text in texts]), {"field": "/text"}),
        (pyarrow.array(streams), {"input": "openai-chat"}),
    ]
    for column, options in columns:
        for text, row in zip(texts, to_rows(extract(column, **options))):
            first, second = row["assertions"]
            assert text[first["start"] : first["end"]] == first["text"]
            assert (text[second["start"] : second["end"]], second["text"]) == ("Ja.", "Ja.")
            found = [text[a["start"] : a["end"]] for one in row["assertions"] for a in one["annotations"]]
            assert found == ["[substrate.grep; observation-id=é]", "[substrate.git.log]"]


def test_threads_share_long_columns() -> None:
    """More text than one part, so that the parts are put together in order."""
    texts = pyarrow.array([f"Row {number} é. [substrate.grep; observation-id={number}] " * 3 for number in range(20_000)])
    table = pyarrow.table({"id": range(20_000), "text": texts})
    one = pyarrow.table(extract(table, "text"))
    for threads in (2, 7):
        result = extract(table, "text", threads=threads)
        many = pyarrow.table(result)
        assert many["assertions"].num_chunks > 1
        assert many.equals(one)
        assert pyarrow.record_batch(result).equals(pyarrow.record_batch(extract(table, "text")))
        assert pyarrow.array(result.assertions).equals(one["assertions"].combine_chunks())


def test_results_are_read_by_others() -> None:
    table = pyarrow.table({"id": range(6), "text": TEXTS})
    result = extract(table, "text")
    assert result.column_names == ["id", "text", "assertions", "diagnostics"]
    counts = [2, None, 0, 2, 1, 0]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(result)["assertions"].list.len().to_list() == counts
    assert polars.Series(result.assertions).list.len().to_list() == counts
    duckdb = pytest.importorskip("duckdb")
    assert [n for [n] in duckdb.sql("select len(assertions) from result order by id").fetchall()] == counts
    arro3 = pytest.importorskip("arro3.core")
    assert arro3.Table.from_arrow(result).shape == (6, 4)
    assert len(arro3.Array.from_arrow(result.diagnostics)) == 6
    datafusion = pytest.importorskip("datafusion")
    assert datafusion.SessionContext().from_arrow(result).count() == 6
    # A second time, and after the result is gone.
    again = pyarrow.table(result)
    del result
    assert again["assertions"].combine_chunks().value_lengths().to_pylist() == counts
    again.validate(full=True)


def test_empty_tables() -> None:
    empty = pyarrow.table({"id": pyarrow.array([], pyarrow.int64()), "text": pyarrow.array([], pyarrow.string())})
    types = pyarrow.table(extract(empty, "text")).schema
    assert types == pyarrow.table(extract(pyarrow.table({"id": [1], "text": ["a"]}), "text")).schema
    assert pyarrow.table(extract(empty.schema.empty_table().to_reader(), "text")).num_rows == 0
    assert to_rows(extract(pyarrow.nulls(2))) == [{"assertions": None, "diagnostics": None}] * 2


def test_other_columns_and_metadata_stay() -> None:
    schema = pyarrow.schema([pyarrow.field("text", pyarrow.string(), metadata={"a": "b"}), ("n", pyarrow.list_(pyarrow.int8()))])
    table = pyarrow.table({"text": TEXTS, "n": [[1], None, [], [2, 3], [4], []]}, schema=schema.with_metadata({"c": "d"}))
    for threads in (1, 2):
        result = pyarrow.table(extract(table, "text", threads=threads))
        assert result.select(["text", "n"]).equals(table, check_metadata=True)


class Released:
    """A producer whose array is already taken."""

    def __init__(self) -> None:
        self.pair = pyarrow.array(["a"]).__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return cast("tuple[object, object]", self.pair)


class Broken:
    """A producer that fails."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        def batches() -> Any:
            yield pyarrow.record_batch({"text": ["a"]})
            raise RuntimeError("the disk is gone")

        return pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("text", pyarrow.string())]), batches()).__arrow_c_stream__()


def test_errors() -> None:
    texts = pyarrow.array(["a"])
    table = pyarrow.table({"id": [1], "text": texts})
    released = Released()
    extract(released)
    cases: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (TypeError, "expected Arrow data", lambda: extract(b"a")),  # type: ignore[arg-type]
        (TypeError, "expected a column of strings or bytes, found Int64", lambda: extract(table, "id")),
        (TypeError, "one of id, text", lambda: extract(table)),
        (TypeError, "expected a table or batch", lambda: extract(texts, "text")),
        (KeyError, "unknown column .*expected one of id, text", lambda: extract(table, "words")),
        (ValueError, "expected 1 to 256 threads, found 0", lambda: extract(texts, threads=0)),
        (ValueError, "expected 1 to 256 threads, found 257", lambda: extract(texts, threads=257)),
        (ValueError, "expected mode", lambda: extract(texts, mode="prose")),
        (ValueError, "input: expected", lambda: extract(texts, input="ftp")),
        (ValueError, "field: expected a JSON Pointer", lambda: extract(texts, field="text")),
        (ValueError, "expected `field` or `input`", lambda: extract(texts, field="/a", input="auto")),
        (ValueError, "found none", lambda: extract(texts, field=[])),
        (TypeError, "field: expected", lambda: extract(texts, field=7)),  # type: ignore[arg-type]
        (ValueError, "expected a digit", lambda: extract(texts, now="noon")),
        (ValueError, "found a capsule that is empty", lambda: extract(released)),
        (ValueError, "the disk is gone", lambda: extract(Broken(), "text")),
        (ValueError, "without a column", lambda: extract(pyarrow.table(extract(table, "text")), "text")),
        (ValueError, "found several", lambda: extract(pyarrow.table([texts, texts], ["text", "text"]), "text")),
        (TypeError, "structs with nulls", lambda: extract(pyarrow.array([{"text": "a"}, None]), "text")),
    ]
    for kind, message, call in cases:
        with pytest.raises(kind, match=message):
            call()


def test_offsets_outside_of_the_column_are_errors() -> None:
    offsets = pyarrow.array([0, 9, 3], pyarrow.int32()).buffers()[1]
    bad = pyarrow.StringArray.from_buffers(2, offsets, pyarrow.py_buffer(b"abc"))
    with pytest.raises(ValueError, match="row 0: expected offsets that lie in the column"):
        extract(bad)
    views = b"".join(number.to_bytes(4, "little") for number in (40, 0, 7, 0))
    view = pyarrow.Array.from_buffers(pyarrow.string_view(), 1, [None, pyarrow.py_buffer(views)])
    with pytest.raises(ValueError, match="row 0"):
        extract(view, threads=2)
    keys = pyarrow.array([0, 5], pyarrow.int8())
    outside = pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(["a"]), safe=False)
    with pytest.raises(ValueError, match="row 1"):
        extract(outside)


def test_other_threads_run() -> None:
    """The GIL is released: Python runs while a long column is read."""
    texts = pyarrow.array(["It rained. [substrate.grep] " * 2_000] * 400)
    over = threading.Event()

    def read() -> None:
        extract(texts)
        over.set()

    worker = threading.Thread(target=read)
    turns = 0
    worker.start()
    while not over.wait(0.001):
        turns += 1
    worker.join()
    assert turns > 5


def test_extractors_are_pickled() -> None:
    engines = pytest.importorskip("provstream.engines")
    settings = {"discipline": {"floor": 1, "default_window": "1h"}, "limits": {"max_assertion": 100}, "mode": "text"}
    extractor = engines.Extractor("text", **settings)
    table = pyarrow.table({"text": TEXTS})
    again = pickle.loads(pickle.dumps(extractor))
    # The time to judge by is that of the first one.
    assert again(table).equals(extractor(table))
    with pytest.raises(TypeError):
        engines.Extractor(discipline={"ceiling": 1})


def pandas_series(kind: str | None) -> Any:
    return pytest.importorskip("pandas").Series(TEXTS, dtype=kind, index=range(6, 0, -1))


COLUMNS: dict[str, Callable[[], Any]] = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "generator": lambda: iter(TEXTS),
    "NaN": lambda: [float("nan") if text is None else text for text in TEXTS],
    "list of bytes": lambda: [None if text is None else text.encode() for text in TEXTS],
    "array of numpy": lambda: pandas_series("object").to_numpy(),
    "series of pandas": lambda: pandas_series(None),
    "series of objects": lambda: pandas_series("object"),
    "series of strings": lambda: pandas_series("string"),
    "series of categories": lambda: pandas_series("category"),
    "series of polars": lambda: pytest.importorskip("polars").Series(TEXTS),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_python(kind: str) -> None:
    assert stripped(to_rows(extract(COLUMNS[kind]()))) == wanted()


def test_series_and_frames_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    result = extract(pandas.DataFrame({"id": range(6), "text": TEXTS}), "text")
    assert stripped(to_rows(result)) == wanted()

    def fail(*_: object, **__: object) -> object:
        raise ImportError("Missing optional dependency 'pyarrow'.")

    monkeypatch.setattr(pandas.Series, "__arrow_c_stream__", fail)
    monkeypatch.setattr(pandas.DataFrame, "__arrow_c_stream__", fail)
    for dtype in (None, "object", "category"):
        assert stripped(to_rows(extract(pandas_series(dtype)))) == wanted()
    with pytest.raises(ImportError, match="pyarrow"):
        extract(pandas.DataFrame({"text": TEXTS}), "text")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("It is so.", "^expected Arrow data, .* or a list of str, found str$"),
        (b"It is so.", "found bytes$"),
        ({"text": TEXTS}, "found dict$"),
        (7, "found int$"),
        (["It is so.", 7], "^row 1: expected str, as in the rows before, found int$"),
        ([None, b"x", "x"], "^row 2: expected bytes, as in the rows before, found str$"),
        ([[]], "^row 0: expected str or bytes, found list$"),
    ],
)
def test_what_is_no_column(data: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        extract(data)
    with pytest.raises(TypeError):
        extract(TEXTS, "text")
    with pytest.raises(UnicodeEncodeError):
        extract(["\ud83d"])


def test_tables() -> None:
    """A table of a result has what `extract` finds, as `pyarrow`, `pandas` and `polars`."""
    result = extract(TEXTS)
    rows = to_rows(result)
    assert result.to_arrow().to_pylist() == rows
    polars = pytest.importorskip("polars")
    assert isinstance(result.to_polars(), polars.DataFrame) and result.to_polars().to_dicts() == rows
    pandas = pytest.importorskip("pandas")
    assert isinstance(result.to_pandas(), pandas.DataFrame) and list(result.to_pandas().columns) == ["assertions", "diagnostics"]


@pytest.mark.parametrize("text", [*TEXTS, "\ud83d\ude00 Ünd. [substrate.grep] \ud83d So. [substrate.git.log]"])
def test_tables_of_parsed(text: str | None) -> None:
    discipline = provstream.Discipline(1, default_window="1h")
    for given in ({}, {"discipline": discipline, "now": NOW}):
        parsed = provstream.parse(text or "", **given)  # type: ignore[arg-type]
        rows = parsed.to_arrow().to_pylist()
        found = [assertion(one, given.get("discipline")) for one in parsed]  # type: ignore[arg-type]
        assert without_time({"assertions": rows}) == {"assertions": found}
        members = pyarrow.table(extract(TEXTS)).schema.field("assertions").type.value_type
        assert parsed.to_arrow().schema == pyarrow.schema(list(members))
        frame = pytest.importorskip("polars").DataFrame
        assert isinstance(parsed.to_polars(), frame) and parsed.to_polars().shape == (len(parsed), 14)
        pandas = parsed.to_pandas()
        assert list(pandas["text"]) == [one.text for one in parsed] and list(pandas.columns) == parsed.to_arrow().column_names


def test_tables_of_messages() -> None:
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": TEXTS[0]}, {"role": "assistant", "content": TEXTS[3]}]
    parsed = provstream.parse(messages)
    rows = parsed.to_arrow().to_pylist()
    assert [row["channel"] for row in rows] == ["1", "1", "2", "2"]
    assert [parsed.texts[row["channel"]][row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]


@pytest.mark.parametrize(("method", "package"), [("to_arrow", "pyarrow"), ("to_pandas", "pandas"), ("to_pandas", "pyarrow"), ("to_polars", "polars")])
def test_packages_that_are_missing(method: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, result = provstream.parse(TEXTS[0] or ""), extract(TEXTS)
    monkeypatch.setitem(sys.modules, package, None)
    for table in (parsed, result):
        with pytest.raises(ImportError, match=f"^expected the package {package}, .*: pip install {package}$"):
            getattr(table, method)()
