"""Importing the package is quick."""

import resource
import subprocess
import sys


def seconds(code: str) -> float:
    """Processor time of a fresh interpreter, the least of several, since other work on the machine adds to it."""
    found = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def test_import_time() -> None:
    took = seconds("import provstream") - seconds("pass")
    print(f"import provstream: {took * 1000:.0f} ms")
    assert took < 0.05


def test_what_is_imported() -> None:
    """Modules that are not needed at once are imported on first use."""
    code = "import provstream, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"json", "asyncio", "datetime", "dataclasses", "provstream.marc", "provstream.asgi"} & set(loaded)
