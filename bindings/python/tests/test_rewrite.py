"""Rewriters, gates, and what they promise about callbacks, threads and panics."""

import gc
import threading
import weakref
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import provstream
import pytest
from provstream import Action, Discipline, Gate, Policy, Rewriter

TRANSCRIPTS = sorted((Path(__file__).parents[3] / "corpus" / "transcripts").glob("*.txt"))
NOW = "2026-05-28T12:00:00Z"
POLICY = """
version = "test-1"
floor = 1
default_window = "1h"

[inadmissible]
action = "replace"
text = "(withheld)"
"""
TEXT = "Es regnet 🎉. [substrate.grep; ts=2026-05-28T11:40:00Z] Es schneit. [unverified-inference] So ist es."


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_pieces_do_not_matter(path: Path) -> None:
    text = path.read_text()
    clean, released = provstream.strip(text), None
    for size in (1, 7, 64, len(text)):
        rewriter, gate = Rewriter(), Gate(Policy(POLICY), now=NOW)
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        assert "".join([*map(rewriter.push, cut), rewriter.finish()]) == clean
        gated = "".join([*map(gate.push, cut), gate.finish()])
        released = released or gated
        assert gated == released
        rewriter.reset()
        gate.reset()
        data = text.encode()
        parts = [data[at : at + size] for at in range(0, len(data), size)]
        assert b"".join([*map(rewriter.push, parts), rewriter.finish()]) == clean.encode()
        assert b"".join([*map(gate.push, parts), gate.finish()]) == released.encode()


def test_text_without_annotations_is_not_copied() -> None:
    rewriter = Rewriter()
    for chunk in ("Es regnet,", "und", "b" * 70, "ü" * 9):
        assert rewriter.push(chunk) is chunk
    data = b"It rains"
    rewriter.reset()
    assert rewriter.push(data) is data
    rewriter.reset()
    array = bytearray(b"It rains")
    assert rewriter.push(array) == b"It rains"


def test_surrogates_are_joined() -> None:
    rewriter = Rewriter()
    pieces = [rewriter.push(piece) for piece in ("a\ud83c", "", "\udf89b", "\udf89", "c\ud83c")]
    assert [*pieces, rewriter.finish()] == ["a", "", "🎉b", "\ufffd", "c", "\ufffd"]


def test_gate_reports_decisions() -> None:
    events: list[provstream.Event] = []
    gate = Gate(Policy(POLICY), now=NOW, on_event=events.append)
    released = "".join(str(gate.push(character)) for character in TEXT) + str(gate.finish())
    assert released == "Es regnet 🎉. (withheld) So ist es."
    decisions = [event for event in events if isinstance(event, provstream.Decision)]
    assert [(d.disposition, d.action.kind, TEXT[d.start : d.end]) for d in decisions] == [
        ("admitted", "release", "Es regnet 🎉."),
        ("terminal", "replace", "Es schneit."),
    ]
    assert decisions[0].verdict is not None and decisions[0].verdict.admitted
    assert gate.ended is None


def test_policies_in_python() -> None:
    def decide(question: provstream.Question) -> Action:
        if "unverified-inference" in question.assertion.classes:
            return Action.mark("<", ">")
        return Action.release()

    gate = Gate(decide)
    assert str(gate.push(TEXT)) + str(gate.finish()) == "Es regnet 🎉. <Es schneit.> So ist es."
    for action, end, expected in [
        (Action.suspend(), "suspended", "Es regnet 🎉. "),
        (Action.refuse("No."), "refused", "Es regnet 🎉. No."),
        (Action.discard(), None, "Es regnet 🎉. So ist es."),
    ]:

        def decide_so(question: provstream.Question, action: Action = action) -> Action:
            return Action.release() if question.assertion.text[3] == "r" else action

        gate = Gate(decide_so)
        assert str(gate.push(TEXT)) + str(gate.finish()) == expected
        assert gate.ended == end


