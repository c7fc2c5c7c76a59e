// Random texts with annotations, and a digest of what an engine makes of them, for one runtime beside another.

const PIECES = [
  'It is so.', ' It rained yesterday', ' and snowed', '. ', '! ', '? ', '\n\n', '- ', '**bold.** ', '`code [substrate.grep]` ', 'Übrigens, ', '日本語です。', '👍🏽',
  ' [substrate.grep]', ' [substrate.code.read; observation-id=a; ts=2026-05-28T11:40:00Z]', ' [unverified-inference]', ' [decayed-to-uncertainty]',
  ' [substrate.', ' [unver', ' [1.1:substrate.new]', ' [link](https://a.example)', ' [1]', '[', ']', ';', '"', '\\', '\uD83D', '{"assertion":"So.","provenance":"substrate.grep"}', '```\nx\n```\n',
]
const POLICY = 'floor = 1\ndefault_window = "1h"\n[inadmissible]\naction = "replace"\ntext = "(withheld)"\n'

export function random(seed) {
  let state = seed * 2654435761 + 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

export function textOf(seed) {
  const draw = random(seed)
  return Array.from({ length: 1 + draw(30) }, () => PIECES[draw(PIECES.length)]).join('')
}

function output(Stream, settings, bytes, draw) {
  const stream = new Stream(settings)
  const parts = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + draw(40)
    parts.push(stream.push(bytes.subarray(at, at + size)))
    at += size
  }
  parts.push(stream.finish())
  return parts
}

// Joins what `strip` writes for a text, cut at random places.
export function stripped({ Stream }, seed) {
  const parts = output(Stream, {}, new TextEncoder().encode(textOf(seed)), random(seed + 1))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
}

export async function digest({ Stream }, count) {
  const hash = []
  for (let seed = 1; seed <= count; seed++) {
    const bytes = new TextEncoder().encode(textOf(seed))
    for (const settings of [{}, { policy: POLICY }]) {
      for (const part of output(Stream, settings, bytes, random(seed))) {
        hash.push(...part)
      }
      hash.push(0)
    }
  }
  const sum = await crypto.subtle.digest('SHA-256', new Uint8Array(hash))
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
