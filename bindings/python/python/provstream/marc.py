"""MARC objects, the records of a system's control decisions: select actions, disclose, carry and validate. `docs/marc.md` describes them.

>>> from provstream import marc
>>> report = marc.validate({"marc_version": "1.0", "selected_action": "ABSTAIN"})
>>> report.kind, report.is_valid, report.violations[0].section
('core', False, 'MARC-02 9.1')

A `Session` selects an action for a situation and writes its record; `project` writes what a user is shown of a record:

>>> deployment = marc.Deployment('''
... name = "example"
... classes = ["core"]
... [bands]
... calibration_profile = "example-1"
... medium_from = 0.5
... high_from = 0.8
... [bounds]
... retrieve = {count = 1, time = "10s", cost = 5}
... tool = {count = 1, time = "10s", cost = 5}
... deliberate = {count = 1, time = "10s", cost = 5}
... ''')
>>> session = marc.Session(deployment, "request-7")
>>> scores = {"ambiguity": 0.9, "missing_evidence": 0, "capability_limit": 0, "evidence_conflict": 0, "safety": 0}
>>> decision = session.decide(0.3, scores, "ambiguity", remedies={"user_clarification": True})
>>> decision.action, decision.record["decision_id"]
('CLARIFY', 'request-7-1')
>>> shown = marc.project(decision, question="Which tax year do you mean?")
>>> shown.disclosure["answer"], shown.disclosure["confidence_band"]
('Which tax year do you mean?', 'low')
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from provstream import _native
from provstream._native import Deployment as _Deployment
from provstream._native import Sequence, Violation, WithheldError

__all__ = [
    "Carrier",
    "Conformance",
    "Decision",
    "Deployment",
    "Finding",
    "Projected",
    "Report",
    "Requirement",
    "Sequence",
    "Session",
    "Step",
    "Violation",
    "WithheldError",
    "check_wording",
    "from_sse",
    "project",
    "schema",
    "show",
    "sse_event",
    "upgrade",
    "validate",
]


def _json(value: str | Mapping[str, Any]) -> str:
    """Returns an object as JSON, given as JSON or as its members."""
    return value if isinstance(value, str) else json.dumps(value)


def _object(text: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads(text))


@dataclass(frozen=True)
class Report:
    """Result of validating an object."""

    kind: str | None
    """`core` or `disclosure`; `None` if the object's members do not determine the kind."""
    is_valid: bool
    """`True` if no requirement of the level `must` is violated."""
    violations: list[Violation]
    """Violations in the order of the members."""


def validate(record: str | dict[str, Any], *, kind: str | None = None, draft: str = "02", strict: bool = False) -> Report:
    """Validates an object, given as JSON or as its members, under draft `"01"` or `"02"`.

    Without `kind` its members say what it is. Raises `ValueError` if it is not a JSON object. Source: `MARC-02 9`, `10` and `11`.
    """
    return Report(*_native.marc_validate(_json(record), kind, draft, strict))


def schema(kind: str, *, draft: str = "02", strict: bool = False) -> dict[str, Any]:
    """Builds the JSON Schema of `"core"` records or `"disclosure"` objects."""
    return _object(_native.marc_schema(kind, draft, strict))


def upgrade(value: str | dict[str, Any], *, action: str | None = None) -> dict[str, Any]:
    """Converts an object of draft 01 to draft 02. Its confidence target follows from the action.

    `action` is that of a disclosure that does not name its own. Raises `ValueError` if the object is not valid. Source:
    `MARC-01 7.5`.
    """
    return _object(_native.marc_upgrade(_json(value), action))


@dataclass(frozen=True)
class Requirement:
    """Result for a requirement of a conformance class, judged by the description of a deployment."""

    class_: str
    """`core`, `disclosure` or another class."""
    id: str
    section: str
    """Section of the draft."""
    level: str
    """`must` or `should`."""
    outcome: str
    """`met`, `declared`, `documentation missing`, `not met` or `not claimed`."""
    basis: str | None
    """Basis of the outcome, if the requirement is met or declared."""
    title: str
    reason: str


@dataclass(frozen=True)
class Conformance:
    """Conformance of a deployment to its draft, judged by its description; `str` is a table. Source: `MARC-02 20`."""

    requirements: list[Requirement]
    """All requirements of all classes."""
    claimed: list[str]
    """Claimed classes."""
    conforming: list[str]
    """Claimed classes that conform."""
    table: str = field(repr=False)

    @property
    def is_conformant(self) -> bool:
        """`True` if all claimed classes conform."""
        return self.claimed == self.conforming

    def __str__(self) -> str:
        return self.table


