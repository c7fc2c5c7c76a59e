"""The middleware with Starlette and FastAPI."""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import provstream
import pytest
from fastapi import FastAPI
from provstream.asgi import CleanMiddleware
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
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
    assert client.head("/plain").headers.keys().isdisjoint({"content-length", "etag"})
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


WITHHELD = "SECRET"
LEAKS = f"It is {WITHHELD}. [unverified-inference] It is so. [substrate.grep] End"


def withhold(question: provstream.Question) -> provstream.Action:
    is_inferred = "unverified-inference" in question.assertion.classes
    return provstream.Action.replace("(?)") if is_inferred else provstream.Action.release()


def gated(app: Any, **options: Any) -> TestClient:
    """A client of an application with a gate; an exception is a response with status 500."""
    return TestClient(CleanMiddleware(app, policy=withhold, **options), raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture
def files(tmp_path: Path) -> Any:
    (tmp_path / "answer.txt").write_text(LEAKS)
    (tmp_path / "answer.md").write_text(LEAKS)
    (tmp_path / "answer.json").write_text(json.dumps({"choices": [{"message": {"content": LEAKS}}]}))
    (tmp_path / "film.mp4").write_bytes(bytes(range(256)))
    return StaticFiles(directory=tmp_path)


@pytest.mark.parametrize("extra", [{}, {"if-range": '"x"'}, {"if-none-match": '"x"'}, {"accept-encoding": "identity"}])
@pytest.mark.parametrize(
    "asked", ["bytes=0-19", "bytes=6-11", "bytes=-40", "bytes=7-", "bytes=0-0,8-12", "bytes=0-3,4-7,8-11", "BYTES=6-11", "bytes= 6 - 11"]
)
@pytest.mark.parametrize("name", ["answer.txt", "answer.md", "answer.json"])
def test_a_range_of_a_text_is_the_whole_text(name: str, asked: str, extra: dict[str, str], files: Any) -> None:
    """A fragment has the text without its annotation, or the annotation without its brackets."""
    client = gated(files)
    whole = client.get(f"/{name}")
    assert whole.status_code == 200 and WITHHELD not in whole.text and "(?)" in whole.text
    answer = client.get(f"/{name}", headers={"range": asked, **extra})
    if answer.status_code == 200:
        assert answer.text == whole.text
    else:
        # Starlette finds the range malformed.
        assert answer.status_code in (400, 416) and WITHHELD not in answer.text
    assert answer.headers.keys().isdisjoint({"content-range", "accept-ranges", "etag", "last-modified"})


def test_ranges_of_other_media_are_sent(files: Any) -> None:
    client = gated(files)
    answer = client.get("/film.mp4", headers={"range": "bytes=4-7"})
    assert (answer.status_code, answer.content) == (206, bytes(range(4, 8)))
    assert answer.headers["content-range"] == "bytes 4-7/256" and "etag" in answer.headers
    assert client.get("/film.mp4", headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    # The parts have media types of their own, so it is sent as a whole.
    several = client.get("/film.mp4", headers={"range": "bytes=4-7,9-9"})
    assert (several.status_code, several.content) == (200, bytes(range(256)))


def test_a_request_that_is_no_get_has_no_ranges(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(LEAKS)
    calls = []

    async def answer(request: Request) -> Response:
        calls.append(await request.body())
        return FileResponse(tmp_path / "answer.txt")

    client = gated(Starlette(routes=[Route("/answer", answer, methods=["GET", "HEAD", "POST"])]))
    posted = client.post("/answer", content=b"question", headers={"range": "bytes=0-19"})
    assert (posted.status_code, posted.text) == (200, "(?) It is so. End") and calls == [b"question"]
    head = client.head("/answer", headers={"range": "bytes=0-19"})
    assert head.status_code == 200 and head.headers.keys().isdisjoint({"content-range", "content-length"})
    # The first answer of a `GET` is a part, which nobody sees.
    assert client.get("/answer", headers={"range": "bytes=0-19"}).text == "(?) It is so. End" and calls[2:] == [b"", b""]


async def message(status: int, headers: dict[str, str], send: Any, *bodies: bytes) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    for body in bodies:
        await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def answering(status: int, headers: dict[str, str], *bodies: bytes) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await message(status, headers, send, *bodies)

    return app


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (206, {"content-type": "text/plain"}),
        (206, {"content-type": "text/plain", "content-range": "bytes 0-19/90"}),
        (200, {"content-type": "text/plain", "content-range": "bytes 0-19/90"}),
        (206, {"content-type": "text/event-stream"}),
        (206, {"content-type": "application/json; charset=utf-8", "content-range": "bytes 0-19/90"}),
        (206, {"content-type": "multipart/byteranges; boundary=x"}),
        (200, {"content-type": "Multipart/ByteRanges; boundary=x"}),
        (200, {"content-type": "text/plain; charset=utf-16"}),
        (200, {"content-type": "text/plain; charset=UTF-7"}),
        (200, {"content-type": 'text/plain; Charset="utf-16le"'}),
        (200, {"content-type": "text/plain;charset=utf-8;charset=utf-32"}),
        (200, {"content-type": "text/markdown; charset=iso-8859-1"}),
        (200, {"content-type": "application/json; charset=utf-16"}),
        (200, {"content-type": "text/event-stream;charset=utf-16be"}),
        (200, {"content-type": "application/x-ndjson; charset=shift_jis"}),
        (200, {"content-type": "text/plain", "content-encoding": "gzip"}),
        (200, {"content-type": "text/plain", "content-encoding": "identity, br"}),
    ],
)
@pytest.mark.parametrize("policy", [None, withhold])
def test_what_cannot_be_read_is_not_sent(status: int, headers: dict[str, str], policy: Any) -> None:
    app = CleanMiddleware(answering(status, headers, LEAKS.encode()), policy=policy)
    with pytest.raises(RuntimeError, match="^expected a "):
        TestClient(app).get("/")
    answer = TestClient(app, raise_server_exceptions=False).get("/", headers={"range": "bytes=0-19"})
    assert answer.status_code == 500 and WITHHELD not in answer.text


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8", "us-ascii", ""])
def test_charsets_that_are_read(charset: str) -> None:
    app = answering(200, {"content-type": f"text/plain; charset={charset}"}, LEAKS.encode())
    assert gated(app).get("/").content == b"(?) It is so. End"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("cut", [1, 2, 9])
def test_a_byte_order_mark_outranks_the_charset(encoding: str, cut: int) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    body = mark + LEAKS.encode(encoding)
    app = answering(200, {"content-type": "text/plain; charset=utf-8"}, body[:cut], body[cut:])
    with pytest.raises(RuntimeError, match="byte order mark"):
        TestClient(CleanMiddleware(app, policy=withhold)).get("/")


STALE = {
    "content-length": str(len(LEAKS)),
    "etag": 'W/"1"',
    "last-modified": "Wed, 25 Nov 2026 00:00:00 GMT",
    "accept-ranges": "bytes",
    "digest": "sha-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=",
    "content-digest": "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    "Repr-Digest": "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    "content-md5": "Q2hlY2sgSW50ZWdyaXR5IQ==",
}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("media", ["text/plain", "text/markdown", "text/event-stream", "application/json", "application/jsonl"])
def test_headers_about_other_bytes(method: str, media: str) -> None:
    body = LEAKS if media in ("text/plain", "text/markdown") else json.dumps({"choices": [{"message": {"content": LEAKS}}]})
    body = f"data: {body}\n\n" if media == "text/event-stream" else body
    sent = {**STALE, "content-type": media, "x-request-id": "7"}
    answer = gated(answering(200, sent, *[body.encode()] * (method == "GET"))).request(method, "/")
    assert answer.status_code == 200 and answer.headers.keys().isdisjoint(name.lower() for name in STALE)
    assert answer.headers["x-request-id"] == "7" and WITHHELD not in answer.text
    passed = gated(answering(200, {**sent, "content-type": "text/html"}, LEAKS.encode())).request(method, "/")
    assert all(passed.headers[name] == value for name, value in STALE.items())


def items(request: Request) -> Response:
    return JSONResponse({"id": 5, "name": "Tea"})


async def answer_of_a_model(request: Request) -> Response:
    return JSONResponse({"choices": [{"index": 0, "message": {"content": LEAKS}}]})


def moved(request: Request) -> Response:
    return RedirectResponse("/items/5")


def api() -> FastAPI:
    app = FastAPI()
    app.add_api_route("/items/{item}", lambda item: {"id": int(item), "name": "Tea"})
    app.router.routes.append(Route("/chat", answer_of_a_model))
    app.router.routes.append(Route("/moved", moved))
    app.router.routes.append(Mount("/v2", routes=[Route("/chat", answer_of_a_model)]))
    return app


def is_chat(scope: Any) -> bool:
    return bool(scope["path"].endswith("/chat"))


PATHS = ["/items/5", "/items/x?a=1", "/items/", "/openapi.json", "/docs", "/missing", "/moved", "/chat/", "/docs/oauth2-redirect"]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_not_selected_passes(path: str) -> None:
    plain = TestClient(api(), raise_server_exceptions=False, follow_redirects=False).get(path)
    selective = gated(api(), select=is_chat).get(path)
    assert (selective.status_code, selective.content) == (plain.status_code, plain.content) and plain.content is not None
    assert selective.headers == plain.headers


@pytest.mark.parametrize("path", ["/chat", "/v2/chat"])
def test_what_is_selected_is_gated(path: str) -> None:
    for client in (gated(api(), select=is_chat), gated(api())):
        assert client.get(path).json()["choices"][0]["message"]["content"] == "(?) It is so. End"
    assert WITHHELD in gated(api(), select=lambda scope: False).get(path).text


@pytest.mark.parametrize("path", ["/items/5", "/openapi.json"])
def test_json_that_is_no_providers(path: str) -> None:
    """Without `select` it is no empty response with status 200."""
    app = api()
    app.add_middleware(CleanMiddleware, policy=withhold)
    with pytest.raises(RuntimeError, match="found JSON of another format.*select"):
        TestClient(app).get(path)
    assert TestClient(app, raise_server_exceptions=False).get(path).status_code == 500
    assert TestClient(CleanMiddleware(api())).get(path).content == TestClient(api()).get(path).content


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 429, 500, 503])
@pytest.mark.parametrize("media", ["application/json", "text/plain", "text/event-stream", "text/plain; charset=utf-16"])
def test_errors_pass(status: int, media: str) -> None:
    body = b'{"detail": "No such item. [unverified-inference]"}'
    answer = gated(answering(status, {"content-type": media, "etag": '"1"'}, body)).get("/", headers={"range": "bytes=0-3"})
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (status, body, '"1"')


@pytest.mark.parametrize("status", [200, 201, 202, 204, 304, 307])
def test_responses_without_a_body_pass(status: int) -> None:
    answer = gated(answering(status, {"content-type": "application/json"})).get("/")
    assert (answer.status_code, answer.content) == (status, b"")


def test_select_gets_the_scope() -> None:
    seen = []

    def select(scope: Any) -> bool:
        seen.append((scope["type"], scope["method"], scope["path"]))
        return True

    gated(api(), select=select).get("/chat")
    assert seen == [("http", "GET", "/chat")]
    client = TestClient(CleanMiddleware(api(), select=lambda scope: next(iter(()))))
    with pytest.raises(RuntimeError, match="a callback raised StopIteration"):
        client.get("/chat")
