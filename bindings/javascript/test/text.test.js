// Whole texts and streams of text.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Stream, gateStream, parse, strip, stripStream } from 'provstream'

const corpus = new URL('../../../corpus/', import.meta.url)
const POLICY = 'floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(withheld)"\n'

// What the command line adds to events, and the totals.
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line)).map(({ valid, violations, record, ...event }) => event)
const files = ['text', 'transcripts'].flatMap((folder) =>
  readdirSync(new URL(folder, corpus)).filter((name) => name.endsWith('.txt')).map((name) => new URL(`${folder}/${name}`, corpus)),
)

test('every corpus file has the events of the command line, whatever its pieces', () => {
  assert.ok(files.length > 40)
  for (const file of files) {
    const expected = lines(readFileSync(new URL(file.href.replace(/txt$/, 'events.ndjson')), 'utf8')).slice(0, -1)
    const input = readFileSync(file)
    for (const size of [1, 7, 1 << 20]) {
      const events = []
      const stream = new Stream({ mode: 'text', onEvent: (event) => events.push(event) })
      for (let at = 0; at < input.length; at += size) {
        stream.push(input.subarray(at, at + size))
      }
      stream.finish()
      assert.equal(events.pop().event, 'end')
      assert.deepEqual(events, expected, file.href)
    }
  }
})

test('offsets of a parsed text are those of its string', () => {
  const text = '😀 It is so. [substrate.grep] Übrigens: É. [substrate.code.read; observation-id=a] 👍🏽'
  const { clean, events } = parse(text)
  assert.equal(clean, '😀 It is so. Übrigens: É. 👍🏽')
  assert.deepEqual(events.map((event) => event.text), ['😀 It is so.', 'Übrigens: É.'])
  for (const event of events) {
    assert.equal(text.slice(event.span.start, event.span.end), event.text)
    assert.equal(clean.slice(event.clean_span.start, event.clean_span.end), event.text)
    for (const { span } of event.annotations) {
      assert.match(text.slice(span.start, span.end), /^\[substrate.*\]$/)
    }
  }
  assert.deepEqual(parse(new TextEncoder().encode(text)), { clean, events })
})

async function through(transform, chunks) {
  const parts = []
  for await (const part of ReadableStream.from(chunks).pipeThrough(transform)) {
    parts.push(part)
  }
  return parts
}

function* pieces(text, size) {
  for (let at = 0; at < text.length; at += size) {
    yield text.slice(at, at + size)
  }
}

test('strings and bytes are stripped and gated in pieces of any size', async () => {
  const text = '😀 It is so. [unverified-inference] Übrigens 👍🏽 [substrate.grep] end \uD800 .'
  const clean = '😀 It is so. Übrigens 👍🏽 end \uFFFD .'
  for (let size = 1; size <= 64; size++) {
    assert.equal((await through(stripStream(), pieces(text, size))).join(''), clean)
    const bytes = await through(stripStream(), pieces(new TextEncoder().encode(text), size))
    assert.equal(Buffer.concat(bytes).toString(), clean)
    const decisions = []
    const gated = await through(gateStream(POLICY, { onEvent: (event) => event.decision && decisions.push(event.action) }), pieces(text, size))
    assert.equal(gated.join(''), '(withheld) (withheld) end \uFFFD .')
    assert.deepEqual(decisions, ['replace', 'replace'])
  }
})

test('text is passed on without delay', async () => {
  const stream = new Stream()
  const push = (text) => Buffer.from(stream.push(Buffer.from(text))).toString()
  assert.equal(push('It is so.'), 'It is so.')
  assert.equal(push(' [sub'), '')
  assert.equal(push('way] Really'), ' [subway] Really')
})

test('settings that are not valid are an error at once', () => {
  assert.throws(() => gateStream('flor = 1'), { name: 'TypeError', message: /policy: line 1, column 1: unknown key "flor"/ })
  assert.throws(() => gateStream('own_state'), { name: 'TypeError', message: /unknown policy "own_state", expected one of "own-state", "external", or the text/ })
  assert.throws(() => strip('', { mode: 'xml' }), { name: 'TypeError', message: /mode/ })
  const ended = new Stream()
  ended.finish()
  assert.throws(() => ended.push(new Uint8Array()), /ended/)
})

test('memory does not grow with the stream, nor with abandoned streams', async () => {
  const chunk = Buffer.from('It is so. [substrate.grep; observation-id=a] Really. '.repeat(1_000))
  const pushAll = (megabytes) => {
    const stream = new Stream({ onEvent: () => {} })
    for (let bytes = 0; bytes < megabytes * 1e6; bytes += chunk.length) {
      stream.push(chunk)
    }
    stream.finish()
  }
  pushAll(2)
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external
  pushAll(Number(process.env.PROVSTREAM_MEGABYTES ?? 20))
  for (let count = 0; count < 20_000; count++) {
    new Stream().free()
  }
  global.gc?.()
  const after = process.memoryUsage().arrayBuffers + process.memoryUsage().external
  assert.ok(after - before < 8e6, `${after - before} bytes`)
})
