"""Cleans objects of SDKs: converts them to JSON, through a response, and back."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from provstream._native import Response

Key = tuple[str | None, ...]

MOST_KINDS = 256
"""Most kinds of object kept as models for added objects. No SDK has as many."""

NUMBER = "provstream.number"
"""Member with the number of a line's object during processing. Added lines have none."""


class Objects:
    """Writes the objects of a provider's SDK.

    Each becomes a line of JSON, and the compiled part writes the lines. A line that comes out as it went in is the object itself.
    Any other becomes an object of the class of those with the same `type`.
    """

    def __init__(self, response: Response) -> None:
        # Only here, so that importing the package stays quick.
        import json

        self._dumps, self._loads = json.dumps, json.loads
        self.response = response
        self._count = 0
        self._pending: deque[tuple[int, bytes, Any]] = deque()
        self._latest: dict[Key, Any] = {}
        self._rest = b""

    def push(self, item: Any) -> list[Any]:
        """Processes an object, and returns the objects that are certain now."""
        value = to_value(item)
        numbered = {**value, NUMBER: self._count}
        # A surrogate pair may be split between two objects, so that there may be a lone surrogate, which UTF-8 does not have.
        line = self._dumps(numbered, separators=(",", ":"), default=members).encode()
        self._pending.append((self._count, line, item))
        self._count += 1
        if len(self._latest) < MOST_KINDS or _key(value) in self._latest:
            self._latest[_key(value)] = item
        return self._match(self.response.push(line + b"\n"))

    def finish(self) -> list[Any]:
        """Ends the stream, and returns the remaining objects."""
        found = self._match(self.response.finish() + b"\n")
        self._pending.clear()
        return found

    def _match(self, written: bytes) -> list[Any]:
        if not written:
            return []
        *lines, self._rest = (self._rest + written).split(b"\n")
        return [self._object(line) for line in lines if line]

    def _object(self, line: bytes) -> Any:
        """Returns the object of a line."""
        if self._pending and self._pending[0][1] == line:
            return self._pending.popleft()[2]
        value = self._loads(line)
        number = value.pop(NUMBER, None)
        if number is not None:
            # Lines keep their order, so those before this one were removed.
            while self._pending and self._pending[0][0] < number:
                self._pending.popleft()
            if self._pending and self._pending[0][0] == number:
                _, before, item = self._pending.popleft()
                return item if before == line else from_value(value, item)
        like = self._latest.get(_key(value))
        if like is None:
            like = next(iter(self._latest.values()))
            return _build(_class_of_type(type(_inner(like)), value), value, None)
        return from_value(value, like)


def _key(value: Mapping[str, Any]) -> Key:
    """Returns the members that distinguish kinds of object in a stream."""
    named = (value.get(name) for name in ("type", "object", "event_type"))
    return tuple(name if isinstance(name, str) else None for name in named)


def members(value: Any) -> dict[str, Any]:
    """Returns the members of a mapping that is not a `dict`, or of an object of an SDK, for the JSON encoder."""
    if isinstance(value, Mapping) or hasattr(value, "model_dump"):
        return dict(to_value(value))
    raise TypeError(f"expected what can be written as JSON, found {type(value).__name__}")


def _inner(item: Any) -> Any:
    """Returns the content of a wrapper object, as Mistral's SDK has them, or the object itself."""
    data = getattr(item, "data", None)
    return data if hasattr(data, "model_dump") else item


def to_value(item: Any) -> Mapping[str, Any]:
    """Returns the members of an object as the provider sent them.

    Raises `TypeError` for something that is not an object of an SDK.
    """
    if isinstance(item, Mapping):
        return item
    inner = _inner(item)
    if not hasattr(inner, "model_dump"):
        raise TypeError(
            f"expected str, bytes or an object of a provider's SDK, found {type(item).__name__}: for its text, pass an iterable of str"
        )
    value: Mapping[str, Any] = inner.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    return value


def from_value(value: dict[str, Any], like: Any) -> Any:
    """Builds an object with these members, with the class and the non-member attributes of `like`."""
    if isinstance(like, Mapping):
        return value
    inner = _inner(like)
    try:
        built = _patched(inner, to_value(inner), value)
    except _OtherShapeError:
        built = _build(type(inner), value, inner)
    return built if inner is like else like.model_copy(update={"data": built})


class _OtherShapeError(Exception):
    """A copy of an object cannot have other members by changing its strings only."""


def _patched(item: Any, before: Any, after: Any) -> Any:
    """Copies an object with JSON `before`, changing the strings that differ in `after`; equal parts are shared."""
    if before == after:
        return item
    if isinstance(after, dict) and isinstance(before, dict) and before.keys() == after.keys():
        changed = [key for key in after if before[key] != after[key]]
        if isinstance(item, dict):
            return {**item, **{key: _patched(item[key], before[key], after[key]) for key in changed}}
        if hasattr(item, "model_copy"):
            copy = item.model_copy()
            names = {field.serialization_alias or field.alias: name for name, field in type(item).model_fields.items()}
            for key in changed:
                name = names.get(key, key)
                value = _patched(getattr(item, name), before[key], after[key])
                # Assigning an attribute would validate it.
                home = copy.__dict__ if name in copy.__dict__ else copy.__pydantic_extra__
                if home is None or name not in home:
                    raise _OtherShapeError
                home[name] = value
            return copy
    elif isinstance(item, list) and isinstance(after, list) and len(item) == len(before) == len(after):
        return [_patched(*three) for three in zip(item, before, after, strict=True)]
    elif isinstance(item, str) and isinstance(after, str) and type(item) is str:
        return after
    raise _OtherShapeError


def _build(kind: Any, value: dict[str, Any], like: Any) -> Any:
    construct = kind.model_construct
    # SDKs that accept more than they document build objects without validation.
    if construct.__func__.__module__.split(".")[0] == kind.__module__.split(".")[0]:
        built = construct(**value)
    else:
        built = kind.model_validate(value)
    if like is not None:
        private = getattr(like, "__pydantic_private__", None)
        if private:
            object.__setattr__(built, "__pydantic_private__", dict(private))
        for name, field in kind.model_fields.items():
            # Attributes that are not part of the response, such as its headers.
            if field.exclude and name in like.model_fields_set:
                setattr(built, name, getattr(like, name))
    return built


def _class_of_type(near: Any, value: Mapping[str, Any]) -> Any:
    """Returns the SDK's class for objects with a `type` that the stream has not had so far."""
    wanted = value.get("type")
    package = near.__module__.split(".")[0]
    for name in (f"{package}.types", package):
        module = sys.modules.get(name)
        for kind in vars(module).values() if module else ():
            field = getattr(kind, "model_fields", {}).get("type") if isinstance(kind, type) else None
            if field is not None and wanted in getattr(field.annotation, "__args__", ()):
                return kind
    return near
