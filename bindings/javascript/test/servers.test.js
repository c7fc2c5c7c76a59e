// The examples for web frameworks: OpenAI's SDK reads what they serve, while the answer streams.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { server as express } from '../examples/express.js'
import { server as hono } from '../examples/hono.js'

const WORDS = ['It ', 'is so.', ' [unver', 'ified-inf', 'erence]', ' Übrigens', ' 😀.', ' Really.']
const policy = 'own-state'
const GATED = '(not corroborated) Übrigens 😀. Really.'
const event = (data) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...data })}\n\n`

// The API: writes the first words, and the others when the test says so.
let goOn
let gone
const api = createServer(async (request, response) => {
  request.resume()
  await once(request, 'end')
  if (request.headers.authorization !== 'Bearer k') {
    response.writeHead(401, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ error: { message: 'no key' } }))
  }
  gone = once(response, 'close')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const words = WORDS.map((content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  response.write(words.slice(0, 6).join(''))
  await new Promise((resolve) => {
    goOn = resolve
  })
  response.end(`${words.slice(6).join('')}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`)
})
const listening = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.closeAllConnections())
  after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}
const url = await listening(api)
process.env.CHAT_URL = url
process.env.CHAT_KEY = 'k'
const { POST } = await import('../examples/next.js')

const handlers = {
  Express: async (key) => {
    const address = await listening(createServer(express({ url, key, policy })))
    return (path, init) => fetch(new URL(path, address), init)
  },
  Hono: async (key) => {
    const app = hono({ url, key, policy })
    return async (path, init) => app.fetch(new Request(new URL(path, url), init))
  },
  Next: async (key) => {
    process.env.CHAT_KEY = key
    return async (path, init) => POST(new Request(new URL(path, url), init))
  },
}

for (const [name, handler] of Object.entries(handlers)) {
  const clientOf = async (key) => {
    const serve = await handler(key)
    // The examples serve one path.
    return new OpenAI({ apiKey: 'unused', baseURL: url, maxRetries: 0, fetch: (_, init) => serve('/chat', init) })
  }

  test(`${name} gates an answer while it streams`, { timeout: 20_000 }, async () => {
    const client = await clientOf('k')
    const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
    let text = ''
    for await (const chunk of stream) {
      text += chunk.choices[0].delta.content ?? ''
      if (text.startsWith('(not corroborated)')) {
        goOn() // what is decided is here, while the model still writes
      }
    }
    assert.equal(text, GATED)
  })

  test(`${name} passes errors of the API, and ends its request if the client goes away`, { timeout: 20_000 }, async () => {
    const refused = await clientOf('wrong')
    await assert.rejects(refused.chat.completions.create({ model: 'm', messages: [], stream: true }), { status: 401 })
    const client = await clientOf('k')
    const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
    for await (const _ of stream) {
      break // the SDK aborts its request
    }
    await gone
    goOn()
  })
}
