"""Finds provenance annotations in streamed LLM output, removes them, and withholds what they do not corroborate.

>>> import provstream
>>> text = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] Ship it."
>>> provstream.strip(text)
'The build is green. Ship it.'
>>> [(text[a.start:a.end], a.classes) for a in provstream.parse(text).assertions]
[('The build is green.', ['substrate.grep'])]
"""

from provstream._native import (
    Annotation,
    Assertion,
    BusyError,
    Diagnostic,
    Event,
    InternalError,
    Limits,
    Marc,
    OffsetError,
    Parser,
    Record,
    Vocabulary,
    strip,
)
from provstream._parsed import Parsed, parse

__all__ = [
    "Annotation",
    "Assertion",
    "BusyError",
    "Diagnostic",
    "Event",
    "InternalError",
    "Limits",
    "Marc",
    "OffsetError",
    "Parsed",
    "Parser",
    "Record",
    "Vocabulary",
    "parse",
    "strip",
]
