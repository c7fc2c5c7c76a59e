"""Fuzzes the package with atheris: bytes become a text, how it is cut, and settings; what is found must be what is true of every text.

    python fuzz/fuzz_python.py [libFuzzer's options]

Every 50,000 inputs, the resident set and what Python has allocated are printed, so that a leak is seen.
"""

import gc
import os
import sys
import tracemalloc

import atheris

with atheris.instrument_imports(include=["provstream"]):
    import provstream
    from provstream import _clean, _objects, _parsed  # noqa: F401

MODES = ("auto", "text", "json", "ndjson")
PIECES = ("[substrate.grep]", "[unverified-inference", "; ts=2026-05-28T11:40:00Z]", '{"assertion":"', '","provenance":', "\ud83c", "\udf89", "ü🎉", ". ", "\n\n")
POLICY = provstream.Policy('floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(x)"\n')
NOW = "2026-05-28T12:00:00Z"
count = 0
print_every = int(os.environ.get("PROVSTREAM_FUZZ_PRINT", "50000"))


def resident() -> int:
    """KiB of the resident set."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def text_of(data: atheris.FuzzedDataProvider) -> str:
    parts = []
    for _ in range(data.ConsumeIntInRange(1, 12)):
        parts.append(PIECES[data.ConsumeIntInRange(0, len(PIECES) - 1)] if data.ConsumeBool() else data.ConsumeUnicode(16))
    return "".join(parts)


def cut(data: atheris.FuzzedDataProvider, source: str | bytes) -> list[str | bytes]:
    found, at = [], 0
    while at < len(source):
        size = data.ConsumeIntInRange(1, 9)
        found.append(source[at : at + size])
        at += size
    return found


def places(events: list[provstream.Event]) -> list[tuple[object, ...]]:
    return [(event.to_json(), event.start, event.end, event.byte_start, event.byte_end) for event in events]


def sane(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def push(data: atheris.FuzzedDataProvider) -> None:
    """The same events for every cut, in both types, at the right places."""
    text, mode = text_of(data), MODES[data.ConsumeIntInRange(0, 3)]
    whole = provstream.parse(text, mode=mode)
    parser = provstream.Parser(mode=mode)
    found = [event for piece in cut(data, text) for event in parser.push(piece)] + parser.finish()
    assert places(found) == places(whole.events), (text, mode)
    for assertion in whole:
        if assertion.encoding == "bracket":
            assert sane(text[assertion.start : assertion.end]) == assertion.text
            assert whole.clean[assertion.clean_start : assertion.clean_end] == assertion.text
    encoded = sane(text).encode()
    parser.reset()
    found = [event for piece in cut(data, encoded) for event in parser.push(piece)] + parser.finish()
    assert [event.to_json() for event in found] == [event.to_json() for event in whole.events]


def strip(data: atheris.FuzzedDataProvider) -> None:
    """A rewriter writes what `strip` returns, and a gate the same for every cut."""
    text = text_of(data)
    clean = sane(provstream.strip(text))
    assert clean == provstream.strip(sane(text))
    rewriter = provstream.Rewriter()
    assert "".join([*(rewriter.push(piece) for piece in cut(data, text)), rewriter.finish()]) == clean
    gate = provstream.Gate(POLICY, now=NOW, on_event=repr)
    released = str(gate.push(text)) + str(gate.finish())
    gate.reset()
    assert "".join([*(str(gate.push(piece)) for piece in cut(data, text)), str(gate.finish())]) == released


def raw(data: atheris.FuzzedDataProvider) -> None:
    """Any bytes, in every way in."""
    source = data.ConsumeBytes(200)
    whole = provstream.parse(source)
    decoded = source.decode("utf-8", "replace")
    for assertion in whole:
        if assertion.encoding == "bracket":
            assert decoded[assertion.start : assertion.end] == assertion.text
    assert b"".join(provstream.clean(iter(cut(data, source)), format="text")) == whole.clean
    response = provstream.Response(policy=POLICY if data.ConsumeBool() else None, on_event=repr)
    for piece in cut(data, source):
        response.push(piece)
    response.finish()
    dicts = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in cut(data, decoded)]
    found = "".join(event["choices"][0]["delta"]["content"] for event in provstream.clean(dicts))
    assert sane(found) == provstream.strip(sane(decoded)), decoded


def one(data: bytes) -> None:
    global count
    provider = atheris.FuzzedDataProvider(data)
    (push, strip, raw)[provider.ConsumeIntInRange(0, 2)](provider)
    count += 1
    if count % print_every == 0:
        gc.collect()
        current, peak = tracemalloc.get_traced_memory() if tracemalloc.is_tracing() else (0, 0)
        print(f"inputs {count}: resident {resident()} KiB, Python {current // 1024} KiB, peak {peak // 1024} KiB", flush=True)
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()


if __name__ == "__main__":
    if os.environ.get("PROVSTREAM_FUZZ_TRACE"):
        tracemalloc.start()
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
