"""One function for each API: reads a response with the provider's own client and returns what was read.

The result has `text` and, where the client puts a message together itself, `final`: the texts by choice, output or block in
their order, without empty ones. The rest (`finish`, `usage`, `tools`, `reasoning`, `citations`, `message`) is compared as
it is.
"""

import collections
import os

import anthropic
import boto3
import cohere
import google.genai
import httpx
import httpx_sse
import huggingface_hub
import ollama
import openai
from botocore.config import Config
from mistralai.client import Mistral

ASK = [{"role": "user", "content": "?"}]


def texts(by_channel):
    """Texts by the order of their channels."""
    return [text for _, text in sorted(by_channel.items()) if text]


def dump(model):
    return model.model_dump(mode="json")


def openai_chat(client):
    def adapter(model, streamed):
        ask = {"model": model, "messages": ASK}
        if not streamed:
            whole = client.chat.completions.create(**ask)
            return chat_message(whole) | {"message": dump(whole)}
        try:
            with client.chat.completions.stream(**ask) as stream:
                chunks = [event.chunk for event in stream if event.type == "chunk"]
                whole = stream.get_final_completion()
        except openai.LengthFinishReasonError as cut:
            # This part of the client has no answers that were cut off; the other part has.
            chunks, whole = client.chat.completions.create(**ask, stream=True), cut.completion
        return chat_chunks(chunks) | {"final": chat_message(whole)["text"], "message": dump(whole)}

    return adapter


def chat_chunks(chunks):
    text, reasoning, tools = (collections.defaultdict(str) for _ in range(3))
    finish, usage = {}, None
    for chunk in chunks:
        usage = dump(chunk.usage) if chunk.usage else usage
        for choice in chunk.choices:
            text[choice.index] += (choice.delta.content or "") + (choice.delta.refusal or "")
            reasoning[choice.index] += getattr(choice.delta, "reasoning_content", None) or ""
            finish[choice.index] = choice.finish_reason or finish.get(choice.index)
            for call in choice.delta.tool_calls or []:
                tools[f"{choice.index}/{call.index}"] += (call.function.name or "") + (call.function.arguments or "")
    return {"text": texts(text), "finish": finish, "usage": usage, "tools": tools, "reasoning": reasoning}


def chat_message(whole):
    text = {choice.index: (choice.message.content or "") + (choice.message.refusal or "") for choice in whole.choices}
    return {
        "text": texts(text),
        "finish": [choice.finish_reason for choice in whole.choices],
        "usage": whole.usage and dump(whole.usage),
        "tools": [dump(call) for choice in whole.choices for call in choice.message.tool_calls or []],
        "citations": [dump(choice.message).get("annotations") for choice in whole.choices],
    }


def openai_completions(client):
    def adapter(model, streamed):
        chunks = client.completions.create(model=model, prompt="?", stream=streamed)
        text, finish, usage = collections.defaultdict(str), {}, None
        for chunk in chunks if streamed else [chunks]:
            usage = dump(chunk.usage) if chunk.usage else usage
            for choice in chunk.choices:
                text[choice.index] += choice.text
                finish[choice.index] = choice.finish_reason or finish.get(choice.index)
        return {"text": texts(text), "finish": finish, "usage": usage}

    return adapter


def openai_responses(client):
    def adapter(model, streamed):
        if not streamed:
            return response_object(client.responses.create(model=model, input="?"))
        text, reasoning, annotations, numbers = collections.defaultdict(str), "", [], []
        with client.responses.stream(model=model, input="?") as stream:
            for event in stream:
                numbers.append(event.sequence_number)
                if event.type in ("response.output_text.delta", "response.refusal.delta"):
                    text[event.output_index, event.content_index] += event.delta
                elif event.type == "response.reasoning_summary_text.delta":
                    reasoning += event.delta
                elif event.type == "response.output_text.annotation.added":
                    annotations.append(event.annotation)
            last = event.response
        # An incomplete response has no final response in this client.
        final = response_object(stream.get_final_response() if last.status == "completed" else last)
        assert numbers == list(range(len(numbers))), numbers
        return final | {"text": texts(text), "final": final["text"], "reasoning": reasoning, "added": annotations}

    return adapter


def response_object(whole):
    text, tools, citations = {}, [], []
    for output, item in enumerate(whole.output):
        if item.type == "function_call":
            tools.append([item.call_id, item.name, item.arguments])
        for content, part in enumerate(item.content if item.type == "message" else []):
            text[output, content] = part.text if part.type == "output_text" else part.refusal
            citations += [dump(annotation) for annotation in getattr(part, "annotations", None) or []]
    finish = [whole.status, whole.incomplete_details and dump(whole.incomplete_details)]
    return {"text": texts(text), "finish": finish, "usage": dump(whole.usage), "tools": tools,
            "citations": citations, "message": dump(whole)}


