"""Every engine returns equal rows.

Ray and Spark take minutes and gigabytes: they run with PROVSTREAM_ENGINES=all. With PROVSTREAM set to the program of the command
line, rows are compared with what that prints, else with those of `provstream.parse`.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import provstream
import pytest

pyarrow = pytest.importorskip("pyarrow")

ENGINES = Path(__file__).parents[1] / "engines"
sys.path.insert(0, str(ENGINES))

import compare  # noqa: E402
import transcripts  # noqa: E402

ROWS = 2_000
ALL = os.environ.get("PROVSTREAM_ENGINES") == "all"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    transcripts.write(folder, ROWS, files=4)
    return folder


@pytest.fixture(scope="module")
def wanted(folder: Path) -> list[str]:
    """A digest of each row, with verdicts."""
    if program := os.environ.get("PROVSTREAM"):
        return compare.run(compare.command_line(Path(program), folder / "transcripts.ndjson", verdicts=True), ROWS)
    settings = dict(compare.DISCIPLINE["discipline"])
    discipline = provstream.Discipline(settings.pop("floor"), **settings)
    return [compare.digest(lines(text, discipline)) for text in transcripts.rows(ROWS)["text"]]


def lines(text: str | None, discipline: provstream.Discipline) -> list[dict[str, Any]]:
    found = [] if text is None else provstream.parse(text).assertions
    judged = [discipline.judge(one, now=compare.DISCIPLINE["now"]) for one in found]
    return [json.loads(one.to_json()) | {"verdict": json.loads(verdict.to_json())} for one, verdict in zip(found, judged)]


def check(rows: list[dict[str, Any]], wanted: list[str]) -> None:
    assert Counter(row["id"] for row in rows) == Counter(range(ROWS))
    for row in rows:
        assert compare.digest_of(row["assertions"], row["diagnostics"], verdicts=True) == wanted[row["id"]], row["id"]


def test_datafusion(folder: Path, wanted: list[str]) -> None:
    datafusion = pytest.importorskip("datafusion")
    from provstream.engines import datafusion as engine

    context = datafusion.SessionContext()
    frame = context.read_parquet(str(folder / "parquet"))
    check(engine.extract(frame, "text", **compare.DISCIPLINE).to_pylist(), wanted)
    query = f"select id, assertions, diagnostics from transcripts('{folder}/parquet/*.parquet')"
    check(provstream.sql(query, **compare.DISCIPLINE).to_pylist(), wanted)


def test_sql_counts_annotations(folder: Path) -> None:
    pytest.importorskip("datafusion")
    texts = [text for text in transcripts.rows(ROWS)["text"] if text is not None]
    found = [assertion for text in texts for assertion in provstream.parse(text).assertions]
    counts = Counter(annotation.class_ for assertion in found for annotation in assertion.annotations)
    source = f"assertions('{folder}/parquet/*.parquet', 'text')"
    rows = provstream.sql(f"select class, count(*) as n from {source} group by class").to_pylist()
    assert {row["class"]: row["n"] for row in rows} == dict(counts)
    [row] = provstream.sql(
        f"select count(distinct id * 1000 + assertion) as n, count(verdict) as judged, count(admitted) as admitted from {source}"
    ).to_pylist()
    assert row == {"n": len(found), "judged": 0, "admitted": 0}


def test_sql_keeps_assertions_without_annotations(tmp_path: Path) -> None:
    pytest.importorskip("datafusion")
    import pyarrow.parquet

    texts = ['{"assertion": "Bare."}', None, "", "Said. [substrate.grep]"]
    table = pyarrow.table({"Class": ["a", "b", "c", "d"], "class": [1, 2, 3, 4], "Text": texts})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    query = f"""select "Class", transcript_class, assertion, text, class from assertions('{tmp_path}/rows.parquet', 'Text')"""
    rows = provstream.sql(query).to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == [
        ("a", 1, 0, "Bare.", None),
        ("d", 4, 0, "Said.", "substrate.grep"),
    ]
    with pytest.raises(Exception, match="missing"):
        provstream.sql(f"select * from assertions('{tmp_path}/rows.parquet', 'missing')")


def test_daft(folder: Path, wanted: list[str]) -> None:
    daft = pytest.importorskip("daft")
    from provstream.engines import daft as engine

    frame = engine.extract(daft.read_parquet(f"{folder}/parquet/*.parquet"), "text", **compare.DISCIPLINE)
    check(frame.select("id", "assertions", "diagnostics").to_pylist(), wanted)


@pytest.mark.skipif(not ALL, reason="takes minutes: set PROVSTREAM_ENGINES=all")
@pytest.mark.parametrize("kill", [False, True])
@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_cluster(engine: str, kill: bool, folder: Path) -> None:
    """In a process of its own, with two workers, of which one is killed."""
    pytest.importorskip("ray" if engine == "ray" else "pyspark")
    program = os.environ.get("PROVSTREAM")
    if not program:
        pytest.skip("needs the command line: set PROVSTREAM to its path")
    run = [sys.executable, str(ENGINES / "archive.py")]
    if not (folder / "reference.parquet").exists():
        subprocess.run([*run, "reference", str(folder), "--program", program], check=True)
    command = [*run, "run", engine, str(folder), *["--kill"] * kill]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(printed.splitlines()[-1])
    assert (result["rows"], result["missing"], result["different"]) == (ROWS, 0, 0)
    # Ray may have read these few rows before it has a worker that can be killed.
    assert not kill or engine == "ray" or result["killed"]


@pytest.mark.parametrize("engine", ["datafusion", "daft", "ray", "spark"])
def test_examples(engine: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs to start from print what the other engines count."""
    pytest.importorskip({"spark": "pyspark"}.get(engine, engine))
    if engine in ("ray", "spark") and not ALL:
        pytest.skip("takes minutes: set PROVSTREAM_ENGINES=all")
    source = f"{folder}/parquet" + ("" if engine in ("ray", "spark") else "/*.parquet")
    example = str(ENGINES / f"example_{engine}.py")
    if engine in ("ray", "spark"):
        settings = {"RAY_DATA_DISABLE_PROGRESS_BARS": "1", "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        command = [sys.executable, example, source]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | settings).stdout
    else:
        # In this process, since one that ends right after a query of Daft may crash (docs/archives.md).
        monkeypatch.setattr(sys, "argv", [example, source])
        runpy.run_path(example, run_name="__main__")
        printed = capsys.readouterr().out
    found = [a for text in transcripts.rows(ROWS)["text"] if text is not None for a in provstream.parse(text).assertions]
    if engine == "ray":
        discipline = provstream.Discipline(1, default_window="12h")
        admitted = sum(discipline.judge(one, now=compare.DISCIPLINE["now"]).admitted for one in found)
        assert f"'sum(assertions)': {len(found)}" in printed and f"'sum(admitted)': {admitted}" in printed, printed
        return
    counts = Counter(annotation.class_ for one in found for annotation in one.annotations)
    for name, count in counts.items():
        # Daft's tables show the first eight rows.
        is_shown = engine != "daft" or counts[name] >= sorted(counts.values())[-min(8, len(counts))]
        assert not is_shown or re.search(rf"[|│┆] ?{re.escape(name)} *[|│┆] *{count}\b", printed), (name, count, printed)


TAKEN = [
    *("annotation", "assertion", "annotations", "class", "declared", "reason", "observation_id", "ts", "time", "admitted", "verdict"),
    *("text", "start", "end", "byte_start", "byte_end", "annotation_start", "annotation_byte_end", "channel", "field", "pointer"),
    *("limit_hit", "encoding", "clean_byte_start", "__found", "found", "transcript_found", "0", "1", "2", "number", "a\"b", "a.b", "Start"),
]


def rows_with(tmp_path: Path, *names: str, column: str = "said") -> str:
    import pyarrow.parquet

    texts = ["It is so. [substrate.grep] Really. [substrate.git.log] [substrate.grep]", None, '{"assertion": "Bare."}']
    table = pyarrow.table({name: [f"{name} {row}" for row in range(3)] for name in names} | {column: texts})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    return f"'{tmp_path}/rows.parquet', '{column}'"


def flat(rows: list[dict[str, Any]], name: str, new: str) -> list[tuple[Any, ...]]:
    return sorted((row[new], row["assertion"], row["text"], row["start"], row["class"]) for row in rows)


@pytest.mark.parametrize("name", TAKEN)
def test_sql_keeps_columns_of_any_name(name: str, tmp_path: Path) -> None:
    """A column of the files neither takes the place of one of the table, nor loses its own values."""
    pytest.importorskip("datafusion")
    own = [*provstream.sql(f"select * from assertions({rows_with(tmp_path)})").schema().names, "annotations"]
    for others in ((), (f"transcript_{name}",), (f"transcript_{name}", f"transcript_transcript_{name}", "id")):
        source = rows_with(tmp_path, name, *others)
        rows = provstream.sql(f"select * from assertions({source})").to_pylist()
        taken = name in own
        new = name
        while taken and new in (name, *others):
            new = f"transcript_{new}"
        expected = [(0, "It is so.", 0, "substrate.grep"), (1, "Really.", 27, "substrate.git.log"), (1, "Really.", 27, "substrate.grep")]
        values = [(f"{name} 0", *one) for one in expected] + [(f"{name} 2", 0, "Bare.", 15, None)]
        assert flat(rows, name, new) == sorted(values, key=str), (others, rows[0].keys())
        assert all(row[other] == f"{other} {row[new][-1]}" for other in others for row in rows)
        whole = provstream.sql(f"select * from transcripts({source})").to_pylist()
        assert sorted(row[name] for row in whole) == [f"{name} {row}" for row in range(3)]
        assert [len(row["assertions"] or ()) for row in whole] == [2, 0, 1]


@pytest.mark.parametrize("name", ["assertions", "diagnostics"])
def test_names_of_the_added_columns(name: str, tmp_path: Path) -> None:
    """SQL gives the files' column another name; the functions refuse the table, as `provstream.arrow.extract` does."""
    datafusion = pytest.importorskip("datafusion")
    from provstream.engines import datafusion as engine

    source = rows_with(tmp_path, name, f"transcript_{name}")
    [first, *_] = provstream.sql(f"select * from transcripts({source})").to_pylist()
    assert first[f"transcript_transcript_{name}"] == f"{name} 0" and first[f"transcript_{name}"] == f"transcript_{name} 0"
    assert len(first["assertions"]) == 2 and first["diagnostics"] == []
    rows = provstream.sql(f"select * from assertions({source})").to_pylist()
    assert [row[f"transcript_transcript_{name}"] for row in rows][0] == f"{name} 0" and len(rows) == 4
    message = f'^expected a table without a column "{name}", which the result has$'
    with pytest.raises(ValueError, match=message):
        engine.extract(datafusion.SessionContext().read_parquet(str(tmp_path / "rows.parquet")), "said")
    with pytest.raises(ValueError, match=message):
        provstream.arrow.extract(pyarrow.table({name: ["x"], "said": ["x"]}), "said")
    # The texts may be in a column of that name, too.
    source = rows_with(tmp_path, "id", column=name)
    assert len(provstream.sql(f"select * from assertions({source})").to_pylist()) == 4
    assert len(provstream.sql(f"select transcript_{name}, assertions from transcripts({source})").to_pylist()) == 3


@pytest.mark.parametrize("name", ["assertions", "diagnostics"])
def test_names_of_the_added_columns_in_daft(name: str) -> None:
    daft = pytest.importorskip("daft")
    from provstream.engines import daft as engine

    with pytest.raises(ValueError, match=f'^expected a table without a column "{name}", which the result has$'):
        engine.extract(daft.from_pydict({name: ["x"], "text": ["It is so. [substrate.grep]"]}))


def test_sql_has_a_column_for_all_tables(tmp_path: Path) -> None:
    """The argument `column` is what a query that names none reads."""
    pytest.importorskip("datafusion")
    rows_with(tmp_path, "id", "text")
    path = f"'{tmp_path}/rows.parquet'"
    for table, count in (("assertions", 4), ("transcripts", 3)):
        assert len(provstream.sql(f"select * from {table}({path})", column="said").to_pylist()) == count
    assert provstream.sql(f"select * from assertions({path}, 'text')", column="said").to_pylist() == []
    with pytest.raises(Exception, match="missing"):
        provstream.sql(f"select * from assertions({path})", column="missing")
