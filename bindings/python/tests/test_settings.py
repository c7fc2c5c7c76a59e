"""Settings and results as values: built from files and keywords, compared, copied and sent to other processes."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import provstream
import pytest
from provstream import Discipline, Limits, Policy, Vocabulary

TEXT = "It is so. [substrate.grep; ts=2026-05-28T11:40:00Z] Really. [unverified-inference]"
TOML = '''
version = "one"
floor = 1
default_window = "1h"
language = "en"
[inadmissible]
action = "mark"
before = { en = "⟦please check: ", de = "⟦bitte prüfen: " }
after = "⟧"
'''
OWN = 'version = "1.1"\n[[class]]\nid = "substrate.x"\nsince = "1.1"\n'


def test_version() -> None:
    assert provstream.__version__.count(".") == 2
    try:
        assert provstream.__version__ == metadata.version("provstream")
    except metadata.PackageNotFoundError:
        pass


def test_ready_policies() -> None:
    assert (Policy("own-state").floor, Policy("external").floor) == (2, 3)
    gate = provstream.Gate(Policy("own-state"), now="2026-05-28T12:00:00Z")
    assert gate.push("It runs. [substrate.grep] So.") + gate.finish() == "(not corroborated) So."


def test_the_text_of_a_policy_is_a_policy() -> None:
    text = "It runs. [substrate.grep] So."
    for policy in ("own-state", Policy("own-state")):
        assert "".join(provstream.clean([text], policy=policy)) == "(not corroborated) So."
        gate = provstream.Gate(policy)
        assert gate.push(text) + gate.finish() == "(not corroborated) So."
        response = {"choices": [{"message": {"content": text}}]}
        assert provstream.clean_response(response, policy=policy)["choices"] == [{"message": {"content": "(not corroborated) So."}}]
        page = provstream.parse(text).report(policy, now="2026-05-28T12:00:00Z")
        assert page == provstream.parse(text).report(Policy("own-state"), now="2026-05-28T12:00:00Z")
    own = 'floor = 1\nwindows = {"substrate.x" = "1h"}\n[inadmissible]\naction = "discard"\n'
    assert "".join(provstream.clean(["A. [substrate.x] B."], policy=own, vocabulary=Vocabulary(OWN))) == "B."


@pytest.mark.parametrize("text", ["own_state", "policy.toml", ""])
def test_a_text_that_is_not_a_policy(text: str) -> None:
    message = f'unknown policy "{text}", expected one of "own-state", "external", or the text of a policy file; Policy.from_file reads a file'
    creates: list[Callable[[], object]] = [
        lambda: Policy(text), lambda: provstream.clean([], policy=text), lambda: provstream.parse("").report(text)
    ]
    for create in creates:
        with pytest.raises(ValueError) as caught:
            create()
        assert str(caught.value) == message
    with pytest.raises(TypeError, match='expected a Policy, the text of one such as "own-state", or a function'):
        provstream.clean([], policy=Path("policy.toml"))  # type: ignore[arg-type]


def test_a_policy_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(TOML, encoding="utf-8")
    for given in (path, str(path)):
        assert Policy.from_file(given, language="de") == Policy(TOML, language="de") != Policy(TOML, language="en")
    path.write_text("floor = 0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"policy\.toml: line 1, column"):
        Policy.from_file(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"policy\.toml: 'utf-8' codec"):
        Policy.from_file(path)
    with pytest.raises(FileNotFoundError) as caught:
        Policy.from_file(tmp_path / "missing.toml")
    assert caught.value.filename == str(tmp_path / "missing.toml")
    with pytest.raises(IsADirectoryError):
        Policy.from_file(tmp_path)
    path.write_text(TOML.replace("floor", 'windows = {"substrate.x" = "1h"}\nfloor'), encoding="utf-8")
    with pytest.raises(ValueError):
        Policy.from_file(path)
    assert Policy.from_file(path, vocabulary=Vocabulary(OWN)).floor == 1


def test_a_policy_of_keywords() -> None:
    marks = {"action": "mark", "before": {"en": "⟦please check: ", "de": "⟦bitte prüfen: "}, "after": "⟧"}
    assert Policy(version="one", floor=1, default_window="1h", inadmissible=marks, language="en") == Policy(TOML)
    assert Policy(version="one", floor=1, default_window=timedelta(hours=1), inadmissible=marks, language="en") == Policy(TOML)
    assert Policy(version="one", floor=1, default_window="1h", inadmissible=marks, language="de") == Policy(TOML.replace('"en"', '"de"'))
    lists = Policy(
        preset="own-state", default_window="1h", windows={"substrate.grep": timedelta(minutes=30)}, inadmissible={"action": "discard"},
        groups=[["substrate.grep", "substrate.git.log"]],
    )
    assert lists == Policy(
        'preset = "own-state"\ndefault_window = "1h"\ngroups = [["substrate.grep", "substrate.git.log"]]\n'
        '[windows]\n"substrate.grep" = "30m"\n[inadmissible]\naction = "discard"\n'
    )
    odd = 'a "quoted" \\ line\n\t\x00\x7f ⟦🎉'
    gate = provstream.Gate(Policy(floor=1, default_window="1h", inadmissible={"action": "replace", "text": odd}))
    assert gate.push("It is so. [unverified-inference]") + gate.finish() == odd
    vocabulary = Vocabulary(OWN)
    assert Policy(floor=1, windows={"substrate.x": "1h"}, inadmissible={"action": "discard"}, vocabulary=vocabulary).floor == 1


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ({}, TypeError),
        ({"toml": TOML, "floor": 1}, TypeError),
        ({"floor": 1}, ValueError),
        ({"floor": 0, "inadmissible": {"action": "discard"}}, ValueError),
        ({"flor": 1, "inadmissible": {"action": "discard"}}, ValueError),
        ({"floor": True, "inadmissible": {"action": "discard"}}, ValueError),
        ({"floor": 1.5, "inadmissible": {"action": "discard"}}, ValueError),
        ({"floor": None}, TypeError),
        ({"floor": 1, "inadmissible": {"action": object()}}, TypeError),
        ({"floor": 1, "inadmissible": {1: "discard"}}, TypeError),
        ({"floor": 1, "default_window": timedelta(microseconds=1)}, ValueError),
        ({"floor": 1, "default_window": timedelta(-1)}, ValueError),
        ({"floor": 1, "inadmissible": {"action": "replace", "text": "\ud800"}}, ValueError),
    ],
)
def test_keywords_that_are_wrong(keys: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Policy(**keys)


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ({"default_windw": "1h"}, TypeError, 'unexpected keyword argument "default_windw"; did you mean "default_window"'),
        ({"window": {}}, TypeError, 'unexpected keyword argument "window"; did you mean "windows"'),
        ({"x": 1}, TypeError, 'unexpected keyword argument "x"; expected one of default_window, windows, skew, groups, vocabulary'),
        ({"windows": {"substrate.grp": "1h"}}, ValueError, 'expected a class of vocabulary 1.0, found "substrate.grp"; did you mean "substrate.grep"'),
        ({"windows": {"xyz": "1h"}}, ValueError, 'expected a class of vocabulary 1.0, found "xyz"; Vocabulary.classes has all'),
        (
            {"default_window": "1h", "groups": [["substrate.git.lag"]]},
            ValueError,
            'expected a class of vocabulary 1.0, found "substrate.git.lag"; did you mean "substrate.git.log"',
        ),
        ({}, ValueError, 'expected default_window or windows, such as default_window="1h", found neither: without a window no annotation counts'),
        ({"windows": {}}, ValueError, 'expected default_window or windows, such as default_window="1h", found neither: without a window no annotation counts'),
        ({"default_window": "0s"}, ValueError, "expected windows above zero, found one of 0"),
        ({"windows": {"substrate.grep": timedelta(0)}}, ValueError, "expected windows above zero, found one of 0"),
        (
            {"windows": {"substrate.grep": "1h"}},
            ValueError,
            "expected a floor of at most 1, the number of classes with a window that can count, found 2",
        ),
        (
            {"windows": {"substrate.grep": "1h", "substrate.git.log": "1h"}, "groups": [["substrate.grep", "substrate.git.log", "substrate.code.read"]]},
            ValueError,
            "expected a floor of at most 1, the number of classes with a window that can count, found 2",
        ),
    ],
)
def test_disciplines_that_are_wrong(keys: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Discipline(2, **keys)
    assert str(caught.value) == message


SETTINGS: list[tuple[Any, Any]] = [
    (Policy(TOML), Policy(TOML.replace("floor = 1", "floor = 2"))),
    (Policy(TOML, language="de"), Policy(TOML, language="en")),
    (Policy(floor=1, windows={"substrate.x": "1h"}, inadmissible={"action": "discard"}, vocabulary=Vocabulary(OWN)), Policy(TOML)),
    (Vocabulary(), Vocabulary(OWN)),
    (Vocabulary(OWN), Vocabulary()),
    (Limits(max_assertion=100), Limits()),
    (Limits(max_pending=4_096), Limits()),
    (Limits(max_annotation=9, max_annotations=8, max_depth=7, max_pointer=6, max_record=5), Limits(max_pending=9)),
    (Discipline(1, default_window="1h"), Discipline(2, default_window="1h")),
    (
        Discipline(1, windows={"substrate.x": timedelta(seconds=1, microseconds=5)}, skew="5s", groups=[["substrate.x"]], vocabulary=Vocabulary(OWN)),
        Discipline(1, windows={"substrate.x": "1s"}, vocabulary=Vocabulary(OWN)),
    ),
    (provstream.parse(TEXT), provstream.parse(TEXT + " ")),
    (provstream.parse(TEXT, limits=Limits(max_assertion=4)), provstream.parse(TEXT)),
    (provstream.parse(TEXT.encode()), provstream.parse(TEXT)),
]


@pytest.mark.parametrize("at", range(len(SETTINGS)))
def test_values(at: int) -> None:
    one, other = SETTINGS[at]
    for same in (copy.copy(one), copy.deepcopy(one), *(pickle.loads(pickle.dumps(one, protocol)) for protocol in range(2, 6))):
        assert type(same) is type(one) and same == one and hash(same) == hash(one) and same != other
        assert repr(same) == repr(one)
    assert one != other and len({one, copy.copy(one), other}) == 2 and one != "x"


def judged(given: tuple[Policy, Discipline, Limits, str]) -> tuple[str, list[bool], provstream.Parsed[str]]:
    policy, discipline, limits, text = given
    parsed = provstream.parse(text, limits=limits)
    gate = provstream.Gate(policy, now="2026-05-28T12:00:00Z")
    verdicts = [discipline.judge(one, now="2026-05-28T12:00:00Z").admitted for one in parsed]
    return gate.push(text) + gate.finish(), verdicts, parsed


def test_other_processes() -> None:
    given = (Policy(TOML, language="de"), Discipline(1, default_window="1h"), Limits(max_assertion=200), TEXT)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        [found] = pool.map(judged, [given])
    assert found == judged(given) == ("It is so. ⟦bitte prüfen: Really.⟧", [True, False], provstream.parse(TEXT, limits=given[2]))


def test_parsed_is_a_sequence_of_assertions() -> None:
    parsed = provstream.parse(TEXT)
    assert len(parsed) == 2 and [one.text for one in parsed] == ["It is so.", "Really."]
    assert parsed[0] == parsed.assertions[0] and parsed[-1].text == "Really." and parsed[:1] == [parsed[0]]
    with pytest.raises(IndexError):
        parsed[2]
    assert provstream.parse("") and len(provstream.parse("")) == 0


@pytest.mark.parametrize("text", [TEXT, "[substrate.grep", '{"assertion": "x", "provenance": {}}', '{"marc_version": "1.0"}', ""])
def test_dicts(text: str) -> None:
    parsed = provstream.parse(text)
    assert [event.to_dict() for event in parsed.events] == [json.loads(event.to_json()) for event in parsed.events]
    assert parsed.to_dict() == {"clean": parsed.clean, "events": [event.to_dict() for event in parsed.events]}
    json.dumps(provstream.parse(text.encode()).to_dict())
    decisions: list[provstream.Event] = []
    gate = provstream.Gate(Policy(TOML), on_event=decisions.append, max_held=2)
    gate.push(text)
    gate.finish()
    assert all(event.to_dict() == json.loads(event.to_json()) for event in decisions)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-05-28T11:40:00Z", datetime(2026, 5, 28, 11, 40, tzinfo=timezone.utc)),
        ("2026-05-28T11:40:00.5Z", datetime(2026, 5, 28, 11, 40, 0, 500_000, tzinfo=timezone.utc)),
        ("2026-05-28T11:40:00.1234569Z", datetime(2026, 5, 28, 11, 40, 0, 123_456, tzinfo=timezone.utc)),
        ("2026-05-28T13:40:00+02:00", datetime(2026, 5, 28, 11, 40, tzinfo=timezone.utc)),
        ("1969-12-31T23:59:59.25Z", datetime(1969, 12, 31, 23, 59, 59, 250_000, tzinfo=timezone.utc)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=timezone.utc)),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc)),
        ("0000-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-01:00", None),
        ("yesterday", None),
    ],
)
def test_times(written: str, expected: datetime | None) -> None:
    [annotation] = provstream.parse(f"It is so. [substrate.grep; ts={written}]").annotations
    assert annotation.time == expected
    [inner] = provstream.parse(f"It is so. [substrate.grep; ts={written}]")[0].annotations
    assert inner.time == expected


def test_a_time_that_is_missing() -> None:
    assert provstream.parse("It is so. [substrate.grep]").annotations[0].time is None
