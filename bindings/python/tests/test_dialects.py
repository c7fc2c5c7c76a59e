"""Markers of citations."""

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import provstream
import pytest
from provstream import Citation, clean

TEXT = "Grüße [1]. 🎉 Paris [2] is big【4:0†source】."
OWN = "name = \"own\"\n[[marker]]\nopen = '\\{'\nid = '[0-9]+'\nclose = '\\}'\n"


def chat(*deltas: str) -> str:
    events = ({"choices": [{"index": 0, "delta": {"content": delta}}]} for delta in deltas)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


def text_of(sse: str) -> str:
    found = [json.loads(line[6:]) for line in sse.splitlines() if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"]["content"] for event in found)


def test_strip() -> None:
    assert provstream.strip(TEXT) == TEXT
    assert provstream.strip(TEXT, dialects=["numeric"]) == "Grüße. 🎉 Paris is big【4:0†source】."
    assert provstream.strip(TEXT, dialects="openai-file") == "Grüße [1]. 🎉 Paris [2] is big."
    assert provstream.strip(TEXT.encode(), dialects=["numeric", "openai-file"]) == "Grüße. 🎉 Paris is big.".encode()
    messages = [{"role": "user", "content": "So [1]."}, {"role": "assistant", "content": "So [1]."}]
    assert provstream.strip(messages, dialects=["numeric"]) == [messages[0], {"role": "assistant", "content": "So."}]
    response = {"choices": [{"message": {"content": "So [1]."}}]}
    assert provstream.strip(response, dialects=["numeric"]) == {"choices": [{"message": {"content": "So."}}]}


def test_sources() -> None:
    text = "The array xs[0] and blue[1]. Gray[7]."
    for sources in (["1", "2"], [1, 2], [{"id": "1", "title": "One"}], {"sources": [{"id": 1}], "complete": False}):
        assert provstream.strip(text, dialects=["numeric"], sources=sources) == "The array xs[0] and blue. Gray[7]."
    found = provstream.parse("Paris is big [1][7].", dialects=["numeric"], sources=["1"])
    [citation] = found.citations
    assert citation.ids == ["1", "7"] and citation.unknown_ids == ["7"]
    [citation] = provstream.parse("Paris is big [1][7].", dialects=["numeric"]).citations
    assert citation.unknown_ids == []


def test_sources_have_a_class_and_a_time() -> None:
    now = "2026-05-28T12:00:00Z"
    vocabulary = provstream.Vocabulary('version = "2.0"\n[[class]]\nid = "own.notes"\nsince = "2.0"\n')
    text = "Paris [1] is big. It rains [7]. So."
    for kind, own in [("substrate.grep", None), ("own.notes", vocabulary)]:
        source = {"id": 1, "class": kind, "ts": "2026-05-28T11:40:00Z", "title": None, "url": "https://a.example", "page": object()}
        cites: dict[str, Any] = {"dialects": ["numeric"], "sources": [source, "2"], "vocabulary": own}
        found = provstream.parse(text, **cites)
        [cited] = found.to_dict()["events"][0]["ids"]
        assert (cited["class"], cited["ts"]) == (kind, "2026-05-28T11:40:00Z")
        policy = provstream.Policy(floor=1, default_window="1h", inadmissible=WITHHOLD, vocabulary=own)
        assert "".join(clean([text], policy=policy, now=now, **cites)) == "Paris is big. (withheld) So."
        late = clean([text], policy=policy, now="2026-05-28T12:50:00Z", **cites)
        assert "".join(late) == "(withheld) (withheld) So."
        [citation] = provstream.parse([{"role": "assistant", "content": "So [1]."}], **cites).citations
        assert citation.ids == ["1"]


@pytest.mark.parametrize(
    ("sources", "error", "message"),
    [
        ([{"id": "1", "class": "x"}], ValueError, "source `1`: expected a class of the vocabulary"),
        ([{"id": "1", "class": "unverified-inference"}], ValueError, "not a terminal"),
        ([{"id": "1", "class": 5}], TypeError, "expected a str in \"class\" of a source, found int"),
        ([{"id": "1", "ts": "yesterday"}], ValueError, "source `1`: expected a time such as"),
        ([{"id": ""}], ValueError, "expected an \"id\" of a source, found an empty one"),
        ([""], ValueError, "found an empty one"),
        ({"sources": ["1"], "compleet": False}, ValueError, "unknown field `compleet`"),
        ({"complete": False}, ValueError, "missing field `sources`"),
        ({"sources": ["1"], "complete": "no"}, TypeError, "str"),
        ({"sources": "1"}, TypeError, "found a str"),
    ],
)
def test_wrong_sources(sources: Any, error: type[Exception], message: str) -> None:
    creations: list[Callable[..., object]] = [
        provstream.Parser,
        provstream.Rewriter,
        provstream.Response,
        lambda **cites: provstream.Gate("own-state", **cites),
        lambda **cites: provstream.strip("x", **cites),
        lambda **cites: provstream.parse("x", **cites),
        lambda **cites: clean([], **cites),
    ]
    for create in creations:
        with pytest.raises(error, match=message):
            create(dialects=["numeric"], sources=sources)


def test_render() -> None:
    sources = [{"id": "1", "url": "https://a.example/1", "title": "One"}, {"id": "7"}]
    links: dict[str, Any] = {"dialects": ["numeric"], "sources": sources, "render": "[{n}]({url})"}
    text = "Grüße [7]. 🎉 Paris [1] is big [7] [9]."
    expected = "Grüße \\[1\\]. 🎉 Paris [2](https://a.example/1) is big \\[1\\]."
    assert provstream.strip(text, **links) == expected
    assert provstream.strip({"choices": [{"message": {"content": text}}]}, **links) == {"choices": [{"message": {"content": expected}}]}
    marked = {"template": "<sup title='{title}'>{n}</sup>", "markup": "html", "unlisted": "mark"}
    assert provstream.strip("It is [1] [9].", **{**links, "render": marked}) == "It is <sup title='One'>1</sup> &#91;?&#93;."
    for size in (1, 3, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        rewriter = provstream.Rewriter(**links)
        for _ in range(2):
            assert "".join(map(rewriter.push, pieces)) + rewriter.finish() == expected
            rewriter.reset()
        assert "".join(clean(pieces, **links)) == expected
        assert text_of("".join(clean([chat(*pieces)], format="auto", **links))) == expected
    for wrong, message in [
        ("[{n}]({title})", "destination of a link"),
        ({"markup": "html"}, "expected a \"template\""),
        ({"template": "{n}", "as": "html"}, "found \"as\""),
        ({"template": "{n}", "markup": "tex"}, "tex"),
    ]:
        with pytest.raises(ValueError, match=message):
            provstream.strip("x", **{**links, "render": wrong})
    with pytest.raises(ValueError, match="only with \"sources\""):
        provstream.strip("x", dialects=["numeric"], render="{n}")
    with pytest.raises(ValueError, match="only without a policy"):
        clean([], policy="own-state", **links)


def test_sources_of_requests() -> None:
    def ask(content: str, **more: Any) -> Any:
        return provstream.request_sources({"messages": [{"role": "user", "content": content}], **more}, ["numeric"])

    labelled = "[1] Cities\n[2] Rivers\n\nIs Paris big?"
    assert ask(labelled) == {"sources": [{"id": "1", "title": "Cities"}, {"id": "2", "title": "Rivers"}], "complete": True}
    assert not ask(labelled, tools=[{"type": "web_search"}])["complete"]
    assert ask("Is Paris big?") is None
    assert provstream.request_sources(b"no JSON", ["numeric"]) is None


def test_sources_that_the_response_brings() -> None:
    found = {"type": "web_search_result", "title": "[7] Rain", "url": "https://r.example"}
    search = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [found]}
    answer = {"type": "text", "text": "Big [1]. It rains [7]. It snows [8]."}
    message: dict[str, Any] = {"type": "message", "role": "assistant", "content": [search, answer]}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "content": []}}]
    for index, block in enumerate([search, {"type": "text", "text": ""}]):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
    for piece in ("Big [1]. It ra", "ins [7", "]. It snows [8]."):
        events.append({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}})
    sse = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    request = {"messages": [{"role": "user", "content": "[1] Cities\n[2] Rivers\n\nSo?"}]}
    cites: dict[str, Any] = {"dialects": ["numeric"], "sources": json.dumps(request).encode()}
    policy = provstream.Policy(floor=1, default_window="1h", inadmissible=RELEASE, unknown_source=WITHHOLD)
    for written in [
        *(b"".join(clean([body.encode()], policy=policy, **cites)).decode() for body in (sse, json.dumps(message))),
        json.dumps(list(clean(events, policy=policy, **cites))),
        json.dumps(provstream.clean_response(message, policy=policy, **cites)),
    ]:
        assert "withheld" not in written and "ins" in written and "It snows." in written
    assert "(Rain)" in b"".join(clean([sse.encode()], render="({title})", **cites)).decode()
    [text] = provstream.clean_response({**message, "content": [answer]}, policy=policy, **cites)["content"]
    assert text["text"] == "Big. (withheld) (withheld)"


