"""Results of parsing whole texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from provstream import _native
from provstream._native import Annotation, Assertion, Diagnostic, Event, Limits, Marc, Policy, Vocabulary

if TYPE_CHECKING:
    from datetime import datetime

T = TypeVar("T", str, bytes)


class Parsed(Generic[T]):
    """Result of parsing a text: its events in order, and the text without annotations."""

    __slots__ = ("_settings", "clean", "events", "source")

    source: T
    """Text that was parsed."""
    clean: T
    """Text without annotations."""
    events: list[Event]
    """All events, in the order in which they became certain."""

    def __init__(self, source: T, clean: T, events: list[Event], settings: dict[str, Any] | None = None) -> None:
        self.source = source
        self.clean = clean
        self.events = events
        self._settings = settings or {}

    @property
    def assertions(self) -> list[Assertion]:
        """Assertions with their annotations."""
        return [event for event in self.events if isinstance(event, Assertion)]

    @property
    def annotations(self) -> list[Annotation]:
        """Annotations in brackets."""
        return [event for event in self.events if isinstance(event, Annotation)]

    @property
    def marc(self) -> list[Marc]:
        """MARC objects."""
        return [event for event in self.events if isinstance(event, Marc)]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics of the text."""
        return [event for event in self.events if isinstance(event, Diagnostic)]

    def __iter__(self) -> Iterator[Assertion]:
        return iter(self.assertions)

    def __len__(self) -> int:
        return len(self.assertions)

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, at: int) -> Assertion: ...
    @overload
    def __getitem__(self, at: slice) -> list[Assertion]: ...
    def __getitem__(self, at: int | slice) -> Assertion | list[Assertion]:
        return self.assertions[at]

    def __eq__(self, other: object) -> bool:
        # The events follow from the rest.
        return isinstance(other, Parsed) and (self.source, self._settings) == (other.source, other._settings)

    def __hash__(self) -> int:
        return hash(self.source)

    def __reduce__(self) -> tuple[Any, ...]:
        """For `copy` and `pickle`: the text is parsed again."""
        return _parse, (self.source, self._settings)

    def to_dict(self) -> dict[str, Any]:
        """Returns the text without annotations, and the members of each event, as a `dict`."""
        clean = self.clean.decode("utf-8", "replace") if isinstance(self.clean, bytes) else self.clean
        return {"clean": clean, "events": [event.to_dict() for event in self.events]}

    def report(
        self, policy: Policy | None = None, *, name: str = "Answer", now: str | datetime | None = None
    ) -> str:
        """Builds an HTML page with each assertion, its verdict, and the action of a gate with this policy; see `report.html`."""
        from provstream import report

        return report.html(self, policy, name=name, now=now, **self._settings)

    def _repr_html_(self) -> str:
        """Returns the page for a notebook, in a frame, because its style sheet is for a whole page."""
        from html import escape

        style = "width: 100%; height: 32em; border: 0"
        return f'<iframe sandbox="" style="{style}" srcdoc="{escape(self.report())}"></iframe>'

    def __repr__(self) -> str:
        return f"<Parsed: {len(self.assertions)} assertions, {len(self.diagnostics)} diagnostics>"


def _parse(text: T, settings: dict[str, Any]) -> Parsed[T]:
    return parse(text, **settings)


def parse(
    text: T,
    *,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
) -> Parsed[T]:
    """Parses a whole text, `str` or UTF-8 in bytes.

    Places are code points: `text[a.start:a.end]` is the text of an assertion. `mode` is `"auto"`, `"text"`, `"json"` or
    `"ndjson"`. Raises `ValueError` for another mode; every text is accepted.

    >>> text = "Grüße 🎉. Es regnet. [substrate.grep] So."
    >>> [a] = provstream.parse(text)
    >>> text[a.start:a.end], (a.byte_start, a.byte_end)
    ('Es regnet.', (14, 24))
    """
    events, clean = _native.parse(text, mode=mode, vocabulary=vocabulary, limits=limits)
    return Parsed(text, clean, events, {"mode": mode, "vocabulary": vocabulary, "limits": limits})
