// An instance of the module, and the functions of WASI that it needs: a clock, random numbers and standard error.

export function instantiate(module) {
  return new Instance(module)
}

class Instance {
  #exports
  // Where functions put the pointer and the length of what they return.
  #result
  #input = { pointer: 0, capacity: 0 }
  isUsable = true

  constructor(module) {
    const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi(() => this.#exports.memory) })
    this.#exports = exports
    exports._initialize?.()
    this.#result = exports.provstream_alloc(8)
  }

  create(settings) {
    const pointer = this.#pass(settings)
    return this.#call(() => this.#exports.provstream_new(pointer, settings.length))
  }

  // Bytes that a stream returns are copied: its memory is used again by the next call.
  push(stream, chunk) {
    const pointer = this.#pass(chunk)
    return this.#bytes((result) => this.#exports.provstream_push(result, stream, pointer, chunk.length)).slice()
  }

  finish(stream) {
    return this.#bytes((result) => this.#exports.provstream_finish(result, stream)).slice()
  }

  // Not copied: to be read before the next call.
  events(stream) {
    return this.#bytes((result) => this.#exports.provstream_events(result, stream))
  }

  error(stream) {
    return this.#bytes((result) => this.#exports.provstream_error(result, stream))
  }

  free(stream) {
    if (this.isUsable) {
      this.#call(() => this.#exports.provstream_free(stream))
    }
  }

  #call(run) {
    if (!this.isUsable) {
      throw new Error('provstream failed in another stream, and this one cannot be continued')
    }
    try {
      return run()
    } catch (error) {
      this.isUsable = false
      throw error
    }
  }

  #bytes(run) {
    this.#call(() => run(this.#result))
    const { buffer } = this.#exports.memory
    const [pointer, length] = new Uint32Array(buffer, this.#result, 2)
    return new Uint8Array(buffer, pointer, length)
  }

  // Copies bytes into the module's memory.
  #pass(bytes) {
    const input = this.#input
    if (input.capacity < bytes.length) {
      this.#call(() => this.#exports.provstream_dealloc(input.pointer, input.capacity))
      input.capacity = 0
      const capacity = Math.max(4096, bytes.length)
      const pointer = this.#call(() => this.#exports.provstream_alloc(capacity))
      if (pointer === 0) {
        throw new RangeError(`no memory for ${bytes.length} bytes`)
      }
      this.#input = { pointer, capacity }
    }
    new Uint8Array(this.#exports.memory.buffer, this.#input.pointer, bytes.length).set(bytes)
    return this.#input.pointer
  }
}

function wasi(memory) {
  const view = () => new DataView(memory().buffer)
  const bytes = (pointer, length) => new Uint8Array(memory().buffer, pointer, length)
  return {
    clock_time_get(_clock, _precision, result) {
      view().setBigUint64(result, BigInt(Date.now()) * 1_000_000n, true)
      return 0
    },
    random_get(pointer, length) {
      crypto.getRandomValues(bytes(pointer, length))
      return 0
    },
    environ_get: () => 0,
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true)
      view().setUint32(size, 0, true)
      return 0
    },
    // The message of a panic, before a trap.
    fd_write(_file, pieces, count, written) {
      let text = ''
      let total = 0
      for (let at = 0; at < count; at++) {
        const length = view().getUint32(pieces + 8 * at + 4, true)
        text += new TextDecoder().decode(bytes(view().getUint32(pieces + 8 * at, true), length))
        total += length
      }
      console.error(text)
      view().setUint32(written, total, true)
      return 0
    },
    proc_exit(status) {
      throw new Error(`provstream exited with status ${status}`)
    },
  }
}
