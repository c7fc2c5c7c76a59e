"""Compares rows of `provstream.arrow.extract` with the lines of `provstream extract` and `provstream admit`.

Both become the same value for each row: its assertions and diagnostics as the members of those lines.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

#: What the command line judges by in `with_verdicts`, and the same for an `Extractor`.
JUDGED = ["--floor", "1", "--window", "12h", "--now", "2026-05-28T12:00:00Z"]
DISCIPLINE: dict[str, Any] = {"discipline": {"floor": 1, "default_window": "12h"}, "now": "2026-05-28T12:00:00Z"}


def command_line(program: Path, lines: Path, *, jobs: int = 1, verdicts: bool = False) -> list[str]:
    """The command that reads the texts at `/text` of an archive of NDJSON."""
    judged = ["admit", *JUDGED] if verdicts else ["extract"]
    return [str(program), *judged, "--field", "/text", "--jobs", str(jobs), str(lines)]


def rows_of_lines(printed: Iterable[bytes], count: int) -> list[str]:
    """A digest of each row of what a command printed."""
    rows: list[list[dict[str, Any]]] = [[] for _ in range(count)]
    for text in printed:
        line = json.loads(text)
        number = line.pop("line", None)
        if number is not None:
            rows[number - 1].append(line)
    return [digest(row) for row in rows]


def run(command: list[str], count: int) -> list[str]:
    """A digest of each row of what the command line prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        rows = rows_of_lines(process.stdout, count)
    if process.returncode != 0:
        raise RuntimeError(f"expected status 0 of {command[0]}, found {process.returncode}")
    return rows


def row(assertions: Iterable[Mapping[str, Any]] | None, diagnostics: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """A row of a result as the lines of the command line, assertions first."""
    lines = [assertion(found) for found in assertions or ()]
    for found in diagnostics or ():
        line: dict[str, Any] = {"event": "diagnostic", "code": found["code"], "span": span(found, "byte_")}
        lines.append(without_nulls(line, found, "channel"))
    return lines


def assertion(found: Mapping[str, Any]) -> dict[str, Any]:
    """An assertion as its line."""
    line: dict[str, Any] = {"event": "assertion", "encoding": found["encoding"], "text": found["text"]}
    line["span"] = span(found, "byte_")
    if found["clean_byte_start"] is not None:
        line["clean_span"] = span(found, "clean_byte_")
    without_nulls(line, found, "pointer")
    line["annotations"] = []
    for annotation in found["annotations"]:
        one = {"class": annotation["class"], "declared": annotation["declared"]}
        line["annotations"].append(without_nulls(one, annotation, "reason", "observation_id", "ts"))
        one["span"] = span(annotation, "byte_")
    verdict = found["verdict"]
    if verdict is not None:
        line["verdict"] = {name: verdict[name] for name in ("admitted", "reason", "classes", "floor")}
    return without_nulls(line, found, "channel")


def span(found: Mapping[str, Any], prefix: str) -> dict[str, int]:
    return {"start": found[f"{prefix}start"], "end": found[f"{prefix}end"]}


def without_nulls(line: dict[str, Any], found: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Adds the members that are not null."""
    line.update({name: found[name] for name in names if found[name] is not None})
    return line


def digest(lines: Iterable[dict[str, Any]]) -> str:
    """A digest of the lines of a row, assertions before diagnostics, without `line`."""
    ordered = sorted(lines, key=lambda line: line["event"])
    return hashlib.sha256(json.dumps(ordered, sort_keys=True).encode()).hexdigest()


def digest_of(assertions: Any, diagnostics: Any, *, verdicts: bool = False) -> str:
    """A digest of a row of a result. Where the command line gives verdicts, it prints no diagnostics."""
    return digest(row(assertions, None if verdicts else diagnostics))