class Deployment:
    """Description of a deployment of MARC, which also configures its decisions and its wording.

    `toml` is the text of a file; `corpus/marc/deployment.toml` has every key with a comment. Raises `ValueError` with line and
    column for what a file cannot have. Source: `MARC-02 20`.

    >>> deployment = provstream.marc.Deployment('name = "unfinished"\\nclasses = ["core"]')
    >>> deployment.conformance().is_conformant
    False
    """

    def __init__(self, toml: str) -> None:
        self._native = _Deployment(toml)

    @property
    def name(self) -> str:
        """Name of the deployment."""
        return self._native.name

    @property
    def draft(self) -> str:
        """Draft that the deployment follows: `"01"` or `"02"`."""
        return self._native.draft

    @property
    def classes(self) -> list[str]:
        """Conformance classes that the deployment claims."""
        return self._native.classes

    def conformance(self) -> Conformance:
        """Compares the description with the requirements of each conformance class."""
        findings, classes, table = self._native._conformance()
        return Conformance(
            [Requirement(*finding) for finding in findings],
            [name for name, is_claimed, _ in classes if is_claimed],
            [name for name, is_claimed, conforms in classes if is_claimed and conforms],
            table,
        )

    def __repr__(self) -> str:
        return repr(self._native)


@dataclass(frozen=True)
class Step:
    """Step of a selection."""

    section: str
    """Section of the draft that the step follows, such as `MARC-02 8.8 step 4`."""
    action: str | None
    """Action that the step selects; `None` if selection continued with the next step."""
    reason: str


@dataclass(frozen=True)
class Decision:
    """Action that a session selected, and its record."""

    action: str
    """`ANSWER`, `CLARIFY`, `RETRIEVE`, `TOOL`, `DELIBERATE`, `ABSTAIN` or `ESCALATE`."""
    record: dict[str, Any]
    """MARC-Core record for logs, for other components, or for `project`."""
    steps: list[Step]
    """Steps that led to the action, in order."""
    deviation: str | None
    """Condition of the deployment's deviation that applied, if one did. Source: `MARC-02 9.4`."""
    skipped: list[tuple[str, str]]
    """Interventions that a bound ruled out, each with `count`, `time` or `cost`. Source: `MARC-02 7.3`."""


