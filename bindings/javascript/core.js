// The API over the compiled module, whose functions bindings/c/include/provstream.h describes. Types and documentation are in index.d.ts.
import { instantiate } from './instance.js'
import { toUtf16 } from './offsets.js'
import { BYTES, TextPieces } from './pieces.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function bind(module) {
  let current
  // After a trap, the memory of an instance cannot be trusted; streams that begin later get a new one.
  const instance = () => (current?.isUsable ? current : (current = instantiate(module)))
  const abandoned = new FinalizationRegistry(({ owner, pointer }) => owner.free(pointer))

  class Stream {
    #owner = instance()
    #pointer
    #events

    constructor(settings = {}) {
      const { onEvent, ...rest } = settings
      this.#events = onEvent
      const bytes = encoder.encode(JSON.stringify({ ...rest, events: onEvent !== undefined }))
      this.#pointer = this.#owner.create(bytes)
      const error = this.#owner.error(this.#pointer)
      if (error.length > 0) {
        this.free()
        throw new TypeError(decoder.decode(error))
      }
      abandoned.register(this, { owner: this.#owner, pointer: this.#pointer }, this)
    }

    push(chunk) {
      return this.#take((pointer) => this.#owner.push(pointer, chunk))
    }

    finish() {
      const last = this.#take((pointer) => this.#owner.finish(pointer))
      this.free()
      return last
    }

    free() {
      if (this.#pointer !== undefined) {
        abandoned.unregister(this)
        this.#owner.free(this.#pointer)
        this.#pointer = undefined
      }
    }

    #take(call) {
      if (this.#pointer === undefined) {
        throw new TypeError('the stream has ended')
      }
      const bytes = call(this.#pointer)
      const error = this.#owner.error(this.#pointer)
      if (error.length > 0) {
        throw new Error(decoder.decode(error))
      }
      if (this.#events) {
        const lines = decoder.decode(this.#owner.events(this.#pointer))
        for (const line of lines.split('\n')) {
          if (line !== '') {
            this.#events(JSON.parse(line))
          }
        }
      }
      return bytes
    }
  }

  function parse(text, { mode = 'auto' } = {}) {
    const string = typeof text === 'string' ? text : decoder.decode(text)
    const bytes = encoder.encode(string)
    const events = []
    const stream = new Stream({ mode, onEvent: (event) => events.push(event) })
    const first = stream.push(bytes)
    const last = stream.finish()
    const clean = decoder.decode(first) + decoder.decode(last)
    events.pop() // the totals
    return { clean, events: toUtf16(events, string, clean) }
  }

  function strip(text, { mode = 'auto' } = {}) {
    const stream = new Stream({ mode })
    const first = stream.push(typeof text === 'string' ? encoder.encode(text) : text)
    return decoder.decode(first) + decoder.decode(stream.finish())
  }

  const textStream = (settings) => through(new Stream(settings), new TextPieces())
  const stripStream = ({ mode, onEvent } = {}) => textStream({ mode, onEvent })
  const gateStream = (policy, { mode, onEvent } = {}) => textStream({ mode, policy, onEvent })

  function responseStream(format = 'auto', { policy, reasoning, onEvent } = {}) {
    return through(new Stream({ input: format, policy, reasoning, onEvent }), BYTES)
  }

  function cleanFetch(fetch = globalThis.fetch, { format = 'auto', ...options } = {}) {
    // Settings that are not valid are found here, not at the first request.
    responseStream(format, options)
    return async (input, init) => {
      const response = await fetch(input, init)
      const type = response.headers.get('content-type') ?? ''
      if (!response.body || !/\b(json|event-stream|x-ndjson|jsonl)\b/i.test(type)) {
        return response
      }
      const headers = new Headers(response.headers)
      // Both describe the bytes before; `fetch` has decompressed them.
      headers.delete('content-length')
      headers.delete('content-encoding')
      const body = response.body.pipeThrough(responseStream(format, options))
      const { status, statusText, url, redirected } = response
      const clean = new Response(body, { status, statusText, headers })
      return Object.defineProperties(clean, { url: { value: url }, redirected: { value: redirected } })
    }
  }

  return { Stream, cleanFetch, gateStream, parse, responseStream, strip, stripStream }
}

function through(stream, pieces) {
  const write = (controller, bytes, isOpen) => {
    const chunk = pieces.encode(bytes, isOpen)
    if (chunk.length > 0) {
      controller.enqueue(chunk)
    }
  }
  return new TransformStream({
    transform: (chunk, controller) => write(controller, stream.push(pieces.decode(chunk)), true),
    flush(controller) {
      write(controller, stream.push(pieces.end()), true)
      write(controller, stream.finish(), false)
    },
    cancel: () => stream.free(),
  })
}
