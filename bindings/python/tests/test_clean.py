"""Streams of text and bytes."""

import asyncio
import json
import threading
import time
import warnings
from collections import ChainMap, OrderedDict, UserDict
from collections.abc import AsyncIterator, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import provstream
import pytest
from provstream import Action, clean

TEXT = "It is so. [substrate.grep; ts=2026-05-28T11:40:00Z] Really. [substrate.git.log] End"
CLEAN = "It is so. Really. End"
SSE = "".join(
    f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': TEXT[at : at + 5]}}]})}\n\n" for at in range(0, len(TEXT), 5)
) + "data: [DONE]\n\n"


def text_of(sse: str) -> str:
    found = [json.loads(line[6:]) for line in sse.splitlines() if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"]["content"] for event in found)


def pieces(text: str, size: int = 5) -> Iterator[str]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


async def later(text: str, size: int = 5) -> AsyncIterator[str]:
    for piece in pieces(text, size):
        await asyncio.sleep(0)
        yield piece


def test_text() -> None:
    stream = clean(pieces(TEXT))
    assert "".join(stream) == CLEAN
    assert [event.text for event in stream.events() if isinstance(event, provstream.Assertion)] == ["It is so.", "Really."]
    assert stream.events() == [] and list(stream) == []
    assert b"".join(clean(piece.encode() for piece in pieces(TEXT))) == TEXT.encode(), "bytes are a response"
    assert b"".join(clean((piece.encode() for piece in pieces(TEXT)), format="text")) == CLEAN.encode()


def test_responses() -> None:
    for size in (1, 7, 64, len(SSE)):
        stream = clean(piece.encode() for piece in pieces(SSE, size))
        assert text_of(b"".join(stream).decode()) == CLEAN
        report = stream.report
        assert report is not None and report.is_complete and report.events == SSE.count("data:")
        [first, _] = [event for event in stream.events() if isinstance(event, provstream.Assertion)]
        assert first.channel == "0" and CLEAN[first.clean_start : first.clean_end] == "It is so."
        with pytest.raises(provstream.OffsetError, match="clean_start"):
            _ = first.start
        assert text_of("".join(clean(pieces(SSE, size), format="auto"))) == CLEAN


def test_gated() -> None:
    stream = clean(pieces(TEXT), policy=lambda question: Action.discard() if "substrate.grep" in question.assertion.classes else Action.release())
    assert "".join(stream) == "Really. End"
    gated = clean((piece.encode() for piece in pieces(SSE, 3)), policy=lambda question: Action.refuse("No."))
    assert text_of(b"".join(gated).decode()) == "No."


def test_asynchronous() -> None:
    async def main() -> None:
        stream = clean(later(TEXT))
        assert "".join([piece async for piece in stream]) == CLEAN
        assert len(stream.events()) == 4
        with pytest.raises(TypeError, match="use async for"):
            iter(clean(later(TEXT)))
        with pytest.raises(TypeError, match="use for$"):
            aiter(clean(pieces(TEXT)))

    asyncio.run(main())


def test_a_callback_that_raises_loses_no_text() -> None:
    raised = 0

    def on_event(event: provstream.Event) -> None:
        raise RuntimeError("callback")

    stream, out = clean(pieces(TEXT), on_event=on_event), ""
    while True:
        try:
            out += next(stream)
        except RuntimeError:
            raised += 1
        except StopIteration:
            break
    assert (out, raised) == (CLEAN, 4)


def test_a_source_that_raises() -> None:
    def source() -> Iterator[str]:
        yield "It is so. [substrate.gr"
        raise ConnectionError("reset")

    stream, out = clean(source()), []
    with pytest.raises(ConnectionError, match="reset"):
        for piece in stream:
            out.append(piece)
    assert out == ["It is so.", " [substrate.gr"]

    async def main() -> None:
        async def source() -> AsyncIterator[str]:
            yield "It is so. [substrate.gr"
            raise ConnectionError("reset")

        stream, out = clean(source()), []
        with pytest.raises(ConnectionError, match="reset"):
            async for piece in stream:
                out.append(piece)
        assert out == ["It is so.", " [substrate.gr"]

    asyncio.run(main())


def test_cancellation() -> None:
    closed = []

    async def slow() -> AsyncIterator[str]:
        try:
            yield "It is so. [subst"
            await asyncio.sleep(60)
            yield "never"
        finally:
            closed.append(True)

    async def main() -> None:
        stream, out = clean(slow()), []
        with pytest.raises(asyncio.TimeoutError):
            async with asyncio.timeout(0.05) if hasattr(asyncio, "timeout") else _timeout(0.05):
                async for piece in stream:
                    out.append(piece)
        # The source has ended with the cancellation; what was held back is there.
        out += [piece async for piece in stream]
        assert out == ["It is so.", " [subst"] and closed == [True]
        assert len(asyncio.all_tasks()) == 1

        async with clean(slow()) as left:
            assert await left.__anext__() == "It is so."
        assert closed == [True, True]

    asyncio.run(main())


class _timeout:
    """`asyncio.timeout` for Python 3.10."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.handle = asyncio.get_running_loop().call_later(self.seconds, task.cancel)

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.handle.cancel()
        if kind is asyncio.CancelledError:
            raise asyncio.TimeoutError


def test_closing() -> None:
    closed = []

    def source() -> Iterator[str]:
        try:
            yield from pieces(TEXT)
        finally:
            closed.append(True)

    with clean(source()) as stream:
        next(stream)
    assert closed == [True]


def test_closing_the_connection() -> None:
    """The stream of an SDK is closed itself, not only the iterator that it made."""

    class Stream:
        def __init__(self) -> None:
            self.closed: list[str] = []

        def __iter__(self) -> Iterator[str]:
            return pieces(TEXT)

        def close(self) -> None:
            self.closed.append("close")

    class Entered:
        def __init__(self) -> None:
            self.closed: list[str] = []

        async def __aenter__(self) -> "Entered":
            return self

        async def __aexit__(self, *error: object) -> None:
            self.closed.append("exit")

        def __aiter__(self) -> AsyncIterator[str]:
            return later(TEXT)

    source = Stream()
    with clean(source) as stream:
        next(stream)
    assert source.closed == ["close"]

    async def main() -> None:
        entered = Entered()
        async with clean(entered) as stream:
            await stream.__anext__()
        assert entered.closed == ["exit"]

    asyncio.run(main())


def test_what_cannot_be_cleaned() -> None:
    with pytest.raises(TypeError, match="expected str, bytes or an object of a provider's SDK, found int"):
        list(clean([1]))
    with pytest.raises(TypeError):
        iter(clean(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="openai-chat"):
        clean([""], format="openai")
    with pytest.raises(ValueError, match="expected mode"):
        clean([""], mode="x")


def test_dicts() -> None:
    events: list[Any] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces(TEXT)]
    done: Any = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"total_tokens": 3}}
    written = list(clean([*events, done]))
    assert "".join(event["choices"][0]["delta"].get("content", "") for event in written) == CLEAN
    assert written[-1] is done
    assert written[0] is events[0]
    split: list[Any] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ("a\ud83c", "\udf89 b. [substrate.grep]")]
    joined = "".join(event["choices"][0]["delta"]["content"] for event in clean(split))
    assert joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le") == "a🎉 b."
    response: Any = {"choices": [{"index": 0, "message": {"content": TEXT}}]}
    assert provstream.clean_response(response)["choices"][0]["message"]["content"] == CLEAN


def test_what_is_no_stream_is_refused_without_wrong_advice() -> None:
    """Only a stream of the other kind is to be read in the other way."""
    with pytest.raises(TypeError, match=r"^expected an iterable, found NoneType$"):
        list(provstream.clean(None))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^expected an asynchronous iterable, found int$"):
        aiter(provstream.clean(7))  # type: ignore[arg-type]

    async def pieces() -> AsyncIterator[str]:
        yield "It is so."

    with pytest.raises(TypeError, match=r"^expected an iterable, found async_generator: use async for$"):
        iter(provstream.clean(pieces()))
    with pytest.raises(TypeError, match=r"^expected an asynchronous iterable, found list: use for$"):
        aiter(provstream.clean(["It is so."]))


def anthropic_events(removed: int, deltas: int) -> Iterator[dict[str, Any]]:
    """A message whose first text blocks are removed, so that the rest has other numbers."""
    yield {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "x"}}
    for at in range(removed + 1):
        yield {"type": "content_block_start", "index": at, "content_block": {"type": "text", "text": ""}}
        texts = ["[substrate.grep]"] if at < removed else [f"w{at} " for at in range(deltas)]
        for text in texts:
            yield {"type": "content_block_delta", "index": at, "delta": {"type": "text_delta", "text": text}}
        yield {"type": "content_block_stop", "index": at}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


@pytest.mark.parametrize(("removed", "deltas"), [(0, 2_000), (1, 2_000), (3, 2_000), (500, 3)])
def test_objects_are_not_kept(removed: int, deltas: int) -> None:
    """An object is forgotten when its line is written, also if lines before it were removed and all after it are changed."""
    stream = clean(anthropic_events(removed, deltas))
    written, most = [], 0
    for event in stream:
        written.append(event)
        most = max(most, len(stream._driver._pending))  # type: ignore[union-attr]
    assert most < 10
    assert written[0]["type"] == "message_start" and written[-1] == {"type": "message_stop"}
    blocks = [event for event in written if event["type"] == "content_block_delta"]
    assert "".join(event["delta"]["text"] for event in blocks) == "".join(f"w{at} " for at in range(deltas))
    assert {event["index"] for event in blocks} == {0} and all(len(event) == 3 for event in blocks)


def test_objects_that_are_alike() -> None:
    """Each is yielded itself, and not an equal one before it."""
    events: list[Any] = [{"choices": [{"index": 0, "delta": {"content": "x"}}]} for _ in range(9)]
    events[4] = {"choices": [{"index": 0, "delta": {"content": "x. [substrate.grep]"}}]}
    written = list(clean([*events]))
    assert sum(one is two for one, two in zip(written, events)) == 8
    assert [event.keys() for event in written] == [{"choices"}] * 9


def mappings() -> list[Any]:
    event = {"choices": [{"index": 0, "delta": {"content": "It is so. [substrate.grep]"}}]}

    class Own(Mapping[str, Any]):
        def __getitem__(self, name: str) -> Any:
            return event[name]

        def __iter__(self) -> Iterator[str]:
            return iter(event)

        def __len__(self) -> int:
            return len(event)

    nested = MappingProxyType({"choices": [MappingProxyType({"index": 0, "delta": UserDict({"content": "It is so. [substrate.grep]"})})]})
    whole = [MappingProxyType(event), UserDict(event), ChainMap(event), OrderedDict(event), Own(), nested]
    return [*whole, {"choices": [UserDict(event["choices"][0])]}, {"choices": ({"index": 0, "delta": event["choices"][0]["delta"]},)}]


@pytest.mark.parametrize("at", range(8))
def test_mappings(at: int) -> None:
    one = mappings()[at]
    assert list(clean([one])) == [{"choices": [{"index": 0, "delta": {"content": "It is so."}}]}]
    assert provstream.clean_response(one) == {"choices": [{"index": 0, "delta": {"content": "It is so."}}]}
    same = MappingProxyType({"choices": [{"index": 0, "delta": {"content": "It is so."}}]})
    assert list(clean([same]))[0] is same


def test_what_is_no_json_is_refused() -> None:
    for value in (object(), {1, 2}, b"x", 1j):
        with pytest.raises(TypeError, match="expected what can be written as JSON, found"):
            list(clean([{"choices": [value]}]))


def test_two_threads_on_one_stream() -> None:
    """One of them gets an exception, and the other one all of the rest."""
    entered, leave = threading.Event(), threading.Event()

    def source() -> Iterator[str]:
        yield "It is so. [subst"
        entered.set()
        leave.wait(10)
        yield "rate.grep] Really."

    stream = clean(source())
    read: list[str] = []
    thread = threading.Thread(target=lambda: read.extend(stream))
    thread.start()
    assert entered.wait(10)
    for _ in range(3):
        with pytest.raises(provstream.BusyError, match="in use by another thread or task"):
            next(stream)
    leave.set()
    thread.join(10)
    assert "".join(read) == "It is so. Really." and list(stream) == []


def test_many_threads_on_one_stream() -> None:
    def source() -> Iterator[str]:
        for at in range(200):
            time.sleep(0.0001)
            yield f"Sentence {at}. [substrate.grep] "

    stream = clean(source())
    read: list[tuple[float, str]] = []
    ended = []

    def work() -> None:
        while True:
            try:
                piece = next(stream)
                read.append((time.monotonic(), piece))
            except provstream.BusyError:
                time.sleep(0.00005)
            except StopIteration:
                ended.append(True)
                return

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(ended) == 4
    assert sorted("".join(piece for _, piece in read).split()) == sorted("".join(clean(source())).split())


def test_two_tasks_on_one_stream() -> None:
    async def main() -> None:
        stream = clean(later(TEXT))
        first = asyncio.ensure_future(stream.__anext__())
        await asyncio.sleep(0)
        with pytest.raises(provstream.BusyError):
            await stream.__anext__()
        assert await first + "".join([piece async for piece in stream]) == CLEAN
        # A task that is cancelled leaves the stream to the next one.
        stream = clean(later(TEXT))
        task = asyncio.ensure_future(stream.__anext__())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not stream._lock.locked()

    asyncio.run(main())


def test_a_callback_that_reads_its_own_stream() -> None:
    def on_event(event: provstream.Event) -> None:
        next(stream)

    stream = clean(pieces(TEXT), on_event=on_event)
    with pytest.raises(provstream.BusyError, match="its own callback"):
        list(stream)


def test_events_that_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provstream._clean.MOST_EVENTS", 4)
    stream = clean(pieces(TEXT * 3))
    list(stream)
    with pytest.warns(RuntimeWarning, match="^8 events were dropped, because more than 4 were kept$"):
        kept = stream.events()
    assert len(kept) == 4 and stream.events() == []
    stream = clean(pieces(TEXT))
    list(stream)
    assert len(stream.events()) == 4
    # As an error, too, it loses no event.
    stream = clean(pieces(TEXT * 2))
    list(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            stream.events()
    assert len(stream.events()) == 4
