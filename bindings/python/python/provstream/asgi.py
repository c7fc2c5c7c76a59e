"""Middleware for ASGI applications, such as those of Starlette and FastAPI, that serve a model's responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from provstream import _native
from provstream._clean import RESPONSES, STALE, Options, Settings, called, is_part, media_types, unreadable
from provstream._native import Event

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CleanMiddleware"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

TEXTS = ("text/plain", "text/markdown")
"""Media types of texts."""


class CleanMiddleware:
    """Removes the annotations from responses, or with a policy withholds text.

    Responses to the requests whose scope `select` returns true for, all requests unless it is given, are read if the status is below
    400: server-sent events, lines of JSON and JSON as the response of a provider, whose format is detected unless it is named; plain
    text and Markdown as text. Other responses pass through.

    With a policy, JSON that is not of a provider's format is a `RuntimeError` before anything of it is sent, and other events and lines
    are withheld: an application that has such responses (`/openapi.json`, items of a database) needs `select`, such as
    `lambda scope: scope["path"].startswith("/chat")`.

    A response that cannot be read is a `RuntimeError` before anything of it is sent: one that is compressed, so add this middleware
    after the one that compresses, which then gets its output; one that has another charset than UTF-8; and a part of one. If a `GET`
    request asks for a part (`Range`) of what is read, the application is called again for the whole, which is sent with status 200.
    Headers about the bytes of the application's response are removed: `Content-Length`, `ETag`, `Last-Modified`, `Accept-Ranges`, digests.

    `on_event` is called with the scope of the request and each event; the other arguments are those of `provstream.clean`.

    `app.add_middleware(CleanMiddleware, policy=policy)` adds it to an application of Starlette or FastAPI.
    """

    def __init__(
        self,
        app: App,
        *,
        select: Callable[[Scope], bool] | None = None,
        on_event: Callable[[Scope, Event], object] | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.app = app
        self._select = select
        self._on_event = on_event
        self._settings = Settings(**options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http" or not (self._select is None or called(self._select, scope)):
            await self.app(scope, receive, send)
            return
        # A server that sends a file by itself would pass it by.
        extensions = scope.get("extensions") or {}
        asked = {**scope, "extensions": {name: extensions[name] for name in extensions if name not in _SENT_BY_THE_SERVER}}
        # Only `GET` has ranges, but not every application knows (RFC 9110, 14.2).
        whole = {**asked, "headers": [header for header in scope["headers"] if header[0].lower() not in _RANGES]}
        may_ask_again = scope["method"] == "GET" and len(whole["headers"]) < len(scope["headers"])
        sender = _Sender(self._settings, self._on_event, scope, send, may_ask_again)
        await self.app(asked if may_ask_again else whole, receive, sender)
        if sender.was_part:
            sender = _Sender(self._settings, self._on_event, scope, send, False)
            await self.app(whole, _after_the_request(receive), sender)


_Writer = _native.Rewriter | _native.Gate | _native.Response
_SENT_BY_THE_SERVER = ("http.response.pathsend", "http.response.zerocopysend")
_RANGES = (b"range", b"if-range")
_BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe")


class _Sender:
    """Sends the messages of one response."""

    def __init__(
        self,
        settings: Settings,
        on_event: Callable[[Scope, Event], object] | None,
        scope: Scope,
        send: Send,
        may_ask_again: bool,
    ) -> None:
        self._settings = settings
        self._on_event = on_event
        self._scope = scope
        self._send = send
        self._may_ask_again = may_ask_again
        self.was_part = False
        """`True` if the response was a part of a whole and was not sent."""
        self._writer: _Writer | None = None
        self._start: Message | None = None
        """Start message of a response, held until the first bytes of its body."""
        self._head: bytes | None = None
        """First two bytes of a text."""
        self._is_empty = True

    async def __call__(self, message: Message) -> None:
        kind = message["type"]
        if kind == "http.response.start":
            headers: Headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]
            if not self._is_read(message["status"], headers):
                await self._send(message)
            elif not self.was_part:
                self._start = {**message, "headers": _without_stale(headers)}
                if not (self._settings.policy and isinstance(self._writer, _native.Response) and _is_json(headers)):
                    await self._send_start()
        elif self.was_part:
            return
        elif kind == "http.response.body" and self._writer is not None:
            await self._body(self._writer, message)
        elif kind == "http.response.trailers" and self._writer is not None:
            await self._send({**message, "headers": _without_stale(message.get("headers", []))})
        else:
            await self._send(message)

    def _is_read(self, status: int, headers: Headers) -> bool:
        """Returns `True` if a response is read. Creates its writer, unless it is a part or has no body."""
        named: dict[str, str] = {}
        for raw, value in headers:
            name = raw.decode("latin-1").lower()
            named[name] = f"{named[name]}, {value.decode('latin-1')}" if name in named else value.decode("latin-1")
        media = media_types(named)
        if status >= 400 or media.isdisjoint((*RESPONSES, *TEXTS, "multipart/byteranges")):
            return False
        if self._scope["method"] == "HEAD":
            return True
        if self._may_ask_again and is_part(status, named):
            self.was_part = True
            return True
        if named.get("content-encoding", "identity").lower() != "identity":
            raise RuntimeError(
                "expected a response without content-encoding, found one that is compressed: "
                "add CleanMiddleware so that it gets the response before it is compressed"
            )
        if problem := unreadable(status, named):
            raise RuntimeError(problem)
        is_text = not media.isdisjoint(TEXTS)
        take, scope = self._on_event, self._scope
        on_event = None if take is None else lambda event: take(scope, event)
        self._writer = self._settings.text(on_event) if is_text else self._settings.response(on_event)
        self._head = b"" if is_text else None
        return True

    async def _body(self, writer: _Writer, message: Message) -> None:
        more = message.get("more_body", False)
        pushed: bytes = message.get("body", b"")
        self._is_empty = self._is_empty and not pushed
        if self._head is not None and len(self._head) < 2:
            self._head += pushed[:2]
            # Clients obey it whatever the charset is.
            if self._head.startswith(_BYTE_ORDER_MARKS):
                raise RuntimeError("expected a text in UTF-8, found the byte order mark of UTF-16")
        body = writer.push(pushed)
        if not more:
            body += writer.finish()
        elif not body:
            return
        if not (body or self._is_empty or self._start is None):
            raise RuntimeError(
                "expected the response of a provider, found JSON of another format, which the policy withholds: "
                "give CleanMiddleware the argument select, so that it reads only what a model answers"
            )
        await self._send_start()
        await self._send({**message, "body": body})

    async def _send_start(self) -> None:
        start, self._start = self._start, None
        if start is not None:
            await self._send(start)


def _is_json(headers: Headers) -> bool:
    return any(name.lower() == b"content-type" and b"application/json" in value.lower() for name, value in headers)


def _without_stale(headers: Headers) -> Headers:
    return [(name, value) for name, value in headers if name.decode("latin-1").lower() not in STALE]


def _after_the_request(receive: Receive) -> Receive:
    """Returns a `receive` for calling the application again: the body of the `GET` request was already read."""
    is_first = True

    async def again() -> Message:
        nonlocal is_first
        if not is_first:
            return await receive()
        is_first = False
        return {"type": "http.request", "body": b"", "more_body": False}

    return again
