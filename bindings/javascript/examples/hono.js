// A chat endpoint with Hono, in Node, Bun, Deno or workerd: the client gets the answer of an API like OpenAI's, with the text that a
// policy releases.
import { Hono } from 'hono'
import { cleanFetch } from 'provstream'

export function server({ url, key, policy }) {
  const gated = cleanFetch(fetch, { format: 'openai-chat', policy }) // without a policy, annotations are removed
  const app = new Hono()
  app.post('/chat', async (context) => {
    const answer = await gated(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: await context.req.text(),
      signal: context.req.raw.signal,
    })
    const headers = { 'content-type': answer.headers.get('content-type') }
    return new Response(answer.body, { status: answer.status, headers })
  })
  return app
}
