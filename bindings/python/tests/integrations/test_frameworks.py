"""LiteLLM, LangChain and LlamaIndex."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import litellm
import provstream
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration
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


BLOCKS: list[Any] = [
    {"type": "text", "text": "It is so. [substrate."},
    {"type": "reasoning", "reasoning": "Hm.", "text": "HIDDEN"},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "HIDDEN"}]},
    {"type": "thinking", "thinking": "HIDDEN", "text": "HIDDEN", "signature": "x"},
    {"type": "redacted_thinking", "data": "HIDDEN"},
    {"type": "text", "text": None},
    {"type": "text"},
    {"type": "text", "text": 7},
    {"type": "text", "text": ""},
    {"type": "tool_use", "id": "1", "name": "t", "input": {"text": "HIDDEN"}, "text": "HIDDEN"},
    {"type": "tool_call", "id": "1", "name": "t", "args": {}, "text": "HIDDEN"},
    {"type": "input_json_delta", "partial_json": "{}", "text": "HIDDEN"},
    {"type": "image_url", "image_url": {"url": "data:,"}, "text": "HIDDEN"},
    {"type": "image", "base64": "", "text": "HIDDEN"},
    {"type": "file", "text": "HIDDEN"},
    {"type": "refusal", "refusal": "No.", "text": "HIDDEN"},
    {"type": "non_standard", "value": {"text": "HIDDEN"}, "text": "HIDDEN"},
    {"type": "server_tool_result", "output": "HIDDEN", "text": "HIDDEN"},
    {"type": 7, "text": "HIDDEN"},
    {"type": "text", "text": "grep]", "annotations": [{"type": "citation", "cited_text": "HIDDEN"}], "index": 0},
    " Really. [unverified",
    {"text": "-inference]"},
    {"type": None, "text": " End"},
]


def test_langchain_blocks() -> None:
    """Only text is text, and null is nothing, in each way of calling a parser."""
    whole = AIMessage(BLOCKS)
    streamed = [AIMessageChunk([block]) for block in BLOCKS]
    alike = [block for block in BLOCKS if not (isinstance(block, dict) and block.get("type") == "text" and block.get("text") in (None, 7))]
    for policy, expected in ((None, CLEAN), (withhold, "It is so. (?) End")):
        parser = LangChainParser(policy=policy)
        assert parser.invoke(AIMessage(alike)) == expected
        for messages in ([whole], streamed):
            given: list[BaseMessage] = [*messages]
            assert "".join(parser.transform(iter(given))) == expected

            async def chunks(given: list[BaseMessage] = given) -> AsyncIterator[BaseMessage]:
                for one in given:
                    yield one

            async def main() -> str:
                return "".join([piece async for piece in parser.atransform(chunks())])

            assert asyncio.run(main()) == expected


@pytest.mark.parametrize("block", BLOCKS)
def test_langchain_reads_blocks_as_invoke_does(block: Any) -> None:
    message = AIMessage([block])
    try:
        expected = ChatGeneration(message=message).text
    except TypeError:
        expected = ""
    assert "".join(LangChainParser().transform(iter([message]))) == provstream.strip(expected)


@pytest.mark.parametrize("error", [StopIteration, StopAsyncIteration, GeneratorExit])
@pytest.mark.parametrize("name", ["policy", "on_event"])
def test_exceptions_that_end_a_loop(name: str, error: type[BaseException]) -> None:
    """`invoke` returned an empty string."""

    def callback(found: Any) -> Any:
        raise error

    parser = LangChainParser(**{name: callback})
    raised = f"a callback raised {error.__name__}"

    async def several() -> AsyncIterator[str]:
        for piece in pieces():
            yield piece

    async def read(source: AsyncIterator[Any]) -> None:
        async for _ in source:
            pass

    for call in (
        lambda: parser.invoke(TEXT),
        lambda: parser.parse(TEXT),
        lambda: list(parser.transform(pieces())),
        lambda: asyncio.run(parser.ainvoke(TEXT)),
        lambda: asyncio.run(read(parser.atransform(several()))),
        lambda: parser.batch([TEXT]),
        lambda: LlamaIndexParser(**{name: callback}).parse(TEXT),
        lambda: asyncio.run(hooked(ProvstreamGuardrail(guardrail_name="provstream", **{name: callback}), chunks())),
    ):
        with pytest.raises(RuntimeError, match=raised):
            call()
    guardrail = ProvstreamGuardrail(guardrail_name="provstream", **{name: callback})
    whole = litellm.completion("gpt-4o", messages=[{"role": "user", "content": "?"}], mock_response=TEXT)
    with pytest.raises(RuntimeError, match=raised):
        asyncio.run(guardrail.async_post_call_success_hook({}, None, whole))


def answers() -> dict[str, Any]:
    """Returns a model's answers by call type."""
    from litellm.types.llms.openai import ResponsesAPIResponse
    from litellm.types.utils import TextCompletionResponse

    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    output = [{**message, "content": [{"type": "output_text", "text": TEXT, "annotations": []}]}]
    anthropic = {**message, "model": "x", "stop_reason": "end_turn", "content": [{"type": "text", "text": TEXT}]}
    gemini = {"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP"}]}
    return {
        "completion": ModelResponse(choices=[{"index": 0, "message": {"role": "assistant", "content": TEXT}}]),
        "text_completion": TextCompletionResponse(id="x", choices=[{"index": 0, "text": TEXT, "finish_reason": "stop"}]),
        "responses": ResponsesAPIResponse(id="r", created_at=0, output=output, object="response"),
        "anthropic_messages": anthropic,
        "generate_content": gemini,
        "pass_through": {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": {"content": TEXT}}]},
        "llm_passthrough_route": anthropic,
        "create_interaction": {"id": "i", "object": "interaction", "outputs": [{"type": "text", "text": TEXT}]},
    }


def others() -> dict[str, list[Any]]:
    """Returns results of other calls, by prefix of their call types."""
    from litellm.types.llms.openai import HttpxBinaryResponseContent, OpenAIFileObject, OpenAIModerationResponse
    from litellm.types.rerank import RerankResponse
    from litellm.types.utils import EmbeddingResponse, ImageResponse, LiteLLMBatch, TranscriptionResponse

    import httpx

    binary = HttpxBinaryResponseContent(httpx.Response(200, content=b"ID3"))
    file = OpenAIFileObject(id="f", object="file", bytes=1, created_at=0, filename="a", purpose="batch", status="uploaded")
    page = {"object": "list", "data": [{"id": "1", "object": "x", "content": [{"type": "text", "text": TEXT}]}], "has_more": False}
    batch = {"id": "b", "object": "batch", "completion_window": "24h", "created_at": 0, "endpoint": "/v1", "input_file_id": "f"}
    plain = {"id": "1", "object": "thing", "status": "completed", "name": TEXT}
    return {
        "embedding": [EmbeddingResponse(model="x", data=[{"object": "embedding", "index": 0, "embedding": [0.1]}])],
        "image": [ImageResponse(created=0, data=[{"b64_json": "", "revised_prompt": TEXT}])],
        "moderation": [OpenAIModerationResponse(id="m", model="x", results=[]), {"id": "m", "results": [{"flagged": True}]}],
        "transcription": [TranscriptionResponse(text=TEXT), TEXT, {"text": TEXT}],
        "speech": [binary, b"ID3"],
        "rerank": [RerankResponse(id="r", results=[{"index": 0, "relevance_score": 0.5, "document": {"text": TEXT}}])],
        "search": [{"object": "search", "results": [{"title": "x", "url": "x", "snippet": TEXT}]}],
        "realtime": [None],
        "_realtime": [None],
        "responses_websocket": [None],
        "create_batch": [LiteLLMBatch(**batch, status="validating"), batch],
        "retrieve_batch": [batch],
        "cancel_batch": [batch],
        "file": [file, binary, {"id": "f", "object": "file", "deleted": True}, page, []],
        "create_file": [file],
        "video": [plain, binary, b"", page],
        "create_video": [plain],
        "vector_store": [plain, page, {"object": "vector_store.search_results.page", "data": page["data"]}],
        "container": [plain, page],
        "create_container": [plain],
        "list_container": [page, []],
        "retrieve_container": [plain],
        "delete_container": [plain],
        "upload_container": [plain],
        "fine_tuning": [plain, page],
        "create_fine": [plain],
        "cancel_fine": [plain],
        "list_fine": [page, []],
        "retrieve_fine": [plain],
        "get_assistants": [page],
        "create_assistants": [plain],
        "delete_assistant": [plain],
        "create_thread": [plain],
        "get_thread": [plain],
        "add_message": [plain],
        "_add_message": [plain],
        "get_messages": [page],
        "run_thread": [plain],
        "list_input_items": [{"object": "list", "data": [{"type": "message", "content": [{"type": "input_text", "text": TEXT}]}]}],
        "ocr": [{"pages": [{"index": 0, "markdown": TEXT}], "model": "x"}],
        "call_mcp_tool": [{"content": [{"type": "text", "text": "ok"}], "isError": False}, []],
        "list_mcp_tools": [[], [{"name": "tool", "inputSchema": {}}]],
        "create_skill": [plain],
    }


def test_litellm_call_types() -> None:
    """Every call type of LiteLLM: an answer of a model is cleaned and gated, and nothing else is touched."""
    known, cleaned = others(), answers()
    names = {call.name for call in litellm.types.utils.CallTypes}
    # An agent's answer has no provider's format.
    covered = (*known, *cleaned, "send_message")
    for name in names:
        assert name.startswith(covered) or name.removeprefix("a").startswith(covered), name
    for policy in (None, withhold):
        guardrail = ProvstreamGuardrail(guardrail_name="provstream", policy=policy)

        def hook(response: Any, guardrail: ProvstreamGuardrail = guardrail) -> Any:
            return asyncio.run(guardrail.async_post_call_success_hook({}, None, response))

        for name, answer in answers().items():
            written = hook(answer)
            assert type(written) is type(answer), name
            text = json.dumps(written if isinstance(written, dict) else written.model_dump(mode="json"))
            assert (CLEAN if policy is None else "It is so. (?) End") in text and "substrate" not in text, name
        for name, several in known.items():
            for other in (*several, None, 7, "text [substrate.grep]", b"x", object(), [], [TEXT], {}, {"error": {"message": "x"}}):
                assert hook(other) is other, (name, other)


def test_litellm_embeddings_are_not_written_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provstream.litellm.to_value", lambda response: pytest.fail("read as a whole"))
    guardrail = ProvstreamGuardrail(guardrail_name="provstream", policy=withhold)
    for other in (*others()["embedding"], {"object": "list", "data": [0.1] * 1_000}):
        assert asyncio.run(guardrail.async_post_call_success_hook({}, None, other)) is other


async def each(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


def sse(*events: Any) -> list[bytes]:
    return [f"data: {json.dumps(event)}\n\n".encode() for event in events]


def test_litellm_streams_of_each_kind() -> None:
    deltas: list[Any] = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in pieces()]
    start = {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "x"}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    ends: list[Any] = [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    messages = [start, block, *deltas, *ends]
    responses: list[Any] = [{"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "i", "delta": one} for one in pieces()]
    completions: list[Any] = [{"object": "text_completion", "choices": [{"index": 0, "text": one}]} for one in pieces()]
    gemini: list[Any] = [{"candidates": [{"content": {"role": "model", "parts": [{"text": one}]}}]} for one in pieces()]
    error = 'data: {"error": {"message": "boom"}}\n\n'
    guardrail = ProvstreamGuardrail(guardrail_name="provstream", policy=withhold)
    for given in (messages, responses, completions, gemini):
        for items in (given, sse(*given), [one.decode() for one in sse(*given)]):
            text = "".join(str(one) if isinstance(one, dict) else one if isinstance(one, str) else one.decode() for one in asyncio.run(hooked(guardrail, each(items))))
            assert "(?)" in text and "unverified" not in text and "substrate" not in text, items
            # What is held back comes before the error, which LiteLLM sends as a string, and before what is nothing of a model's.
            cut = items[: len(items) - 4]
            for odd in (error, None, 7, [1]):
                written = asyncio.run(hooked(guardrail, each([*cut, odd])))
                assert written[-1] == odd, (items, odd)
    mixed: list[Any] = [None, *completions, None, *sse(*messages), [], error, *completions]
    written = asyncio.run(hooked(guardrail, each(mixed)))
    assert [one for one in written if one is None or one == []] == [None, None, []] and error in written
