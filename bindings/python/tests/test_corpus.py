"""Every file of the corpus, whole and in pieces, gives the events of the command line."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import provstream
import pytest

CORPUS = Path(__file__).parents[3] / "corpus"
MODES = {".json": "json", ".lines": "ndjson"}
CASES = sorted(
    path
    for folder in ("text", "json", "marc", "transcripts", "regressions")
    for path in (CORPUS / folder).rglob("*")
    if path.suffix in (".txt", ".json", ".lines") and path.with_suffix(".events.ndjson").exists()
)


def mode_of(path: Path) -> str:
    if path.parent.name == "json":
        return MODES.get(path.suffix, "auto")
    return MODES.get(path.suffix, "text")


def lines(events: list[provstream.Event], size: int) -> Iterator[dict[str, object]]:
    """The lines of the corpus for these events."""
    counts = Counter(
        {"bytes": size, "assertions": 0, "annotations": 0, "marc": 0, "diagnostics": 0}
    )
    for event in events:
        if isinstance(event, provstream.Annotation):
            counts["annotations"] += 1
            continue
        line = json.loads(event.to_json())
        if isinstance(event, provstream.Assertion):
            counts["assertions"] += 1
            counts["annotations"] += len(event.annotations) if event.encoding == "json" else 0
        elif isinstance(event, provstream.Marc):
            counts["marc"] += 1
            # The corpus has what the engine reports, the command line what validation finds on top of that.
            del line["valid"], line["violations"]
            line["kind"] = event.kind
        else:
            counts["diagnostics"] += 1
        yield line
    yield {"event": "end", **counts}


def test_there_are_cases() -> None:
    assert len(CASES) > 200


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_case(path: Path) -> None:
    data, mode = path.read_bytes(), mode_of(path)
    expected = [json.loads(line) for line in path.with_suffix(".events.ndjson").read_text().splitlines()]
    assert list(lines(provstream.parse(data, mode=mode).events, len(data))) == expected
    parser = provstream.Parser(mode=mode)
    for size in (1, 7, 64, max(len(data), 1)):
        events = [event for at in range(0, len(data), size) for event in parser.push(data[at : at + size])]
        assert list(lines(events + parser.finish(), len(data))) == expected, size
        parser.reset()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    for size in (1, 7, 64, max(len(text), 1)):
        events = [event for at in range(0, len(text), size) for event in parser.push(text[at : at + size])]
        events += parser.finish()
        assert list(lines(events, len(data))) == expected, size
        for event in events:
            assert len(text[: event.start].encode()) == event.byte_start
            if isinstance(event, provstream.Assertion) and event.encoding == "bracket":
                assert text[event.start : event.end] == event.text
        parser.reset()