def test_citations() -> None:
    found = provstream.parse(TEXT, dialects=["numeric", "openai-file"])
    assert [(one.text, one.ids) for one in found.citations] == [("Grüße.", ["1"]), ("🎉 Paris is big.", ["2", "4:0"])]
    assert [found.clean[one.clean_start : one.clean_end] for one in found.citations] == ["Grüße.", "🎉 Paris is big."]
    assert [TEXT[one.start : one.end] for one in found.citations] == ["Grüße [1].", "🎉 Paris [2] is big【4:0†source】."]
    one = found.citations[0]
    assert TEXT.encode()[one.byte_start : one.byte_end].decode() == "Grüße [1]."
    assert one.to_dict()["event"] == "citation" and "Grüße" in repr(one)
    assert found == pickle.loads(pickle.dumps(found)) == copy.copy(found)
    assert provstream.parse(TEXT).citations == []
    [one] = provstream.parse([{"role": "assistant", "content": "So [1]."}], dialects=["numeric"]).citations
    assert (one.channel, one.text) == ("0", "So.")
    assert "provstream" in found.report(provstream.Policy("own-state"))


def test_annotations_after_markers_have_their_clean_positions() -> None:
    text = "Grüße【1】. Es ist so. [substrate.grep] Ja."
    found = provstream.parse(text, dialects=["numeric"])
    [a] = found.assertions
    assert found.clean[a.clean_start : a.clean_end] == "Es ist so."


