"""Answers that are not streamed: texts, responses of SDKs, and lists of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from provstream import _native
from provstream._objects import Objects, from_value, members, to_value

A = TypeVar("A")
Texts = list[tuple[str, list[Any]]]
"""Texts of an answer: for each its channel and its pieces, between which something else comes, such as a tool call."""

ROLES = ("assistant", "model")
"""Roles of the messages that a model wrote."""


def is_text(answer: object) -> bool:
    """Returns `True` for a text, and `False` for an object that has texts."""
    return isinstance(answer, (str, bytes, bytearray, memoryview))


def without_surrogates(text: str) -> str:
    """Replaces surrogates: a pair by the character that it encodes, a lone one by U+FFFD, as in `parse`."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def texts(answer: Any) -> tuple[Texts, bool]:
    """Returns the texts of an answer, and `True` if all of them were read.

    The channel of a text is empty, and that of a message is its number in the list.
    """
    if is_text(answer):
        return [("", [answer])], True
    # Only here, so that importing the package stays quick.
    import json

    def read(value: Mapping[str, Any], format: str | None, message: int | None) -> tuple[Texts, bool]:
        return _native.response_texts(json.dumps(value, default=members).encode(), format, message)

    messages = _messages(answer)
    if messages is None:
        return read(_value(answer), None, None)
    found: Texts = []
    is_complete = True
    for number, _, value in _answers(messages):
        format, response, _ = _response(value)
        read_texts, is_read = read(response, format, number)
        found += read_texts
        is_complete &= is_read
    return found, is_complete


def to_data(answer: Any) -> Any:
    """Converts a response or messages to plain data."""
    import json

    return json.loads(json.dumps(answer, default=members))


def strip(answer: A, dialects: Any = None, sources: Any = None, render: Any = None, vocabulary: Any = None) -> A:
    """Removes the annotations from the texts of an answer, and the markers of citations in these dialects, or writes them anew."""
    settings = {"dialects": dialects, "sources": sources, "render": render, "vocabulary": vocabulary}
    if is_text(answer):
        return _native.parse(answer, **settings)[1]  # type: ignore[type-var]
    messages = _messages(answer)
    if messages is None:
        _value(answer)
        return _strip_response(answer, None, settings)
    clean = list(messages)
    for number, message, value in _answers(messages):
        format, response, path = _response(value)
        stripped: Any = _strip_response(response, format, settings)
        if stripped is not response:
            for key in path:
                stripped = stripped[key]
            if "type" not in value:
                stripped.pop("type", None)
            clean[number] = from_value(stripped, message)
    if isinstance(answer, list):
        return clean  # type: ignore[return-value]
    return tuple(clean) if isinstance(answer, tuple) else clean[0]  # type: ignore[return-value]


def _strip_response(response: A, format: str | None, settings: dict[str, Any]) -> A:
    objects = Objects(_native.Response(format=format, **settings))
    written = [*objects.push(response), *objects.finish()]
    if objects.response.format is None:
        raise ValueError(
            'expected the response of a provider or messages with "role" and "content", found an object of another shape'
        )
    [stripped] = written
    return stripped  # type: ignore[no-any-return]


def _messages(answer: Any) -> list[Any] | None:
    """Returns the messages of an answer; `None` for a response."""
    if isinstance(answer, (list, tuple)):
        return list(answer)
    value = _value(answer)
    # Anthropic's responses have a role and a type.
    is_message = "role" in value and ("content" in value or "parts" in value) and value.get("type") != "message"
    return [answer] if is_message else None


def _answers(messages: list[Any]) -> Iterator[tuple[int, Any, Mapping[str, Any]]]:
    """Yields the messages that a model wrote, with their numbers and their members."""
    for number, message in enumerate(messages):
        value = _value(message, "a message of a list")
        if value.get("role") in ROLES:
            yield number, message, value


def _value(answer: Any, what: str = "text, the response of an SDK or a list of messages") -> Mapping[str, Any]:
    try:
        return to_value(answer)
    except TypeError:
        hint = ": for a list of texts, use provstream.arrow.extract" if is_text(answer) else ""
        raise TypeError(f"expected {what}, found {type(answer).__name__}{hint}") from None


def _response(message: Mapping[str, Any]) -> tuple[str, dict[str, Any], tuple[str | int, ...]]:
    """Wraps a message in a response of the format that its content has; returns the format, the response and the path of the message."""
    content = message.get("content")
    if "parts" in message:
        return "gemini", {"candidates": [{"content": message}]}, ("candidates", 0, "content")
    if not isinstance(content, list):
        return "openai-chat", {"choices": [{"message": message}]}, ("choices", 0, "message")
    if any(_type(part) == "output_text" for part in content):
        return "openai-responses", {"object": "response", "output": [{**message, "type": "message"}]}, ("output", 0)
    return "anthropic", {**message, "type": "message"}, ()


def _type(part: Any) -> Any:
    return part.get("type") if isinstance(part, Mapping) else getattr(part, "type", None)
