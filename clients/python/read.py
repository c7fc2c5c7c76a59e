"""Reads the responses that provstream-clients serves with the providers' own clients, and compares what they read.

    read.py PORT

Each case is read as it was, with its annotations stripped, gated by a policy that releases everything, and gated by a
policy that withholds some of it. The first three must be the same in every respect. Of the last, each text must be what a
gate over the whole of it writes; finish reason, usage and tool calls must be those of the first.

Some cases are also read with citation markers that were removed, and with links in their place. If the first has no markers of
its own, the former must be the same as it in every respect. Otherwise, each text must be what the whole of it becomes.
"""

import collections
import json
import sys
import urllib.request

import adapters

SAME = ("finish", "usage", "tools", "reasoning")


def read(adapter, case, state):
    model = f"case-{case['case']}-{state}"
    try:
        found = adapter(model, case["streamed"])
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return json.loads(json.dumps(found, default=str))


def unquoted(value):
    """Citations without the passages that they quote."""
    if isinstance(value, dict):
        return {name: unquoted(inner) for name, inner in value.items() if name not in ("text", "cited_text")}
    return [unquoted(inner) for inner in value] if isinstance(value, list) else value


def in_blocks(value):
    """A message of content blocks without the passages that its citations quote."""
    if isinstance(value, dict):
        return {name: in_blocks(inner) for name, inner in value.items() if name not in ("cited_text", "sourceContent")}
    return [in_blocks(inner) for inner in value] if isinstance(value, list) else value


def differences(case, read):
    """What is wrong with a case, each with the two values that differ."""
    clean = read("clean")
    if "error" in clean:
        yield "clean", "error", clean["error"], None
        return
    for state in ("stripped", "released"):
        other = read(state)
        for name in clean | other:
            before, after = clean.get(name), other.get(name)
            if state == "released":
                # A gate empties quoted passages.
                same = unquoted
                if name == "message":
                    same = in_blocks if case["api"] in ("anthropic", "bedrock") else lambda _: None
                before, after = same(before), same(after)
            if before != after:
                yield state, name, before, after
                break
    yield from changed("gated", clean, read("gated"), case["gated"])
    citing = case["citing"]
    if not citing:
        return
    uncited = read("uncited")
    yield from changed("uncited", clean, uncited, citing["uncited"])
    if citing["was_uncited"]:
        for name in clean | uncited:
            if name not in SAME and clean.get(name) != uncited.get(name):
                yield "uncited", name, clean.get(name), uncited.get(name)
    yield from changed("rendered", clean, read("rendered"), citing["rendered"])


def changed(state, clean, found, texts):
    """What is wrong with a response whose texts must be these, and all else that of the clean one."""
    if "error" in found:
        yield state, "error", None, found["error"]
        return
    for name in ("text", "final"):
        if name in clean and found.get(name) != texts:
            yield state, name, texts, found.get(name)
    for name in SAME:
        if clean.get(name) != found.get(name):
            yield state, name, clean.get(name), found.get(name)


def main():
    port, *only = sys.argv[1:]
    url = f"http://127.0.0.1:{port}"
    apis = adapters.by_api(url)
    with urllib.request.urlopen(f"{url}/cases") as response:
        cases = json.load(response)
    counts, citing, wrong, unread = (collections.Counter() for _ in range(4))
    for case in cases:
        api = case["api"]
        if api not in apis or (only and api not in only):
            continue
        adapter = apis[api]
        counts[api] += 1
        citing[api] += case["citing"] is not None
        for state, name, before, after in differences(case, lambda state: read(adapter, case, state)):
            if state == "clean" and case["recorded"]:
                print(f"SKIPPED: {api} cannot read {case['source']} as it is: {before[:200]}")
                continue
            kind = unread if state == "clean" else wrong
            kind[api] += 1
            if kind[api] <= 3:
                what = "" if case["streamed"] else ", not streamed"
                print(f"{api}{what}, case {case['case']} ({case['source']}), {state}: {name} differs\n  {before!r}\n  {after!r}")
    for api, count in sorted(counts.items()):
        print(f"{api:24} {count:5} responses, each read 4 times, {citing[api]} also with markers: {wrong[api]} differences, {unread[api]} not read as they were")
    return 1 if wrong or unread or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