def test_parser_and_rewriter() -> None:
    events: list[Any] = []
    rewriter = provstream.Rewriter(dialects=["numeric"], on_event=events.append)
    assert "".join(map(rewriter.push, ["Paris [", "1] is", " big [7", "]. So"])) + rewriter.finish() == "Paris is big. So"
    assert [event.ids for event in events if isinstance(event, Citation)] == [["1", "7"]]
    parser = provstream.Parser(dialects=["numeric"])
    found = [event for piece in ("Paris [", "1].", " So") for event in parser.push(piece)] + parser.finish()
    assert [type(event) for event in found] == [Citation]


def test_clean() -> None:
    stream = clean(["Paris [", "1] is big [7", "]. So"], dialects=["numeric"])
    assert "".join(stream) == "Paris is big. So"
    assert [event.ids for event in stream.events() if isinstance(event, Citation)] == [["1", "7"]]
    sse = chat("Grüße [", "1] und Paris [7", "]. So").encode()
    response = clean((sse[at : at + 7] for at in range(0, len(sse), 7)), dialects=["numeric"])
    assert text_of(b"".join(response).decode()) == "Grüße und Paris. So"
    [citation] = [event for event in response.events() if isinstance(event, Citation)]
    assert citation.channel == "0" and "Grüße und Paris. So"[citation.clean_start : citation.clean_end] == "Grüße und Paris."
    objects: list[Any] = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("Paris [", "1].")]
    assert [one["choices"][0]["delta"]["content"] for one in clean(objects, dialects=["numeric"])] == ["Paris", "."]
    answer = provstream.clean_response({"choices": [{"message": {"content": "So [1]."}}]}, dialects=["numeric"])
    assert answer == {"choices": [{"message": {"content": "So."}}]}


