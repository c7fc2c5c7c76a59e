"""Exceptions that end a loop, out of callbacks: none of them may be taken for the end of the stream (PEP 479)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any

import provstream
import pytest
from provstream import Action, clean
from provstream.asgi import CleanMiddleware

TEXT = "One. [unverified-inference] Two. [unverified-inference] Three. [unverified-inference] Four. [unverified-inference] End"
ENDS = [StopIteration, StopAsyncIteration, GeneratorExit]


def chunks(kind: str) -> list[Any]:
    """The text in pieces: text, the response of a provider in bytes, or its objects."""
    pieces = [TEXT[at : at + 9] for at in range(0, len(TEXT), 9)]
    events: list[Any] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    lines = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    found: dict[str, list[Any]] = {"text": pieces, "bytes": lines, "objects": events}
    return found[kind]


async def later(items: Iterable[Any]) -> AsyncIterator[Any]:
    for item in items:
        await asyncio.sleep(0)
        yield item


def callback(name: str, error: type[BaseException]) -> dict[str, Any]:
    """An argument that raises when it is called for the second time."""
    calls = iter((True,))

    def called(found: Any) -> Action | None:
        if next(calls, False):
            return Action.release() if name == "policy" else None
        raise error("from the callback")

    return {name: called}


def everything(stream: Iterator[Any], raised: list[BaseException]) -> list[Any]:
    """Reads on after exceptions, as long as the stream is not at its end."""
    found = []
    while len(raised) < 99:
        try:
            found.append(next(stream))
        except StopIteration:
            return found
        except RuntimeError as error:
            raised.append(error)
    raise AssertionError("the stream does not end")


@pytest.mark.parametrize("error", ENDS)
@pytest.mark.parametrize("kind", ["text", "bytes", "objects"])
@pytest.mark.parametrize("name", ["policy", "on_event"])
def test_streams(name: str, kind: str, error: type[BaseException]) -> None:
    """A loop gets a `RuntimeError` with the exception as its cause; after one of `on_event`, no text is lost."""
    with pytest.raises(RuntimeError, match=f"^a callback raised {error.__name__}$") as caught:
        for _ in clean(chunks(kind), **callback(name, error)):
            pass
    assert isinstance(caught.value.__cause__, error)

    async def main() -> None:
        async for _ in clean(later(chunks(kind)), **callback(name, error)):
            pass

    with pytest.raises(RuntimeError, match=f"^a callback raised {error.__name__}$"):
        asyncio.run(main())
    if name == "on_event":
        raised: list[BaseException] = []
        found = everything(clean(chunks(kind), **callback(name, error)), raised)
        expected = list(clean(chunks(kind)))
        joined: Any = {"text": "".join, "bytes": b"".join, "objects": list}[kind]
        assert joined(found) == joined(expected)
        assert len(raised) == 7


@pytest.mark.parametrize("error", ENDS)
@pytest.mark.parametrize("name", ["policy", "on_event"])
def test_responses_that_are_not_streamed(name: str, error: type[BaseException]) -> None:
    whole: Any = {"choices": [{"message": {"content": TEXT}}]}
    with pytest.raises(RuntimeError, match=f"a callback raised {error.__name__}"):
        list(provstream.clean_response(one, **callback(name, error)) for one in [whole])


@pytest.mark.parametrize("error", ENDS)
def test_writers(error: type[BaseException]) -> None:
    """Also where a program calls the compiled part itself, within an iterator of its own."""
    data = b"".join(chunks("bytes"))
    writers: list[tuple[Callable[..., Any], str, Any]] = [
        (provstream.Rewriter, "on_event", TEXT),
        (provstream.Rewriter, "replace", TEXT),
        (lambda policy: provstream.Gate(policy), "policy", TEXT),
        (lambda on_event: provstream.Gate(lambda question: Action.release(), on_event=on_event), "on_event", TEXT),
        (provstream.Response, "on_event", data),
        (provstream.Response, "policy", data),
    ]
    for make, name, chunk in writers:
        for push in (lambda writer: writer.push(chunk) + writer.finish(), lambda writer: list(map(writer.push, [chunk, chunk]))):
            with pytest.raises(RuntimeError, match=f"^a callback raised {error.__name__}$"):
                push(make(**callback(name, error)))


@pytest.mark.parametrize("error", ENDS)
@pytest.mark.parametrize("media", ["text/plain", "text/event-stream"])
@pytest.mark.parametrize("name", ["policy", "on_event"])
def test_middleware(name: str, media: str, error: type[BaseException]) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", media.encode())]})
        for chunk in chunks("bytes" if media == "text/event-stream" else "text"):
            body = chunk if isinstance(chunk, bytes) else chunk.encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def main() -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            pass

        argument = callback(name, error)
        if name == "on_event":
            taken = argument["on_event"]
            argument = {"on_event": lambda scope, event: taken(event)}
        await CleanMiddleware(app, **argument)({"type": "http", "method": "GET", "headers": []}, receive, send)

    with pytest.raises(RuntimeError, match=f"a callback raised {error.__name__}"):
        asyncio.run(main())


def test_other_exceptions_are_those_of_the_callback() -> None:
    for error in (LookupError, KeyboardInterrupt, asyncio.CancelledError, RuntimeError):
        with pytest.raises(error, match="from the callback"):
            list(clean(chunks("text"), **callback("on_event", error)))


def test_the_answers_of_a_policy_run_out() -> None:
    """The usual way to such an exception: `next` of an iterator that is at its end."""
    answers = iter([Action.release()])
    stream = clean([TEXT], policy=lambda question: next(answers))
    with pytest.raises(RuntimeError, match="a callback raised StopIteration"):
        "".join(stream)


@pytest.mark.parametrize("error", ENDS)
def test_sources(error: type[BaseException]) -> None:
    """An exception of a source that does not end the stream is not taken for its end, either."""

    class Source:
        """Raises when it is asked for its iterator."""

        def __iter__(self) -> Iterator[str]:
            raise error("from the source")

        def __aiter__(self) -> AsyncIterator[str]:
            raise error("from the source")

    class Item(Mapping[str, Any]):
        """Raises when its members are read."""

        def __getitem__(self, name: str) -> Any:
            raise error("from the source")

        def __iter__(self) -> Iterator[str]:
            return iter(["type"])

        def __len__(self) -> int:
            return 1

    async def read(source: Any) -> list[Any]:
        return [item async for item in clean(source)]

    for source in (Source(), [Item()]):
        with pytest.raises(RuntimeError, match=error.__name__):
            list(clean(source))
        with pytest.raises(RuntimeError, match=error.__name__):
            asyncio.run(read(source if isinstance(source, Source) else later(source)))
