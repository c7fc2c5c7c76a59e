"""Builds pages about answers: each assertion, its verdict, and the action of a gate.

>>> from provstream import report
>>> page = report.html("It is so. [substrate.grep]", name="answer")
>>> page.startswith("<!DOCTYPE html>"), "Below the floor" in page
(True, True)
"""

from __future__ import annotations

from datetime import datetime
from os import PathLike
from typing import Any

from provstream import _answers, _native
from provstream._native import Limits, Policy, Vocabulary
from provstream._parsed import Parsed

__all__ = ["DEFAULT_POLICY", "Page", "html"]

DEFAULT_POLICY = """\
preset = "own-state"
default_window = "1d"

[inadmissible]
action = "mark"
before = "⟦"
after = "⟧"
"""
"""Default rules of a page: two classes, observed within a day."""


class Page(str):
    """HTML page as text, which a notebook displays."""

    __slots__ = ()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self)

    def _repr_html_(self) -> str:
        """Returns the page for a notebook, in a frame, because its style sheet is for a whole page."""
        from html import escape

        style = "width: 100%; height: 32em; border: 0"
        return f'<iframe sandbox="" style="{style}" srcdoc="{escape(self)}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page: {len(self)} characters of HTML>"


def html(
    answer: Any,
    policy: Policy | str | None = None,
    *,
    name: str = "Answer",
    now: str | datetime | None = None,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
) -> Page:
    """Builds a page about an answer: one HTML file without scripts, as a `str` that a notebook displays.

    `answer` is what `parse` takes: a text as `str` or bytes, the response of an SDK, or messages; or a result of `parse`. The page
    shows what a gate with `policy` would do with each assertion as of `now`, which is that of the clock if it is missing. A pair of
    surrogates is shown as the character that it encodes, and a single one as U+FFFD.
    """
    read = (answer._texts, answer.is_complete) if isinstance(answer, Parsed) else _answers.texts(answer)
    texts = [(channel, [_utf8(piece) for piece in pieces]) for channel, pieces in read[0]]
    rules = policy if isinstance(policy, Policy) else Policy(DEFAULT_POLICY if policy is None else policy, vocabulary=vocabulary)
    return Page(_native.report_page(texts, read[1], rules, _answers.without_surrogates(name), now, mode, vocabulary, limits))


def _utf8(piece: str | bytes) -> bytes:
    return _answers.without_surrogates(piece).encode() if isinstance(piece, str) else bytes(piece)

