// Reads the GBNF files of a folder with llama.cpp itself, and tries the texts of its manifest: `llamacpp_drive.mjs DIR`.
//
// No model is needed: node-llama-cpp brings llama.cpp compiled, and its grammars can be asked whether they accept a text.

import { readFileSync } from "node:fs";
import { getLlama, LlamaGrammar } from "node-llama-cpp";

const folder = process.argv[2];
const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"));
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });

let faults = 0;
for (const { file, case: name, target } of manifest.grammars) {
  if (target !== "gbnf") continue;
  const start = performance.now();
  const grammar = new LlamaGrammar(llama, { grammar: readFileSync(`${folder}/${file}`, "utf8") });
  const compiled = performance.now() - start;
  const before = name.endsWith("sentence") ? "It is so. " : "";
  const accepts = (text) => grammar._grammar.isTextCompatible(before + text);
  const good = manifest.complete[name];
  const missed = good.filter((text) => !accepts(text));
  const passed = manifest.complete.refused.filter((text) => accepts(text));
  const refused = manifest.complete.refused.length;
  console.log(
    `llama.cpp  ${file.padEnd(40)} compile ${compiled.toFixed(0)} ms` +
      ` accepts ${good.length - missed.length} of ${good.length}, refuses ${refused - passed.length} of ${refused}`,
  );
  faults += passed.length + missed.length;
}
process.exit(faults === 0 ? 0 : 1);
