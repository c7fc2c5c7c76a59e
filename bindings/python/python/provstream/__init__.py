"""Finds provenance annotations in streamed LLM output, removes them, and withholds what they do not corroborate.

>>> import provstream
>>> text = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] Ship it."
>>> provstream.strip(text)
'The build is green. Ship it.'
>>> [(text[a.start:a.end], a.classes) for a in provstream.parse(text).assertions]
[('The build is green.', ['substrate.grep'])]
"""

from typing import TYPE_CHECKING, Any

from provstream._clean import CleanStream, clean, clean_response, request_sources
from provstream._native import (
    Action,
    Annotation,
    Assertion,
    BusyError,
    Citation,
    Decision,
    Diagnostic,
    Discipline,
    Event,
    FORMATS,
    Gate,
    InternalError,
    LimitRelease,
    Limits,
    Marc,
    OffsetError,
    Parser,
    Policy,
    Question,
    ReadReport,
    Record,
    Response,
    Rewriter,
    Verdict,
    Vocabulary,
    __version__,
    strip,
)
from provstream._parsed import Parsed, parse

if TYPE_CHECKING:
    from provstream import arrow, emit, engines, marc, report
    from provstream.engines.datafusion import sql

__all__ = [
    "Action",
    "Annotation",
    "Assertion",
    "BusyError",
    "Citation",
    "CleanStream",
    "Decision",
    "Diagnostic",
    "Discipline",
    "Event",
    "FORMATS",
    "Gate",
    "InternalError",
    "LimitRelease",
    "Limits",
    "Marc",
    "OffsetError",
    "Parsed",
    "Parser",
    "Policy",
    "Question",
    "ReadReport",
    "Record",
    "Response",
    "Rewriter",
    "Verdict",
    "Vocabulary",
    "__version__",
    "arrow",
    "clean",
    "clean_response",
    "emit",
    "engines",
    "marc",
    "parse",
    "report",
    "request_sources",
    "sql",
    "strip",
]


def __getattr__(name: str) -> Any:
    """Imports submodules, and names that need another package, on first use."""
    if name == "sql":
        from provstream.engines.datafusion import sql

        return sql
    if name in ("arrow", "emit", "engines", "marc", "report"):
        import importlib

        return importlib.import_module(f"provstream.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
