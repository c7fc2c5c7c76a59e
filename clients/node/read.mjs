// Reads the responses that provstream-clients serves with Vercel's AI SDK, and compares what it reads: see ../python/read.py.
//
//   node read.mjs PORT [API...]
//
// With the URL of a gateway in GATEWAY, it is asked to strip and gate the responses with annotations: see ../python/through.py.

import { isDeepStrictEqual } from 'node:util'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { DefaultChatTransport, generateText, jsonSchema, readUIMessageStream, streamText, tool, validateUIMessages } from 'ai'

globalThis.AI_SDK_LOG_WARNINGS = false
const [port, ...only] = process.argv.slice(2)
const url = `http://127.0.0.1:${port}`
const gateway = process.env.GATEWAY

// Where a state is read, and which state of the upstream's it is there.
const routes = { stripped: 'strip', released: 'release', gated: 'gate' }
const source = (state) => (gateway && state in routes ? [`${gateway}/${routes[state]}`, 'annotated'] : [url, state])

// The models at a URL, by the name of their API.
function modelsAt(baseURL) {
  const settings = { apiKey: 'x', baseURL }
  const openai = createOpenAI(settings)
  return {
    'openai-chat': openai.chat,
    'openai-completions': openai.completion,
    'openai-responses': openai.responses,
    vllm: openai.chat,
    'llama-cpp-chat': openai.chat,
    anthropic: createAnthropic(settings),
    gemini: createGoogleGenerativeAI(settings),
    cohere: createCohere(settings),
    'mistral-chat': createMistral(settings),
  }
}

const models = Object.fromEntries([url, ...Object.values(routes).map((route) => `${gateway}/${route}`)].map((at) => [at, modelsAt(at)]))

// Without them a call is an error to the SDK.
const arguments_ = jsonSchema({ type: 'object', properties: {}, additionalProperties: true })
const tools = Object.fromEntries([0, 1].map((number) => [`look_up_${number}`, tool({ inputSchema: arguments_ })]))

// Identifiers that the SDK makes up where a provider has none.
const isMadeUp = (name, value) => ['id', 'toolCallId'].includes(name) && /^[A-Za-z0-9]{16}$/.test(value)

// The same value without what differs in every run.
const plain = (value) => JSON.parse(JSON.stringify(value, (name, inner) => (isMadeUp(name, inner) ? undefined : inner)))

// Text blocks of a message, with neighbours joined: a gate may leave less in one and more in the next.
const joined = (parts) => parts.filter((part) => part.type === 'text').map((part) => part.text).join('')

async function model(at, api, name, streamed) {
  const ask = { model: models[at][api](name), prompt: '?', tools: api === 'openai-completions' ? undefined : tools, maxOutputTokens: 99, maxRetries: 0, onError() {} }
  if (!streamed) {
    return found(await generateText(ask))
  }
  const result = streamText(ask)
  let text = ''
  for await (const part of result.fullStream) {
    if (part.type === 'error') {
      throw part.error
    }
    text += part.type === 'text-delta' ? part.text : ''
  }
  const all = {}
  for (const name of ['text', 'finishReason', 'usage', 'toolCalls', 'reasoningText', 'sources', 'content', 'response']) {
    all[name] = await result[name]
  }
  return { ...found(all), text: text ? [text] : [] }
}

function found(result) {
  return {
    text: result.text ? [result.text] : [],
    final: joined(result.content) ? [joined(result.content)] : [],
    finish: result.finishReason,
    usage: result.usage,
    tools: result.toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
    reasoning: result.reasoningText ?? null,
    citations: result.sources,
    message: result.response.messages,
  }
}

async function uiMessage(at, name, streamed) {
  let message
  if (streamed) {
    const transport = new DefaultChatTransport({ api: `${at}/${name}` })
    const stream = await transport.sendMessages({ chatId: '1', messages: [], trigger: 'submit-message', abortSignal: undefined })
    for await (const next of readUIMessageStream({ stream, terminateOnError: true })) {
      message = next
    }
  } else {
    const response = await fetch(`${at}/${name}`)
    const messages = await validateUIMessages({ messages: [await response.json()] })
    message = messages[0]
  }
  const text = joined(message.parts)
  const rest = message.parts.filter((part) => part.type !== 'text')
  return { text: text ? [text] : [], tools: rest.filter((part) => part.type.startsWith('tool-')), reasoning: rest.filter((part) => part.type === 'reasoning'), message }
}

