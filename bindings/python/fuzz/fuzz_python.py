"""Fuzzes the package with atheris: push, strip, bytes, objects and Arrow. What is found must be what is true of every text.

    pip install atheris pyarrow && pip install bindings/python
    python fuzz/fuzz_python.py -dict=../../fuzz/dictionary.txt -max_len=512 -max_total_time=3600 CORPUS ../../corpus/text

The text of an input is all but its last two bytes, which choose the body, its settings and how the text is cut, so that files of the
corpus and words of the dictionary are inputs. Every minute (`PROVSTREAM_FUZZ_MINUTE` seconds), a line reports how many inputs there
were, the resident set, the blocks that Python has allocated, and by how much tracemalloc's total grows when the last inputs run again.
The run fails if one of them grows beyond a bound: `PROVSTREAM_FUZZ_RSS` MiB above the second line (64), `PROVSTREAM_FUZZ_BLOCKS` blocks
above it (20,000), and 1 KiB in each of two replays in a row. tracemalloc runs during replays alone, because it takes four times as long as
the bodies.
"""

import gc
import os
import sys
import time
import tracemalloc
from collections import deque
from collections.abc import Callable

import atheris

with atheris.instrument_imports(include=["provstream"]):
    import provstream
    from provstream import _clean, _objects, _parsed, arrow  # noqa: F401

try:
    import pyarrow
except ModuleNotFoundError:
    pyarrow = None

MODES = ("auto", "text", "json", "ndjson")
POLICY = provstream.Policy('floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(x)"\n')
NOW = "2026-05-28T12:00:00Z"
MINUTE = float(os.environ.get("PROVSTREAM_FUZZ_MINUTE", "60"))
MOST_RSS = int(os.environ.get("PROVSTREAM_FUZZ_RSS", "64")) << 10
MOST_BLOCKS = int(os.environ.get("PROVSTREAM_FUZZ_BLOCKS", "20000"))
#: Clears CPython's cache of attributes.
FORGET = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
#: Bytes that a replay of the last inputs may leave.
MOST_LEFT = 1 << 10


