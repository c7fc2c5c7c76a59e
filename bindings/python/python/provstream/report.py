"""Builds pages about answers: each assertion, its verdict, and the action of a gate.

>>> from provstream import report
>>> page = report.html("It is so. [substrate.grep]", name="answer")
>>> page.startswith("<!DOCTYPE html>"), "Below the floor" in page
(True, True)
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from provstream import _native
from provstream._native import Limits, Policy, Vocabulary
from provstream._parsed import Parsed

__all__ = ["DEFAULT_POLICY", "html"]

DEFAULT_POLICY = """\
preset = "own-state"
default_window = "1d"

[inadmissible]
action = "mark"
before = "⟦"
after = "⟧"
"""
"""Default rules of a page: two classes, observed within a day."""


def html(
    answer: str | bytes | Parsed[Any],
    policy: Policy | None = None,
    *,
    name: str = "Answer",
    now: str | datetime | None = None,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
) -> str:
    """Builds a page about an answer: one HTML file without scripts.

    It shows what a gate with `policy` would do with each assertion as of `now`, which is that of the clock if it is missing. A pair of
    surrogates is shown as the character that it encodes, and a single one as U+FFFD.
    """
    source: str | bytes = answer.source if isinstance(answer, Parsed) else answer
    data = _without_surrogates(source).encode() if isinstance(source, str) else source
    rules = policy or Policy(DEFAULT_POLICY)
    return _native.report_page(data, rules, _without_surrogates(name), now, mode, vocabulary, limits)


def _without_surrogates(text: str) -> str:
    """Replaces surrogates: a pair by the character that it encodes, a lone one by U+FFFD, as in `parse`."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
