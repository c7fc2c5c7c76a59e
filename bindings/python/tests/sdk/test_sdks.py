"""The providers' own SDKs over loopback: what `clean` yields is what they read of a response without annotations, or of a gated one.

`PROVSTREAM_CLIENTS` is the program `provstream-clients`, which serves the responses.
"""

import asyncio
import gc
import sys
import warnings
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import cohere
import google.genai
import ollama
import openai
import provstream
import pytest
from mistralai.client import Mistral
from provstream import Action, clean

ASK: Any = [{"role": "user", "content": "?"}]

Texts = dict[Any, str]


def chat(chunks: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for chunk in chunks:
        for choice in chunk.choices:
            text[choice.index] += (choice.delta.content or "") + (choice.delta.refusal or "")
    return text


def completions(chunks: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for chunk in chunks:
        for choice in chunk.choices:
            text[choice.index] += choice.text or ""
    return text


def responses(events: list[Any]) -> Texts:
    text, final = defaultdict(str), {}
    for event in events:
        if event.type in ("response.output_text.delta", "response.refusal.delta"):
            text[event.output_index, event.content_index] += event.delta
        elif event.type in ("response.output_text.done", "response.refusal.done"):
            whole = event.text if event.type == "response.output_text.done" else event.refusal
            assert text[event.output_index, event.content_index] == whole
        elif event.type == "response.completed":
            for output, item in enumerate(event.response.output):
                for content, part in enumerate(item.content if item.type == "message" else []):
                    final[output, content] = part.text if part.type == "output_text" else part.refusal
            assert {key: whole for key, whole in final.items() if whole} == {key: whole for key, whole in text.items() if whole}
    return text


def messages(events: list[Any]) -> Texts:
    text = ""
    for event in events:
        if event.type == "content_block_start" and event.content_block.type == "text":
            text += event.content_block.text
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            text += event.delta.text
    return {0: text}


def gemini(chunks: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for chunk in chunks:
        for candidate in chunk.candidates or []:
            for part in (candidate.content and candidate.content.parts) or []:
                text[candidate.index or 0] += "" if part.thought else part.text or ""
    return text


def cohere_chat(events: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for event in events:
        if event.type in ("content-start", "content-delta"):
            text[event.index] += getattr(event.delta.message.content, "text", None) or ""
    return text


def mistral(events: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for event in events:
        for choice in event.data.choices:
            content = choice.delta.content or []
            for part in [content] if isinstance(content, str) else content:
                text[choice.index] += part if isinstance(part, str) else getattr(part, "text", None) or ""
    return text


def conversation(events: list[Any]) -> Texts:
    text = ""
    for event in events:
        if event.data.type == "message.output.delta":
            content = event.data.content or []
            for part in content if isinstance(content, list) else [content]:
                text += part if isinstance(part, str) else getattr(part, "text", None) or ""
    return {0: text}


def interaction(events: list[Any]) -> Texts:
    text: Texts = defaultdict(str)
    for event in events:
        if event.event_type == "step.delta" and event.delta.type == "text":
            text[event.index] += event.delta.text
    return text


class Api:
    """Calls of an SDK, synchronous and not, and readers of its objects."""

    def __init__(self, url: str, name: str) -> None:
        self.read, self.stream, self.astream = self._of(url, name)

    def _of(self, url: str, name: str) -> tuple[Callable[[list[Any]], Texts], Callable[[str], Any], Callable[[str], Any]]:
        if name.startswith("openai") or name in ("vllm", "llama-cpp-chat"):
            key: Any = {"api_key": "x", "base_url": url, "max_retries": 0}
            one, two = openai.OpenAI(**key), openai.AsyncOpenAI(**key)
            if name == "openai-responses":
                return (
                    responses,
                    lambda model: one.responses.create(model=model, input="?", stream=True),
                    lambda model: two.responses.create(model=model, input="?", stream=True),
                )
            if name == "openai-completions":
                return (
                    completions,
                    lambda model: one.completions.create(model=model, prompt="?", stream=True),
                    lambda model: two.completions.create(model=model, prompt="?", stream=True),
                )
            return (
                chat,
                lambda model: one.chat.completions.create(model=model, messages=ASK, stream=True),
                lambda model: two.chat.completions.create(model=model, messages=ASK, stream=True),
            )
        if name == "anthropic":
            key = {"api_key": "x", "base_url": url, "max_retries": 0}
            first, second = anthropic.Anthropic(**key), anthropic.AsyncAnthropic(**key)
            return (
                messages,
                lambda model: first.messages.create(model=model, max_tokens=9, messages=ASK, stream=True),
                lambda model: second.messages.create(model=model, max_tokens=9, messages=ASK, stream=True),
            )
        if name == "gemini":
            client = google.genai.Client(api_key="x", http_options={"base_url": url})
            return (
                gemini,
                lambda model: client.models.generate_content_stream(model=model, contents="?"),
                lambda model: client.aio.models.generate_content_stream(model=model, contents="?"),
            )
        if name == "gemini-interactions":
            interactions = google.genai.Client(api_key="x", http_options={"base_url": url})
            return (
                interaction,
                lambda model: interactions.interactions.create(model=model, input="?", stream=True),
                lambda model: interactions.aio.interactions.create(model=model, input="?", stream=True),
            )
        if name == "ollama-chat":
            return (
                lambda chunks: {0: "".join(chunk.message.content or "" for chunk in chunks)},
                lambda model: ollama.Client(host=url).chat(model=model, messages=ASK, stream=True),
                lambda model: ollama.AsyncClient(host=url).chat(model=model, messages=ASK, stream=True),
            )
        if name == "ollama-generate":
            return (
                lambda chunks: {0: "".join(chunk.response or "" for chunk in chunks)},
                lambda model: ollama.Client(host=url).generate(model=model, prompt="?", stream=True),
                lambda model: ollama.AsyncClient(host=url).generate(model=model, prompt="?", stream=True),
            )
        if name == "cohere":
            co, aco = cohere.ClientV2(api_key="x", base_url=url), cohere.AsyncClientV2(api_key="x", base_url=url)
            return (
                cohere_chat,
                lambda model: co.chat_stream(model=model, messages=ASK),
                lambda model: aco.chat_stream(model=model, messages=ASK),
            )
        client_of_mistral = Mistral(api_key="x", server_url=url)
        if name == "mistral-conversations":
            return (
                conversation,
                lambda model: client_of_mistral.beta.conversations.start_stream(model=model, inputs="?"),
                lambda model: client_of_mistral.beta.conversations.start_stream_async(model=model, inputs="?"),
            )
        return (
            mistral,
            lambda model: client_of_mistral.chat.stream(model=model, messages=ASK),
            lambda model: client_of_mistral.chat.stream_async(model=model, messages=ASK),
        )


APIS = [
    "openai-chat", "openai-completions", "openai-responses", "vllm", "llama-cpp-chat", "anthropic", "gemini", "ollama-chat",
    "ollama-generate", "cohere", "mistral-chat", "mistral-conversations", "gemini-interactions",
]


def texts(found: Texts) -> list[str]:
    return [text for _, text in sorted(found.items()) if text]


def decide(question: provstream.Question) -> Action:
    """Withholds some assertions."""
    chosen = zlib.crc32(question.assertion.text.encode()) % 9
    if chosen == 0:
        return Action.refuse("I cannot confirm the rest.")
    return (Action.release(), Action.replace("(withheld)"), Action.discard(), Action.mark("<", ">"))[chosen % 4]


def gated(text: str) -> str:
    gate = provstream.Gate(decide)
    return str(gate.push(text)) + str(gate.finish())


async def collect(source: Any) -> list[Any]:
    """All objects of an asynchronous stream, which some SDKs return and some promise."""
    return [item async for item in (source if hasattr(source, "__aiter__") else await source)]


async def opened(source: Any) -> AsyncIterator[Any]:
    return source if hasattr(source, "__aiter__") else await source  # type: ignore[no-any-return]


async def no_tasks() -> None:
    """Nothing but this task is left, once the SDK's generators that were dropped are closed."""
    for _ in range(100):
        if len(asyncio.all_tasks()) == 1:
            break
        await asyncio.sleep(0.01)
    assert len(asyncio.all_tasks()) == 1


@pytest.mark.parametrize("name", APIS)
def test_sdk(name: str, url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    api, compared, changed = Api(url, name), 0, 0
    loop = asyncio.new_event_loop()
    for case in cases[name]:
        model = f"case-{case['case']}"
        try:
            before = list(api.stream(f"{model}-annotated"))
        except Exception as error:
            warnings.warn(f"{name} cannot read {case['source']} as it is: {error}", stacklevel=1)
            continue
        stripped = api.read(list(api.stream(f"{model}-stripped")))
        annotated = texts(api.read(before))
        stream = clean(api.stream(f"{model}-annotated"))
        after = list(stream)
        assert texts(api.read(after)) == texts(stripped), case
        assert stream.report is not None and stream.report.is_complete, stream.report
        assert {type(item) for item in after} <= {type(item) for item in before}
        if len(annotated) == case["choices"]:
            assert texts(stripped) == [found for found in map(provstream.strip, annotated) if found]
            withheld = list(clean(api.stream(f"{model}-annotated"), policy=decide))
            assert texts(api.read(withheld)) == [found for found in map(gated, annotated) if found], case
        compared += 1
        changed += annotated != texts(stripped)

        async def main(model: str = model) -> list[list[Any]]:
            found = [await collect(clean(await opened(api.astream(f"{model}-annotated")), policy=policy)) for policy in (None, decide)]
            await no_tasks()
            return found

        released, withheld_too = loop.run_until_complete(main())
        assert texts(api.read(released)) == texts(stripped)
        if len(annotated) == case["choices"]:
            assert texts(api.read(withheld_too)) == texts(api.read(withheld))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    assert compared > len(cases[name]) * 3 // 4 and changed > compared // 2


@pytest.mark.parametrize("name", ["openai-chat", "anthropic"])
def test_cancellation_and_callbacks(name: str, url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    """A task that is cancelled in mid-stream ends, and a callback that raises loses no text."""
    case = max(cases[name], key=lambda case: sum(map(len, case["gated"])))
    model = f"case-{case['case']}"

    async def main() -> None:
        api = Api(url, name)

        async def first() -> None:
            async with clean(await opened(api.astream(f"{model}-annotated"))) as stream:
                async for _ in stream:
                    await asyncio.sleep(60)

        task = asyncio.create_task(first())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        raised = 0

        def on_event(event: provstream.Event) -> None:
            raise LookupError

        stream, found = clean(await opened(api.astream(f"{model}-annotated")), on_event=on_event), []
        while True:
            try:
                found.append(await stream.__anext__())
            except LookupError:
                raised += 1
            except StopAsyncIteration:
                break
        assert raised
        assert texts(api.read(found)) == texts(api.read(await collect(api.astream(f"{model}-stripped"))))
        await no_tasks()

    asyncio.run(main())


def test_no_leak(url: str, cases: dict[str, list[dict[str, Any]]]) -> None:
    """No block of memory is left of streams that are read to their end or closed early, over live connections.

    CPython's cache of attributes keeps the names that were looked up, as many as it has entries: names that are read from JSON
    fill it slowly, with the SDK alone as well. It is cleared before blocks are counted.
    """
    forget = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    model = f"case-{cases['openai-chat'][0]['case']}-annotated"
    api = Api(url, "openai-chat")

    def blocks() -> int:
        for _ in range(20):
            list(clean(api.stream(model)))
            with clean(api.stream(model)) as stream:
                next(stream)
        gc.collect()
        forget()
        return sys.getallocatedblocks()

    # A block of each stream would be 40 in every round.
    counts = [blocks() for _ in range(6)]
    assert sorted(after - before for before, after in zip(counts, counts[1:], strict=False))[2] < 10, counts
