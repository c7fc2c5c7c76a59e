"""Sources of requests and of their responses, with the transports of HTTP clients."""

import asyncio
import json
from typing import Any

import httpx
import provstream
import pytest
from provstream.httpx import AsyncCleanTransport, CleanTransport

URL = "https://a.example/v1/chat/completions"
ONE = "[1] Cities\n\nIs it big?"


def chat(*deltas: dict[str, Any]) -> bytes:
    events = ({"choices": [{"index": 0, "delta": delta}]} for delta in deltas)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def text_of(sse: str) -> str:
    found = [json.loads(line[6:]) for line in sse.splitlines() if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"].get("content", "") for event in found)


def asked(question: str) -> Any:
    return {"json": {"messages": [{"role": "user", "content": question}]}}


@pytest.mark.parametrize(
    ("request_", "is_searched", "expected"),
    [
        (asked(ONE), False, "Big. (withheld) So."),
        (asked("[1] Cities\n[7] Rain\n\nIs it big?"), False, "Big. It rains. So."),
        (asked("Is it big?"), False, "Big. It rains. So."),
        # What the server finds makes the list of the request incomplete.
        (asked(ONE), True, "Big. It rains. So."),
        ({"content": iter([b"{}"])}, False, "Big. It rains. So."),
    ],
)
def test_transports_read_the_sources_of_both(request_: Any, is_searched: bool, expected: str) -> None:
    found = {"type": "url_citation", "url_citation": {"url": "https://r.example", "title": "Rain"}}
    deltas = [{"annotations": [found]}] * is_searched + [{"content": "Big [1]. It ra"}, {"content": "ins [7]. So."}]
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=chat(*deltas))
    policy = provstream.Policy(
        floor=1, default_window="1h", inadmissible={"action": "release"}, unknown_source={"action": "replace", "text": "(withheld)"}
    )
    options: dict[str, Any] = {"policy": policy, "dialects": ["numeric"], "sources": "request"}
    mock = httpx.MockTransport(lambda _: response)

    async def ask() -> str:
        async with httpx.AsyncClient(transport=AsyncCleanTransport(mock, **options)) as client:
            return str((await client.post(URL, **request_)).text)

    with httpx.Client(transport=CleanTransport(mock, **options)) as client:
        assert text_of(client.post(URL, **request_).text) == expected
    if "json" in request_:
        assert text_of(asyncio.run(ask())) == expected