def anthropic_messages(client):
    def adapter(model, streamed):
        ask = {"model": model, "max_tokens": 9, "messages": ASK}
        if not streamed:
            return anthropic_message(client.messages.create(**ask))
        text = ""
        with client.messages.stream(**ask) as stream:
            for event in stream:
                if event.type == "text":
                    text += event.text
            final = anthropic_message(stream.get_final_message())
        return final | {"text": [text] if text else [], "final": final["text"]}

    return adapter


def anthropic_message(whole):
    blocks = whole.content
    text = "".join(block.text for block in blocks if block.type == "text")
    # The API refuses these when they are sent back.
    assert all(block.text for block in blocks if block.type == "text"), blocks
    return {
        "text": [text] if text else [],
        "finish": whole.stop_reason,
        "usage": dump(whole.usage),
        "tools": [dump(block) for block in blocks if block.type == "tool_use"],
        "reasoning": [dump(block) for block in blocks if block.type == "thinking"],
        "citations": [dump(citation) for block in blocks for citation in getattr(block, "citations", None) or []],
        "message": dump(whole),
    }


def gemini(client):
    def adapter(model, streamed):
        ask = {"model": model, "contents": "?"}
        whole = client.models.generate_content_stream(**ask) if streamed else [client.models.generate_content(**ask)]
        text, reasoning = collections.defaultdict(str), collections.defaultdict(str)
        read = {"finish": {}, "usage": None, "tools": collections.defaultdict(list), "citations": collections.defaultdict(list)}
        for chunk in whole:
            read["usage"] = dump(chunk.usage_metadata) if chunk.usage_metadata else read["usage"]
            for candidate in chunk.candidates or []:
                index = candidate.index or 0
                for part in (candidate.content and candidate.content.parts) or []:
                    to = reasoning if part.thought else text
                    to[index] += part.text or ""
                    if part.function_call:
                        read["tools"][index].append(dump(part.function_call))
                if candidate.grounding_metadata:
                    read["citations"][index].append(dump(candidate.grounding_metadata))
                if candidate.finish_reason:
                    read["finish"][index] = candidate.finish_reason
        return read | {"text": texts(text), "reasoning": reasoning}

    return adapter


def gemini_interactions(client):
    def adapter(model, streamed):
        ask = {"model": model, "input": "?", "stream": streamed}
        if not streamed:
            return interaction(client.interactions.create(**ask))
        text, reasoning = collections.defaultdict(str), ""
        read = {"finish": None, "usage": None, "tools": collections.defaultdict(str), "citations": []}
        for event in client.interactions.create(**ask):
            if event.event_type == "step.delta":
                delta = event.delta
                if delta.type == "text":
                    text[event.index] += delta.text
                elif delta.type == "thought_summary":
                    reasoning += delta.content.text
                elif delta.type == "arguments_delta":
                    read["tools"][event.index] += delta.arguments
                elif delta.type == "text_annotation_delta":
                    read["citations"] += [dump(annotation) for annotation in delta.annotations]
            elif event.event_type == "interaction.completed":
                read["finish"], read["usage"] = event.interaction.status, dump(event.interaction.usage)
        return read | {"text": texts(text), "reasoning": reasoning}

    return adapter


def interaction(whole):
    parts = [part for step in whole.steps if step.type == "model_output" for part in step.content]
    return {
        "text": [part.text for part in parts if part.text],
        "finish": whole.status,
        "usage": dump(whole.usage),
        "tools": [dump(step) for step in whole.steps if step.type == "function_call"],
        "reasoning": [dump(step) for step in whole.steps if step.type == "thought"],
        "citations": [dump(annotation) for part in parts for annotation in part.annotations or []],
        "message": dump(whole),
    }


def ollama_chat(client):
    def adapter(model, streamed):
        chunks = client.chat(model=model, messages=ASK, stream=streamed)
        text, reasoning, tools, models = "", "", [], set()
        for chunk in chunks if streamed else [chunks]:
            text += chunk.message.content or ""
            reasoning += chunk.message.thinking or ""
            tools += [dump(call) for call in chunk.message.tool_calls or []]
            models |= {(chunk.model, chunk.created_at and "")}
        last = dump(chunk) | {"message": None, "created_at": None}
        return {"text": [text] if text else [], "finish": chunk.done_reason, "usage": last, "tools": tools,
                "reasoning": reasoning, "models": sorted(models)}

    return adapter


