"""MARC objects, the records of a system's control decisions: validation and schemas. `docs/marc.md` describes them.

>>> from provstream import marc
>>> report = marc.validate({"marc_version": "1.0", "selected_action": "ABSTAIN"})
>>> report.kind, report.is_valid, report.violations[0].section
('core', False, 'MARC-02 9.1')
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from provstream import _native
from provstream._native import Sequence, Violation

__all__ = ["Report", "Sequence", "Violation", "schema", "validate"]


@dataclass(frozen=True)
class Report:
    """What validation finds in one object."""

    kind: str | None
    """`core` or `disclosure`; `None` if the members of the object do not say."""
    is_valid: bool
    """Whether no requirement of the level `must` is violated."""
    violations: list[Violation]
    """What is violated, in the order of the members."""


def validate(record: str | dict[str, Any], *, kind: str | None = None, draft: str = "02", strict: bool = False) -> Report:
    """Validates an object, given as JSON or as its members, under draft `"01"` or `"02"`.

    Without `kind` its members say what it is. Raises `ValueError` if it is not a JSON object. Source: `MARC-02 9`, `10` and `11`.
    """
    text = record if isinstance(record, str) else json.dumps(record)
    return Report(*_native.marc_validate(text, kind, draft, strict))


def schema(kind: str, *, draft: str = "02", strict: bool = False) -> dict[str, Any]:
    """The JSON Schema of `"core"` records or `"disclosure"` objects."""
    return cast(dict[str, Any], json.loads(_native.marc_schema(kind, draft, strict)))
