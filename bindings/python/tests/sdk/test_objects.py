"""Objects of SDKs in `strip`, `parse` and `report`."""

import copy
from typing import Any

import provstream
import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion

TEXT, CLEAN = "It is so. [substrate.grep] Really.", "It is so. Really."


def completion(text: str) -> ChatCompletion:
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    return ChatCompletion.model_validate({"id": "1", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice]})


def message(*texts: str) -> Message:
    content: list[dict[str, Any]] = [{"type": "text", "text": text, "citations": None} for text in texts]
    content.append({"type": "tool_use", "id": "1", "name": "f", "input": {}})
    usage = {"input_tokens": 1, "output_tokens": 1}
    kind: dict[str, Any] = {"id": "1", "model": "m", "type": "message", "role": "assistant"}
    return Message.model_validate({**kind, "stop_reason": None, "stop_sequence": None, "usage": usage, "content": content})


ANSWERS: list[tuple[Any, Any]] = [
    (completion(TEXT), completion(CLEAN)),
    (completion(TEXT).choices[0].message, completion(CLEAN).choices[0].message),
    ([{"role": "user", "content": TEXT}, completion(TEXT).choices[0].message], [{"role": "user", "content": TEXT}, completion(CLEAN).choices[0].message]),
    (message("It is so.", " [substrate.grep]", " Really."), message("It is so.", " Really.")),
]


@pytest.mark.parametrize(("answer", "clean"), ANSWERS)
def test_objects(answer: Any, clean: Any) -> None:
    before = copy.deepcopy(answer)
    stripped = provstream.strip(answer)
    assert stripped == clean and type(stripped) is type(clean) and provstream.strip(clean) == clean
    assert before == answer
    parsed = provstream.parse(answer)
    [assertion] = parsed
    assert parsed.texts[assertion.channel][assertion.start : assertion.end] == assertion.text == "It is so."
    assert parsed.clean == clean and "substrate.grep" in provstream.report.html(answer)
    assert "names an observation" in parsed._repr_html_() and parsed.to_dict()["clean"]


def test_blocks_of_a_message_in_a_conversation() -> None:
    conversation: list[Any] = [{"role": "assistant", "content": message("It is so.", " [substrate.grep]").content}]
    [stripped] = provstream.strip(conversation)
    assert [part["type"] for part in stripped["content"]] == ["text", "tool_use"]
    assert conversation[0]["content"][1].text == " [substrate.grep]"
