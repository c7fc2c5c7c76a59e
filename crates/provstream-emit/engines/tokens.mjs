// Counts the tokens of the golden prompts: `tokens.mjs FOLDER` prints name, SHA-256 and the counts of o200k_base and cl100k_base.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";

const folder = process.argv[2];
for (const name of readdirSync(folder).sort()) {
  if (!/^\w+\.\w+\.\w+(\.every-sentence)?\.txt$/.test(name)) continue;
  const text = readFileSync(`${folder}/${name}`, "utf8");
  const hash = createHash("sha256").update(text).digest("hex");
  console.log([name, hash, o200k(text), cl100k(text)].join("\t"));
}
