"""LiteLLM, LangChain and LlamaIndex."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import litellm
import provstream
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from litellm.types.utils import Delta, ModelResponse, ModelResponseStream, StreamingChoices
from provstream import Action
from provstream.langchain import ProvstreamOutputParser as LangChainParser
from provstream.litellm import ProvstreamGuardrail
from provstream.llama_index import ProvstreamOutputParser as LlamaIndexParser

TEXT = "It is so. [substrate.grep] Really. [unverified-inference] End"
CLEAN = "It is so. Really. End"


def withhold(question: provstream.Question) -> Action:
    return Action.replace("(?)") if "unverified-inference" in question.assertion.classes else Action.release()


def pieces() -> Iterator[str]:
    for at in range(0, len(TEXT), 5):
        yield TEXT[at : at + 5]


async def chunks() -> AsyncIterator[ModelResponseStream]:
    for piece in pieces():
        yield ModelResponseStream(choices=[StreamingChoices(index=0, delta=Delta(content=piece, role="assistant"))])
    yield ModelResponseStream(choices=[StreamingChoices(index=0, delta=Delta(), finish_reason="stop")])


async def hooked(guardrail: ProvstreamGuardrail, response: Any) -> list[Any]:
    return [chunk async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, response, {})]


def test_litellm() -> None:
    found: list[provstream.Event] = []
    guardrail = ProvstreamGuardrail(guardrail_name="provstream", on_event=found.append)
    answered = asyncio.run(hooked(guardrail, chunks()))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in answered) == CLEAN
    assert {type(chunk) for chunk in answered} == {ModelResponseStream}
    assert answered[-1].choices[0].finish_reason == "stop"
    assert sum(isinstance(event, provstream.Assertion) for event in found) == 2

    whole = litellm.completion("gpt-4o", messages=[{"role": "user", "content": "?"}], mock_response=TEXT)
    cleaned = asyncio.run(guardrail.async_post_call_success_hook({}, None, whole))
    assert isinstance(cleaned, ModelResponse)
    assert cleaned.choices[0].message.content == CLEAN
    assert cleaned.usage.total_tokens == whole.usage.total_tokens


def test_litellm_streams(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(?)"\n')
    guardrail = ProvstreamGuardrail(guardrail_name="provstream", policy_file=str(policy))

    async def main() -> list[Any]:
        stream = await litellm.acompletion("gpt-4o", messages=[{"role": "user", "content": "?"}], mock_response=TEXT, stream=True)
        return await hooked(guardrail, stream)

    answered = asyncio.run(main())
    assert "".join(chunk.choices[0].delta.content or "" for chunk in answered) == "(?) (?) End"
    with pytest.raises(OSError):
        ProvstreamGuardrail(policy_file=str(tmp_path / "missing.toml"))


def test_langchain() -> None:
    parser = LangChainParser()
    assert parser.invoke(TEXT) == parser.parse(TEXT) == CLEAN
    assert parser.invoke(AIMessage([{"type": "text", "text": TEXT}])) == CLEAN
    chain = GenericFakeChatModel(messages=iter([AIMessage(TEXT)] * 3)) | LangChainParser(policy=withhold)
    assert chain.invoke("?") == "It is so. (?) End"
    streamed = list(chain.stream("?"))
    assert len(streamed) > 2 and "".join(streamed) == "It is so. (?) End"

    async def main() -> list[str]:
        return [piece async for piece in chain.astream("?")]

    assert "".join(asyncio.run(main())) == "It is so. (?) End"


def test_llama_index() -> None:
    from llama_index.core.llms import CustomLLM, CompletionResponse, CompletionResponseGen, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback

    asked: list[str] = []

    class Model(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        @llm_completion_callback()
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
            asked.append(prompt)
            return CompletionResponse(text=TEXT)

        @llm_completion_callback()
        def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
            raise NotImplementedError

    from llama_index.core.prompts import PromptTemplate

    model = Model(output_parser=LlamaIndexParser())
    assert model.predict(PromptTemplate("What is {what}?"), what="so") == CLEAN
    assert "What is so?" in asked[0] and "substrate.grep" in asked[0]
    parser = LlamaIndexParser(policy=withhold, instructions="")
    assert parser.parse(TEXT) == "It is so. (?) End" and parser.format("?") == "?"
