// Pieces of a stream as bytes, and bytes as pieces of the same kind.

const encoder = new TextEncoder()
const EMPTY = new Uint8Array()

// Pieces of bytes pass as they are.
export const BYTES = { decode: (chunk) => chunk, encode: (bytes) => bytes, end: () => EMPTY }

// Strings give strings, and bytes give bytes.
export class TextPieces {
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #isString = false
  // First half of a pair whose second half comes in the next chunk.
  #half = ''

  decode(chunk) {
    this.#isString = typeof chunk === 'string'
    if (!this.#isString) {
      return chunk
    }
    const text = this.#half + chunk
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.at(-1) : ''
    return encoder.encode(this.#half ? text.slice(0, -1) : text)
  }

  end() {
    return encoder.encode(this.#half)
  }

  encode(bytes, stream) {
    return this.#isString ? this.#decoder.decode(bytes, { stream }) : bytes
  }
}