def test_asgi() -> None:
    from provstream.asgi import CleanMiddleware

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": chat("Paris [", "1].").encode()})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    asyncio.run(CleanMiddleware(app, dialects=["numeric"])(scope, None, send))  # type: ignore[arg-type]
    assert text_of(b"".join(one.get("body", b"") for one in sent).decode()) == "Paris."


def test_files(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN)
    assert provstream.strip("So {1} [1].", dialects=[own]) == "So [1]."
    assert provstream.strip("So {1} [1].", dialects=[str(own), "numeric"]) == "So."
    with pytest.raises(OSError):
        provstream.strip("x", dialects=[tmp_path / "none.toml"])
    own.write_text("name = 5")
    with pytest.raises(ValueError, match="own.toml"):
        provstream.strip("x", dialects=own)


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="expected a dialect, one of openai-file, .*numeric.* found \"numbers\""):
        provstream.strip("x", dialects=["numbers"])
    with pytest.raises(ValueError, match="numbers"):
        clean([], dialects=["numbers"])
    with pytest.raises(TypeError):
        provstream.strip("x", dialects=[5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="only with \"dialects\""):
        provstream.strip("x", sources=["1"])
    with pytest.raises(TypeError):
        provstream.strip("x", dialects=["numeric"], sources="1")
    with pytest.raises(TypeError):
        provstream.strip("x", dialects=["numeric"], sources=[{"title": "x"}])
    with pytest.raises(ValueError, match="which reads no free text"):
        provstream.parse("x", mode="json", dialects=["numeric"])
    about_sources = provstream.Policy(floor=1, default_window="1h", inadmissible=RELEASE, unknown_source=WITHHOLD)
    creations: list[Callable[..., object]] = [
        lambda **settings: provstream.Gate(about_sources, **settings),
        lambda **settings: provstream.Response(policy=about_sources, **settings),
        lambda **settings: clean([], policy=about_sources, **settings),
    ]
    for create in creations:
        with pytest.raises(ValueError, match="need a list of sources"):
            create()
        with pytest.raises(ValueError, match="need a list of sources"):
            create(dialects=["numeric"])
        create(dialects=["numeric"], sources=["1"])


RELEASE = {"action": "release"}
WITHHOLD = {"action": "replace", "text": "(withheld)"}


def test_gate() -> None:
    policy = provstream.Policy(floor=1, default_window="1h", inadmissible=RELEASE, unknown_source=WITHHOLD)
    cites: dict[str, Any] = {"dialects": ["numeric"], "sources": ["1", {"id": "2"}]}
    text = "Grüße [1]. 🎉 Rom is bigger [2][7]. So it is."
    expected = "Grüße. (withheld) So it is."
    for size in (1, 3, len(text)):
        events: list[Any] = []
        gate = provstream.Gate(policy, on_event=events.append, **cites)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert "".join(map(gate.push, pieces)) + gate.finish() == expected
        assert [event.ids for event in events if isinstance(event, Citation)] == [["1"], ["2", "7"]]
        decisions = [event for event in events if isinstance(event, provstream.Decision)]
        assert [(one.disposition, one.action.kind) for one in decisions] == [
            ("listed-source", "release"),
            ("unknown-source", "replace"),
        ]
        assert "".join(clean(pieces, policy=policy, **cites)) == expected
    response = provstream.Response(format="openai-chat", policy=policy, **cites)
    body = response.push(chat("Grüße [", "1]. 🎉 Rom is big", "ger [2][7", "]. So it is.").encode()) + response.finish()
    assert text_of(body.decode()) == expected and "Rom" not in body.decode()


def test_a_function_decides_about_citations() -> None:
    asked: list[Any] = []

    def decide(question: provstream.Question) -> provstream.Action:
        asked.append((question.assertion.text, question.ids, question.unknown_ids))
        return provstream.Action.discard() if question.unknown_ids else provstream.Action.release()

    gate = provstream.Gate(decide, dialects=["numeric"], sources=["1"])
    assert gate.push("It is big [1]. It rains [7]. It is. [substrate.grep] So") + gate.finish() == "It is big. It is. So"
    assert asked == [("It is big.", ["1"], []), ("It rains.", ["7"], ["7"]), ("It is.", [], [])]
