// A chat endpoint with Express: the client gets the answer of an API like OpenAI's, with the text that a policy releases.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { cleanFetch } from 'provstream'

export function server({ url, key, policy }) {
  const gated = cleanFetch(fetch, { format: 'openai-chat', policy }) // without a policy, annotations are removed
  const app = express()
  app.post('/chat', express.text({ type: 'application/json', limit: '10mb' }), async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort()) // the client has gone, or has everything
    const answer = await gated(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: request.body,
      signal: gone.signal,
    })
    response.status(answer.status).set('content-type', answer.headers.get('content-type'))
    await pipeline(Readable.fromWeb(answer.body), response).catch((error) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
        throw error
      }
    })
  })
  return app
}
