"""Drives XGrammar with the grammars of a folder that `write` made.

usage: xgrammar_drive.py DIR COUNT

Checks what each grammar accepts and refuses, and samples COUNT answers of each into DIR/samples.jsonl; with 0, measures what the
grammars cost instead.

XGrammar's package imports torch and transformers for what it does on a GPU. Neither is needed to compile a grammar and to fill a
mask, so both are replaced by empty modules.
"""

import json
import pathlib
import random
import sys
import time
import types

import numpy
import tvm_ffi  # noqa: F401  looks for torch itself, before there is an empty one

for name in ("torch", "transformers"):
    module = types.ModuleType(name)
    module.int32 = "int32"
    module.tensor = lambda *_, **__: None
    module.__getattr__ = lambda attribute: type(attribute, (), {})
    sys.modules[name] = module

import xgrammar  # noqa: E402

LONG = 60
TOO_LONG = 9_000
RARELY = 1_000
COST_REPEATS = 20


class Vocabulary:
    def __init__(self, tokens):
        self.tokens = [bytes(token) for token in tokens]
        self.end = len(self.tokens)
        self.by_bytes = {token: index for index, token in enumerate(self.tokens)}
        self.longest = max(map(len, self.tokens))
        self.info = xgrammar.TokenizerInfo(
            self.tokens + [b"<|end|>"], xgrammar.VocabType.RAW, stop_token_ids=[self.end]
        )
        self.mask = numpy.full((1, (self.end + 32) // 32), -1, dtype=numpy.int32)

    def allowed(self, matcher):
        self.mask.fill(-1)
        matcher.fill_next_token_bitmask(self.mask)
        bits = numpy.unpackbits(self.mask[0].view(numpy.uint8), bitorder="little")
        return bits[: self.end + 1]

    def fitting(self, wanted, allowed):
        for length in range(min(self.longest, len(wanted)), 0, -1):
            token = self.by_bytes.get(wanted[:length])
            if token is not None and allowed[token]:
                return token
        return None

    def greedy(self, text):
        rest, out = text.encode(), []
        everything = numpy.ones(self.end)
        while rest:
            out.append(self.fitting(rest, everything))
            rest = rest[len(self.tokens[out[-1]]) :]
        return out


def compile_grammar(info, target, text):
    compiler = xgrammar.GrammarCompiler(info, cache_enabled=False)
    if target == "structural-tag":
        return compiler.compile_structural_tag(text)
    if target == "structural-tag-legacy":
        tag = json.loads(text)
        items = [xgrammar.StructuralTagItem(**item) for item in tag["structures"]]
        return compiler.compile_structural_tag(items, tag["triggers"])
    if target == "regex":
        return compiler.compile_grammar(xgrammar.Grammar.from_regex(text.rstrip("\n")))
    return compiler.compile_grammar(xgrammar.Grammar.from_ebnf(text))


def accepts(compiled, vocabulary, text):
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(vocabulary.end)


def answer(compiled, vocabulary, manifest, chance):
    matcher = xgrammar.GrammarMatcher(compiled)
    out, wanted = b"", b""
    for length in range(TOO_LONG):
        allowed = vocabulary.allowed(matcher)
        over = length > LONG
        if allowed.sum() == 1 and allowed[vocabulary.end]:
            return out, True
        if allowed[vocabulary.end] and (over or chance.random() < 1 / 40):
            return out, True
        if not wanted and (over or chance.random() < 1 / 6):
            rare = not over and chance.randrange(RARELY) == 0
            wanted = chance.choice(manifest["ends" if over else "rare" if rare else "seeds"]).encode()
        token = vocabulary.fitting(wanted, allowed)
        if token is None:
            # Random tokens are of the grammar's free choice; the seeds alone are adversarial.
            choices = numpy.flatnonzero(allowed[: vocabulary.end])
            token = int(choices[chance.randrange(len(choices))])
        piece = vocabulary.tokens[token]
        wanted = wanted[len(piece) :] if wanted.startswith(piece) else b""
        out += piece
        assert matcher.accept_token(token), (out, token)
    return out, False


def completeness(folder, manifest, vocabulary):
    """Counts accepted and refused texts of every grammar."""
    faults = 0
    for grammar in manifest["grammars"]:
        if grammar["target"] == "lark":
            continue
        text = (folder / grammar["file"]).read_text(encoding="utf-8")
        compiled = compile_grammar(vocabulary.info, grammar["target"], text)
        good = manifest["complete"][grammar["case"]]
        before = "It is so. " if grammar["case"].endswith("sentence") else ""
        missed = [one for one in good if not accepts(compiled, vocabulary, before + one)]
        refused = manifest["complete"]["refused"]
        passed = [one for one in refused if accepts(compiled, vocabulary, before + one)]
        print(
            f"xgrammar   {grammar['file']:40} accepts {len(good) - len(missed)} of {len(good)},"
            f" refuses {len(refused) - len(passed)} of {len(refused)}"
        )
        for one in missed[:2] + passed[:3]:
            print(f"           for example {one[:90]!r}")
        # The older structural tag has one quoted parameter, no terminals, and leaves other spellings to the model.
        if grammar["target"] != "structural-tag-legacy":
            faults += len(missed)
        if not grammar["target"].startswith("structural-tag"):
            faults += len(passed)
        elif len(refused) - len(passed) < 200:
            faults += 1
    return faults


def sample(folder, manifest, vocabularies, count):
    chance = random.Random(1)
    with (folder / "samples.jsonl").open("w", encoding="utf-8") as out:
        for grammar in manifest["grammars"]:
            if grammar["target"] in ("lark", "gbnf", "regex"):
                continue
            text = (folder / grammar["file"]).read_text(encoding="utf-8")
            for name, vocabulary in vocabularies.items():
                compiled = compile_grammar(vocabulary.info, grammar["target"], text)
                for _ in range(count // len(vocabularies)):
                    made, finished = answer(compiled, vocabulary, manifest, chance)
                    line = {**grammar, "vocabulary": name, "finished": finished, "bytes": list(made)}
                    out.write(json.dumps(line) + "\n")


def quantile(times, share):
    return sorted(times)[int((len(times) - 1) * share)] * 1e6


def cost(folder, manifest, vocabulary):
    answers = manifest["cost"]
    work = [(grammar["file"], grammar["target"], grammar["case"]) for grammar in manifest["grammars"]]
    for file, target, case in work + [("json-schema", "json-schema", "json")]:
        if target in ("lark", "gbnf") or case.startswith("empty"):
            continue
        compiling, positions = [], {}
        for _ in range(5):
            begin = time.perf_counter()
            if target == "json-schema":
                compiler = xgrammar.GrammarCompiler(vocabulary.info, cache_enabled=False)
                compiled = compiler.compile_json_schema(json.dumps(manifest["schema"]), any_whitespace=True)
            else:
                grammar = (folder / file).read_text(encoding="utf-8")
                compiled = compile_grammar(vocabulary.info, target, grammar)
            compiling.append(time.perf_counter() - begin)
            for _ in range(COST_REPEATS):
                matcher = xgrammar.GrammarMatcher(compiled)
                text = answers[target if target.endswith("legacy") else case]
                for position, token in enumerate(vocabulary.greedy(text)):
                    begin = time.perf_counter()
                    matcher.fill_next_token_bitmask(vocabulary.mask)
                    accepted = matcher.accept_token(token)
                    positions.setdefault(position, []).append(time.perf_counter() - begin)
                    assert accepted, (file, vocabulary.tokens[token])
        # The median of each place: what interrupts this process is not the engine's.
        masks = [quantile(times, 0.5) / 1e6 for times in positions.values()]
        print(
            f"xgrammar   {file:36} compile {quantile(compiling, 0.5):9.0f} us  token p50 {quantile(masks, 0.5):7.1f} us"
            f"  p99 {quantile(masks, 0.99):7.1f} us  max {max(masks) * 1e6:7.1f} us"
        )


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    vocabularies = {name: Vocabulary(tokens) for name, tokens in manifest["vocabularies"].items()}
    if count == 0:
        return cost(folder, manifest, vocabularies["bpe"])
    faults = completeness(folder, manifest, vocabularies["bytes"])
    sample(folder, manifest, vocabularies, count)
    sys.exit(f"{faults} faults" if faults else 0)


main()