def ollama_generate(client):
    def adapter(model, streamed):
        chunks = client.generate(model=model, prompt="?", stream=streamed)
        text, models = "", set()
        for chunk in chunks if streamed else [chunks]:
            text += chunk.response or ""
            models |= {(chunk.model, chunk.created_at)}
        last = dump(chunk) | {"response": None}
        return {"text": [text] if text else [], "finish": chunk.done_reason, "usage": last, "models": sorted(models)}

    return adapter


def cohere_chat(client):
    def adapter(model, streamed):
        ask = {"model": model, "messages": ASK}
        if not streamed:
            return cohere_message(client.chat(**ask))
        text, tools = collections.defaultdict(str), collections.defaultdict(str)
        read = {"finish": None, "usage": None, "reasoning": "", "citations": []}
        for event in client.chat_stream(**ask):
            delta = getattr(event, "delta", None)
            message = getattr(delta, "message", None)
            if event.type in ("content-start", "content-delta"):
                text[event.index] += getattr(message.content, "text", None) or ""
                read["reasoning"] += getattr(message.content, "thinking", None) or ""
            elif event.type in ("tool-call-start", "tool-call-delta"):
                function = message.tool_calls.function
                tools[event.index] += (getattr(function, "name", None) or "") + (function.arguments or "")
            elif event.type == "citation-start":
                read["citations"].append(dump(message.citations))
            elif event.type == "message-end":
                read["finish"], read["usage"] = delta.finish_reason, dump(delta.usage)
        return read | {"text": texts(text), "tools": tools}

    return adapter


def cohere_message(whole):
    content = whole.message.content or []
    return {
        "text": [part.text for part in content if part.type == "text" and part.text],
        "finish": whole.finish_reason,
        "usage": dump(whole.usage),
        "tools": [dump(call) for call in whole.message.tool_calls or []],
        "reasoning": [part.thinking for part in content if part.type == "thinking"],
        "citations": [dump(citation) for citation in whole.message.citations or []],
        "message": dump(whole),
    }


def mistral_chat(client):
    def adapter(model, streamed):
        ask = {"model": model, "messages": ASK}
        chunks = (event.data for event in client.chat.stream(**ask)) if streamed else [client.chat.complete(**ask)]
        text, reasoning = collections.defaultdict(str), collections.defaultdict(str)
        read = {"finish": {}, "usage": None, "tools": collections.defaultdict(list), "citations": []}
        for chunk in chunks:
            read["usage"] = dump(chunk.usage) if chunk.usage else read["usage"]
            for choice in chunk.choices:
                message = choice.delta if streamed else choice.message
                for part in parts(message.content):
                    kind = part["type"]
                    if kind == "thinking":
                        reasoning[choice.index] += "".join(inner["text"] for inner in part["thinking"])
                    elif kind == "text":
                        text[choice.index] += part["text"]
                    else:
                        read["citations"].append(part)
                read["tools"][choice.index] += [dump(call) for call in message.tool_calls or []]
                if choice.finish_reason:
                    read["finish"][choice.index] = choice.finish_reason
        return read | {"text": texts(text), "reasoning": reasoning}

    return adapter


def parts(content):
    """Content of Mistral's as parts, which may be a string, a part or a list of them."""
    if not content:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    listed = content if isinstance(content, list) else [content]
    return [dump(part) for part in listed]


def mistral_conversations(client):
    def adapter(model, streamed):
        ask = {"model": model, "inputs": "?"}
        if not streamed:
            whole = client.beta.conversations.start(**ask)
            found = [part for entry in whole.outputs if entry.type == "message.output" for part in parts(entry.content)]
            text = "".join(part["text"] for part in found if part["type"] == "text")
            tools = [dump(entry) for entry in whole.outputs if entry.type == "function.call"]
            return {"text": [text] if text else [], "tools": tools, "usage": dump(whole.usage), "message": dump(whole)}
        text, tools, references, usage = "", collections.defaultdict(str), [], None
        for event in client.beta.conversations.start_stream(**ask):
            data = event.data
            if data.type == "message.output.delta":
                for part in parts(data.content):
                    text += part["text"] if part["type"] == "text" else ""
                    references += [part] if part["type"] == "tool_reference" else []
            elif data.type == "function.call.delta":
                tools[data.tool_call_id] += data.arguments
            elif data.type == "conversation.response.done":
                usage = dump(data.usage)
        return {"text": [text] if text else [], "tools": tools, "usage": usage, "citations": references}

    return adapter


