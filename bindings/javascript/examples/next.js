// A route handler of Next.js, as in app/chat/route.js: the client gets the answer of an API like OpenAI's, with the text that a policy
// releases.
import { cleanFetch } from 'provstream'

const gated = cleanFetch(fetch, { format: 'openai-chat', policy: 'own-state' }) // without a policy, annotations are removed

export async function POST(request) {
  const answer = await gated(process.env.CHAT_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.CHAT_KEY}` },
    body: await request.text(),
    signal: request.signal,
  })
  const headers = { 'content-type': answer.headers.get('content-type') }
  return new Response(answer.body, { status: answer.status, headers })
}
