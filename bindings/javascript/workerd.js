// Entry for workerd, which compiles modules before it runs.
import module from './provstream.wasm'
import { bind } from './core.js'

export const { Stream, cleanFetch, gateStream, parse, responseStream, strip, stripStream } = bind(module)
