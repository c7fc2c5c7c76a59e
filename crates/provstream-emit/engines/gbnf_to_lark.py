"""Reads every GBNF file of a folder with llguidance's own converter, and writes what it makes of it beside."""

import pathlib
import sys

from llguidance.gbnf_to_lark import gbnf_to_lark

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.gbnf")):
    lark = gbnf_to_lark(path.read_text(encoding="utf-8"))
    path.with_name(path.name + ".lark").write_text(lark, encoding="utf-8")
    print(f"converted {path.name}: {len(lark)} bytes")