async function read(kase, state) {
  const [at, of] = source(state)
  const name = `case-${kase.case}-${of}`
  try {
    return plain(await (kase.api === 'vercel-ui' ? uiMessage(at, name, kase.streamed) : model(at, kase.api, name, kase.streamed)))
  } catch (error) {
    return { error: `${error.name}: ${error.message}` }
  }
}

// Citations without the passages that they quote.
const unquoted = (value) => JSON.parse(JSON.stringify(value ?? null, (name, inner) => (['text', 'citedText'].includes(name) ? undefined : inner)))

// What is wrong with a case, each with the two values that differ.
async function differences(kase) {
  const wrong = []
  const clean = await read(kase, 'clean')
  if (clean.error) {
    return [['clean', 'error', clean.error]]
  }
  for (const state of ['stripped', 'released']) {
    const other = await read(kase, state)
    // A gate empties quoted passages, and text may be in a later block.
    const isGate = state === 'released'
    const names = Object.keys({ ...clean, ...other }).filter((name) => !isGate || name !== 'message')
    const same = (a, b) => isDeepStrictEqual(isGate ? unquoted(a) : a, isGate ? unquoted(b) : b)
    const name = names.find((name) => !same(clean[name], other[name]))
    if (name) {
      wrong.push([state, name, clean[name], other[name]])
    }
  }
  wrong.push(...changed('gated', clean, await read(kase, 'gated'), gateway ? kase.by_policy : kase.gated))
  // The gateways' routes have no dialects.
  const citing = gateway ? null : kase.citing
  if (citing) {
    const uncited = await read(kase, 'uncited')
    wrong.push(...changed('uncited', clean, uncited, citing.uncited))
    const name = Object.keys(clean).find((name) => !isDeepStrictEqual(clean[name], uncited[name]))
    if (citing.was_uncited && name) {
      wrong.push(['uncited', name, clean[name], uncited[name]])
    }
    wrong.push(...changed('rendered', clean, await read(kase, 'rendered'), citing.rendered))
  }
  return wrong
}

// What is wrong with a response whose texts must be these, and all else that of the clean one.
function changed(state, clean, other, texts) {
  const wrong = []
  const expected = (value) => isDeepStrictEqual(value, texts.length ? [texts.join('')] : [])
  for (const name of ['error', 'text', 'final', 'finish', 'usage', 'tools', 'reasoning']) {
    const isText = name === 'text' || name === 'final'
    if (name in { ...clean, ...other } && !(isText ? expected(other[name]) : isDeepStrictEqual(clean[name], other[name]))) {
      wrong.push([state, name, isText ? texts : clean[name], other[name]])
    }
  }
  return wrong
}

const cases = await (await fetch(`${url}/cases`)).json()
const counts = {}
for (const kase of cases) {
  const { api } = kase
  if (!(api in models[url] || api === 'vercel-ui') || (only.length && !only.includes(api)) || kase.choices > 1) {
    continue
  }
  const count = (counts[api] ??= { responses: 0, citing: 0, differences: 0, unread: 0 })
  count.responses++
  count.citing += kase.citing ? 1 : 0
  for (const [state, ...what] of await differences(kase)) {
    if (state === 'clean' && kase.recorded) {
      console.log(`SKIPPED: vercel ${api} cannot read ${kase.source} as it is: ${what[1].split('\n')[0].slice(0, 200)}`)
      continue
    }
    const kind = state === 'clean' ? 'unread' : 'differences'
    if (++count[kind] <= 3) {
      const [name, ...values] = what.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      console.log(`vercel ${api}${kase.streamed ? '' : ', not streamed'}, case ${kase.case} (${kase.source}), ${state}: ${name} differs`)
      values.forEach((value) => console.log(`  ${value}`))
    }
  }
}
for (const [api, count] of Object.entries(counts).sort()) {
  console.log(`vercel ${api.padEnd(17)} ${String(count.responses).padStart(5)} responses, each read 4 times, ${count.citing} also with markers: ${count.differences} differences, ${count.unread} not read as they were`)
}
process.exit(Object.keys(counts).length && Object.values(counts).every((count) => count.differences + count.unread === 0) ? 0 : 1)
