// Entry for Node, Bun and Deno: reads the module from the package.
import { readFileSync } from 'node:fs'
import { bind } from './core.js'

const file = readFileSync(new URL('./provstream.wasm', import.meta.url))
export const { Stream, cleanFetch, gateStream, parse, responseStream, strip, stripStream } = bind(new WebAssembly.Module(file))
