"""Speed of token-sized pushes, in one run: against two filters in pure Python, and against an empty method of the compiled part.

    python benches/speed.py [ROUNDS]

Each figure is processor time, the least of the rounds, which alternate between the candidates, so that other work on the machine
hardly counts. Exits with 1 if a target is missed.
"""

import re
import sys
import time
from collections.abc import Callable

import provstream
from provstream import _native

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
SENTENCE = "The build is green, and the tests of the release pass on both machines. "
ANNOTATION = "[substrate.grep; observation-id=ci.log:412; ts=2026-05-28T11:40:00Z] "
TEXT = "".join(SENTENCE + (ANNOTATION if number % 5 == 4 else "") for number in range(60))
TOKENS = [TEXT[at : at + 4] for at in range(0, len(TEXT), 4)]
PATTERN = re.compile(r"\s{0,64}\[(?:substrate\.[a-z.]+|unverified-inference|decayed-to-uncertainty)(?:;[^\]]*)?\]")


def accumulating() -> str:
    """Cleans all text so far with each token, and emits what is new and can no longer change."""
    buffer, emitted, out = "", 0, []
    for token in TOKENS:
        buffer += token
        clean = PATTERN.sub("", buffer)
        opened = clean.rfind("[")
        end = len(clean) if opened < 0 or "]" in clean[opened:] else opened
        end = len(clean[:end].rstrip())
        if end > emitted:
            out.append(clean[emitted:end])
            emitted = end
    out.append(PATTERN.sub("", buffer)[emitted:])
    return "".join(out)


def tail() -> str:
    """Keeps only what can still change."""
    buffer, out = "", []
    for token in TOKENS:
        buffer = PATTERN.sub("", buffer + token)
        opened = buffer.rfind("[")
        end = len(buffer) if opened < 0 or "]" in buffer[opened:] else opened
        end = len(buffer[:end].rstrip())
        out.append(buffer[:end])
        buffer = buffer[end:]
    out.append(buffer)
    return "".join(out)


def rewriter() -> str:
    """Work of the package."""
    stream = provstream.Rewriter()
    push, out = stream.push, []
    for token in TOKENS:
        out.append(push(token))
    out.append(str(stream.finish()))
    return "".join(out)


def parser() -> int:
    """Events alone."""
    stream = provstream.Parser()
    push, found = stream.push, 0
    for token in TOKENS:
        found += len(push(token))
    return found + len(stream.finish())


def empty() -> int:
    """A method of the compiled part that takes a token and does nothing."""
    push, found = _native._Empty().push, 0
    for token in TOKENS:
        found += len(push(token))
    return found


def main() -> int:
    assert accumulating() == tail() == rewriter() == provstream.strip(TEXT)
    candidates: list[Callable[[], object]] = [accumulating, tail, rewriter, parser, empty]
    times: dict[str, list[float]] = {candidate.__name__: [] for candidate in candidates}
    for _ in range(ROUNDS):
        for candidate in candidates:
            repeats = 1 if candidate is accumulating else 20
            began = time.process_time()
            for _ in range(repeats):
                candidate()
            times[candidate.__name__].append((time.process_time() - began) / repeats / len(TOKENS))
    each = {name: min(found) * 1e9 for name, found in times.items()}
    for name, nanoseconds in each.items():
        print(f"{name:>14}: {nanoseconds:9.0f} ns a push of 4 characters")
    rows = [
        ("re over an accumulating buffer / rewriter", each["accumulating"] / each["rewriter"], 15.0, True),
        ("re over the tail / rewriter", each["tail"] / each["rewriter"], 5.0, True),
        ("rewriter - empty method, ns", each["rewriter"] - each["empty"], 300.0, False),
        ("parser - empty method, ns", each["parser"] - each["empty"], 300.0, False),
    ]
    missed = 0
    for name, figure, target, at_least in rows:
        reached = figure >= target if at_least else figure <= target
        missed += not reached
        print(f"{name:>42}: {figure:8.1f}  target {'>=' if at_least else '<='} {target:.0f}  {'ok' if reached else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
