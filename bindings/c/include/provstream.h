/* provstream: reads provenance annotations in a stream of text or of a provider's response, removes them, and lets a policy decide
 * about the text. https://docs.rs/provstream has the terms.
 *
 *     provstream *stream = provstream_new((const uint8_t *)settings, strlen(settings));
 *     if (provstream_error(stream).len > 0) { ... }
 *     while (...) write_out(provstream_push(stream, chunk, len));
 *     write_out(provstream_finish(stream));
 *     provstream_free(stream);
 *
 * A stream may move between threads, but only one thread may use it at a time.
 *
 * Settings are an object of JSON; all members are optional:
 *   "input"   "text" (default); "auto" for the body of a provider's response of any format; or the name of a format, such as
 *             "openai-chat", as `provstream strip --help` lists them
 *   "mode"    how text is read: "auto" (default), "text", "json" or "ndjson"
 *   "policy"  a policy file in TOML, or "own-state" or "external": text is gated. Without it annotations are removed
 *   "reasoning"  of a model, in a response: "leave" (default), "rewrite" like text, or "drop"
 *   "events"  true for lines from provstream_events
 *   "stream"  name of the stream in the lines about decisions
 *
 * Lines are objects of JSON. docs/events.schema.json describes those with "event"; those with "decision" are the lines of an audit
 * log, see docs/gate.md. Spans are offsets of bytes in the text, without escapes in a response. The last line is
 * {"event":"end","bytes":N,"complete":true}. "complete" is false if something may be text and was not read.
 */
#ifndef PROVSTREAM_H
#define PROVSTREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct provstream provstream;

/* Bytes that belong to a stream. `data` is not a string of C: no null byte ends it. */
typedef struct provstream_bytes {
  const uint8_t *data;
  size_t len;
} provstream_bytes;

/* Creates a stream; never null. An empty document has the default settings. */
provstream *provstream_new(const uint8_t *settings, size_t len);

/* Error of a stream, in UTF-8; empty for a stream without an error. A stream with an error returns nothing. */
provstream_bytes provstream_error(const provstream *stream);

/* Takes the next bytes of the input, and returns those of the output that are certain. They are valid until the next call with the
 * stream. Input that is cut into other pieces has the same output. Returns nothing after the end. */
provstream_bytes provstream_push(provstream *stream, const uint8_t *data, size_t len);

/* Ends the input, and returns the last bytes of the output, as provstream_push does. */
provstream_bytes provstream_finish(provstream *stream);

/* Events of the last provstream_push or provstream_finish, a line of JSON each; valid until the next call of those with the
 * stream. */
provstream_bytes provstream_events(const provstream *stream);

/* Frees a stream. Null is allowed. */
void provstream_free(provstream *stream);

/* Version of the library, in UTF-8. */
provstream_bytes provstream_version(void);

#ifdef __cplusplus
}
#endif
#endif
