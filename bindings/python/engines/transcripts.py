"""Writes an archive of transcripts for examples, tests and benchmarks: Parquet, and the same rows as NDJSON.

    python transcripts.py FOLDER [--rows 200000] [--seed 19] [--files 8]

The rows depend on nothing but their number and the seed. A transcript is the answer of an assistant of a few hundred to a few
thousand bytes: paragraphs, lists, code, links and numbered citations, in several scripts, about one sentence in three with
annotations, a few of them malformed, with an unknown class, or in JSON. One in a thousand is null.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

CLASSES = [
    "substrate.grep",
    "substrate.git.log",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.unix.peercred",
    "unverified-inference",
    "decayed-to-uncertainty",
    "substrate.unheard.of",
]
SUBJECTS = [
    "The build", "This handler", "The migration", "The parser in `lexer.rs`", "Version 2.4.1", "The nightly job", "Its cache",
    "The change of 25 May", "Dr. Okafor's patch", "The queue", "Der Größenvergleich", "La réponse", "Отчёт", "索引", "目录服务",
]
VERBS = [
    "fails on", "was merged into", "no longer reads", "depends on", "is 3.5 times faster than", "replaces", "locks", "retries",
    "überspringt", "dépend de", "зависит от", "使用",
]
OBJECTS = [
    "the main branch", "files over 2 GiB", "the old index (see below)", "e.g. empty rows", "`config/app.toml`", "the retry limit",
    "every request that times out", "the release of 2026-05-25", "den Zwischenspeicher", "la file d'attente", "очереди", "缓存 🚀",
]
ENDINGS = [".", ".", ".", ".", "!", "?", ".", "。"]


def annotation(random: random.Random) -> str:
    """One annotation in brackets."""
    name = random.choices(CLASSES, [9, 6, 8, 3, 2, 2, 3, 1, 1])[0]
    parts = [name]
    if random.random() < 0.6:
        parts.append(f"observation-id=sha256:{random.getrandbits(64):016x}")
    if random.random() < 0.8:
        minute, second = random.randrange(60), random.randrange(60)
        parts.append(f"ts=2026-05-28T{random.randrange(24):02}:{minute:02}:{second:02}Z")
    if random.random() < 0.01:
        parts.append("ts=yesterday")
    if random.random() < 0.005:
        return f"[{'; '.join(parts)}"
    return f"[{'; '.join(parts)}]"


def sentence(random: random.Random) -> str:
    """A sentence, perhaps with annotations."""
    words = f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(OBJECTS)}"
    if random.random() < 0.3:
        words += f", and {random.choice(VERBS)} {random.choice(OBJECTS)}"
    words += random.choice(ENDINGS)
    chance = random.random()
    if chance < 0.28:
        words += " " + annotation(random)
        if random.random() < 0.25:
            words += " " + annotation(random)
    elif chance < 0.32:
        words += f" [{random.randrange(1, 9)}]"
    elif chance < 0.34:
        words += " See [the log](https://example.org/log?id=7)."
    return words


def block(random: random.Random) -> str:
    """A paragraph, a list, a block of code or a JSON object."""
    chance = random.random()
    if chance < 0.1:
        return "\n".join(f"- {sentence(random)}" for _ in range(random.randrange(2, 6)))
    if chance < 0.16:
        return "```rust\nlet found = map.get(\"[substrate.grep]\"); // not an annotation\n```"
    if chance < 0.2:
        claim = {
            "assertion": sentence(random).split(" [")[0],
            "provenance": [{"substrate_class": random.choice(CLASSES), "ts": "2026-05-28T11:40:00Z"}],
        }
        return json.dumps({"claims": [claim]}, ensure_ascii=random.random() < 0.5)
    return " ".join(sentence(random) for _ in range(random.randrange(1, 6)))


def transcript(seed: int, number: int) -> str | None:
    """The text of a row."""
    chance = random.Random(seed * 1_000_003 + number)
    if chance.random() < 0.001:
        return None
    blocks = min(1 + int(chance.expovariate(1 / 3.4)), 40)
    return "\n\n".join(block(chance) for _ in range(blocks))


def rows(count: int, seed: int = 19) -> dict[str, list[Any]]:
    """The columns `id` and `text` of that many rows."""
    numbers = list(range(count))
    return {"id": numbers, "text": [transcript(seed, number) for number in numbers]}


def write(folder: Path, count: int, seed: int = 19, files: int = 8) -> int:
    """Writes `parquet/transcripts-N.parquet`, `transcripts.ndjson` and `size.json`; returns the bytes of text."""
    import pyarrow
    import pyarrow.parquet

    (folder / "parquet").mkdir(parents=True, exist_ok=True)
    columns = rows(count, seed)
    table = pyarrow.table({"id": pyarrow.array(columns["id"], pyarrow.int64()), "text": columns["text"]})
    each = -(-count // files)
    for number in range(files):
        part = table.slice(number * each, each)
        path = folder / "parquet" / f"transcripts-{number}.parquet"
        pyarrow.parquet.write_table(part, path, compression="zstd", row_group_size=8_192)
    with (folder / "transcripts.ndjson").open("w", encoding="utf-8") as lines:
        for number, text in zip(columns["id"], columns["text"]):
            lines.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")
    size = sum(len(text.encode()) for text in columns["text"] if text is not None)
    (folder / "size.json").write_text(json.dumps({"rows": count, "bytes": size}) + "\n")
    return size


def main() -> None:
    arguments = argparse.ArgumentParser(description="Writes an archive of transcripts.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--seed", type=int, default=19)
    arguments.add_argument("--files", type=int, default=8)
    options = arguments.parse_args()
    size = write(options.folder, options.rows, options.seed, options.files)
    print(f"{options.rows} transcripts, {size / 1e6:.1f} MB of text, in {options.folder}")


if __name__ == "__main__":
    main()
