// Compares the speed of this package with a regular expression, with eventsource-parser and JSON.parse, and with the program `provstream`
// (`PROVSTREAM`, built for release). Each row is the best of 7, in MB/s of input.
//
//   npm ci && PROVSTREAM=../../target/release/provstream node test/speed.js
import { spawnSync } from 'node:child_process'
import { createParser } from 'eventsource-parser'
import { Stream, strip } from 'provstream'

const ANNOTATION = / ?\[(?:substrate(?:\.[a-z-]+)+|unverified-inference|decayed-to-uncertainty)[^\]]*\]/g
const sentence = 'The service started at noon and wrote its log to the usual place, as it had done on each day before. '
const text = `${sentence}${sentence.trim()} [substrate.grep; ts=2026-05-28T11:40:00Z] `.repeat(40_000)
const pieces = text.match(/.{1,20}/gs)
const event = (content) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-8f3b2a6c1d4e5f60718293a4', object: 'chat.completion.chunk', created: 1790000000, model: 'a-model-of-some-provider', service_tier: 'default', system_fingerprint: 'fp_44709d6fcb', choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }], obfuscation: 'a1b2c3d4e5f6' })}\n\n`
const body = Buffer.from(`${pieces.slice(0, 100_000).map(event).join('')}data: [DONE]\n\n`)
const bytes = Buffer.from(text)

const chunked = (input, size, push) => {
  for (let at = 0; at < input.length; at += size) push(input.subarray(at, at + size))
}
const streamed = (input, size, settings) => {
  const stream = new Stream(settings)
  chunked(input, size, (chunk) => stream.push(chunk))
  stream.finish()
}
const encoder = new TextEncoder()
const parsed = (take) => {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data }) => data === '[DONE]' || take(JSON.parse(data)) })
  chunked(body, 4_096, (chunk) => parser.feed(decoder.decode(chunk, { stream: true })))
}
const program = (input, ...words) => {
  const done = spawnSync(process.env.PROVSTREAM, words, { input, stdio: ['pipe', 'ignore', 'inherit'] })
  if (done.status !== 0) throw new Error(`${process.env.PROVSTREAM} ended with status ${done.status}`)
}
const rows = [
  ['text: strip', bytes, () => strip(text)],
  ['text: a regular expression, whole text', bytes, () => text.replace(ANNOTATION, '')],
  ['text: Stream, 64 KiB chunks', bytes, () => streamed(bytes, 65_536, {})],
  ['text: Stream, 64-byte chunks', bytes, () => streamed(bytes, 64, {})],
  ['text: program, with its start', bytes, process.env.PROVSTREAM && (() => program(bytes, 'strip'))],
  ['events: Stream of a response, 4 KiB chunks', body, () => streamed(body, 4_096, { input: 'openai-chat' })],
  ['events: eventsource-parser and JSON.parse, only read', body, () => parsed((event) => event)],
  ['events: the same, and JSON.stringify', body, () => parsed((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`))],
  ['events: program, with its start', body, process.env.PROVSTREAM && (() => program(body, 'strip', '--input', 'openai-chat'))],
]
const best = rows.map(() => Infinity)
for (let round = 0; round < 7; round++) {
  rows.forEach(([, , run], at) => {
    if (!run) return
    const begin = performance.now()
    run()
    best[at] = Math.min(best[at], performance.now() - begin)
  })
}
rows.forEach(([name, input], at) => console.log(`${(input.length / 1000 / best[at]).toFixed(0).padStart(6)} MB/s  ${name}`))
