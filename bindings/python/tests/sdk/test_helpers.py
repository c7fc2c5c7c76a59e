"""Helpers of SDKs that put the message together themselves, with a transport that cleans what they read."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import provstream
import pytest
from provstream import clean
from provstream.httpx import AsyncCleanTransport, CleanTransport
from test_sdks import ASK, decide, gated

#: How each helper is called, by its client and the model, and what puts its result together.
HELPERS: dict[str, tuple[Callable[[Any, str], Any], str]] = {
    "anthropic": (lambda client, model: client.messages.stream(model=model, max_tokens=9, messages=ASK), "get_final_message"),
    "openai-chat": (lambda client, model: client.chat.completions.stream(model=model, messages=ASK), "get_final_completion"),
    "openai-responses": (lambda client, model: client.responses.stream(model=model, input="?"), "get_final_response"),
}


def client(name: str, url: str, transport: httpx2.BaseTransport | None = None) -> Any:
    kind = anthropic.Anthropic if name == "anthropic" else openai.OpenAI
    http = None if transport is None else httpx2.Client(transport=transport)
    return kind(api_key="x", base_url=url, max_retries=0, http_client=http)


def async_client(name: str, url: str, transport: httpx2.AsyncBaseTransport) -> Any:
    kind = anthropic.AsyncAnthropic if name == "anthropic" else openai.AsyncOpenAI
    return kind(api_key="x", base_url=url, max_retries=0, http_client=httpx2.AsyncClient(transport=transport))


def dumped(value: Any) -> Any:
    if isinstance(value, list):
        return [dumped(item) for item in value]
    return value.model_dump(mode="json", warnings=False) if hasattr(value, "model_dump") else repr(value)


def read(name: str, one: Any, model: str) -> tuple[list[Any], Any]:
    """The events of a helper, and the final message or the type of the exception in its place."""
    ask, final = HELPERS[name]
    events: list[Any] = []
    try:
        with ask(one, model) as stream:
            events.extend(dumped(event) for event in stream)
            return events, dumped(getattr(stream, final)())
    except Exception as error:
        return events, type(error)


async def read_async(name: str, one: Any, model: str) -> tuple[list[Any], Any]:
    ask, final = HELPERS[name]
    events: list[Any] = []
    try:
        async with ask(one, model) as stream:
            events.extend([dumped(event) async for event in stream])
            return events, dumped(await getattr(stream, final)())
    except Exception as error:
        return events, type(error)


@pytest.mark.parametrize("name", HELPERS)
def test_helpers(name: str, url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    reports: list[provstream.ReadReport] = []
    transport = CleanTransport(httpx2.HTTPTransport(), on_report=lambda request, report: reports.append(report))
    withholding = CleanTransport(httpx2.HTTPTransport(), policy=decide)
    plain, cleaned, policed = client(name, url), client(name, url, transport), client(name, url, withholding)
    compared, changed = 0, 0
    for case in cases[name]:
        model = f"case-{case['case']}"
        stripped, found = read(name, plain, f"{model}-stripped"), read(name, cleaned, f"{model}-annotated")
        assert found == stripped, case
        if isinstance(stripped[1], type):
            continue
        compared += 1
        annotated = read(name, plain, f"{model}-annotated")
        changed += annotated != stripped
        if name == "anthropic" and case["choices"] == 1 and not isinstance(annotated[1], type):
            _, message = read(name, policed, f"{model}-annotated")
            text = "".join(block["text"] for block in annotated[1]["content"] if block["type"] == "text")
            assert "".join(block["text"] for block in message["content"] if block["type"] == "text") == gated(text), case

    async def main() -> None:
        for case in cases[name]:
            model = f"case-{case['case']}"
            async with async_client(name, url, AsyncCleanTransport(httpx2.AsyncHTTPTransport())) as two:
                assert await read_async(name, two, f"{model}-annotated") == read(name, plain, f"{model}-stripped"), case

    asyncio.run(main())
    assert compared > len(cases[name]) // 2 and changed > compared // 2
    assert len(reports) >= compared and all(report.is_complete for report in reports)


@pytest.mark.parametrize("name", HELPERS)
def test_clean_refuses_helpers(name: str, url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    ask, _ = HELPERS[name]
    with pytest.raises(TypeError, match=r"which puts the message together .* provstream\.httpx"):
        clean(ask(client(name, url), "case-0-annotated"))
    with ask(client(name, url), f"case-{cases[name][0]['case']}-annotated") as stream:
        with pytest.raises(TypeError, match=r"create\(\.\.\., stream=True\)"):
            clean(stream)


def test_the_text_of_a_helper_is_text(url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    model = f"case-{cases['anthropic'][0]['case']}"
    one = client("anthropic", url)
    with one.messages.stream(model=f"{model}-annotated", max_tokens=9, messages=ASK) as stream:
        annotated = "".join(stream.text_stream)
    with one.messages.stream(model=f"{model}-annotated", max_tokens=9, messages=ASK) as stream:
        assert "".join(clean(stream.text_stream)) == provstream.strip(annotated)


BODY = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "It is so. [substrate.grep]"}}]}).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers with a body, whose media type, encoding and status the path names; `cut` ends it too early."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        _, media, encoding, status = self.path.split("/")
        body = gzip.compress(BODY) if encoding == "gzip" else BODY
        self.send_response(int(status))
        self.send_header("content-type", f"application/{media}; charset=utf-8")
        if encoding == "gzip":
            self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(body) + (encoding == "cut")))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_transport(module: Any, server: str) -> None:
    clean_body = BODY.replace(b" [substrate.grep]", b"")
    events: list[provstream.Event] = []
    reports: list[provstream.ReadReport] = []
    transport = CleanTransport(
        module.HTTPTransport(), on_event=events.append, on_report=lambda request, report: reports.append(report)
    )
    with module.Client(transport=transport, base_url=server) as http:
        for encoding in ("identity", "gzip"):
            response = http.post(f"/json/{encoding}/200")
            assert (response.content, response.json()["choices"][0]["index"]) == (clean_body, 0)
            assert "content-encoding" not in response.headers
        assert len(events) == 4 and len(reports) == 2
        # Other media types, errors, and what is not selected.
        assert http.post("/xml/identity/200").content == BODY
        assert http.post("/json/identity/429").content == BODY
        assert http.get("/json/identity/200").content == BODY
        # What came before an error is not lost.
        got = b""
        with pytest.raises(module.RemoteProtocolError), http.stream("POST", "/json/cut/200") as response:
            for chunk in response.iter_bytes():
                got += chunk
        assert got == clean_body
    every = CleanTransport(module.HTTPTransport(), select=lambda request: True)
    with module.Client(transport=every, base_url=server) as http:
        assert http.get("/json/gzip/200").content == clean_body

    async def main() -> None:
        other = AsyncCleanTransport(module.AsyncHTTPTransport(), policy=lambda question: provstream.Action.replace("No."))
        async with module.AsyncClient(transport=other, base_url=server) as http:
            response = await http.post("/json/gzip/200")
            assert response.json()["choices"][0]["message"]["content"] == "No."
            got = b""
            with pytest.raises(module.RemoteProtocolError):
                async with http.stream("POST", "/json/cut/200") as response:
                    async for chunk in response.aiter_bytes():
                        got += chunk
            assert b'"No."' in got

    asyncio.run(main())


def test_a_callback_that_raises_ends_the_response(server: str) -> None:
    def on_event(event: provstream.Event) -> None:
        raise LookupError("on purpose")

    with httpx2.Client(transport=CleanTransport(httpx2.HTTPTransport(), on_event=on_event), base_url=server) as http:
        with pytest.raises(LookupError, match="on purpose"):
            http.post("/json/identity/200")
        assert http.get("/json/identity/200").content == BODY


@pytest.mark.parametrize("module", [httpx, httpx2])
@pytest.mark.parametrize("error", [LookupError, StopIteration, StopAsyncIteration, GeneratorExit, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["select", "on_event", "on_report", "policy"])
def test_a_connection_returns_to_the_pool(name: str, error: type[BaseException], module: Any, server: str) -> None:
    """Also if a callback raises: else the client would have no connection for the next request."""

    def callback(*given: Any) -> Any:
        raise error("on purpose")

    raised = RuntimeError if issubclass(error, (StopIteration, StopAsyncIteration, GeneratorExit)) else error
    one = module.Limits(max_connections=1)
    with module.Client(transport=CleanTransport(module.HTTPTransport(limits=one), **{name: callback}), base_url=server) as http:
        for _ in range(3):
            with pytest.raises(raised):
                http.post("/json/identity/200", timeout=module.Timeout(5, pool=0.2))

    async def main() -> None:
        transport = AsyncCleanTransport(module.AsyncHTTPTransport(limits=one), **{name: callback})
        async with module.AsyncClient(transport=transport, base_url=server) as http:
            for _ in range(3):
                with pytest.raises(raised):
                    await http.post("/json/identity/200", timeout=module.Timeout(5, pool=0.2))

    if error is not KeyboardInterrupt:
        asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (206, {"content-type": "application/json", "content-range": "bytes 0-9/99"}),
        (206, {"content-type": "multipart/byteranges; boundary=x"}),
        (200, {"content-type": "application/json; charset=utf-16"}),
        (200, {"content-type": "text/event-stream; charset=utf-7"}),
    ],
)
@pytest.mark.parametrize("module", [httpx, httpx2])
def test_responses_that_cannot_be_read(module: Any, status: int, headers: dict[str, str]) -> None:
    def handle(request: Any) -> Any:
        return module.Response(status, headers=headers, content=BODY)

    with module.Client(transport=CleanTransport(module.MockTransport(handle)), base_url="http://x") as http:
        with pytest.raises(RuntimeError, match="^expected a "):
            http.post("/")
        assert http.get("/").content == BODY