class Choices:
    """Choices that an input encodes besides its text."""

    def __init__(self, first: int, second: int) -> None:
        self.first = first
        self._state = second * 256 + first + 1

    def below(self, end: int) -> int:
        """The next number below `end`."""
        self._state = (self._state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        return (self._state >> 16) % end

    def cut(self, source: str | bytes, most: int) -> list[str | bytes]:
        """Pieces of at most so many characters or bytes."""
        found, at = [], 0
        while at < len(source):
            size = 1 + self.below(most)
            found.append(source[at : at + size])
            at += size
        return found


def text_of(data: bytes) -> str:
    """Text with the surrogates that the bytes have; other bytes that are not UTF-8 become lone ones."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


def places(events: list[provstream.Event]) -> list[tuple[object, ...]]:
    return [(event.to_json(), event.start, event.end, event.byte_start, event.byte_end) for event in events]


def sane(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def push(data: bytes, choices: Choices) -> None:
    """Checks that events do not depend on chunks or types, and have the right offsets."""
    text, mode = text_of(data), MODES[choices.below(4)]
    whole = provstream.parse(text, mode=mode)
    parser = provstream.Parser(mode=mode)
    found = [event for piece in choices.cut(text, 9) for event in parser.push(piece)] + parser.finish()
    assert places(found) == places(whole.events), (text, mode)
    for assertion in whole:
        if assertion.encoding == "bracket":
            assert sane(text[assertion.start : assertion.end]) == assertion.text
            assert whole.clean[assertion.clean_start : assertion.clean_end] == assertion.text
    encoded = sane(text).encode()
    parser.reset()
    found = [event for piece in choices.cut(encoded, 9) for event in parser.push(piece)] + parser.finish()
    assert [event.to_json() for event in found] == [event.to_json() for event in whole.events]


def strip(data: bytes, choices: Choices) -> None:
    """A rewriter writes what `strip` returns, and a gate the same for every cut."""
    text = text_of(data)
    clean = sane(provstream.strip(text))
    assert clean == provstream.strip(sane(text))
    rewriter = provstream.Rewriter()
    assert "".join([*(rewriter.push(piece) for piece in choices.cut(text, 9)), rewriter.finish()]) == clean
    gate = provstream.Gate(POLICY, now=NOW, on_event=repr)
    released = str(gate.push(text)) + str(gate.finish())
    gate.reset()
    assert "".join([*(str(gate.push(piece)) for piece in choices.cut(text, 9)), str(gate.finish())]) == released


def raw(data: bytes, choices: Choices) -> None:
    """Any bytes, as text and as the response of a provider."""
    whole = provstream.parse(data)
    decoded = data.decode("utf-8", "replace")
    for assertion in whole:
        if assertion.encoding == "bracket":
            assert decoded[assertion.start : assertion.end] == assertion.text
    assert b"".join(provstream.clean(iter(choices.cut(data, 33)), format="text")) == whole.clean
    response = provstream.Response(policy=POLICY if choices.below(2) else None, on_event=repr)
    for piece in choices.cut(data, 33):
        response.push(piece)
    response.finish()


def objects(data: bytes, choices: Choices) -> None:
    """Text in the events of a provider, as their members; what `clean` yields has the text without annotations."""
    decoded = data.decode("utf-8", "replace")
    dicts = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in choices.cut(decoded, 49)]
    found = "".join(event["choices"][0]["delta"]["content"] for event in provstream.clean(dicts))
    assert sane(found) == provstream.strip(sane(decoded)), decoded


def columns(data: bytes, choices: Choices) -> None:
    """The rows of a column have the assertions of their texts, in every layout; responses and fields are read without a crash."""
    rows: list[bytes | None] = [row or None for row in data.split(b"\xff", 5)]
    array = pyarrow.array(rows, pyarrow.binary())
    layout = choices.below(6)
    if layout == 1:
        array = array.cast(pyarrow.large_binary())
    elif layout == 2:
        array = array.cast(pyarrow.binary_view())
    elif layout == 3:
        array = array.dictionary_encode()
    elif layout == 4:
        array = pyarrow.chunked_array([array.slice(0, 1), array.slice(1)])
    elif layout == 5:
        array = pyarrow.concat_arrays([array, array]).slice(len(array))
    other = choices.below(4)
    if other > 1:
        options = {"input": "auto"} if other == 2 else {"field": "/a"}
        assert len(arrow.extract(array, **options)) == len(rows)
        return
    mode = MODES[choices.below(4)]
    result = arrow.extract(array, mode=mode, threads=1 + other)
    found = pyarrow.array(result.assertions)
    texts = found.flatten().field("text").to_pylist()
    for row, count in zip(rows, found.value_lengths().to_pylist(), strict=True):
        if row is None:
            assert count is None
            continue
        wanted = [assertion.text for assertion in provstream.parse(row, mode=mode)]
        assert texts[:count] == wanted, (row, mode)
        del texts[:count]


Body = Callable[[bytes, Choices], None]
BODIES: tuple[Body, ...] = (push, strip, raw, objects) + ((columns,) if pyarrow else ())


def run(data: bytes) -> None:
    if len(data) >= 2:
        choices = Choices(data[-1], data[-2])
        BODIES[choices.below(len(BODIES))](data[:-2], choices)


def resident() -> int:
    """KiB of the resident set."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Watch:
    """Reports every minute what the process takes, and fails if that grows."""

    def __init__(self) -> None:
        self.count = 0
        self._started = self._reported = time.monotonic()
        self._counted = 0
        self._last: deque[bytes] = deque(maxlen=256)
        self._lines = 0
        self._first: tuple[int, int] | None = None
        self._leaks = 0

    def take(self, data: bytes) -> None:
        """Counts an input."""
        self.count += 1
        self._last.append(data)
        # A clock for each input would take longer than some of them.
        if self.count % 64 == 0 and time.monotonic() - self._reported >= MINUTE:
            self._report()

    def _left(self) -> int:
        """Bytes that are left of the last inputs when they run again."""
        tracemalloc.start()
        totals = []
        for _ in range(3):
            for data in self._last:
                run(data)
            gc.collect()
            # It keeps names that were looked up, as many as it has entries.
            FORGET()
            totals.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        return totals[-1] - totals[-2]

    def _report(self) -> None:
        seconds = time.monotonic() - self._reported
        rate = (self.count - self._counted) / seconds
        left = self._left()
        now = resident(), sys.getallocatedblocks()
        minutes = (time.monotonic() - self._started) / 60
        print(
            f"{minutes:.1f} minutes: {self.count} inputs, {rate:.0f} a second; resident {now[0]} KiB, {now[1]} blocks of Python, "
            f"tracemalloc +{left} bytes in {len(self._last)} inputs",
            flush=True,
        )
        self._lines += 1
        self._leaks = self._leaks + 1 if left > MOST_LEFT else 0
        # The first minute fills the caches.
        if self._lines == 2:
            self._first = now
        if self._first is not None:
            grown = now[0] - self._first[0], now[1] - self._first[1]
            assert grown[0] <= MOST_RSS, f"expected at most {MOST_RSS} KiB more than in the second minute, found {grown[0]}"
            assert grown[1] <= MOST_BLOCKS, f"expected at most {MOST_BLOCKS} blocks more than in the second minute, found {grown[1]}"
        assert self._leaks < 2, f"expected at most {MOST_LEFT} bytes to be left of {len(self._last)} inputs, found {left}"
        self._reported, self._counted = time.monotonic(), self.count


def main() -> None:
    watch = Watch()

    def one(data: bytes) -> None:
        run(data)
        watch.take(data)

    if pyarrow is None:
        print("pyarrow is not installed, so that columns are not fuzzed", flush=True)
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
