/** Range of UTF-16 code units in events of `parse`, and of bytes of UTF-8 in those of streams; `end` is exclusive. */
export interface Span {
  start: number
  end: number
}

export interface Annotation {
  /** Class by which the annotation counts. */
  class: string
  /** Identifier as it was written. */
  declared: string
  /** Reason why `class` is not what was declared. */
  reason?: string
  observation_id?: string
  /** Time of the observation, as it was written (RFC 3339). */
  ts?: string
  span: Span
}

/** Assertion with its annotations. */
export interface Assertion {
  event: 'assertion'
  encoding: 'bracket' | 'json'
  text: string
  span: Span
  /** Range in the text without annotations; absent in JSON. */
  clean_span?: Span
  /** JSON Pointer; absent in free text. */
  pointer?: string
  /** Reason why it counts as unverified inference, whatever its annotations declare. */
  reason?: string
  annotations: Annotation[]
  /** Channel of a response, such as `0`. */
  channel?: string
}

export interface Diagnostic {
  event: 'diagnostic'
  code: string
  span: Span
  channel?: string
}

/** MARC object in the text. */
export interface Marc {
  event: 'marc'
  kind: 'core' | 'disclosure'
  span: Span
  pointer?: string
  channel?: string
}

/** Error that a provider reports in its response. */
export interface ProviderError {
  event: 'error'
  message: string
}

/** Totals of a stream. */
export interface End {
  event: 'end'
  /** Length of the input in bytes. */
  bytes: number
  /** `false` if something may be text and was not read. */
  complete: boolean
  /** Members that were not read, with how many strings they had. */
  unread?: [member: string, count: number][]
  /** Action of the policy that ended the stream. */
  ended?: 'suspend' | 'refuse'
}

/** Decision of a policy: a line of an audit log. */
export interface Decision {
  decision: 'assertion' | 'unannotated' | 'limit' | 'end'
  time: string
  action?: string
  [member: string]: unknown
}

export type StreamEvent = Assertion | Diagnostic | Marc | ProviderError | End | Decision

/** How text is read: `auto` finds annotations in free text and in JSON. */
export type Mode = 'auto' | 'text' | 'json' | 'ndjson'

export interface TextOptions {
  /** `auto` by default. */
  mode?: Mode
}

export interface TextStreamOptions extends TextOptions {
  /** Called with each event when it is certain. Spans count bytes of UTF-8. */
  onEvent?: (event: StreamEvent) => void
}

export interface Parsed {
  /** Text without its annotations. */
  clean: string
  /** Events in the order in which they are certain. */
  events: (Assertion | Diagnostic | Marc)[]
}

/** Parses a whole text. Bytes are decoded as UTF-8 first, with U+FFFD for what is not. */
export function parse(text: string | Uint8Array, options?: TextOptions): Parsed

/** Returns a text without its annotations. */
export function strip(text: string | Uint8Array, options?: TextOptions): string

/** Removes annotations from a stream of text: strings give strings, bytes of UTF-8 give bytes. */
export function stripStream<T extends string | Uint8Array = string>(options?: TextStreamOptions): TransformStream<T, T>

/**
 * Gates a stream of text by a policy: a policy file in TOML, or `own-state` or `external`. Throws a `TypeError` with line and column if
 * the file is not valid.
 */
export function gateStream<T extends string | Uint8Array = string>(policy: string, options?: TextStreamOptions): TransformStream<T, T>

export interface ResponseOptions {
  /** Policy file in TOML, `own-state` or `external`. Without it, annotations are removed. */
  policy?: string
  /** Treatment of the model's reasoning: `leave` by default; `rewrite` treats it like text. */
  reasoning?: 'leave' | 'rewrite' | 'drop'
  /** Called with each event when it is certain. Spans count bytes of UTF-8 in the text of the channel. */
  onEvent?: (event: StreamEvent) => void
}

/**
 * Strips or gates the text in the body of a provider's response, streamed or not. `format` is the name of a format, such as
 * `openai-chat` or `anthropic`, or `auto`.
 */
export function responseStream(format?: string, options?: ResponseOptions): TransformStream<Uint8Array, Uint8Array>

/**
 * A `fetch` for the SDKs of providers, such as `new OpenAI({ fetch: cleanFetch() })`. Responses in JSON, server-sent events or lines
 * of JSON go through `responseStream`, all others pass as they are.
 */
export function cleanFetch(
  fetch?: typeof globalThis.fetch,
  options?: ResponseOptions & { format?: string },
): typeof globalThis.fetch

export interface Settings extends TextStreamOptions, ResponseOptions {
  /** `text` by default; `auto` or the name of a format for a response. */
  input?: string
  /** Name of the stream in decisions. */
  stream?: string
}

/** A stream of bytes, of which the other functions are made. Throws a `TypeError` if settings are not valid. */
export class Stream {
  constructor(settings?: Settings)
  /** Takes the next bytes, and returns those that are certain. */
  push(chunk: Uint8Array): Uint8Array
  /** Ends the stream, and returns its last bytes. */
  finish(): Uint8Array
  /** Frees the memory of a stream that is not finished. */
  free(): void
}
