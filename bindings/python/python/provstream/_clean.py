"""Cleans the streams of SDKs, HTTP clients and generators."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar

from provstream import _native
from provstream._native import Action, Event, Limits, Policy, Question, Vocabulary
from provstream._objects import Objects, members

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

T = TypeVar("T")
R = TypeVar("R")
Decide = Policy | str | Callable[[Question], Action]
Dialects = str | PathLike[str] | Sequence[str | PathLike[str]]
Sources = Sequence[str | int | Mapping[str, Any]] | Mapping[str, Any] | bytes
Render = str | Mapping[str, str]

RESPONSES = ("text/event-stream", "application/x-ndjson", "application/jsonl", "application/json")
"""Media types of the responses of providers."""

HELPERS = ("anthropic.lib.streaming", "openai.lib.streaming")
"""Packages whose streams accumulate a message from events."""

MOST_EVENTS = 65_536
"""Most events kept for `events()`. Beyond that the oldest are dropped."""

STALE = (
    *("content-length", "etag", "last-modified", "accept-ranges"),
    *("digest", "content-digest", "repr-digest", "content-md5"),
)
"""Headers that describe the bytes of a response and are wrong after a change."""

_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
_CHARSETS = ("", "utf-8", "utf8", "us-ascii", "ascii")


class Options(TypedDict, total=False):
    """Arguments of `clean` that decide how a stream is cleaned."""

    policy: Decide | None
    format: str | None
    mode: str
    vocabulary: Vocabulary | None
    limits: Limits | None
    now: str | datetime | None
    reasoning: str
    pass_members: Sequence[str]
    dialects: Dialects | None
    sources: Sources | None
    render: Render | None


class Settings:
    """Validated settings with the fields of `Options`."""

    __slots__ = (
        *("dialects", "format", "limits", "mode", "now", "pass_members", "policy", "reasoning", "render", "sources"),
        "vocabulary",
    )

    def __init__(
        self,
        policy: Decide | None = None,
        format: str | None = None,
        mode: str = "auto",
        vocabulary: Vocabulary | None = None,
        limits: Limits | None = None,
        now: str | datetime | None = None,
        reasoning: str = "leave",
        pass_members: Sequence[str] = (),
        dialects: Dialects | None = None,
        sources: Sources | None = None,
        render: Render | None = None,
    ) -> None:
        self.policy = policy
        self.format = format
        self.mode = mode
        self.vocabulary = vocabulary
        self.limits = limits
        self.now = now
        self.reasoning = reasoning
        self.pass_members = pass_members
        self.dialects = dialects
        self.sources = sources
        self.render = render
        if policy is not None and render is not None:
            raise ValueError('expected "render" only without a policy, found both')
        if format == "text":
            self.text(None)
        else:
            self.response(None)

    def text(self, on_event: Callable[[Event], object] | None) -> _native.Rewriter | _native.Gate:
        """Creates the writer of a text."""
        if self.policy is None:
            return _native.Rewriter(
                mode=self.mode,
                vocabulary=self.vocabulary,
                limits=self.limits,
                on_event=on_event,
                dialects=self.dialects,
                sources=self.sources,
                render=self.render,
            )
        return _native.Gate(
            self.policy,
            mode=self.mode,
            vocabulary=self.vocabulary,
            limits=self.limits,
            now=self.now,
            on_event=on_event,
            dialects=self.dialects,
            sources=self.sources,
        )

    def response(self, on_event: Callable[[Event], object] | None, request: bytes | None = None) -> _native.Response:
        """Creates the writer of a provider's response, which may have the sources of its own request."""
        return _native.Response(
            format=None if self.format in ("auto", "text") else self.format,
            policy=self.policy,
            mode=self.mode,
            vocabulary=self.vocabulary,
            limits=self.limits,
            now=self.now,
            reasoning=self.reasoning,
            pass_members=self.pass_members,
            on_event=on_event,
            dialects=self.dialects,
            sources=self.sources if request is None else request,
            render=self.render,
        )


