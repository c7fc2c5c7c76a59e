"""Middleware for ASGI applications, such as those of Starlette and FastAPI, whose responses are those of a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from provstream import _native
from provstream._clean import RESPONSES, Options, Settings
from provstream._native import Event

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CleanMiddleware"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TEXTS = ("text/plain", "text/markdown")
"""Media types of texts."""


class CleanMiddleware:
    """Removes the annotations from responses, or with a policy withholds what that does not release.

    Server-sent events, lines of JSON and JSON are read as the response of a provider, whose format is detected unless it is named;
    plain text and Markdown as text. Other responses pass through. `on_event` is called with the scope of the request and each event;
    the other arguments are those of `provstream.clean`.

    A response that is compressed cannot be read: `RuntimeError` is raised before anything of it is sent, so add this middleware
    after the one that compresses, which then gets its output.

    `app.add_middleware(CleanMiddleware, policy=policy)` adds it to an application of Starlette or FastAPI.
    """

    def __init__(
        self,
        app: App,
        *,
        on_event: Callable[[Scope, Event], object] | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.app = app
        self._on_event = on_event
        self._settings = Settings(**options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # A server that sends a file by itself would pass it by.
        extensions = scope.get("extensions") or {}
        bodies = {name: value for name, value in extensions.items() if name not in _SENT_BY_THE_SERVER}
        await self.app({**scope, "extensions": bodies}, receive, _Sender(self._writer, scope, send))

    def _writer(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> _Writer | None:
        """What writes a response with these headers; `None` if it passes through."""
        named = {name.lower(): value.decode("latin-1") for name, value in headers}
        media = named.get(b"content-type", "").split(";")[0].strip().lower()
        if scope["method"] == "HEAD" or media not in (*RESPONSES, *TEXTS):
            return None
        if named.get(b"content-encoding", "identity").lower() != "identity":
            raise RuntimeError(
                "expected a response without content-encoding, found one that is compressed: "
                "add CleanMiddleware so that it gets the response before it is compressed"
            )
        take = self._on_event
        on_event = None if take is None else lambda event: take(scope, event)
        return self._settings.text(on_event) if media in TEXTS else self._settings.response(on_event)


_Writer = _native.Rewriter | _native.Gate | _native.Response
_SENT_BY_THE_SERVER = ("http.response.pathsend", "http.response.zerocopysend")
_STALE = (b"content-length", b"etag", b"digest", b"content-digest", b"content-md5")


class _Sender:
    """Takes the messages of one response."""

    def __init__(
        self, choose: Callable[[Scope, list[tuple[bytes, bytes]]], _Writer | None], scope: Scope, send: Send
    ) -> None:
        self._choose = choose
        self._scope = scope
        self._send = send
        self._writer: _Writer | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]
            self._writer = self._choose(self._scope, headers)
            if self._writer is not None:
                kept = [(name, value) for name, value in headers if name.lower() not in _STALE]
                message = {**message, "headers": kept}
        elif message["type"] == "http.response.body" and self._writer is not None:
            more = message.get("more_body", False)
            pushed: bytes = message.get("body", b"")
            body = self._writer.push(pushed)
            if not more:
                body += self._writer.finish()
            elif not body:
                return
            message = {**message, "body": body}
        await self._send(message)
