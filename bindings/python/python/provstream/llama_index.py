"""Output parser of LlamaIndex that asks for annotations and removes them from the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.types import BaseOutputParser

from provstream import emit
from provstream._clean import Decide, clean
from provstream._native import Event

__all__ = ["ProvstreamOutputParser"]


class ProvstreamOutputParser(BaseOutputParser):  # type: ignore[misc, unused-ignore]
    """Removes the annotations from a model's text, or with a policy withholds text.

    `instructions` are put after each prompt; those of `provstream.emit.prompt` unless others are given. `on_event` is called with each
    event.
    """

    def __init__(
        self,
        *,
        policy: Decide | None = None,
        on_event: Callable[[Event], object] | None = None,
        instructions: str | None = None,
    ) -> None:
        self._policy = policy
        self._on_event = on_event
        self._instructions = emit.prompt() if instructions is None else instructions

    def parse(self, output: str) -> Any:
        """Returns the clean text of an answer."""
        return "".join(clean(iter([output]), policy=self._policy, on_event=self._on_event))

    def format(self, query: str) -> str:
        """Returns a prompt that asks for annotations."""
        return f"{query}\n\n{self._instructions}" if self._instructions else query
