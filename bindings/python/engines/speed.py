"""Compares `provstream.arrow.extract` with the Rust library on the same strings, in one run.

    cargo build --release --example strings
    python speed.py FOLDER/parquet TARGET/release/examples/strings [--rows 40000] [--passes 7]

`FOLDER` is written by `transcripts.py`. Prints the least time of some passes, processor seconds of the one thread (of two threads:
seconds), and what that is of the Rust library, which reads every value of each assertion where it lies and keeps nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
from provstream.arrow import extract


def least(clock, passes: int, *works) -> list[float]:
    """The least time of some passes of each of these, which take turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(passes):
        for work, taken in zip(works, times):
            started = clock()
            work()
            taken.append(clock() - started)
    return [min(taken) for taken in times]


def main() -> None:
    arguments = argparse.ArgumentParser(description="Compares Arrow batches with the Rust library.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("program", type=Path)
    arguments.add_argument("--rows", type=int, default=40_000)
    arguments.add_argument("--passes", type=int, default=7)
    options = arguments.parse_args()
    texts = pyarrow.parquet.read_table(options.folder, columns=["text"])["text"].slice(0, options.rows).combine_chunks()
    rows = [text.encode() for text in texts.to_pylist() if text is not None]
    size = sum(map(len, rows))
    print(f"{len(rows)} strings, {size / 1e6:.1f} MB")
    with tempfile.NamedTemporaryFile() as file:
        for row in rows:
            file.write(len(row).to_bytes(4, "little") + row)
        file.flush()
        command = [options.program, file.name, str(options.passes)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rust = {}
    for line in printed:
        name, processor, wall, found = line.split()
        rust[name] = float(processor)
        print(f"rust, {name}: {float(processor):.4f} s, {size / float(processor) / 1e6:.0f} MB/s, {found} assertions")
    [one] = least(time.thread_time, options.passes, lambda: extract(texts))
    print(f"arrow, one thread: {one:.4f} s, {size / one / 1e6:.0f} MB/s")
    print("".join(f"  {seconds / one:.2f} x rust, {name}\n" for name, seconds in rust.items()), end="")
    alone, two = least(time.perf_counter, options.passes, lambda: extract(texts), lambda: extract(texts, threads=2))
    print(f"arrow, seconds: one thread {alone:.4f}, two threads {two:.4f}: {alone / two:.2f} x")


if __name__ == "__main__":
    main()
