"""Transports for `httpx` and `httpx2` that clean responses before an SDK reads them.

Some helpers of SDKs put the message together themselves, so that `provstream.clean` comes too late: Anthropic's `messages.stream`,
OpenAI's `chat.completions.stream`, `responses.stream` and `beta.threads.runs.stream`. With such a transport in the client, all
that the SDK reads is clean: events, deltas, snapshots and the final message.

```python
import httpx2, openai
from provstream.httpx import CleanTransport

http_client = openai.DefaultHttpxClient(transport=CleanTransport(httpx2.HTTPTransport(), policy=policy))
client = openai.OpenAI(http_client=http_client)
with client.chat.completions.stream(model=model, messages=messages) as stream:
    completion = stream.get_final_completion()
```

SDKs that use `httpx` get a transport of `httpx`. Nothing is imported from either here.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from provstream._clean import (
    RESPONSES,
    STALE,
    Options,
    Settings,
    called,
    media_types,
    unreadable,
)
from provstream._native import Event, ReadReport, Response

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Unpack

__all__ = ["AsyncCleanTransport", "CleanTransport"]

_STALE = (*STALE, "content-encoding", "transfer-encoding")


class _Cleaning:
    """Base class of both transports."""

    def __init__(
        self,
        transport: Any,
        *,
        select: Callable[[Any], bool] | None = None,
        on_event: Callable[[Event], object] | None = None,
        on_report: Callable[[Any, ReadReport], object] | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.transport = transport
        """Transport that sends requests."""
        self._select = select or _is_post
        self._on_event = on_event
        self._on_report = on_report
        self._has_request_sources = options.get("sources") == "request"
        if self._has_request_sources:
            # Replaced by the body of each request. An empty one brings none.
            options["sources"] = b""
        self._settings = Settings(**options)

    def _body(self, request: Any, response: Any) -> _Body | None:
        """Creates the writer of a response's body; `None` if the body passes unchanged."""
        media = media_types(response.headers)
        is_read = not media.isdisjoint((*RESPONSES, "multipart/byteranges"))
        if response.status_code >= 400 or not is_read or not called(self._select, request):
            return None
        if problem := unreadable(response.status_code, response.headers):
            raise RuntimeError(problem)
        writer = self._settings.response(self._on_event, self._content(request))
        return _Body(writer, request, self._on_report)

    def _content(self, request: Any) -> bytes | None:
        """Returns the body of a request, if its sources count."""
        if not self._has_request_sources:
            return None
        try:
            return bytes(request.content)
        except RuntimeError:
            # The body of the request is a stream, which is not kept.
            return None


class _Body:
    """Writer of a response's body."""

    def __init__(self, writer: Response, request: Any, on_report: Callable[[Any, ReadReport], object] | None) -> None:
        self.writer = writer
        self._request = request
        self._on_report = on_report

    def finish(self) -> bytes:
        """Ends the body, and returns the rest of it."""
        rest = self.writer.finish()
        self.report()
        return rest

    def report(self) -> None:
        """Calls `on_report` once, at the end or when the response is closed: many clients close it before its end."""
        on_report, self._on_report = self._on_report, None
        if on_report is not None:
            called(on_report, self._request, self.writer.report)


class CleanTransport(_Cleaning):
    """Transport that removes the annotations from responses, or with a policy withholds text.

    `transport` sends the requests: an `HTTPTransport` of `httpx` or `httpx2`, or another one. Responses to the requests that `select`
    returns true for, all `POST` requests unless it is given, are read if they are server-sent events or JSON, streamed or not, and
    the status is below 400. Bodies that are compressed are read as well. A policy withholds JSON that is not of a provider's format, so a
    client that also asks for embeddings or files needs `select`. A part of such a response (status 206), and one with another charset
    than UTF-8, is a `RuntimeError`.

    `on_event` gets each event, and `on_report` the request and its `ReadReport` when a response has ended or is closed; a program that
    acts on what was found checks `is_complete`. An exception that they raise ends the response. The other arguments are those of
    `provstream.clean`; `sources="request"` compares each answer with the sources that its own request brings (`request_sources`),
    and those that the response brings.
    """

    def handle_request(self, request: Any) -> Any:
        """Sends a request; the body of the response is clean."""
        response = self.transport.handle_request(request)
        try:
            body = self._body(request, response)
        except BaseException:
            # Or its connection would never return to the pool.
            response.close()
            raise
        if body is None:
            return response

        def chunks() -> Iterator[bytes]:
            try:
                for chunk in response.iter_bytes():
                    if piece := body.writer.push(chunk):
                        yield piece
            except Exception:
                # What was held back comes before the exception.
                if rest := body.finish():
                    yield rest
                raise
            if rest := body.finish():
                yield rest

        def close() -> None:
            response.close()
            body.report()

        return _replaced(request, response, _stream_class(_module_of(response).SyncByteStream)(chunks(), close))

    def close(self) -> None:
        """Closes the transport that sends requests."""
        self.transport.close()

    def __enter__(self) -> CleanTransport:
        self.transport.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.transport.__exit__(kind, error, trace)


class AsyncCleanTransport(_Cleaning):
    """Asynchronous `CleanTransport` for an `AsyncClient`; `transport` is an `AsyncHTTPTransport`."""

    async def handle_async_request(self, request: Any) -> Any:
        """Sends a request; the body of the response is clean."""
        response = await self.transport.handle_async_request(request)
        try:
            body = self._body(request, response)
        except BaseException:
            await response.aclose()
            raise
        if body is None:
            return response

        async def chunks() -> AsyncIterator[bytes]:
            try:
                async for chunk in response.aiter_bytes():
                    if piece := body.writer.push(chunk):
                        yield piece
            except Exception:
                if rest := body.finish():
                    yield rest
                raise
            if rest := body.finish():
                yield rest

        async def aclose() -> None:
            await response.aclose()
            body.report()

        return _replaced(request, response, _stream_class(_module_of(response).AsyncByteStream)(chunks(), aclose))

    async def aclose(self) -> None:
        """Closes the transport that sends requests."""
        await self.transport.aclose()

    async def __aenter__(self) -> AsyncCleanTransport:
        await self.transport.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self.transport.__aexit__(kind, error, trace)


def _is_post(request: Any) -> bool:
    return bool(request.method == "POST")


def _module_of(response: Any) -> Any:
    """Returns the package of a response: a client accepts only responses of its own package."""
    return sys.modules[type(response).__module__.partition(".")[0]]


def _replaced(request: Any, response: Any, stream: Any) -> Any:
    """Returns a response with another body."""
    headers = [(name, value) for name, value in response.headers.raw if name.decode("latin-1").lower() not in _STALE]
    return type(response)(
        response.status_code, headers=headers, stream=stream, request=request, extensions=response.extensions
    )


@cache
def _stream_class(base: type) -> Any:
    """Creates the class of a body, synchronous or not, that also closes the connection."""

    class Body(base):  # type: ignore[misc]
        def __init__(self, chunks: Any, close: Callable[[], Any]) -> None:
            self._chunks = chunks
            self.close = self.aclose = close

        def __iter__(self) -> Iterator[bytes]:
            return iter(self._chunks)

        def __aiter__(self) -> AsyncIterator[bytes]:
            return aiter(self._chunks)

    return Body
