// Offsets of bytes in UTF-8 as offsets of UTF-16 code units, which JavaScript's strings count.

// Converts the spans of events. `clean_span` is a span of `clean`, all others of `text`.
export function toUtf16(events, text, clean) {
  const ofText = []
  const ofClean = []
  const collect = (span, list) => {
    if (span) {
      list.push([span, 'start'], [span, 'end'])
    }
  }
  for (const event of events) {
    collect(event.span, ofText)
    collect(event.clean_span, ofClean)
    event.annotations?.forEach((annotation) => collect(annotation.span, ofText))
  }
  convert(ofText, text)
  convert(ofClean, clean)
  return events
}

function convert(offsets, text) {
  offsets.sort(([a, end], [b, other]) => a[end] - b[other])
  let bytes = 0
  let units = 0
  for (const [span, end] of offsets) {
    while (bytes < span[end] && units < text.length) {
      const code = text.codePointAt(units)
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
      units += code < 0x10000 ? 1 : 2
    }
    span[end] = units
  }
}