def test_a_policy_that_raises_suspends() -> None:
    def decide(question: provstream.Question) -> Action:
        raise LookupError("no policy today")

    gate = Gate(decide)
    with pytest.raises(LookupError, match="no policy today"):
        gate.push(TEXT)
    assert gate.ended == "suspended"
    assert gate.push("More. ") == "" and gate.finish() == ""
    with pytest.raises(TypeError):
        Gate(lambda question: "release").push(TEXT)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="expected a Policy, the text of one"):
        Gate(7)  # type: ignore[arg-type]


def test_no_text_is_lost_when_a_callback_raises() -> None:
    seen: list[str] = []

    def on_event(event: provstream.Event) -> None:
        seen.append(type(event).__name__)
        raise KeyError(len(seen))

    for size in (1, 5, len(TEXT)):
        seen.clear()
        rewriter, out, raised = Rewriter(on_event=on_event), "", 0
        for at in range(0, len(TEXT), size):
            try:
                out += rewriter.push(TEXT[at : at + size])
            except KeyError:
                raised += 1
        while True:
            try:
                out += str(rewriter.finish())
                break
            except KeyError:
                raised += 1
        assert out == provstream.strip(TEXT)
        assert raised == len(seen) == 4 and seen.count("Assertion") == 2


def test_replacements() -> None:
    numbers: list[provstream.Annotation] = []

    def replace(annotation: provstream.Annotation) -> str | None:
        numbers.append(annotation)
        if len(numbers) == 3:
            raise ValueError("three")
        return f"({len(numbers)})" if annotation.class_ == "substrate.grep" else None

    rewriter = Rewriter(replace=replace)
    assert rewriter.push("A. [substrate.grep] B. [unverified-inference] ") == "A. (1) B."
    with pytest.raises(ValueError, match="three"):
        rewriter.push("C. [substrate.grep] D")
    assert rewriter.push("!") + str(rewriter.finish()) == " C. D!"


def test_eight_threads() -> None:
    text = TRANSCRIPTS[0].read_text()
    expected = [event.to_json() for event in provstream.parse(text).events]
    found: list[list[str]] = []

    def run() -> None:
        parser = provstream.Parser()
        events = [event for at in range(0, len(text), 3) for event in parser.push(text[at : at + 3])]
        found.append([event.to_json() for event in events + parser.finish()])

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_one_parser_in_eight_threads() -> None:
    """Each push is whole, or refused with an error that says why."""
    # A push is longer than a thread runs at a time, so that one is refused even if there is one core.
    parser, chunk, pushed, errors = provstream.Parser(), "It is so. " * 2_000_000, [], []

    def run() -> None:
        for _ in range(3):
            try:
                parser.push(chunk)
                pushed.append(len(chunk))
            except provstream.BusyError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert parser.position == sum(pushed)
    assert len(pushed) + len(errors) == 24
    assert errors and set(errors) == {
        "expected one call at a time, found the parser in use by another thread or by its own callback: create one for each thread"
    }


def test_a_callback_cannot_push() -> None:
    rewriter = Rewriter(on_event=lambda event: rewriter.push("x"))
    with pytest.raises(provstream.BusyError, match="by its own callback"):
        rewriter.push("It is so. [substrate.grep]")


def test_panics_are_exceptions(capfd: pytest.CaptureFixture[str]) -> None:
    from provstream import _native

    raised = _native._panic()
    assert [type(error) for error in raised] == [provstream.InternalError] * 3
    assert [str(error) for error in raised] == [
        "the compiled part panicked: on purpose",
        "the test cannot be used after a panic",
        "the compiled part panicked: on purpose",
    ]


def test_disciplines() -> None:
    [first, second] = provstream.parse(TEXT)
    discipline = Discipline(1, windows={"substrate.grep": "30m"})
    verdict = discipline.judge(first, now=NOW)
    assert verdict and verdict.classes == ["substrate.grep"] and verdict.counting == ["counts"]
    assert discipline.judge(second, now=NOW).reason == "terminal"
    late = datetime(2026, 5, 28, 13, tzinfo=timezone.utc)
    assert discipline.judge(first, now=late).counting == ["stale"]
    assert Discipline(1, default_window=timedelta(hours=2)).judge(first, now=late).admitted
    for now, error, match in (
        (datetime(2026, 5, 28), ValueError, "^now: expected a datetime with a time zone, found one without$"),
        ("yesterday", ValueError, '^now: expected a time such as "2026-05-28T12:00:00Z", found "yesterday": expected a digit'),
        (7, TypeError, "^now: expected a time as str"),
    ):
        with pytest.raises(error, match=match):
            discipline.judge(first, now=now)  # type: ignore[arg-type]
    for wrong in ({"windows": {"substrate.nope": "1h"}}, {"default_window": "1 fortnight"}, {"windows": {"unverified-inference": "1h"}}):
        with pytest.raises(ValueError):
            Discipline(1, **wrong)
    with pytest.raises(ValueError, match="at least 1"):
        Discipline(0)


