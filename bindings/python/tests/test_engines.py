"""The same rows from every engine.

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
