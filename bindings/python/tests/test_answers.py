"""Responses and messages in `strip`, `parse` and `report`, and what a notebook shows."""

from __future__ import annotations

import pickle
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import provstream
import pytest
from provstream import report

CLEAN, TEXT = "Grüße 🎉. It is so. Really.", "Grüße 🎉. It is so. [substrate.grep; observation-id=a<b; ts=2026-05-28T11:40:00Z] Really."
NOW = "2026-05-28T12:00:00Z"
CHAT = {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}]}
ANTHROPIC = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": TEXT}]}


def chat(text: str) -> dict[str, Any]:
    choice = {**CHAT["choices"][0], "message": {"role": "assistant", "content": text}}  # type: ignore[dict-item]
    return {**CHAT, "choices": [choice]}


RESPONSES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (CHAT, chat(CLEAN)),
    (ANTHROPIC, {**ANTHROPIC, "content": [{"type": "text", "text": CLEAN}]}),
    ({"candidates": [{"content": {"parts": [{"text": TEXT}]}}]}, {"candidates": [{"content": {"parts": [{"text": CLEAN}]}}]}),
    ({"message": {"content": TEXT}, "done": True}, {"message": {"content": CLEAN}, "done": True}),
]

MESSAGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"role": "assistant", "content": TEXT}, {"role": "assistant", "content": CLEAN}),
    ({"role": "assistant", "content": [{"type": "text", "text": TEXT}]}, {"role": "assistant", "content": [{"type": "text", "text": CLEAN}]}),
    (
        {"role": "assistant", "content": [{"type": "output_text", "text": TEXT, "annotations": []}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": CLEAN, "annotations": []}]},
    ),
    # A block that was nothing but an annotation of the block before it is removed: Anthropic refuses empty ones.
    (
        {"role": "assistant", "content": [{"type": "text", "text": "Grüße 🎉. It is so."}, {"type": "text", "text": " [substrate.grep]"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Grüße 🎉. It is so."}]},
    ),
    ({"role": "model", "parts": [{"text": TEXT}]}, {"role": "model", "parts": [{"text": CLEAN}]}),
]
OTHERS: list[dict[str, Any]] = [
    {"role": "system", "content": "Write [substrate.grep] after what you looked up."},
    {"role": "user", "content": [{"type": "text", "text": "Is it so? [substrate.grep]"}]},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "tool", "tool_call_id": "1", "content": "x [substrate.grep]"},
]


@pytest.mark.parametrize(("response", "clean"), RESPONSES)
def test_responses(response: dict[str, Any], clean: dict[str, Any]) -> None:
    assert provstream.strip(response) == clean
    assert provstream.strip(clean) is clean
    parsed = provstream.parse(response)
    assert parsed.source is response and parsed.clean == clean and parsed.is_complete
    [assertion] = parsed
    assert list(parsed.texts) == [assertion.channel] and parsed.texts[assertion.channel] == TEXT
    assert TEXT[assertion.start : assertion.end] == assertion.text == "It is so."
    assert parsed.to_dict()["clean"] == clean
    page = report.html(response, now=NOW)
    assert "20 min old" in page and page == parsed.report(now=NOW)


@pytest.mark.parametrize(("message", "clean"), MESSAGES)
def test_messages(message: dict[str, Any], clean: dict[str, Any]) -> None:
    for found, expected in [(message, clean), ([*OTHERS, message], [*OTHERS, clean]), ((message,), (clean,))]:
        assert provstream.strip(found) == expected
        assert provstream.strip(provstream.strip(found)) == expected
        parsed = provstream.parse(found)
        [assertion] = parsed
        assert parsed.clean == expected and assertion.text == "It is so." and parsed.is_complete
        assert assertion.channel.split("/")[0] == ("4" if len(found) == 5 else "0")
        text = parsed.texts[assertion.channel]
        assert text[assertion.start : assertion.end] == "It is so."
        assert "It is so." in report.html(found) and parsed == pickle.loads(pickle.dumps(parsed))
    assert all(provstream.strip([*OTHERS])[at] is OTHERS[at] for at in range(len(OTHERS)))


def test_bytes() -> None:
    assert provstream.strip(TEXT.encode()) == CLEAN.encode()
    source = b'\xff {"assertion": "x", "provenance": "[substrate.grep]"} It is so. [substrate.grep]'
    assert provstream.strip(source) == source.removesuffix(b" [substrate.grep]")


def test_many_messages() -> None:
    messages = [{"role": "assistant", "content": TEXT}] * 600
    assert provstream.strip(messages) == [{"role": "assistant", "content": CLEAN}] * 600
    assert [one.channel for one in provstream.parse(messages)] == [str(at) for at in range(600)]


def test_no_annotation_is_about_text_before_a_tool_call() -> None:
    parts = [{"type": "text", "text": "It is so."}, {"type": "tool_use", "id": "1", "name": "f", "input": {}}]
    parsed = provstream.parse({"role": "assistant", "content": [*parts, {"type": "text", "text": "[substrate.grep] So."}]})
    assert "It is so." not in [one.text for one in parsed]
    assert "nothing" in parsed._repr_html_() and "It is so." in parsed.report()


def test_several_texts() -> None:
    choices = [{"index": at, "message": {"role": "assistant", "content": f"{at} is so. [substrate.grep]", "refusal": "No. [substrate.grep]"}} for at in (0, 1)]
    parsed = provstream.parse({"choices": choices})
    assert [(one.channel, one.text) for one in parsed] == [("0", "0 is so."), ("0 refusal", "No."), ("1", "1 is so."), ("1 refusal", "No.")]
    assert parsed.report().count("Channel 0 refusal") == 1


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (1, TypeError, "^expected text, the response of an SDK or a list of messages, found int$"),
        (["It is so. [substrate.grep]"], TypeError, "^expected a message of a list, found str: for a list of texts, use provstream.arrow.extract$"),
        ([1], TypeError, "^expected a message of a list, found int$"),
        ({"answer": "It is so. [substrate.grep]"}, ValueError, "^expected the response of a provider or messages"),
        ({}, ValueError, "^expected the response of a provider or messages"),
    ],
)
def test_what_is_neither(answer: Any, error: type[Exception], message: str) -> None:
    for function in (provstream.strip, provstream.parse, report.html):
        with pytest.raises(error, match=message):
            function(answer)


def test_text_that_is_not_read() -> None:
    parsed = provstream.parse({"choices": [{"message": {"role": "assistant", "content": TEXT, "note": "So. [substrate.grep]"}}]})
    assert not parsed.is_complete and "Not all text" in parsed._repr_html_() and "Not all text" in parsed.report()


class Marks(HTMLParser):
    """The text of a display, its marks, and their details."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.marks: list[list[str]] = []
        self.stack: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag != "br":
            self.stack.append(tag)
        if tag == "mark" and "tabindex" in given:
            self.marks.append([given.get("class") or "", "", ""])

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "div" in self.stack[1:] and "span" not in self.stack:
            self.text += data
        if "mark" in self.stack and "div" in self.stack[1:]:
            self.marks[-1][2 if "span" in self.stack else 1] += data


def test_a_notebook_shows_the_text() -> None:
    answer = TEXT + " <b>It rains. [unverified-inference] & [substrate.nope] \u202eOdd. [substrate.git.log]"
    page = provstream.parse(answer)._repr_html_()
    shown = Marks(page)
    assert shown.text == CLEAN + " <b>It rains. & U+202EOdd."
    assert [mark[:2] for mark in shown.marks] == [
        ["corroborated", "It is so."],
        ["declared-terminal", "Really. <b>It rains."],
        ["mapped-terminal", "&"],
        ["corroborated", "U+202EOdd."],
    ]
    assert shown.marks[0][2] == "substrate.grep · observation a<b · 2026-05-28T11:40:00Z"
    assert "names an observation" in page and "admitted" not in page.replace("mark.admitted", "").replace("mark.not-admitted", "")
    assert "<script" not in page and "<b>" not in page


def test_a_notebook_shows_verdicts_of_a_discipline() -> None:
    discipline = provstream.Discipline(1, default_window="1h")
    parsed = provstream.parse(TEXT + " [unverified-inference]", discipline=discipline, now=NOW)
    first, second = Marks(parsed._repr_html_()).marks
    assert first[0] == "corroborated admitted" and "admitted: 1 of 1 classes: substrate.grep" in first[2]
    assert second[0] == "declared-terminal not-admitted" and "terminal" in second[2]
    assert pickle.loads(pickle.dumps(parsed)) == parsed != provstream.parse(parsed.source)
    with pytest.raises(TypeError):
        provstream.parse(TEXT, discipline=provstream.Policy("own-state"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^now: expected a time"):
        provstream.parse(TEXT, discipline=discipline, now="noon")


@pytest.mark.parametrize("answer", ["It is so.", "", b"It is so.", chat("It is so."), '{"assertion": "It is so."}'])
def test_a_text_without_annotations(answer: Any) -> None:
    page = provstream.parse(answer)._repr_html_()
    assert "No provenance annotations were found" in page and "emit.prompt" in page and "proxy --demo" in page
    assert ("It is so." in Marks(page).text) == bool(answer)
    assert "No provenance annotations" not in provstream.parse(TEXT)._repr_html_()


def test_json_and_long_texts_in_a_notebook() -> None:
    shown = Marks(provstream.parse('{"assertion": "Ünd so.", "provenance": {"substrate_class": "substrate.grep"}}')._repr_html_())
    assert [mark[:2] for mark in shown.marks] == [["corroborated", "Ünd so."]]
    parsed = provstream.parse("Word. " * 1_000_000 + TEXT)
    page = parsed._repr_html_()
    assert len(page) < 200_000 and "more characters are not shown" in page


def test_pages(tmp_path: Path) -> None:
    page = provstream.parse(TEXT).report(provstream.Policy("own-state"), name="ü", now=NOW)
    assert isinstance(page, str) and page.startswith("<!DOCTYPE html>") and page == str(page) and len(repr(page)) < 60
    assert page._repr_html_().startswith('<iframe sandbox="" ') and page._repr_html_().count('"') == 6
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.encode()
    assert isinstance(report.html(TEXT), report.Page)
