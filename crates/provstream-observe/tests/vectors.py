#!/usr/bin/env python3
"""Computes tests/vectors.json: ids of observations, and the links of a ledger, from docs/observations.md and nothing else.

    python3 tests/vectors.py > tests/vectors.json
"""
import hashlib
import hmac
import json


def canonical(value):
    """RFC 8785, for values whose only numbers are integers."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def observation(cls, query, content, time):
    tuple_ = {"class": cls, "query": query, "result": sha256(content.encode()), "time": time}
    return b"provstream observation 1\n" + canonical(tuple_).encode()


CASES = [
    ("substrate.code.read", {"path": "src/a.rs", "offset": 7, "limit": 1}, "fn main() {\n", "2026-05-28T11:40:00Z"),
    ("substrate.fs.mtime", {"path": "CHANGELOG.md"}, "2026-05-25T00:00:00.123456789Z", "2026-05-28T11:40:00.5Z"),
    ("substrate.grep", {"pattern": "é\"\\\n€", "path": ".", "limit": 200, "ignore_case": True}, "", "1970-01-01T00:00:00Z"),
    # Members are sorted by UTF-16 code units: U+1F600 (D83D DE00) comes before U+FB33.
    ("substrate.mcp.brief", {"\U0001f600": 1, "\ufb33": [None, False, {"b": "", "a": -1}], "\u0080": "\u2028"}, "x" * 1000, "9999-12-31T23:59:59Z"),
    ("substrate.do.sse-count", {}, "3", "2026-05-28T11:40:00Z"),
]

if __name__ == "__main__":
    KEY = bytes(range(32))
    vectors = []
    for cls, query, content, time in CASES:
        data = observation(cls, query, content, time)
        vectors.append({
            "class": cls, "query": query, "content": content, "time": time,
            "id": "sha256:" + sha256(data),
            "keyed": "hmac-sha256:" + hmac.new(KEY, data, hashlib.sha256).hexdigest(),
        })
    print(json.dumps({"key": KEY.hex(), "vectors": vectors}, indent=1))
