"""Output parser of LangChain that returns a model's clean text, also while it streams.

`chain = prompt | model | ProvstreamOutputParser(policy=policy)`
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.output_parsers.transform import BaseTransformOutputParser

from provstream._clean import CleanStream, Decide, clean
from provstream._native import Event

__all__ = ["ProvstreamOutputParser"]


class ProvstreamOutputParser(BaseTransformOutputParser[str]):
    """Removes the annotations from a model's text, or with a policy withholds text.

    `on_event` is called with each event. Of messages it reads the text: strings, and blocks whose type is `text` or that have none.
    """

    policy: Any = None
    """A `Policy`, or a function that takes a `Question` and returns an `Action`."""
    on_event: Callable[[Event], object] | None = None
    """Callback for events."""

    def __init__(
        self, *, policy: Decide | None = None, on_event: Callable[[Event], object] | None = None, **settings: Any
    ) -> None:
        super().__init__(policy=policy, on_event=on_event, **settings)

    @property
    def _type(self) -> str:
        return "provstream"

    def parse(self, text: str) -> str:
        """Returns the clean text of a whole answer."""
        return "".join(self._clean(iter([text])))

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[str]:
        yield from self._clean(_text(chunk) for chunk in input)

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[str]:
        async for chunk in self._clean(_text(chunk) async for chunk in input):
            yield chunk

    def _clean(self, pieces: Iterator[str] | AsyncIterator[str]) -> CleanStream[str]:
        return clean(pieces, policy=self.policy, on_event=self.on_event)


def _text(chunk: str | BaseMessage) -> str:
    """Returns the text of a message chunk, which may have several blocks."""
    if isinstance(chunk, str):
        return chunk
    content = [chunk.content] if isinstance(chunk.content, str) else chunk.content
    return "".join(block if isinstance(block, str) else _text_of_block(block) for block in content)


def _text_of_block(block: dict[str, Any]) -> str:
    """Returns the text of a message block, as `invoke` reads it: reasoning, tool calls and images have none."""
    text = block.get("text")
    return text if block.get("type", "text") in ("text", None) and isinstance(text, str) else ""
