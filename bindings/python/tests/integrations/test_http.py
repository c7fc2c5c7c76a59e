"""Raw responses of HTTP clients, over loopback."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import httpx
import provstream
import pytest
import requests
from provstream import clean

TEXT = "Es ist 🎉 so. [substrate.grep] Wirklich. [unverified-inference] Ende"
CLEAN = provstream.strip(TEXT)
SSE = "".join(
    f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': TEXT[at : at + 3]}}]}, ensure_ascii=False)}\n\n"
    for at in range(0, len(TEXT), 3)
).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for at in range(0, len(SSE), 11):
            piece = SSE[at : at + 11]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def text_of(sse: str) -> str:
    found = [json.loads(line[6:]) for line in sse.splitlines() if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"]["content"] for event in found)


def test_httpx(url: str) -> None:
    with httpx.stream("GET", url) as response:
        assert text_of(b"".join(clean(response.iter_bytes())).decode()) == CLEAN
    with httpx.stream("GET", url) as response:
        assert text_of("".join(clean(response.iter_text(), format="openai-chat"))) == CLEAN

    async def main() -> str:
        async with httpx.AsyncClient() as client, client.stream("GET", url) as response:
            return b"".join([piece async for piece in clean(response.aiter_bytes())]).decode()

    assert text_of(asyncio.run(main())) == CLEAN


def test_requests(url: str) -> None:
    with requests.get(url, stream=True, timeout=10) as response:
        assert text_of(b"".join(clean(response.iter_content(None))).decode()) == CLEAN


def test_aiohttp(url: str) -> None:
    async def main() -> str:
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return b"".join([piece async for piece in clean(response.content.iter_any())]).decode()

    assert text_of(asyncio.run(main())) == CLEAN
