"""Whole texts and parsers."""

import random

import provstream
import pytest

TEXTS = [
    "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] Ship it.",
    "Grüße 🎉. Es regnet. [substrate.grep; observation-id=é🎉] So ist es. [substrate.git.log] 終わり。[unverified-inference]",
    '{"assertion": "Es ist grün 🎉.", "provenance": {"substrate_class": "substrate.grep"}}',
    "Ünä. \u3000[substrate.grep] Noch. [substrate.nope] Und\u2028 [substrate.code.read; ts=x]",
]


def places(events: list[provstream.Event]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for event in events:
        clean = (event.clean_start, event.clean_end) if isinstance(event, provstream.Assertion) else ()
        found.append((event.to_json(), event.start, event.end, event.byte_start, event.byte_end, *clean))
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_places_are_code_points(text: str) -> None:
    parsed = provstream.parse(text)
    assert parsed.assertions
    assert parsed.clean == provstream.strip(text)
    for assertion in parsed:
        assert text[assertion.start : assertion.end] == assertion.text
        raw = text.encode()[assertion.byte_start : assertion.byte_end]
        assert raw.decode() == assertion.text
        if assertion.encoding == "bracket":
            assert parsed.clean[assertion.clean_start : assertion.clean_end] == assertion.text
    for annotation in parsed.annotations:
        assert text[annotation.start : annotation.end] == annotation.raw


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_chunks_do_not_matter(text: str, as_bytes: bool) -> None:
    source: str | bytes = text.encode() if as_bytes else text
    expected = places((provstream.parse(text.encode()) if as_bytes else provstream.parse(text)).events)
    parser = provstream.Parser()
    for size in [1, 2, 3, 7, len(source)]:
        events: list[provstream.Event] = []
        for at in range(0, len(source), size):
            events += parser.push(source[at : at + size])
        events += parser.finish()
        assert places(events) == expected
        parser.reset()


def test_split_surrogates() -> None:
    """A pair that is pushed as two code points counts as two, so that places are those of the pushed text."""
    pieces = ["Grüße \ud83c", "\udf89 und \ud83d. Es regnet. [substrate.grep; observation-id=\ud83c", "\udf89] \ud83c\udf89 So. [substrate.git.log] \udf89\ud83d"]
    parser = provstream.Parser()
    events = [event for piece in pieces for event in parser.push(piece)] + parser.finish()
    joined = "".join(pieces)
    found = [event for event in events if isinstance(event, provstream.Assertion)]
    assert [joined[a.start : a.end] for a in found] == ["Es regnet.", "\ud83c\udf89 So."]
    assert found[1].text == "🎉 So."
    assert found[0].annotations[0].observation_id == "🎉"
    whole = provstream.parse(joined)
    assert places(whole.events) == places(events)
    assert whole.clean == "Grüße 🎉 und \ufffd. Es regnet. 🎉 So. \ufffd\ufffd"
    assert [whole.clean[a.clean_start : a.clean_end] for a in whole] == ["Es regnet.", "🎉 So."]


def test_random_places() -> None:
    """Places agree with a search in the text, for random pieces of it."""
    rng = random.Random(19)
    words = ["Es ist so.", "Grün 🎉!", " ", "\u3000", "[substrate.grep]", "[substrate.git.log; observation-id=ü🎉]", "[1]", "終わり。", "\n\n", "x", "\ud83d", "\ude00", "[unverified-inference"]
    for _ in range(2000):
        text = "".join(rng.choices(words, k=rng.randrange(1, 12)))
        parsed = provstream.parse(text)
        sane = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        assert parsed.clean == provstream.strip(sane)
        for assertion in parsed:
            raw = text[assertion.start : assertion.end]
            assert raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") == assertion.text
            assert parsed.clean[assertion.clean_start : assertion.clean_end] == assertion.text
        parser, events, at = provstream.Parser(), [], 0
        while at < len(text):
            size = rng.randrange(0, 5)
            events += parser.push(text[at : at + size])
            at += size
        assert places(events + parser.finish()) == places(parsed.events)


def test_bytes_that_are_not_utf8() -> None:
    source = b"\xff\xe2\x82 Es \xf0\x9f ist so. [substrate.grep]"
    decoded = source.decode("utf-8", "replace")
    [assertion] = provstream.parse(source)
    assert decoded[assertion.start : assertion.end] == assertion.text
    parser = provstream.Parser(mode="json")
    garbage = "{é🎉".encode() + b"\xe2\x82"
    one = [e for byte in garbage for e in parser.push(bytes([byte]))] + parser.finish()
    assert places(one) == places(provstream.parse(garbage, mode="json").events)


def test_kinds_are_not_mixed() -> None:
    parser = provstream.Parser()
    parser.push("a")
    with pytest.raises(TypeError, match="^expected str, as was pushed before, found bytes$"):
        parser.push(b"a")
    with pytest.raises(TypeError, match="^expected str, bytes, bytearray or memoryview, found int$"):
        parser.push(1)  # type: ignore[arg-type]
    parser.reset()
    parser.push(bytearray(b"a"))
    parser.push(memoryview(b"xbx")[1:2])
    assert parser.position == 2


def test_far_back() -> None:
    """Beyond the window, code points are refused; bytes are known."""
    parser = provstream.Parser()
    parser.push('é {"assertion": "It is so.", "x": "')
    for _ in range(20):
        parser.push("x" * 100_000)
    [assertion] = [e for e in parser.push('", "provenance": {"substrate_class": "substrate.grep"}}') if isinstance(e, provstream.Assertion)]
    assert (assertion.byte_start, assertion.byte_end) == (18, 27)
    with pytest.raises(provstream.OffsetError, match="use byte_start"):
        _ = assertion.start
    assert "bytes 18..27" in repr(assertion)


def test_strip_returns_the_same_object() -> None:
    text = "Nothing here. [1] ü"
    assert provstream.strip(text) is text
    lone = "a\ud83d"
    assert provstream.strip(lone) is lone
    assert provstream.strip("a \ud83d. [substrate.grep]") == "a \ufffd."


def test_settings() -> None:
    with pytest.raises(ValueError, match='^expected mode "text", "json", "ndjson" or "auto", found "jsn"$'):
        provstream.Parser(mode="jsn")
    with pytest.raises(ValueError, match="max_depth"):
        provstream.Limits(max_depth=0)
    limits = provstream.Limits(max_annotation=20)
    assert limits.max_annotation == 20 and limits == provstream.Limits(max_annotation=20)
    parsed = provstream.parse("It is so. [substrate.grep; ts=2026-05-28T11:40:00Z]", limits=limits)
    assert [d.code for d in parsed.diagnostics] == ["limit-annotation"]
    vocabulary = provstream.Vocabulary('version = "1.1"\n[[class]]\nid = "substrate.x"\nsince = "1.1"\n')
    assert "substrate.x" in vocabulary and "substrate.grep" in vocabulary
    assert provstream.parse("It is so. [substrate.x]", vocabulary=vocabulary).annotations[0].reason is None
    with pytest.raises(ValueError, match="line 1"):
        provstream.Vocabulary("version = 1")