def request_sources(request: bytes | str | Mapping[str, Any], dialects: Dialects) -> Sources | None:
    """Returns the sources that a request to a provider brings, as the argument `sources` takes them; `None` without any.

    `request` is the body of the request, or its members. A source has a label, a marker of the dialects at the start of a line with
    text after it, or is a document with an identifier; `docs/proxy.md` has the rules. The list is complete if nothing in the request
    can bring other sources.

    >>> messages = [{"role": "user", "content": "[1] Cities https://a.example/cities\\n[2] Rivers\\n\\nIs Paris big?"}]
    >>> provstream.request_sources({"messages": messages}, ["numeric"])
    {'sources': [{'id': '1', 'title': 'Cities', 'url': 'https://a.example/cities'}, {'id': '2', 'title': 'Rivers'}], 'complete': True}
    """
    if isinstance(request, Mapping):
        # Imported on first use, like all that most programs do not need.
        import json

        request = json.dumps(request, default=members)
    return _native.request_sources(request.encode() if isinstance(request, str) else bytes(request), dialects)


def called(function: Callable[..., R], *arguments: Any) -> R:
    """Calls a function. An exception that ends a loop becomes a `RuntimeError`, as in a generator (PEP 479)."""
    try:
        return function(*arguments)
    except _ENDS as error:
        raise RuntimeError(f"a callback raised {type(error).__name__}") from error


def media_types(headers: Mapping[str, str]) -> set[str]:
    """Returns the media types of a response in lower case. The header may occur several times."""
    return {value.partition(";")[0].strip().lower() for value in headers.get("content-type", "").split(",")}


def is_part(status: int, headers: Mapping[str, str]) -> bool:
    """Returns `True` if a response has one or several parts of a whole (status 206)."""
    return status == 206 or "content-range" in headers or "multipart/byteranges" in media_types(headers)


def unreadable(status: int, headers: Mapping[str, str]) -> str | None:
    """Returns the message of an exception if a response cannot be read, otherwise `None`."""
    if is_part(status, headers):
        return "expected a whole response, found a part of one: do not ask for a range of it"
    parameters = headers.get("content-type", "").replace(",", ";").split(";")
    named = (parameter.partition("=") for parameter in parameters)
    charsets = [value.strip().strip('"').lower() for name, _, value in named if name.strip().lower() == "charset"]
    found = next((charset for charset in charsets if charset not in _CHARSETS), None)
    return None if found is None else f"expected a response in UTF-8, found one with the charset {found!r}"


class Driver(Protocol):
    """Writes the chunks of a stream."""

    def push(self, chunk: Any, /) -> list[Any]:
        """Processes a chunk, and returns the output that is certain now."""
        ...

    def finish(self) -> list[Any]:
        """Ends the stream, and returns the remaining output."""
        ...


class _Text:
    """Writes pieces of a text, `str` or bytes."""

    def __init__(self, settings: Settings, on_event: Callable[[Event], object]) -> None:
        self._writer = settings.text(on_event)

    def push(self, chunk: Any) -> list[Any]:
        piece = self._writer.push(chunk)
        return [piece] if piece else []

    def finish(self) -> list[Any]:
        piece = self._writer.finish()
        return [piece] if piece else []


class _Bytes:
    """Writes the response of a provider as bytes, or as `str`."""

    def __init__(self, settings: Settings, on_event: Callable[[Event], object], is_str: bool) -> None:
        self._response = settings.response(on_event)
        self._is_str = is_str

    def push(self, chunk: Any) -> list[Any]:
        return self._give(self._response.push(chunk))

    def finish(self) -> list[Any]:
        return self._give(self._response.finish())

    def _give(self, piece: bytes) -> list[Any]:
        if not piece:
            return []
        # Only whole events are written, so that no character is cut.
        return [piece.decode("utf-8", "replace") if self._is_str else piece]


