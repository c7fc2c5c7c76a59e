"""Writes ../class_table.rs from sentence_break.txt. Run it in this folder; a unit test compares the two."""

BLOCK = 128
LIMIT = 0x20000
NAMES = ("Other CR LF Sep Sp ATerm STerm Close SContinue Numeric Upper Lower OLetter Extend Format").split()

classes = [0] * LIMIT
beyond = []
for line in open("sentence_break.txt", encoding="utf-8"):
    if line.startswith("#"):
        continue
    span, name = line.split()
    first, _, last = span.partition("..")
    first, last = int(first, 16), int(last or first, 16)
    if first >= LIMIT:
        beyond.append((first, last, NAMES.index(name)))
        continue
    for code in range(first, last + 1):
        classes[code] = NAMES.index(name)

blocks, index = [], []
for start in range(0, LIMIT, BLOCK):
    block = tuple(classes[start : start + BLOCK])
    if block not in blocks:
        blocks.append(block)
    index.append(blocks.index(block))

with open("../class_table.rs", "w", encoding="utf-8") as out:
    out.write("//! `Sentence_Break` values of Unicode 17.0.0, written by `data/generate.py` from `data/sentence_break.txt`.\n//!\n")
    out.write("//! Data: copyright 1991-2025 Unicode, Inc., under the Unicode License v3 (`LICENSE-UNICODE` at the root).\n\n")
    out.write("/// First code point that [`INDEX`] does not cover.\n")
    out.write(f"pub(super) const LIMIT: u32 = {LIMIT:#x};\n\n")
    out.write("/// First and last code point and value of each range from [`LIMIT`] on, ascending.\n")
    out.write("#[rustfmt::skip]\n")
    out.write(f"pub(super) static BEYOND: [(u32, u32, u8); {len(beyond)}] = [\n")
    for row in beyond:
        out.write(f"    ({row[0]:#x}, {row[1]:#x}, {row[2]}),\n")
    out.write("];\n\n/// Number of the block in [`BLOCKS`] for each run of 128 code points.\n#[rustfmt::skip]\n")
    out.write(f"pub(super) static INDEX: [u8; {len(index)}] = [\n")
    for at in range(0, len(index), 24):
        out.write("    " + " ".join(f"{n}," for n in index[at : at + 24]) + "\n")
    out.write("];\n\n/// Values of 128 code points each, 4 bits a value, 16 values a word, the first in the lowest bits.\n")
    out.write("#[rustfmt::skip]\n")
    out.write(f"pub(super) static BLOCKS: [[u64; 8]; {len(blocks)}] = [\n")
    for block in blocks:
        words = (block[at : at + 16] for at in range(0, BLOCK, 16))
        packed = (sum(value << 4 * place for place, value in enumerate(word)) for word in words)
        out.write("    [" + ", ".join(f"{word:#x}" for word in packed) + "],\n")
    out.write("];\n")
