"""Displays of parsed answers in notebooks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from provstream import _answers, _native

if TYPE_CHECKING:
    from collections.abc import Iterable

    from provstream._native import Annotation, Assertion, Verdict
    from provstream._parsed import Parsed

MAX_SHOWN = 100_000
"""Most characters of a text that are shown."""

KINDS = {
    "corroborated": "names an observation",
    "declared-terminal": "declared without an observation",
    "mapped-terminal": "annotation that is not understood",
    "": "without annotation",
}
"""Meaning of each colour, by the `kind` of annotations."""

VERDICTS = {True: "admitted", False: "not admitted"}

STYLE = """
.provstream { position: relative; line-height: 1.7; max-width: 46em; padding-bottom: 4em; }
.provstream div { white-space: pre-wrap; }
.provstream mark { color: inherit; background: rgba(128, 128, 128, .2); border-radius: .2em; cursor: help; }
.provstream mark.corroborated { background: rgba(64, 128, 255, .25); }
.provstream mark.declared-terminal { background: rgba(255, 170, 0, .3); }
.provstream mark.mapped-terminal { background: rgba(200, 80, 200, .25); }
.provstream mark.admitted { border-bottom: 2px solid; }
.provstream mark.not-admitted { border-bottom: 2px dashed; }
.provstream mark > span { display: none; position: absolute; left: 0; z-index: 9; padding: .4em .7em; font-size: .9em;
  line-height: 1.4; color: var(--jp-ui-font-color1, CanvasText); background: var(--jp-layout-color1, Canvas); border: 1px solid; }
.provstream mark:hover > span, .provstream mark:focus > span { display: block; }
.provstream b.x { font: .8em monospace; border: 1px solid; }
.provstream p { margin: .3em 0; font-size: .9em; }
.provstream p mark { padding: 0 .3em; cursor: auto; }
"""


def html(parsed: Parsed[Any]) -> str:
    """Returns the texts of an answer, a legend, and for each assertion details that appear on hover or focus."""
    verdicts = [parsed._judge["discipline"].judge(one, now=parsed._judge["now"]) if parsed._judge else None for one in parsed]
    channels = {channel: _text(parsed, channel, text, verdicts) for channel, text in parsed.texts.items()}
    head = _legend(parsed.assertions, verdicts) if any(one.annotations for one in parsed) or parsed.annotations else _nothing()
    codes = Counter(one.code for one in parsed.diagnostics)
    if codes:
        head += _paragraph("Diagnostics: " + ", ".join(f"{code} ({count})" for code, count in codes.items()))
    if not parsed.is_complete:
        head += _paragraph("Not all text of this response was read.")
    named = len(channels) > 1 or any(channels)
    body = "".join((_paragraph(f"Channel {channel}") if named else "") + shown for channel, shown in channels.items())
    return f'<div class="provstream"><style>{STYLE}</style>{head}{body}</div>'


def _nothing() -> str:
    return (
        "<p>No provenance annotations were found. To get some, add the instructions of <code>provstream.emit.prompt()</code> to the "
        "system message of your model. To see annotated answers, run <code>provstream proxy --demo</code>.</p>"
    )


def _legend(assertions: list[Assertion], verdicts: list[Verdict | None]) -> str:
    kinds = Counter(_kind(one) for one in assertions)
    entries = [(kind or "none", words, kinds[kind]) for kind, words in KINDS.items()]
    admitted = Counter(verdict.admitted for verdict in verdicts if verdict is not None)
    entries += [(_class(is_admitted), words, admitted[is_admitted]) for is_admitted, words in VERDICTS.items()]
    shown = (f'<mark class="{name}">{words}</mark> {count}' for name, words, count in entries if count)
    return f"<p>{' &nbsp; '.join(shown)}</p>"


def _text(parsed: Parsed[Any], channel: str, text: str, verdicts: list[Verdict | None]) -> str:
    """Returns a text without its annotations, and with its assertions marked."""
    marks = [(one.start, one.end, one, verdict) for one, verdict in zip(parsed, verdicts, strict=True) if one.channel == channel]
    hidden = [(one.start, one.end, None, None) for one in parsed.annotations if one.channel == channel]
    shown, position = "", 0
    for start, end, assertion, verdict in sorted([*marks, *hidden], key=lambda one: one[:2]):
        if start >= MAX_SHOWN:
            break
        before = text[position:start]
        shown += _escaped(before.rstrip() if assertion is None else before)
        if assertion is not None:
            classes = f"{_kind(assertion) or 'none'} {_class(verdict.admitted) if verdict is not None else ''}".rstrip()
            inner = _escaped(text[max(position, start) : end]) or "(nothing)"
            shown += f'<mark class="{classes}" tabindex="0">{inner}<span hidden>{_details(assertion, verdict)}</span></mark>'
        position = max(position, end)
    shown += _escaped(text[position : max(position, MAX_SHOWN)])
    left = len(text) - max(position, MAX_SHOWN)
    more = _paragraph(f"{left} more characters are not shown here; report() has all.") if left > 0 else ""
    return f'<div dir="auto">{shown}</div>{more}'


def _details(assertion: Assertion, verdict: Verdict | None) -> str:
    lines = [_annotation(one) for one in assertion.annotations] or ["without annotation"]
    if verdict is not None:
        lines.append(str(verdict))
    return "<br>".join(_escaped(line) for line in lines)


def _annotation(annotation: Annotation) -> str:
    parts: Iterable[str | None] = (
        annotation.declared or "(no class)",
        annotation.reason,
        annotation.observation_id and f"observation {annotation.observation_id}",
        annotation.ts,
    )
    return " · ".join(part for part in parts if part)


def _kind(assertion: Assertion) -> str:
    """Returns the kind of an assertion: the kind of an annotation that is not understood, or else of a terminal, or else of another."""
    kinds = {one.kind for one in assertion.annotations}
    return next((kind for kind in ("mapped-terminal", "declared-terminal", "corroborated") if kind in kinds), "")


def _class(is_admitted: bool) -> str:
    return VERDICTS[is_admitted].replace(" ", "-")


def _paragraph(text: str) -> str:
    return f"<p>{_escaped(text)}</p>"


def _escaped(text: str) -> str:
    """Escapes a text as `report` does."""
    return _native.escaped(_answers.without_surrogates(text))
