// Middleware for the language models of the Vercel AI SDK, versions 5 to 7, whose parts of text have the same form.
import { Stream } from 'provstream'
import { TextPieces } from './pieces.js'

export function cleanMiddleware({ policy, mode, reasoning = 'leave', onEvent } = {}) {
  const settings = { policy, mode, onEvent }
  // Settings that are not valid are found here, not at the first call.
  new Stream({ policy, mode, reasoning }).free()
  const rules = { settings, isRemoved: removed(reasoning), isText: reasoning === 'rewrite' ? /^(text|reasoning)\b/ : /^text\b/ }
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate }) {
      const { content, response, ...rest } = await doGenerate()
      return {
        ...rest,
        content: content.filter((part) => !rules.isRemoved(part)).map((part) => cleanPart(part, rules)),
        // The provider's body still has the text as the model wrote it.
        ...(response && { response: { ...response, body: undefined } }),
      }
    },
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream()
      return { ...rest, stream: stream.pipeThrough(cleanParts(rules)) }
    },
  }
}

// Raw events of the provider have the text as the model wrote it.
function removed(reasoning) {
  return ({ type }) => type === 'raw' || (reasoning === 'drop' && type.startsWith('reasoning'))
}

function cleanPart(part, { settings, isText }) {
  if (!isText.test(part.type)) {
    return part
  }
  const text = new Text(settings)
  return { ...part, text: text.push(part.text) + text.finish() }
}

// A part of text, from `text-start` to `text-end`.
class Text {
  #stream
  #pieces = new TextPieces()

  constructor(settings) {
    this.#stream = new Stream(settings)
  }

  push(text) {
    return this.#pieces.encode(this.#stream.push(this.#pieces.decode(text)), true)
  }

  finish() {
    const last = this.#pieces.encode(this.#stream.push(this.#pieces.end()), true)
    return last + this.#pieces.encode(this.#stream.finish(), false)
  }
}

function cleanParts({ settings, isRemoved, isText }) {
  // By kind and id.
  const texts = new Map()
  const write = (controller, part, delta) => {
    if (delta !== '') {
      controller.enqueue({ ...part, delta })
    }
  }
  const end = (controller, key) => {
    const { text, type, id } = texts.get(key) ?? {}
    if (text) {
      texts.delete(key)
      write(controller, { type, id }, text.finish())
    }
  }
  const endAll = (controller) => [...texts.keys()].forEach((key) => end(controller, key))
  return new TransformStream({
    transform(part, controller) {
      if (isRemoved(part)) {
        return
      }
      const [kind, step] = part.type.split('-')
      const key = `${kind} ${part.id}`
      if (isText.test(kind) && step === 'delta') {
        if (!texts.has(key)) {
          texts.set(key, { text: new Text(settings), type: part.type, id: part.id })
        }
        write(controller, part, texts.get(key).text.push(part.delta))
        return
      }
      if (isText.test(kind) && step === 'end') {
        end(controller, key)
      } else if (part.type === 'finish' || part.type === 'error') {
        endAll(controller)
      }
      controller.enqueue(part)
    },
    flush: endAll,
  })
}
