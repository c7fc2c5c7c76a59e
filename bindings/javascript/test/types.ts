// Compiled, not run: the types as users write them.
import Anthropic from '@anthropic-ai/sdk'
import { wrapLanguageModel, type LanguageModel as LanguageModel5 } from 'ai5'
import { wrapLanguageModel as wrap6 } from 'ai6'
import { wrapLanguageModel as wrap7 } from 'ai7'
import OpenAI from 'openai'
import { type Assertion, cleanFetch, gateStream, parse, responseStream, strip, stripStream } from 'provstream'
import { cleanMiddleware } from 'provstream/ai'

new OpenAI({ fetch: cleanFetch() })
new Anthropic({ fetch: cleanFetch(fetch, { format: 'anthropic', policy: 'own-state' }) })
const clean: string = strip('text', { mode: 'json' })
const assertion = parse(clean).events.find((event): event is Assertion => event.event === 'assertion')
const start: number | undefined = assertion?.clean_span?.start
const text: ReadableStream<string> = new ReadableStream<string>().pipeThrough(stripStream())
text.pipeThrough(gateStream('own-state', { onEvent: (event) => 'decision' in event && console.log(event.action, start) }))
declare const body: ReadableStream<Uint8Array>
body.pipeThrough(responseStream('openai-chat', { reasoning: 'drop' }))
declare const model5: Parameters<typeof wrapLanguageModel>[0]['model']
declare const model6: Parameters<typeof wrap6>[0]['model']
declare const model7: Parameters<typeof wrap7>[0]['model']
const wrapped: LanguageModel5 = wrapLanguageModel({ model: model5, middleware: cleanMiddleware({ policy: 'external' }) })
wrap6({ model: model6, middleware: cleanMiddleware() })
wrap7({ model: model7, middleware: cleanMiddleware() })
// @ts-expect-error a mode that there is not
strip('text', { mode: 'xml' })
console.log(wrapped)
