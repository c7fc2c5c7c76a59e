// Official SDKs read stripped and gated responses, in pieces of any size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { cleanFetch } from 'provstream'

const POLICY = 'floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(withheld)"\n'
const WORDS = ['It ', 'is so.', ' [unver', 'ified-inf', 'erence]', ' Übrigens', ' 😀.', ' Really.']
const CLEAN = 'It is so. Übrigens 😀. Really.'
const GATED = '(withheld) Übrigens 😀. Really.'

const sse = (events) => events.map(([name, data]) => `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('')

const openai = sse([
  ...WORDS.map((content) => ['', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] }]),
  ['', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  ['', '[DONE]'],
])
const anthropic = sse([
  ['message_start', { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } }],
  ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
  ...WORDS.map((text) => ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }]),
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } }],
  ['message_stop', { type: 'message_stop' }],
])
const whole = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }] })

// A server that sends pieces of some bytes.
function serve(body, type, size) {
  const bytes = new TextEncoder().encode(body)
  let at = 0
  return async () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(bytes.slice(at, (at += size)))
          if (at >= bytes.length) {
            controller.close()
          }
        },
      }),
      { headers: { 'content-type': type, 'content-length': String(bytes.length) } },
    )
}

for (const [name, options, expected] of [
  ['stripped', {}, CLEAN],
  ['gated', { policy: POLICY }, GATED],
]) {
  test(`the SDK of OpenAI reads ${name} responses`, async () => {
    for (let size = 1; size <= 64; size++) {
      const client = new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:1/v1', fetch: cleanFetch(serve(openai, 'text/event-stream', size), options) })
      const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
      let text = ''
      for await (const chunk of stream) {
        text += chunk.choices[0].delta.content ?? ''
      }
      assert.equal(text, expected)
      const plain = new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:1/v1', fetch: cleanFetch(serve(whole, 'application/json', size), options) })
      const answer = await plain.chat.completions.create({ model: 'm', messages: [] })
      assert.equal(answer.choices[0].message.content, expected)
    }
  })

  test(`the SDK of Anthropic reads ${name} responses`, async () => {
    for (let size = 1; size <= 64; size++) {
      const client = new Anthropic({ apiKey: 'k', baseURL: 'http://127.0.0.1:1', fetch: cleanFetch(serve(anthropic, 'text/event-stream; charset=utf-8', size), options) })
      const stream = client.messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'q' }] })
      const message = await stream.finalMessage()
      assert.equal(message.content.map((block) => block.text).join(''), expected)
    }
  })
}

test('what is not a response of a provider passes as it is', async () => {
  const body = 'It is so. [unverified-inference]'
  const response = await cleanFetch(serve(body, 'text/plain', 5))('http://127.0.0.1:1/')
  assert.equal(await response.text(), body)
})
