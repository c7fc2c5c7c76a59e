"""A guardrail of LiteLLM's proxy that cleans or gates what models answer.

```yaml
guardrails:
  - guardrail_name: provstream
    litellm_params: {guardrail: provstream.litellm.ProvstreamGuardrail, mode: post_call, policy_file: policy.toml}
```
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from litellm.integrations.custom_guardrail import CustomGuardrail

from provstream._clean import Decide, clean, clean_response
from provstream._native import Event, Policy

__all__ = ["ProvstreamGuardrail"]


class ProvstreamGuardrail(CustomGuardrail):  # type: ignore[misc, unused-ignore]
    """Removes the annotations from answers, or with a policy withholds what that does not release.

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
            policy = Policy(Path(policy_file).read_text(encoding="utf-8"))
        self._policy = policy
        self._on_event = on_event
        super().__init__(**settings)

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """Cleans an answer that is not streamed."""
        return clean_response(response, policy=self._policy, on_event=self._on_event)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Cleans an answer while it streams."""
        async with clean(response, policy=self._policy, on_event=self._on_event) as stream:
            async for chunk in stream:
                yield chunk
