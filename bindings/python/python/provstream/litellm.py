"""Guardrail of LiteLLM's proxy that cleans or gates the answers of models.

```yaml
guardrails:
  - guardrail_name: provstream
    litellm_params: {guardrail: provstream.litellm.ProvstreamGuardrail, mode: post_call, policy_file: policy.toml}
```
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.llms.openai import ResponsesAPIResponse
from litellm.types.utils import ModelResponse, TextCompletionResponse

from provstream._clean import CleanStream, Decide, Driver, Settings, clean_response
from provstream._native import Event, Policy, Response
from provstream._objects import to_value

__all__ = ["ProvstreamGuardrail"]

FORMATS = {ModelResponse: "openai-chat", TextCompletionResponse: "openai-chat", ResponsesAPIResponse: "openai-responses"}
"""Classes of LiteLLM that are used only for a model's answers, and their formats."""

MEMBERS = frozenset(("candidates", "choices", "content", "generated_text", "message", "output", "outputs", "parts", "response", "steps"))
"""Members with the text of an answer, in all formats."""


class ProvstreamGuardrail(CustomGuardrail):  # type: ignore[misc, unused-ignore]
    """Removes the annotations from answers, or with a policy withholds text.

    It reads what a model answers: chat and text completions, responses, and what has the format of a provider, such as Anthropic's
    messages. Everything else that LiteLLM's proxy gives to a guardrail passes: embeddings, images, transcriptions, files, search results.

    `policy` is a policy, or `policy_file` the path of one; `on_event` is called with each event. Raises `ValueError` for a policy that is
    wrong and `OSError` for a file that cannot be read.
    """

    def __init__(
        self,
        *,
        policy: Decide | None = None,
        policy_file: str | None = None,
        on_event: Callable[[Event], object] | None = None,
        **settings: Any,
    ) -> None:
        if policy_file is not None:
            policy = Policy.from_file(policy_file)
        self._policy = policy
        self._on_event = on_event
        super().__init__(**settings)

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """Cleans an answer that is not streamed."""
        format = _format(response)
        return response if format is None else clean_response(response, policy=self._policy, on_event=self._on_event, format=format)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Cleans an answer while it streams."""
        async with _CleanChunks(response, Settings(self._policy, "auto"), self._on_event) as stream:
            async for chunk in stream:
                yield chunk


def _format(response: Any) -> str | None:
    """Returns the format of an answer, or `None` if a response is not a model's answer."""
    for kind, format in FORMATS.items():
        if isinstance(response, kind):
            return format
    # Before more of it is read: embeddings may be long.
    names = response if isinstance(response, Mapping) else getattr(response, "model_fields_set", ())
    if MEMBERS.isdisjoint(names):
        return None
    try:
        data = json.dumps(to_value(response), default=to_value)
    except (TypeError, ValueError):
        return None
    reader = Response()
    reader.push(data)
    reader.finish()
    return reader.format


class _CleanChunks(CleanStream[Any]):
    """Clean stream of LiteLLM chunks."""

    def _start(self, chunk: Any) -> Driver:
        return _Chunks(super()._start)


class _Chunks:
    """Writes chunks of mixed types: objects, server-sent events as bytes or `str`, and others, which pass unchanged."""

    def __init__(self, start: Callable[[Any], Driver]) -> None:
        self._begin = start
        self._driver: Driver | None = None
        self._kind = ""
        self._ready: list[Any] = []

    def push(self, chunk: Any) -> list[Any]:
        kind = _kind(chunk)
        if kind != self._kind:
            # Text that is held back comes before a chunk of another kind.
            self._ready += self.finish()
            self._kind, self._driver = kind, None if kind == "" else self._begin(chunk)
        self._ready += [chunk] if self._driver is None else self._driver.push(chunk)
        written, self._ready = self._ready, []
        return written

    def finish(self) -> list[Any]:
        return [] if self._driver is None else self._driver.finish()


def _kind(chunk: Any) -> str:
    """Returns the type of chunk by which a driver is chosen; empty for chunks that pass unchanged."""
    if isinstance(chunk, str):
        return "" if _is_error(chunk) else "str"
    if isinstance(chunk, bytes):
        return "bytes"
    return "object" if isinstance(chunk, Mapping) or hasattr(chunk, "model_dump") else ""


def _is_error(chunk: str) -> bool:
    """Returns `True` for an error, which LiteLLM puts among the objects of a stream as a server-sent event."""
    try:
        value = json.loads(chunk.removeprefix("data: "))
    except ValueError:
        return False
    return isinstance(value, dict) and value.keys() == {"error"}
