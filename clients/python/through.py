"""Reads responses through a gateway that strips or gates them, with the providers' own clients: see read.py.

    through.py PORT GATEWAY [API...]

The upstream at PORT has the responses as they were (`clean`) and with annotations. The gateway at the URL GATEWAY is asked for
those with annotations, on the routes of ../routes.toml. After the responses, errors and cancellation are checked.
"""

import collections
import json
import sys
import time
import urllib.request

import adapters
import anthropic
import openai
import read

# Amazon's binary frames are not inspected by any gateway.
NOT_INSPECTED = {"bedrock"}


def get(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def states(upstream, gateway):
    """The adapters for each state of read.py, and the state of the upstream's response that they ask for."""
    routes = {"clean": (upstream, "clean")}
    for state, route in (("stripped", "strip"), ("released", "release"), ("gated", "gate")):
        routes[state] = (f"{gateway}/{route}", "annotated")
    return {state: (adapters.by_api(url), of) for state, (url, of) in routes.items()}


def check_responses(cases, sources, only):
    counts, wrong, unread = collections.Counter(), collections.Counter(), 0
    for case in cases:
        api = case["api"]
        if api not in sources["clean"][0] or api in NOT_INSPECTED or (only and api not in only):
            continue
        case["gated"] = case["by_policy"]
        # The gateways' routes have no dialects.
        case["citing"] = None
        counts[api] += 1

        def through(state):
            by_api, of = sources[state]
            return read.read(by_api[api], case, of)

        for state, name, before, after in read.differences(case, through):
            if state == "clean":
                # .ci/sdk says which recorded responses a client cannot read.
                unread += 1
                continue
            wrong[api] += 1
            if wrong[api] <= 3:
                what = "" if case["streamed"] else ", not streamed"
                print(f"{api}{what}, case {case['case']} ({case['source']}), {state}: {name} differs\n  {before!r}\n  {after!r}")
    for api, count in sorted(counts.items()):
        print(f"{api:24} {count:5} responses, each read 4 times: {wrong[api]} differences")
    print(f"{unread} responses are not read by their own client, gateway or not")
    return sum(wrong.values()) == 0 and sum(counts.values()) > 0


def check_errors(gateway):
    """An error of the upstream is the same error of the client."""
    for route in ("strip", "gate"):
        to_openai = openai.OpenAI(api_key="x", base_url=f"{gateway}/{route}", max_retries=0)
        to_anthropic = anthropic.Anthropic(api_key="x", base_url=f"{gateway}/{route}", max_retries=0)
        calls = [
            (openai.RateLimitError, lambda: to_openai.chat.completions.create(model="case-0-error", messages=adapters.ASK)),
            (openai.RateLimitError, lambda: to_openai.chat.completions.create(model="case-0-error", messages=adapters.ASK, stream=True)),
            (anthropic.RateLimitError, lambda: to_anthropic.messages.create(model="case-0-error", max_tokens=9, messages=adapters.ASK)),
        ]
        for kind, call in calls:
            try:
                call()
            except kind as error:
                assert error.status_code == 429 and "slow down" in str(error), error
            else:
                raise AssertionError(f"{route}: no {kind.__name__}")
    return len(calls) * 2


def check_cancellation(upstream, gateway, cases):
    """A client that goes away ends the request to the upstream."""
    case = next(case["case"] for case in cases if case["api"] == "openai-chat" and case["streamed"])
    for route in ("strip", "gate"):
        before = get(f"{upstream}/gone")
        client = openai.OpenAI(api_key="x", base_url=f"{gateway}/{route}", max_retries=0)
        stream = client.chat.completions.create(model=f"case-{case}-stall", messages=adapters.ASK, stream=True)
        next(iter(stream))
        assert get(f"{upstream}/gone") == before
        stream.close()
        deadline = time.monotonic() + 10
        while get(f"{upstream}/gone") == before:
            assert time.monotonic() < deadline, f"{route}: the upstream goes on"
            time.sleep(0.05)
    return 2


def main():
    port, gateway, *only = sys.argv[1:]
    upstream = f"http://127.0.0.1:{port}"
    cases = get(f"{upstream}/cases")
    is_right = check_responses(cases, states(upstream, gateway), only)
    print(f"{check_errors(gateway)} errors, {check_cancellation(upstream, gateway, cases)} cancellations: as they should be")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