class Session:
    """Selects actions for one request, and writes their records, whose ids are `ID-1`, `ID-2` and so on.

    Raises `ValueError` if the deployment does not have what decisions need: bands, and bounds for each loop. `parent` is the record
    with which another component transferred the task, with the `trust` of `project`; the first record then names it. Source:
    `MARC-02 7`, `8`.
    """

    def __init__(
        self,
        deployment: Deployment,
        id: str,
        *,
        parent: str | dict[str, Any] | None = None,
        trust: str = "untrusted",
        emitter: str | None = None,
    ) -> None:
        follows = None if parent is None else (_json(parent), (trust, emitter))
        self._native = _native._Session(deployment._native, id, follows)

    @property
    def state(self) -> str:
        """State: `assess` (awaits a situation), `running` (awaits the end of the action), `awaiting-reply` or `over`."""
        return self._native.state

    def decide(
        self,
        pre_capability: float,
        uncertainty: Mapping[str, float],
        primary_source: str,
        *,
        secondary_source: str | None = None,
        judgements: Iterable[str] | Mapping[str, bool] = (),
        remedies: Mapping[str, bool | Mapping[str, bool]] | None = None,
        risk_tier: str | None = None,
        remediability: str | None = None,
        task_family: str | None = None,
        recommended_next_step: str | Mapping[str, str] | None = None,
        post_answer_confidence: float | None = None,
        action_suitability: float | None = None,
        sub_action: str | None = None,
        extensions: Mapping[str, Any] | None = None,
        spent: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Selects the action for a situation. The arguments are the members of a line of `provstream marc decide`.

        `pre_capability` and the scores of the five sources in `uncertainty` are from 0 to 1. `remedies` says of each intervention
        whether it is usable, or with `available`, `permitted` and `worthwhile` what holds of it. `extensions` are private members of
        the record. `recommended_next_step` has a text for each action; a `str` is that of `ANSWER`. A call after `RETRIEVE`, `TOOL`
        or `DELIBERATE` says that this action is done, with the `time` (`"2s"` or a `timedelta`) and `cost` that were `spent`; a call
        after `CLARIFY` says that the user has replied.

        Raises `ValueError` for a value that is out of range or unknown, if `ANSWER` is selected without
        `post_answer_confidence`, and after an action that ended the session. The session then stays as it was.
        """
        given = {
            "pre_capability": pre_capability,
            "uncertainty": dict(uncertainty),
            "primary_source": primary_source,
            "secondary_source": secondary_source,
            "judgements": dict(judgements) if isinstance(judgements, Mapping) else dict.fromkeys(judgements, True),
            "remedies": {name: _remedy(name, remedy) for name, remedy in (remedies or {}).items()},
            "risk_tier": risk_tier,
            "remediability": remediability,
            "task_family": task_family,
            "next_steps": _next_steps(recommended_next_step),
            "post_answer_confidence": post_answer_confidence,
            "action_suitability": action_suitability,
            "sub_action": sub_action,
            "extensions": {name: json.dumps(value) for name, value in (extensions or {}).items()},
            "spent": None if spent is None else _spent(**spent),
        }
        action, record, steps, deviation, skipped = self._native.decide(given)
        return Decision(action, _object(record), [Step(*step) for step in steps], deviation, skipped)

    def __repr__(self) -> str:
        return f"<Session: {self.state}>"


def _next_steps(given: str | Mapping[str, str] | None) -> dict[str, str]:
    """Returns the next step of each action; a text alone is that of `ANSWER`."""
    if given is None:
        return {}
    return {"ANSWER": given} if isinstance(given, str) else dict(given)


def _remedy(name: str, remedy: bool | Mapping[str, bool]) -> tuple[bool, bool, bool | None]:
    if isinstance(remedy, bool):
        return remedy, True, None
    unknown = set(remedy) - {"available", "permitted", "worthwhile"}
    if unknown:
        raise ValueError(f"remedies: {name}: expected available, permitted or worthwhile, found {min(unknown)!r}")
    return remedy.get("available", True), remedy.get("permitted", True), remedy.get("worthwhile")


def _spent(time: str | timedelta | None = None, cost: int = 0) -> tuple[str | timedelta | None, int]:
    return time, cost


@dataclass(frozen=True)
class Finding:
    """Wording that a disclosure should avoid."""

    kind: str
    """Kind of unsuitable wording, such as `certainty-cue`."""
    section: str
    """Section of the draft that advises against the wording."""
    start: int
    """Code point offset of the start in the text."""
    end: int
    """Code point offset of the end in the text."""


def check_wording(text: str) -> list[Finding]:
    """Finds wording that claims feelings, certainty or proof, is falsely precise, or shows reasoning, in English and German.

    It helps a review and does not replace one. At most 64 findings. Source: `MARC-02 10.3`, `14`, `18`.

    >>> [finding] = provstream.marc.check_wording("You can trust this answer.")
    >>> finding.kind
    'certainty-cue'
    """
    return [Finding(*found) for found in _native.marc_check_wording(text)]


@dataclass(frozen=True)
class Projected:
    """Disclosure of a record."""

    action: str
    """Selected action."""
    disclosure: dict[str, Any] | None
    """MARC-Disclosure object; `None` while the system retrieves, uses a tool or deliberates, unless `interim` was set."""
    findings: list[tuple[str, Finding]]
    """Unsuitable wording, with the member that contains it."""
    unused: list[str]
    """Names of the given texts (`answer`, `question`, `message`, `next_step`) that are for another action."""
    wording_checked: bool = True
    """`True` if there are rules for the language of the wording. Otherwise an empty `findings` has no meaning."""


def project(
    record: str | dict[str, Any] | Decision,
    *,
    answer: str | None = None,
    question: str | None = None,
    message: str | None = None,
    next_step: str | Mapping[str, str] | None = None,
    trust: str | None = None,
    emitter: str | None = None,
    deployment: Deployment | None = None,
    language: str = "en",
    hide_action: bool = False,
    interim: bool = False,
    draft: str | None = None,
    strict: bool = False,
) -> Projected:
    """Projects a record to its MARC-Disclosure object, which may be shown to a user.

    The disclosure contains `answer` only if the action is `ANSWER`, `question` if it is `CLARIFY`, and `message` if it is `ABSTAIN` or
    `ESCALATE`; for the latter two the wording has texts, in the `language` (`en`, `de`, `es`, `fr`, `ja`) or of the `deployment`.
    `next_step` has a text for each action, which replaces that of the record; a `str` is that of `ANSWER`.

    `trust` is where the record comes from: `untrusted`, `local`, `delegated`, `cross-domain`, or `attested` with an `emitter` whom the
    caller has authenticated. It is `local` for a `Decision`, and else `untrusted`. Raises `WithheldError` if nothing may be disclosed of
    a record from there, and `ValueError` if the record is not valid or a text is blank. `draft` is `"02"` unless given. Source:
    `MARC-02 10`, `15`.
    """
    if isinstance(record, Decision):
        trust = trust or "local"
        draft = draft or ("02" if "confidence_target" in record.record else "01")
        record = record.record
    texts = {
        "answer": answer,
        "question": question,
        "message": message,
        "next_steps": _next_steps(next_step),
        "hide_action": hide_action,
        "interim": interim,
    }
    found = _native.marc_project(
        _json(record), texts, (trust or "untrusted", emitter), (_native_of(deployment), language), (draft or "02", strict)
    )
    action, disclosure, findings, unused, is_checked = found
    shown = None if disclosure is None else _object(disclosure)
    return Projected(action, shown, [(member, Finding(*finding)) for member, finding in findings], unused, is_checked)


def _native_of(deployment: Deployment | None) -> _Deployment | None:
    return None if deployment is None else deployment._native


def show(
    disclosure: str | dict[str, Any],
    *,
    deployment: Deployment | None = None,
    language: str = "en",
    draft: str = "02",
    strict: bool = False,
) -> str:
    """Formats a disclosure as text: the answer, a blank line, and band, source of uncertainty and next step as one unit.

    Raises `ValueError` if the disclosure is not valid. Source: `MARC-02 14`.
    """
    return _native.marc_show(_json(disclosure), (_native_of(deployment), language), (draft, strict))


class Carrier:
    """Places of MARC objects in the envelopes of a protocol. Source: `MARC-02 16`.

    >>> carrier = provstream.marc.Carrier.mcp("com.example")
    >>> carrier.pointer("core")
    '/_meta/com.example~1marc-core'
    """

    def __init__(self, protocol: str, name: str = "") -> None:
        """`protocol` is `response-metadata`, `audit-log`, `mcp` with a domain, or `a2a` with a URI; `ValueError` if it is another one."""
        self._native = _native._Carrier(protocol, name)

    @classmethod
    def response_metadata(cls) -> Carrier:
        """Creates a carrier for `metadata` of an API response."""
        return cls("response-metadata")

    @classmethod
    def audit_log(cls) -> Carrier:
        """Creates a carrier for a line of an audit log."""
        return cls("audit-log")

    @classmethod
    def mcp(cls, prefix: str) -> Carrier:
        """Creates a carrier for `_meta` of MCP, under a domain with its labels in reverse order, such as `com.example`."""
        return cls("mcp", prefix)

    @classmethod
    def a2a(cls, uri: str) -> Carrier:
        """Creates a carrier for `metadata` of an A2A message, under the extension's URI; `put` declares it in `extensions`."""
        return cls("a2a", uri)

    def pointer(self, kind: str) -> str:
        """Returns the JSON Pointer to the place of `"core"` records or `"disclosure"` objects."""
        return self._native.pointer(kind)

    def put(self, envelope: Mapping[str, Any], value: str | Mapping[str, Any]) -> dict[str, Any]:
        """Returns a copy of the envelope with an object in its place.

        Raises `ValueError` if there is one already, and if the envelope has something else where the place would be.
        """
        return _object(self._native.put(json.dumps(envelope), _json(value)))

    def take(self, envelope: str | Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Returns the record and the disclosure in an envelope, each `None` if there is none, without validation.

        Raises `ValueError` if the place of a disclosure has a record or a score of one, or that of a record has a disclosure.
        """
        core, disclosure = self._native.take(_json(envelope))
        return (None if core is None else _object(core), None if disclosure is None else _object(disclosure))

    def strip(self, envelope: str | Mapping[str, Any]) -> dict[str, Any]:
        """Returns a copy of the envelope without its record, whose scores are not for end users; the disclosure stays.

        Raises `ValueError` if there is a record, or a score of one, elsewhere in the envelope, at any depth.
        """
        return _object(self._native.strip(_json(envelope))[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Carrier) and self._native == other._native

    def __hash__(self) -> int:
        return hash(self._native)


def sse_event(value: str | Mapping[str, Any]) -> str:
    """Formats an object as a server-sent event of the type `marc-core` or `marc-disclosure`, with its blank line."""
    return _native.marc_sse_event(_json(value))


def from_sse(event_type: str, data: str) -> tuple[str, dict[str, Any]] | None:
    """Returns the kind (`core` or `disclosure`) and the object of a server-sent event; `None` for another type.

    Raises `ValueError` if the data of such an event are not a JSON object.
    """
    found = _native.marc_from_sse(event_type, data)
    return None if found is None else (found[0], _object(found[1]))
