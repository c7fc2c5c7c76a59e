"""Results of parsing whole answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from provstream import _answers, _native
from provstream._native import (
    Annotation,
    Assertion,
    Citation,
    Diagnostic,
    Discipline,
    Event,
    Extracted,
    Limits,
    Marc,
    Policy,
    Vocabulary,
)

if TYPE_CHECKING:
    from datetime import datetime

    from provstream._clean import Dialects, Sources
    from provstream.report import Page

T = TypeVar("T")


class Parsed(Generic[T]):
    """Result of parsing an answer: its events in order, and the answer without annotations."""

    __slots__ = ("_judge", "_settings", "_texts", "clean", "events", "is_complete", "source")

    source: T
    """Answer that was parsed."""
    clean: T
    """Answer without annotations."""
    events: list[Event]
    """All events, in the order in which they became certain; in a response, text by text."""
    is_complete: bool
    """`True` if all text of a response was read. Check it before you act on the assertions."""

    def __init__(
        self,
        source: T,
        clean: T,
        events: list[Event],
        settings: dict[str, Any] | None = None,
        *,
        texts: tuple[_answers.Texts, bool] | None = None,
        judge: dict[str, Any] | None = None,
    ) -> None:
        self.source = source
        self.clean = clean
        self.events = events
        self._texts, self.is_complete = texts or ([("", [source])], True)
        self._settings = settings or {}
        self._judge = judge or {}

    @property
    def texts(self) -> dict[str, str]:
        """Texts that positions count in, by the `channel` of an event: `parsed.texts[a.channel][a.start:a.end]`.

        A text has the channel `""`; a message, its number in the list.
        """
        return {
            channel: "".join(piece if isinstance(piece, str) else bytes(piece).decode("utf-8", "replace") for piece in pieces)
            for channel, pieces in self._texts
        }

    @property
    def assertions(self) -> list[Assertion]:
        """Assertions with their annotations."""
        return [event for event in self.events if isinstance(event, Assertion)]

    @property
    def annotations(self) -> list[Annotation]:
        """Annotations in brackets."""
        return [event for event in self.events if isinstance(event, Annotation)]

    @property
    def citations(self) -> list[Citation]:
        """Sentences with markers of citations; empty without `dialects`."""
        return [event for event in self.events if isinstance(event, Citation)]

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
        mine = (self.source, self._settings, self._judge)
        return isinstance(other, Parsed) and mine == (other.source, other._settings, other._judge)

    def __hash__(self) -> int:
        return hash(self.source)

    def __reduce__(self) -> tuple[Any, ...]:
        """For `copy` and `pickle`: the text is parsed again."""
        return _parse, (self.source, {**self._settings, **self._judge})

    def to_dict(self) -> dict[str, Any]:
        """Returns the answer without annotations as plain data, and the members of each event, as a `dict`."""
        clean: Any = self.clean
        if isinstance(clean, bytes):
            clean = clean.decode("utf-8", "replace")
        elif not isinstance(clean, str):
            clean = _answers.to_data(clean)
        return {"clean": clean, "events": [event.to_dict() for event in self.events]}

    def _table(self) -> Extracted:
        return _native.arrow_assertions(self.assertions, **self._judge)

    def to_arrow(self) -> Any:
        """Returns the assertions as a `pyarrow.Table`, one in each row, with the members of an assertion of `extract` as columns.

        `verdict` is null without a discipline. Raises `ImportError` without pyarrow.
        """
        return self._table().to_arrow()

    def to_pandas(self) -> Any:
        """Returns the assertions as a `pandas.DataFrame`, as in `to_arrow`. Raises `ImportError` without pandas or pyarrow."""
        return self._table().to_pandas()

    def to_polars(self) -> Any:
        """Returns the assertions as a `polars.DataFrame`, as in `to_arrow`. Raises `ImportError` without polars."""
        return self._table().to_polars()

    def report(
        self, policy: Policy | str | None = None, *, name: str = "Answer", now: str | datetime | None = None
    ) -> Page:
        """Builds an HTML page with each assertion, its verdict, and the action of a gate with this policy; see `report.html`.

        A notebook displays it, and `save(path)` writes it to a file.
        """
        from provstream import report

        settings = {name: value for name, value in self._settings.items() if name not in ("dialects", "sources")}
        return report.html(self, policy, name=name, now=now, **settings)

    def _repr_html_(self) -> str:
        """Returns the texts for a notebook, with each assertion highlighted, and with its verdict if a discipline was given."""
        from provstream import _display

        return _display.html(self)

    def __repr__(self) -> str:
        return f"<Parsed: {len(self.assertions)} assertions, {len(self.diagnostics)} diagnostics>"


def _parse(answer: T, settings: dict[str, Any]) -> Parsed[T]:
    return parse(answer, **settings)


def parse(
    text: T,
    *,
    mode: str = "auto",
    vocabulary: Vocabulary | None = None,
    limits: Limits | None = None,
    discipline: Discipline | None = None,
    now: str | datetime | None = None,
    dialects: Dialects | None = None,
    sources: Sources | None = None,
) -> Parsed[T]:
    """Parses a whole answer: a text as `str` or UTF-8 in bytes, the response of an SDK, or a list of messages.

    Places are code points: `text[a.start:a.end]` is the text of an assertion. In a response or messages they count in
    `parsed.texts[a.channel]`. Of messages, those with the role `assistant` or `model` are read. `mode` is `"auto"`, `"text"`,
    `"json"` or `"ndjson"`. With `discipline`, tables and notebooks show a verdict for each assertion, as of `now` or else of the
    clock. With `dialects`, `citations` has the sentences with markers, and `clean` has no markers; `sources` lists what the model
    was given, as in `strip`. Raises `ValueError` for another mode and for an object that is neither a response nor messages; every
    text is accepted.

    >>> text = "Grüße 🎉. Es regnet. [substrate.grep] So."
    >>> [a] = provstream.parse(text)
    >>> text[a.start:a.end], (a.byte_start, a.byte_end)
    ('Es regnet.', (14, 24))
    >>> [a] = provstream.parse([{"role": "assistant", "content": text}])
    >>> a.channel, a.text
    ('0', 'Es regnet.')
    """
    settings: dict[str, Any] = {"mode": mode, "vocabulary": vocabulary, "limits": limits}
    citing: dict[str, Any] = {"dialects": dialects, "sources": sources} if dialects is not None or sources is not None else {}
    settings |= citing
    judge: dict[str, Any] = {"discipline": discipline, "now": now} if discipline is not None else {}
    if judge:
        _native.arrow_assertions([], **judge)  # Raises for arguments that are wrong.
    if _answers.is_text(text):
        events, clean = _native.parse(text, **settings)  # type: ignore[type-var]
        return Parsed(text, clean, events, settings, judge=judge)
    texts = _answers.texts(text)
    events = [event for channel, pieces in texts[0] for event in _native.parse_pieces(channel, pieces, **settings)]
    return Parsed(text, _answers.strip(text, vocabulary=vocabulary, **citing), events, settings, texts=texts, judge=judge)