def test_policy_errors_name_the_place() -> None:
    with pytest.raises(ValueError, match="line 2"):
        Policy('floor = 1\nflor = 2\ndefault_window = "1h"\n[inadmissible]\naction = "discard"')
    with pytest.raises(ValueError, match="^now: .*expected a digit"):
        Gate(Policy(POLICY), now="yesterday")


def test_reports() -> None:
    parsed = provstream.parse(TEXT)
    page = parsed.report(Policy(POLICY), name="answer.txt", now=NOW)
    assert "20 min old" in page and "answer.txt" in page
    assert provstream.report.html(TEXT.encode(), Policy(POLICY), name="answer.txt", now=NOW) == page


@pytest.mark.parametrize("kind", ["on_event", "replace", "policy", "response"])
def test_cycles_are_collected(kind: str) -> None:
    """An object whose function refers to its owner goes with it."""

    class Owner:
        def __init__(self) -> None:
            make: dict[str, Callable[[], object]] = {
                "on_event": lambda: Rewriter(on_event=self.use),
                "replace": lambda: Rewriter(replace=self.replace),
                "policy": lambda: Gate(self.decide, on_event=self.use),
                "response": lambda: provstream.Response(policy=self.decide, on_event=self.use),
            }
            self.writer = make[kind]()

        def use(self, event: provstream.Event) -> None: ...

        def replace(self, annotation: provstream.Annotation) -> None: ...

        def decide(self, question: provstream.Question) -> Action:
            return Action.release()

    owner = Owner()
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None


def test_breaks_part_texts() -> None:
    text = "It runs. "
    parser = provstream.Parser()
    assert parser.push(text + "[substrate.grep]") != []
    (before,) = parser.push_break()
    assert isinstance(before, provstream.Assertion) and before.text == "It runs."
    parser.push("[substrate.git.log]")
    after, orphan = parser.finish()
    assert isinstance(after, provstream.Assertion) and (after.text, after.start) == ("", 25)
    assert isinstance(orphan, provstream.Diagnostic) and orphan.code == "orphan"

    rewriter = provstream.Rewriter()
    written = [rewriter.push("It runs. [subst"), rewriter.push_break(), rewriter.push("rate.grep] \ud83d"), rewriter.push_break()]
    assert written == ["It runs.", " [subst", "rate.grep]", " \ufffd"]
    assert rewriter.push("[substrate.grep]x") + rewriter.finish() == "x"

    seen: list[str] = []

    def decide(question: provstream.Question) -> provstream.Action:
        seen.append(question.assertion.text)
        return provstream.Action.discard()

    gate = provstream.Gate(decide)
    assert gate.push(b"It rains") + gate.push_break() == b"It rains"
    assert gate.push(b"[substrate.grep] Bye.") + gate.finish() == b" Bye."
    assert seen == [""]


@pytest.mark.parametrize("gated", [False, True])
def test_members_that_pass(gated: bool) -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"It is so.","note":"SECRET"}}]}\n\n'
    policy = (lambda _: provstream.Action.release()) if gated else None
    for members, passes in [([], False), (["choices[].delta.note"], True), (("x", "choices[].delta"), True), (["note"], False)]:
        response = provstream.Response(policy=policy, pass_members=members)
        written = response.push(body) + response.finish()
        assert (b"SECRET" in written) == (passes or not gated)
        assert response.report.is_complete == passes
        stream = provstream.clean([body], policy=policy, pass_members=members)
        assert b"".join(stream) == written
        assert stream.report is not None and stream.report.is_complete == passes
    with pytest.raises(TypeError):
        provstream.Response(pass_members="note")
