"""Prompts, schemas and grammars that make a model write annotations; `docs/emission.md` has the recipes.

>>> from provstream import emit
>>> observed = [{"class": "substrate.grep", "id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z"}]
>>> "src/a.rs:7" in emit.prompt(observations=observed)
True
>>> emit.schema("openai")["required"]
['assertions']
>>> "src/a.rs:7" in emit.grammar("gbnf", observations=observed, require="every-sentence")
True
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from provstream import _native
from provstream._native import Vocabulary

__all__ = ["Prompt", "examples", "grammar", "prompt", "schema"]

Observations = Sequence[dict[str, str]]
"""Observations: for each a `dict` with `class`, `id` and optionally `ts` and `summary`."""


class Prompt(str):
    """Text of a prompt; `sha256` identifies it in audit logs."""

    sha256: str


def prompt(
    *,
    form: str = "bracketed",
    length: str = "short",
    language: str = "en",
    require: str = "nothing",
    observations: Observations | None = None,
    vocabulary: Vocabulary | None = None,
) -> Prompt:
    """Builds instructions for a model to annotate its answer, for the system message.

    `form` is `"bracketed"` or `"json"`, `length` `"short"` or `"full"`, `language` `"en"`, `"de"` and so on, `require` `"nothing"` or
    `"every-sentence"`. Raises `ValueError` for another value and for observations that are wrong.
    """
    text, sha256 = _native.prompt(form, length, language, require, _json(observations), vocabulary)
    written = Prompt(text)
    written.sha256 = sha256
    return written


def schema(target: str, *, observations: Observations | None = None, vocabulary: Vocabulary | None = None) -> dict[str, Any]:
    """Builds a schema for structured output: `"openai"`, `"anthropic"`, `"gemini"`, `"ollama"`, `"bedrock"`, `"cohere"` or `"json-schema"`.

    Raises `ValueError` for another target, and where the provider's subset of JSON Schema is too small for the observations.
    """
    return cast(dict[str, Any], json.loads(_native.schema(target, _json(observations), vocabulary)))


def grammar(
    target: str,
    *,
    require: str = "nothing",
    observations: Observations | None = None,
    vocabulary: Vocabulary | None = None,
) -> str:
    """Builds a grammar for constrained decoding: `"lark"`, `"gbnf"`, `"ebnf"`, `"regex"`, `"structural-tag"` or `"structural-tag-legacy"`.

    Raises `ValueError` for another target, and for an id that the grammar cannot allow.
    """
    return _native.grammar(target, require, _json(observations), vocabulary)


def examples(
    conversation: dict[str, Any], *, instructions: str | None = None, vocabulary: Vocabulary | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Builds two examples for fine-tuning from an annotated conversation: with instructions and annotations, and without.

    `conversation` has `messages`, each with `role` and `content`. Raises `ValueError` if a reader has a diagnostic for an answer.
    """
    asked = prompt(vocabulary=vocabulary) if instructions is None else instructions
    annotated, unannotated = _native.examples(json.dumps(conversation), asked, vocabulary)
    return json.loads(annotated), json.loads(unannotated)


def _json(observations: Observations | None) -> str | None:
    return None if observations is None else json.dumps(list(observations))
