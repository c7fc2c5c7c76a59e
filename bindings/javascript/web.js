// Entry for browsers: fetches the module from beside this file.
import { bind } from './core.js'

const response = await fetch(new URL('./provstream.wasm', import.meta.url))
if (!response.ok) {
  throw new Error(`provstream.wasm: expected status 200, found ${response.status}`)
}
const module = await WebAssembly.compile(await response.arrayBuffer())
export const { Stream, cleanFetch, gateStream, parse, responseStream, strip, stripStream } = bind(module)