def text_generation(url):
    def adapter(model, streamed):
        client = huggingface_hub.InferenceClient(f"{url}/{model}")
        whole = client.text_generation("?", details=True, stream=streamed)
        if not streamed:
            return {"text": [whole.generated_text] if whole.generated_text else [], "finish": whole.details.finish_reason,
                    "usage": whole.details.generated_tokens}
        text = ""
        for event in whole:
            text += "" if event.token.special else event.token.text
        final = event.generated_text
        return {"text": [text] if text else [], "final": [final] if final else [], "finish": event.details.finish_reason,
                "usage": event.details.generated_tokens}

    return adapter


def llama_cpp(client):
    """The server's own `/completion` has no client in a registry; a reader of server-sent events takes its place."""

    def adapter(model, streamed):
        if streamed:
            with httpx_sse.connect_sse(client, "POST", "/completion", json={"prompt": model}) as source:
                events = [event.json() for event in source.iter_sse()]
        else:
            events = [client.post("/completion", json={"prompt": model}).json()]
        text = "".join(event["content"] for event in events)
        last = events[-1]
        assert [event["stop"] for event in events] == [False] * (len(events) - 1) + [True], events
        return {"text": [text] if text else [], "finish": last["stop_type"], "usage": last["timings"], "last": last | {"content": None}}

    return adapter


def bedrock(client):
    def adapter(model, streamed):
        ask = {"modelId": model, "messages": [{"role": "user", "content": [{"text": "?"}]}]}
        if not streamed:
            whole = client.converse(**ask)
            content = whole["output"]["message"]["content"]
            text = "".join(block.get("text", "") for block in content)
            assert all(block.get("text") != "" for block in content), content
            return {"text": [text] if text else [], "finish": whole["stopReason"], "usage": whole["usage"],
                    "tools": [block for block in content if "toolUse" in block],
                    "reasoning": [block for block in content if "reasoningContent" in block], "message": whole["output"]}
        text, tools, reasoning, blocks = "", collections.defaultdict(str), "", collections.defaultdict(str)
        read = {}
        for event in client.converse_stream(**ask)["stream"]:
            if "contentBlockDelta" in event:
                index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
                text += delta.get("text", "")
                blocks[index] += delta.get("text", "")
                reasoning += delta.get("reasoningContent", {}).get("text", "")
                tools[index] += delta.get("toolUse", {}).get("input", "")
            elif "contentBlockStop" in event:
                blocks[event["contentBlockStop"]["contentBlockIndex"]] += ""
            elif "messageStop" in event:
                read["finish"] = event["messageStop"]["stopReason"]
            elif "metadata" in event:
                read["usage"] = event["metadata"]["usage"]
        tools = [call for _, call in sorted(tools.items()) if call]
        return read | {"text": [text] if text else [], "tools": tools, "reasoning": reasoning, "message": texts(blocks)}

    return adapter


def by_api(url):
    """The adapters by the name of their API."""
    os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x")
    to_openai = openai.OpenAI(api_key="x", base_url=url, max_retries=0)
    to_anthropic = anthropic.Anthropic(api_key="x", base_url=url, max_retries=0)
    to_gemini = google.genai.Client(api_key="x", http_options={"base_url": url})
    to_ollama = ollama.Client(host=url)
    to_cohere = cohere.ClientV2(api_key="x", base_url=url)
    to_mistral = Mistral(api_key="x", server_url=url)
    config = Config(retries={"max_attempts": 0}, connect_timeout=5, read_timeout=20)
    to_bedrock = boto3.client("bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config)
    return {
        "openai-chat": openai_chat(to_openai),
        "openai-completions": openai_completions(to_openai),
        "openai-responses": openai_responses(to_openai),
        "vllm": openai_chat(to_openai),
        "llama-cpp-chat": openai_chat(to_openai),
        "anthropic": anthropic_messages(to_anthropic),
        "gemini": gemini(to_gemini),
        "gemini-interactions": gemini_interactions(to_gemini),
        "ollama-chat": ollama_chat(to_ollama),
        "ollama-generate": ollama_generate(to_ollama),
        "cohere": cohere_chat(to_cohere),
        "llama-cpp": llama_cpp(httpx.Client(base_url=url)),
        "mistral-chat": mistral_chat(to_mistral),
        "mistral-conversations": mistral_conversations(to_mistral),
        "tgi": text_generation(url),
        "bedrock": bedrock(to_bedrock),
    }