class CleanStream(Generic[T]):
    """A stream with clean text; an iterator, an asynchronous iterator and a context manager, as its source is.

    If a callback raises an exception, so does the step that called it. The text is not lost: the next step yields it. If the source
    raises an exception, what was held back is yielded first.
    """

    def __init__(
        self,
        source: Iterable[T] | AsyncIterable[T],
        settings: Settings,
        on_event: Callable[[Event], object] | None,
    ) -> None:
        self.source = source
        """Stream that is cleaned."""
        self._settings = settings
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._dropped = 0
        self._on_event = on_event or self._keep
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        self._iterator: Iterator[T] | None = None
        self._async_iterator: AsyncIterator[T] | None = None
        self._ready: deque[T] = deque()
        self._at_end = False
        self._is_finished = False
        self._error: Exception | None = None

    def events(self) -> list[Event]:
        """Returns the events since the last call; empty if there is a callback.

        At most 65,536 events are kept. If older ones were dropped, there is a `RuntimeWarning` with their number: call this more
        often, or use `on_event`.
        """
        dropped, self._dropped = self._dropped, 0
        if dropped:
            warnings.warn(f"{dropped} events were dropped, because more than {MOST_EVENTS} were kept", RuntimeWarning, stacklevel=2)
        return [self._events.popleft() for _ in range(len(self._events))]

    def _keep(self, event: Event) -> None:
        self._dropped += len(self._events) == MOST_EVENTS
        self._events.append(event)

    @property
    def report(self) -> _native.ReadReport | None:
        """Counts of the read and unread parts of a provider's response; `None` for text."""
        if isinstance(self._driver, Objects):
            return self._driver.response.report
        if isinstance(self._driver, _Bytes):
            return self._driver._response.report
        return None

    def __iter__(self) -> CleanStream[T]:
        if not isinstance(self.source, Iterable):
            advice = ": use async for" if isinstance(self.source, AsyncIterable) else ""
            raise TypeError(f"expected an iterable, found {type(self.source).__name__}{advice}")
        return self

    def __next__(self) -> T:
        self._acquire()
        try:
            while not self._ready:
                if self._is_finished:
                    raise self._error_or(StopIteration())
                if self._iterator is None:
                    self._iterator = called(iter, self.source)
                self._step(self._iterator)
            return self._ready.popleft()
        finally:
            self._lock.release()

    def __aiter__(self) -> CleanStream[T]:
        if not isinstance(self.source, AsyncIterable):
            advice = ": use for" if isinstance(self.source, Iterable) else ""
            raise TypeError(f"expected an asynchronous iterable, found {type(self.source).__name__}{advice}")
        return self

    async def __anext__(self) -> T:
        self._acquire()
        try:
            while not self._ready:
                if self._is_finished:
                    raise self._error_or(StopAsyncIteration())
                if self._async_iterator is None:
                    self._async_iterator = called(self.source.__aiter__)  # type: ignore[union-attr]
                await self._async_step(self._async_iterator)
            return self._ready.popleft()
        finally:
            self._lock.release()

    def close(self) -> None:
        """Closes the source, with the connection that it reads from."""
        for owner in self._owners(self._iterator):
            close = getattr(owner, "close", None)
            if close is not None:
                close()
            elif hasattr(owner, "__exit__"):
                owner.__exit__(None, None, None)

    async def aclose(self) -> None:
        """Closes the source, with the connection that it reads from."""
        for owner in self._owners(self._async_iterator):
            close = getattr(owner, "aclose", None) or getattr(owner, "close", None)
            if close is not None:
                done = close()
                if hasattr(done, "__await__"):
                    await done
            elif hasattr(owner, "__aexit__"):
                await owner.__aexit__(None, None, None)

    def _owners(self, iterator: Any) -> list[Any]:
        """Returns the objects to close: the source, which has the connection, and its iterator if that is another object."""
        return [self.source] if iterator is None or iterator is self.source else [iterator, self.source]

    def __enter__(self) -> CleanStream[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> CleanStream[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _acquire(self) -> None:
        """Locks the stream, since two readers would take items of the source, and its end, from each other."""
        if not self._lock.acquire(blocking=False):
            raise _native.BusyError(
                "expected one call at a time, found the stream in use by another thread or task, or by its own callback"
            )

    def _step(self, iterator: Iterator[T]) -> None:
        if self._at_end:
            called(self._finish)
            return
        try:
            chunk = next(iterator)
        except StopIteration:
            self._at_end = True
        except Exception as error:
            self._at_end, self._error = True, error
        else:
            called(self._push, chunk)

    async def _async_step(self, iterator: AsyncIterator[T]) -> None:
        if self._at_end:
            called(self._finish)
            return
        try:
            chunk = await iterator.__anext__()
        except StopAsyncIteration:
            self._at_end = True
        except Exception as error:
            self._at_end, self._error = True, error
        else:
            called(self._push, chunk)

    def _push(self, chunk: T) -> None:
        if self._driver is None:
            self._driver = self._start(chunk)
        self._ready.extend(self._driver.push(chunk))

    def _finish(self) -> None:
        if self._driver is not None:
            self._ready.extend(self._driver.finish())
        self._is_finished = True

    def _error_or(self, end: Exception) -> Exception:
        error, self._error = self._error, None
        if isinstance(error, _ENDS):
            raise RuntimeError(f"the source raised {type(error).__name__}") from error
        return error or end

    def _start(self, chunk: T) -> Driver:
        """Creates the writer for chunks of this type."""
        settings, is_str = self._settings, isinstance(chunk, str)
        if is_str or isinstance(chunk, (bytes, bytearray, memoryview)):
            if settings.format == "text" or (is_str and settings.format is None):
                return _Text(settings, self._on_event)
            return _Bytes(settings, self._on_event, is_str)
        return Objects(settings.response(self._on_event))


def clean(
    stream: Iterable[T] | AsyncIterable[T],
    *,
    policy: Decide | None = None,
    on_event: Callable[[Event], object] | None = None,
    format: str | None = None,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
    now: str | datetime | None = None,
    reasoning: str = "leave",
    pass_members: Sequence[str] = (),
    dialects: Dialects | None = None,
    sources: Sources | None = None,
    render: Render | None = None,
) -> CleanStream[T]:
    """Removes the annotations from a stream, or with a policy withholds text.

    `stream` may be what an SDK returns with `stream=True` (OpenAI, Anthropic, Google, Ollama, Cohere, Mistral), synchronous or not:
    its own objects are yielded, those without change as they are, and others as copies. It may also yield `str`, which is text, or
    bytes, which are the response of a provider as an HTTP client reads it; with `format="text"` bytes are text, and with
    `format="auto"` or the name of a format `str` is a response.

    Helpers of SDKs that put the message together themselves, such as Anthropic's `messages.stream`, are a `TypeError`: the text that
    they have accumulated would not be clean. `provstream.httpx` has a transport for them.

    Events go to `on_event`, or are collected for `events()`. `now`, `mode`, `vocabulary` and `limits` are those of `Gate`,
    `reasoning` and `pass_members` those of `Response`, `dialects`, `sources` and `render` those of `strip`. Raises `ValueError` for settings
    that are wrong.

    >>> stream = provstream.clean(["It is so. [subst", "rate.grep] Really."])
    >>> list(stream), [type(event).__name__ for event in stream.events()]
    (['It is so.', ' Really.'], ['Annotation', 'Assertion'])
    """
    if any(base.__module__.startswith(HELPERS) for base in type(stream).__mro__):
        raise TypeError(
            f"expected the events of a provider, found {type(stream).__name__}, which puts the message together before they can be "
            "cleaned: use the method create(..., stream=True), or give the client a transport of provstream.httpx"
        )
    settings = Settings(policy, format, mode, vocabulary, limits, now, reasoning, pass_members, dialects, sources, render)
    return CleanStream(stream, settings, on_event)


def clean_response(
    response: T,
    *,
    policy: Decide | None = None,
    on_event: Callable[[Event], object] | None = None,
    format: str | None = None,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
    now: str | datetime | None = None,
    reasoning: str = "leave",
    pass_members: Sequence[str] = (),
    dialects: Dialects | None = None,
    sources: Sources | None = None,
    render: Render | None = None,
) -> T:
    """Removes the annotations from a response that is not streamed: an object of an SDK, or its members in a `dict`.

    >>> provstream.clean_response({"choices": [{"message": {"content": "It is so. [substrate.grep]"}}]})
    {'choices': [{'message': {'content': 'It is so.'}}]}
    """
    settings = Settings(policy, format, mode, vocabulary, limits, now, reasoning, pass_members, dialects, sources, render)
    objects = Objects(settings.response(on_event))
    written = [*objects.push(response), *objects.finish()]
    if len(written) != 1:
        raise ValueError(f"expected one response, found {len(written)} in its place")
    return written[0]  # type: ignore[no-any-return]
