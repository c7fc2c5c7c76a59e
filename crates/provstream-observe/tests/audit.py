#!/usr/bin/env python3
"""Checks an export of a ledger by itself: the hash chain from the first line to the head. See docs/observations.md.

    provstream ledger export --ledger obs.db | python3 audit.py
"""
import hashlib
import json
import sys

from vectors import canonical, sha256

chain, count = "00" * 32, 0
for line in sys.stdin:
    entry = json.loads(line)
    if "head" in entry:
        assert entry["head"] == f"{count}:{chain}", "the head is another one"
        print(f"{count} entries are intact, head {entry['head']}")
        sys.exit()
    count += 1
    if entry["kind"] == "expiry":
        body = canonical(entry["erased"])
    elif "query" in entry:
        body = canonical({
            "content": "content" in entry or "content_hex" in entry,
            **{name: entry[name] for name in ("anchor", "query", "result", "salt")},
        })
    else:
        body = None
    assert body is None or sha256(body.encode()) == entry["body"], f"the body of entry {count} was changed"
    if "content" in entry:
        assert sha256(entry["content"].encode()) == entry["result"], f"the content of entry {count} was changed"
    header = {name: entry[name] for name in ("body", "kind", "seq", "time")}
    header |= {name: entry.get(name, "") for name in ("class", "id")} | {"expires": entry.get("expires")}
    link = b"provstream ledger 1\n" + bytes.fromhex(chain) + canonical(header).encode()
    chain = sha256(link)
    assert (entry["seq"], entry["chain"]) == (count, chain), f"entry {count} was changed or moved"
sys.exit("expected a head at the end, found none")
