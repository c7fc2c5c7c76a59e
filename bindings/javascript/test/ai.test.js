// The Vercel AI SDK in three major versions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanMiddleware } from 'provstream/ai'

const POLICY = 'floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(withheld)"\n'
const TEXT = 'It is so. [unverified-inference] Übrigens 😀. Really.'
const CLEAN = 'It is so. Übrigens 😀. Really.'
const GATED = '(withheld) Übrigens 😀. Really.'

const usage = (version) =>
  version === 5
    ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    : { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const finishReason = (version) => (version === 5 ? 'stop' : { unified: 'stop', raw: 'stop' })

function* cut(text, size) {
  for (let at = 0; at < text.length; at += size) {
    yield text.slice(at, at + size)
  }
}

function parts(version, size) {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'raw', rawValue: TEXT },
    { type: 'reasoning-start', id: 'r' },
    ...[...cut('So [unverified-inference].', size)].map((delta) => ({ type: 'reasoning-delta', id: 'r', delta })),
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: '1' },
    { type: 'text-start', id: '2' },
    ...[...cut(TEXT, size)].flatMap((delta) => [
      { type: 'text-delta', id: '1', delta },
      { type: 'text-delta', id: '2', delta },
    ]),
    { type: 'text-end', id: '1' },
    // The second text has no end of its own.
    { type: 'finish', finishReason: finishReason(version), usage: usage(version) },
  ]
}

for (const version of [5, 6, 7]) {
  const { generateText, streamText, wrapLanguageModel } = await import(`ai${version}`)
  const mock = await import(`ai${version}/test`)
  const Model = mock.MockLanguageModelV4 ?? mock.MockLanguageModelV3 ?? mock.MockLanguageModelV2

  for (const [name, options, expected] of [
    ['stripped', {}, CLEAN],
    ['gated', { policy: POLICY, reasoning: 'drop' }, GATED],
    ['stripped with reasoning', { reasoning: 'rewrite' }, CLEAN],
  ]) {
    test(`version ${version} reads ${name} streams`, async () => {
      for (let size = 1; size <= 64; size++) {
        const model = new Model({
          doStream: async () => ({ stream: ReadableStream.from(parts(version, size)) }),
          doGenerate: async () => ({
            content: [{ type: 'text', text: TEXT }, { type: 'reasoning', text: 'So [unverified-inference].' }],
            finishReason: finishReason(version),
            usage: usage(version),
            warnings: [],
            response: { id: 'x', body: TEXT },
          }),
        })
        const wrapped = wrapLanguageModel({ model, middleware: cleanMiddleware(options) })
        const texts = {}
        let reasoning = ''
        const stream = streamText({ model: wrapped, prompt: 'q', includeRawChunks: true })
        for await (const part of stream.fullStream) {
          assert.notEqual(part.type, 'raw')
          assert.notEqual(part.type, 'error', String(part.error))
          if (part.type === 'text-delta') {
            texts[part.id] = (texts[part.id] ?? '') + part.text
          } else if (part.type === 'reasoning-delta') {
            reasoning += part.text
          }
        }
        assert.deepEqual(texts, { 1: expected, 2: expected })
        const asWritten = 'So [unverified-inference].'
        assert.equal(reasoning, { drop: '', rewrite: 'So.' }[options.reasoning] ?? asWritten)
        if (size === 1) {
          const whole = await generateText({ model: wrapped, prompt: 'q' })
          assert.equal(whole.text, expected)
          assert.equal(whole.response.body, undefined)
        }
      }
    })
  }
}
