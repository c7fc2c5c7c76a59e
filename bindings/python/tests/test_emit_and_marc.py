"""Prompts, schemas and grammars for models, and validation of MARC records."""

import hashlib
import json
from pathlib import Path

import provstream
import pytest
from provstream import emit, marc, report

ROOT = Path(__file__).parents[3]
OBSERVED = [{"class": "substrate.grep", "id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z"}]


def test_prompts() -> None:
    prompt = emit.prompt()
    assert hashlib.sha256(prompt.encode()).hexdigest() == prompt.sha256
    assert "substrate.grep" in prompt and "src/a.rs:7" not in prompt
    assert "src/a.rs:7" in emit.prompt(observations=OBSERVED)
    assert len({emit.prompt(form=form, length=length, language=language) for form in ("bracketed", "json")
                for length in ("short", "full") for language in ("en", "de")}) == 8
    for wrong in ({"form": "xml"}, {"length": "long"}, {"language": "tlh"}, {"require": "all"}, {"observations": [{"class": "x"}]}):
        with pytest.raises(ValueError):
            emit.prompt(**wrong)
    vocabulary = provstream.Vocabulary('version = "1.1"\n[[class]]\nid = "substrate.x"\nsince = "1.1"\n')
    assert "substrate.x" in emit.prompt(vocabulary=vocabulary)


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "ollama", "bedrock", "cohere", "json-schema"])
def test_schemas(target: str) -> None:
    assert "assertions" in json.dumps(emit.schema(target))
    assert "src/a.rs:7" in json.dumps(emit.schema(target, observations=OBSERVED))


@pytest.mark.parametrize("target", ["lark", "gbnf", "ebnf", "regex", "structural-tag", "structural-tag-legacy"])
def test_grammars(target: str) -> None:
    assert emit.grammar(target) != emit.grammar(target, observations=OBSERVED)
    if not target.startswith("structural"):
        assert emit.grammar(target) != emit.grammar(target, require="every-sentence")
    with pytest.raises(ValueError, match="target"):
        emit.grammar(target + "x")


def test_examples() -> None:
    conversation = {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "It is so. [substrate.grep]"}]}
    annotated, unannotated = emit.examples(conversation, instructions="Annotate.")
    assert annotated["messages"][0] == {"role": "system", "content": "Annotate."}
    assert unannotated["messages"][1]["content"] == "It is so."
    with pytest.raises(ValueError, match="expected a message with the role"):
        emit.examples({"messages": []})


def test_the_vectors_of_the_drafts() -> None:
    found = sorted((ROOT / "corpus" / "marc").glob("tv-m2-*.json"))
    assert found
    for path in found:
        for line in path.read_text().splitlines():
            if line.startswith("{") and line.endswith("}"):
                assert marc.validate(line).kind in ("core", "disclosure")


def test_violations() -> None:
    validated = marc.validate({"marc_version": "1.0", "selected_action": "ABSTAIN"})
    assert validated.kind == "core" and not validated.is_valid
    first = validated.violations[0]
    assert (first.code, first.level, first.pointer) == ("missing-member", "must", "/pre_capability")
    assert "pre_capability" in first.message and "must MARC-02" in repr(first)
    assert marc.validate({}).kind is None
    assert marc.validate({}, kind="core").violations
    with pytest.raises(ValueError):
        marc.validate("[]")
    with pytest.raises(ValueError, match='^expected draft "01" or "02", found "03"$'):
        marc.validate({}, draft="03")
    assert marc.schema("core")["$schema"] != ""
    assert marc.schema("core", strict=True) != marc.schema("core")


def test_sequences() -> None:
    record = json.dumps({"marc_version": "1.0", "decision_id": "d1", "selected_action": "RETRIEVE"})
    sequence = marc.Sequence()
    sequence.check(record)
    assert "repeated-decision-id" in [violation.code for violation in sequence.check(record)]
    sequence.skip()
    assert isinstance(sequence.finish(), list)


SURROGATES = {
    "pair": ("It is \ud83c\udf89 so.", "It is 🎉 so."),
    "two pairs": ("\ud83c\udf89\ud83c\udf89", "🎉🎉"),
    "high": ("It is \ud83c so.", "It is \ufffd so."),
    "low": ("It is \udf89 so.", "It is \ufffd so."),
    "low before high": ("\udf89\ud83c", "\ufffd\ufffd"),
    "high before a pair": ("\ud83c\ud83c\udf89", "\ufffd🎉"),
    "high at the end": ("It is so\ud83c", "It is so\ufffd"),
    "low at the start": ("\udf89It is so", "\ufffdIt is so"),
    "beside a character": ("🎉\ud83c\udf89é", "🎉🎉é"),
    "beside a private one": ("\ue000\ud83c\udf89\uffff", "\ue000🎉\uffff"),
    "the last pair": ("\udbff\udfff", "\U0010ffff"),
    "none": ("Grüße 🎉 \ufffd", "Grüße 🎉 \ufffd"),
}


@pytest.mark.parametrize("case", SURROGATES)
def test_surrogates_in_a_page(case: str) -> None:
    """The page shows what `parse` reads, in its title as well."""
    given, shown = SURROGATES[case]
    now = "2026-05-28T12:00:00Z"
    annotated, expected = f"{given} [substrate.grep] {given}", f"{shown} [substrate.grep] {shown}"
    page = report.html(annotated, name=given, now=now)
    assert page == report.html(expected, name=shown, now=now) == provstream.parse(annotated).report(name=given, now=now)
    assert shown in page and "??" not in page
    assert page == report.html(expected.encode(), name=given, now=now)
    assert provstream.parse(annotated).assertions[0].text == provstream.parse(expected).assertions[0].text
    assert shown in provstream.parse(annotated)._repr_html_()
    split = provstream.Rewriter()
    assert "".join(map(split.push, annotated)) + split.finish() == provstream.strip(expected)
