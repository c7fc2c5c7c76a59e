"""Decisions, disclosures, carriers and conformance: what the command line prints for the same."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import provstream
import pytest
from provstream import marc

CORPUS = Path(__file__).parents[3] / "corpus" / "marc"
DEPLOYMENT = marc.Deployment((CORPUS / "deployment.toml").read_text())
SCORES = {"ambiguity": 0.1, "missing_evidence": 0.1, "capability_limit": 0.1, "evidence_conflict": 0.1, "safety": 0.0}


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / name).read_text().splitlines()]


def events(name: str) -> dict[int, dict[str, Any]]:
    """Returns the output of the command line by line of its input."""
    return {event["line"]: event for event in lines(name) if event["event"] != "end"}


def decided() -> dict[int, marc.Decision]:
    """The decision about each situation of the corpus, by its line; none where there is an error."""
    sessions: dict[str, tuple[marc.Session, int]] = {}
    found = {}
    for number, situation in enumerate(lines("situations.ndjson"), 1):
        name = situation.pop("session")
        session, count = sessions.get(name) or (marc.Session(DEPLOYMENT, name), 1)
        if session.state == "over" and "spent" not in situation:
            count += 1
            session = marc.Session(DEPLOYMENT, f"{name}.{count}")
        try:
            found[number] = session.decide(**situation)
        except ValueError:
            continue
        sessions[name] = session, count
    return found


def test_decisions() -> None:
    found = decided()
    compared = 0
    for number, line in events("decided.ndjson").items():
        assert (number in found) == (line["event"] == "decision"), line
        if number in found:
            decision = found[number]
            assert decision.action == line["action"]
            assert json.dumps(decision.record) == json.dumps(line["record"]), "the same members in the same order"
            steps = [{"section": s.section, "action": s.action, "reason": s.reason} for s in decision.steps]
            assert [{name: value for name, value in step.items() if value is not None} for step in steps] == line["steps"]
            assert decision.deviation == line.get("deviation")
            assert decision.skipped == [(hit["intervention"], hit["bound"]) for hit in line.get("skipped", ())]
            compared += 1
    assert compared > 30
    sequence = marc.Sequence()
    violations = [violation.code for decision in found.values() for violation in sequence.check(json.dumps(decision.record))]
    assert violations == []


def test_projections() -> None:
    texts = {line.pop("decision_id"): line for line in lines("texts.ndjson")}
    decisions = events("decided.ndjson")
    shown = []
    compared = 0
    for number, line in events("projected.ndjson").items():
        if line["event"] == "marc":
            continue
        record = decisions[number]["record"]
        given = texts.get(record["decision_id"], {})
        if "answer" not in given and isinstance(given.get("next_step"), str):
            # On the command line, such a text is about the decision.
            given = given | {"next_step": {record["selected_action"]: given["next_step"]}}
        projected = marc.project(record, trust="local", deployment=DEPLOYMENT, **given)
        assert projected.action == line["action"]
        assert projected.unused == line.get("unused", [])
        assert json.dumps(projected.disclosure) == json.dumps(line.get("disclosure"))
        findings = [(finding["member"], finding["kind"], finding["section"]) for finding in line.get("findings", ())]
        assert [(member, found.kind, found.section) for member, found in projected.findings] == findings
        for (member, found), finding in zip(projected.findings, line.get("findings", ())):
            assert projected.disclosure is not None
            text = projected.disclosure[member]
            assert text[found.start : found.end] == text.encode()[finding["start"] : finding["end"]].decode()
        if projected.disclosure is not None:
            assert marc.validate(projected.disclosure).is_valid
            shown.append(marc.show(projected.disclosure, deployment=DEPLOYMENT))
        compared += 1
    assert compared > 30
    assert "\n\n".join(shown) + "\n" == (CORPUS / "shown.text").read_text().lstrip("\n")


def test_only_an_answer_is_disclosed_as_one() -> None:
    secret = "first mix"
    for decision in decided().values():
        projected = marc.project(decision, answer=secret, deployment=DEPLOYMENT)
        assert (secret in json.dumps(projected.disclosure)) == (decision.action == "ANSWER")
        assert ("answer" in projected.unused) == (decision.action != "ANSWER")
        members = set(projected.disclosure or ())
        assert members <= {
            "answer", "confidence_band", "confidence_target", "uncertainty_source", "recommended_next_step", "selected_action"
        }


def test_a_next_step_belongs_to_an_action() -> None:
    harm = "mix bleach and ammonia"
    for decision in decided().values():
        action = decision.action
        cases: list[tuple[str | dict[str, str], bool]] = [
            (harm, action == "ANSWER"),
            ({action: harm}, True),
            ({"ANSWER" if action != "ANSWER" else "ABSTAIN": harm}, False),
        ]
        for given, is_shown in cases:
            projected = marc.project(decision, answer="a", deployment=DEPLOYMENT, interim=True, next_step=given)
            assert (harm in json.dumps(projected.disclosure)) == is_shown
            assert ("next_step" in projected.unused) != is_shown
    for primary, remedies in [("safety", {}), ("safety", {"human": True}), ("ambiguity", {"user_clarification": True})]:
        session = marc.Session(DEPLOYMENT, "n")
        scores = SCORES | {primary: 0.9}
        # In this deployment the band of ESCALATE is about the action.
        decision = session.decide(
            0.9, scores, primary, remedies=remedies, recommended_next_step=harm, action_suitability=0.5
        )
        assert decision.action != "ANSWER" and harm not in json.dumps(decision.record)


def test_no_scores_pass_strip() -> None:
    carrier = marc.Carrier.audit_log()
    record = answer().record
    for depth in (0, 1, 64, 65, 500):
        inner = json.dumps(record)
        for _ in range(depth):
            inner = f'{{"a":{inner}}}'
        with pytest.raises(ValueError, match="expected no record"):
            carrier.strip(f'{{"marc_core":{json.dumps(record)},"x":{inner}}}')
        with pytest.raises(ValueError, match="expected no record"):
            carrier.take(f'{{"marc_disclosure":{inner}}}')


def answer() -> marc.Decision:
    return marc.Session(DEPLOYMENT, "a").decide(0.9, SCORES, "ambiguity", post_answer_confidence=0.9)


def test_what_is_shown() -> None:
    decision = answer()
    assert decision.action == "ANSWER"
    with pytest.raises(ValueError, match="expected `answer`"):
        marc.project(decision)
    with pytest.raises(ValueError, match="found a blank one"):
        marc.project(decision, answer=" ")
    hidden = marc.project(decision, answer="42", hide_action=True, next_step="ask again", language="de").disclosure
    assert hidden is not None and "selected_action" not in hidden and hidden["recommended_next_step"] == "ask again"
    assert marc.show(hidden, language="de") != marc.show(hidden, language="fr")
    with pytest.raises(ValueError, match="tlh"):
        marc.project(decision, answer="42", language="tlh")
    session = marc.Session(DEPLOYMENT, "b")
    running = session.decide(0.4, SCORES | {"missing_evidence": 0.9}, "missing_evidence", remedies={"retrieval": True})
    assert running.action == "RETRIEVE" and marc.project(running).disclosure is None
    interim = marc.project(running, interim=True, deployment=DEPLOYMENT).disclosure
    assert interim is not None and interim["selected_action"] == "RETRIEVE"


def test_trust() -> None:
    record = answer().record
    shown = marc.project(record, answer="42", trust="attested", emitter="example.com").disclosure
    assert shown == marc.project(record, answer="42", trust="delegated").disclosure
    for trust in (None, "untrusted", "cross-domain"):
        with pytest.raises(marc.WithheldError):
            marc.project(record, answer="42", trust=trust)
    with pytest.raises(ValueError, match="expected an emitter"):
        marc.project(record, answer="42", trust="attested")
    with pytest.raises(ValueError, match="with trust \"attested\" only"):
        marc.project(record, answer="42", trust="local", emitter="example.com")
    with pytest.raises(ValueError, match="expected trust"):
        marc.project(record, answer="42", trust="friend")
    with pytest.raises(ValueError, match="not valid"):
        marc.project({"marc_version": "1.0"}, trust="local")


def test_sessions() -> None:
    session = marc.Session(DEPLOYMENT, "r", parent=answer().record, trust="delegated")
    arguments: dict[str, Any] = {"remedies": {"retrieval": {"worthwhile": True}}, "post_answer_confidence": 0.9}
    first = session.decide(0.7, SCORES, "ambiguity", extensions={"trace": {"id": 7}}, **arguments)
    assert first.record["parent_decision_id"] == "a-1" and first.record["x_trace"] == {"id": 7}
    assert (first.action, session.state) == ("RETRIEVE", "running")
    again = session.decide(0.7, SCORES, "ambiguity", spent={"time": timedelta(seconds=19), "cost": 1}, **arguments)
    assert (again.action, again.record["parent_decision_id"], again.record["iteration"]) == ("RETRIEVE", "r-1", 1)
    # Twenty seconds are all that retrieval may take.
    last = session.decide(0.7, SCORES, "ambiguity", spent={"time": "2s"}, **arguments)
    assert last.skipped == [("retrieval", "time")] and session.state == "over"
    with pytest.raises(ValueError, match="no further situation"):
        session.decide(0.7, SCORES, "ambiguity", **arguments)
    with pytest.raises(ValueError, match="trust context"):
        marc.Session(DEPLOYMENT, "r", parent=answer().record)
    with pytest.raises(ValueError, match="without bands"):
        marc.Session(marc.Deployment((CORPUS / "deployment-minimal.toml").read_text()), "r")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pre_capability": 1.5}, "pre_capability: "),
        ({"pre_capability": float("nan")}, "pre_capability: "),
        ({"uncertainty": SCORES | {"mood": 0.1}}, "uncertainty: .*mood"),
        ({"uncertainty": SCORES | {"safety": -1}}, "uncertainty.safety: "),
        ({"primary_source": "mood"}, "primary_source: .*mood"),
        ({"judgements": ["mood"]}, "judgements: .*mood"),
        ({"remedies": {"tool": {"cheap": True}}}, "remedies: tool: .*cheap"),
        ({"remedies": {"mood": True}}, "remedies: .*mood"),
        ({"risk_tier": "low"}, "risk_tier: "),
        ({"sub_action": "sing"}, "sing"),
        ({"task_family": "none"}, "none"),
        ({"recommended_next_step": {"SING": "la"}}, "SING"),
        ({"spent": {"cost": 1}}, "no action running"),
    ],
)
def test_wrong_situations(changed: dict[str, Any], message: str) -> None:
    session = marc.Session(DEPLOYMENT, "r")
    situation: dict[str, Any] = {"pre_capability": 0.7, "uncertainty": SCORES, "primary_source": "ambiguity", "post_answer_confidence": 0.9}
    with pytest.raises(ValueError, match=message):
        session.decide(**(situation | changed))
    assert session.state == "assess"
    # Without a deployment that counts them as zero, every source has a score.
    bare = marc.Session(marc.Deployment(PLAIN), "r")
    with pytest.raises(ValueError, match="missing: ambiguity, missing_evidence"):
        bare.decide(0.7, {"safety": 0, "capability_limit": 0, "evidence_conflict": 0}, "safety")


PLAIN = """
name = "x"
classes = ["core"]
[bands]
calibration_profile = "p"
medium_from = 0.5
high_from = 0.8
[bounds]
retrieve = {count = 1, time = "1m", cost = 9}
tool = {count = 1, time = "1m", cost = 9}
deliberate = {count = 1, time = "1m", cost = 9}
"""


def test_sessions_of_two_threads() -> None:
    """One call at a time; an error names what to do."""
    session, found = marc.Session(DEPLOYMENT, "r"), []

    def decide() -> None:
        for _ in range(200):
            try:
                session.decide(0.9, SCORES, "ambiguity")
            except (provstream.BusyError, ValueError) as error:
                found.append(type(error))

    threads = [threading.Thread(target=decide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 800, "`post_answer_confidence` is missing in every call"


@pytest.mark.parametrize(
    ("carrier", "core", "disclosure"),
    [
        (marc.Carrier.response_metadata(), "/metadata/marc_core", "/metadata/marc_disclosure"),
        (marc.Carrier.audit_log(), "/marc_core", "/marc_disclosure"),
        (marc.Carrier.mcp("com.example"), "/_meta/com.example~1marc-core", "/_meta/com.example~1marc-disclosure"),
        (marc.Carrier.a2a("https://e.org/v1"), "/metadata/https:~1~1e.org~1v1~1core", "/metadata/https:~1~1e.org~1v1~1disclosure"),
    ],
)
def test_carriers(carrier: marc.Carrier, core: str, disclosure: str) -> None:
    assert (carrier.pointer("core"), carrier.pointer("disclosure")) == (core, disclosure)
    record = answer().record
    shown = marc.project(record, answer="42", trust="local").disclosure
    assert shown is not None
    envelope = {"id": 7, "result": "größer"}
    full = carrier.put(carrier.put(envelope, record), shown)
    assert envelope == {"id": 7, "result": "größer"}
    assert carrier.take(full) == (record, shown)
    stripped = carrier.strip(full)
    assert carrier.take(stripped) == (None, shown)
    assert "pre_capability" not in json.dumps(stripped) and stripped["result"] == "größer"
    with pytest.raises(ValueError, match="expected no object at"):
        carrier.put(full, record)
    with pytest.raises(ValueError, match="of another kind"):
        carrier.put({}, {"id": 7})
    assert carrier.take({}) == (None, None)


def test_names_of_carriers() -> None:
    assert marc.Carrier.mcp("com.example") == marc.Carrier("mcp", "com.example") != marc.Carrier.audit_log()
    assert len({marc.Carrier.mcp("com.example"), marc.Carrier.mcp("com.example")}) == 1
    for protocol, name in (("mcp", "com..example"), ("mcp", "com.mcp"), ("a2a", "example"), ("ftp", "")):
        with pytest.raises(ValueError):
            marc.Carrier(protocol, name)


def test_server_sent_events() -> None:
    record = answer().record
    event = marc.sse_event(record)
    kind, data = event.split("\n")[:2]
    assert kind == "event: marc-core" and event.endswith("\n\n")
    assert marc.from_sse("marc-core", data.removeprefix("data: ")) == ("core", record)
    assert marc.from_sse("message", "{}") is None
    with pytest.raises(ValueError):
        marc.from_sse("marc-core", "{")


def test_upgrades() -> None:
    upgraded = 0
    for path in sorted(CORPUS.glob("tv-m1-*.json")):
        text = path.read_text()
        kind = marc.validate(text, draft="01").kind
        if not marc.validate(text, draft="01").is_valid:
            with pytest.raises(ValueError):
                marc.upgrade(text, action="ANSWER")
            continue
        found = marc.upgrade(text, action=None if kind == "core" else json.loads(text).get("selected_action", "CLARIFY"))
        assert marc.validate(found, kind=kind).is_valid, path
        assert found.pop("confidence_target") and found == json.loads(text), path
        upgraded += 1
    assert upgraded > 4
    with pytest.raises(ValueError, match="of another kind"):
        marc.upgrade({})


def test_conformance() -> None:
    report = DEPLOYMENT.conformance()
    assert report.claimed == DEPLOYMENT.classes == ["core", "disclosure", "carrying"]
    assert (DEPLOYMENT.name, DEPLOYMENT.draft) == ("tax assistant", "02")
    assert report.is_conformant == (report.conforming == report.claimed)
    assert {requirement.outcome for requirement in report.requirements} >= {"met", "declared"}
    assert str(report).startswith('"tax assistant": MARC -02') or "tax assistant" in str(report)
    minimal = marc.Deployment((CORPUS / "deployment-minimal.toml").read_text()).conformance()
    assert not minimal.is_conformant and minimal.conforming == []
    with pytest.raises(ValueError, match=r"line 1.*column|1:"):
        marc.Deployment("nme = 1")


def test_wording() -> None:
    text = "größer 🎉: I feel sure."
    assert [text[found.start : found.end] for found in marc.check_wording(text)] != []
    assert all(found.section.startswith("MARC-02") for found in marc.check_wording(text))
    assert marc.check_wording("The tax year 2024 or 2025 could be meant.") == []
