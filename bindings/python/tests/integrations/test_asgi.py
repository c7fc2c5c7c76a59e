"""The middleware with Starlette and FastAPI."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import provstream
import pytest
from fastapi import FastAPI
from provstream.asgi import CleanMiddleware
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

TEXT = "It is so. [substrate.grep] Really. [unverified-inference] End " + "x" * 600
CLEAN = provstream.strip(TEXT)


async def events() -> AsyncIterator[str]:
    for at in range(0, len(TEXT), 7):
        yield f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': TEXT[at : at + 7]}}]})}\n\n"
    yield "data: [DONE]\n\n"


async def sse(request: Request) -> Response:
    return StreamingResponse(events(), media_type="text/event-stream")


async def plain(request: Request) -> Response:
    return PlainTextResponse(TEXT, headers={"etag": '"1"'})


async def whole(request: Request) -> Response:
    return JSONResponse({"choices": [{"index": 0, "message": {"content": TEXT}}]})


async def html(request: Request) -> Response:
    return Response(TEXT, media_type="text/html")


async def packed(request: Request) -> Response:
    return Response(gzip.compress(TEXT.encode()), media_type="text/plain", headers={"content-encoding": "gzip"})


ROUTES = [Route(f"/{served.__name__}", served) for served in (sse, plain, whole, html, packed)]


def text_of(sse: str) -> str:
    found = [json.loads(line[6:]) for line in sse.splitlines() if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"]["content"] for event in found)


def test_starlette() -> None:
    seen: list[tuple[str, str]] = []

    def on_event(scope: Any, event: provstream.Event) -> None:
        seen.append((scope["path"], type(event).__name__))

    client = TestClient(Starlette(routes=ROUTES, middleware=[Middleware(CleanMiddleware, on_event=on_event)]))
    assert text_of(client.get("/sse").text) == CLEAN
    answer = client.get("/plain")
    assert answer.text == CLEAN and "etag" not in answer.headers
    assert client.head("/plain").headers["content-length"] == str(len(TEXT))
    assert client.get("/whole").json()["choices"][0]["message"]["content"] == CLEAN
    assert client.get("/html").text == TEXT
    assert seen.count(("/sse", "Assertion")) == seen.count(("/plain", "Assertion")) == 2
    with pytest.raises(RuntimeError, match="found one that is compressed"):
        client.get("/packed")


def test_gated_and_compressed() -> None:
    layers = [Middleware(GZipMiddleware), Middleware(CleanMiddleware, policy=lambda question: provstream.Action.replace("(?)"))]
    client = TestClient(Starlette(routes=ROUTES, middleware=layers))
    expected = "(?) (?) End " + "x" * 600
    answer = client.get("/plain")
    assert answer.headers["content-encoding"] == "gzip" and answer.text == expected
    assert text_of(client.get("/sse").text) == expected


def test_fastapi() -> None:
    app = FastAPI()
    app.add_middleware(CleanMiddleware)

    @app.get("/answer")
    async def answer() -> StreamingResponse:
        return StreamingResponse(events(), media_type="text/event-stream")

    assert text_of(TestClient(app).get("/answer").text) == CLEAN
