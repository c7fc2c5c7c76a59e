"""The server that the SDKs ask, and its responses."""

import json
import os
import subprocess
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

SERVER = os.environ.get("PROVSTREAM_CLIENTS")
SEEDS = os.environ.get("PROVSTREAM_SDK_SEEDS", "8")


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    if SERVER is None:
        pytest.skip("PROVSTREAM_CLIENTS is not set, so no SDK was tested")
    server = subprocess.Popen([SERVER, SEEDS], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = next(line.split()[1] for line in server.stdout if line.startswith("port "))
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()


@pytest.fixture(scope="session")
def cases(url: str) -> dict[str, list[dict[str, Any]]]:
    with urllib.request.urlopen(f"{url}/cases") as response:
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for case in json.load(response):
            if case["streamed"]:
                found[case["api"]].append(case)
        return found
