//! Keep-alive comments, and detection of complete responses.

use memchr::memchr2_iter;
use provstream_providers::Format;

use super::BodyFilter;

impl BodyFilter {
    /// Returns a comment that keeps the connection alive if it is written now, unchanged. Returns
    /// `None` if the format does not permit comments, or no event can begin here.
    ///
    /// The comment is followed by a blank line, unless the stream has had an event identifier.
    /// Clients that retain the identifier, as the HTML standard requires, would then report an
    /// event without data.
    #[must_use]
    pub fn keep_alive(&self) -> Option<&'static [u8]> {
        // Clients of Gemini's API cannot read comments.
        let is_gemini = self.format() == Some(Format::Gemini);
        let is_sse = self.is_sse && !is_gemini && self.over.is_none();
        let is_between_events = self.seen.outcome.bytes_out == 0
            || self.tail.ends_with(b"\n\n")
            || self.tail.ends_with(b"\r\n\r\n")
            || self.tail.ends_with(b"\r\r");
        let comment: &[u8] = match (self.has_id, self.tail) {
            (true, [.., b'\n']) => b":\n",
            // If an LF follows, it is part of the end of this line.
            (true, [.., b'\r']) => b":\r",
            (false, _) if is_between_events => b":\n\n",
            _ => return None,
        };
        is_sse.then_some(comment)
    }

    /// Returns `true` if the provider's end marker was written and nothing is held. The client then
    /// has the complete response, although the upstream has not ended the body.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.over.is_none() && self.seen.has_end && self.held() == 0
    }

    /// Records if a line of the output begins with `id`, so that it may have an event identifier.
    pub(super) fn note_id(&mut self, bytes: &[u8]) {
        if self.has_id || !self.is_sse {
            return;
        }
        let is_first = self.seen.outcome.bytes_out == 0;
        self.has_id = match self.tail {
            [.., b'\n' | b'\r'] => bytes.starts_with(b"id"),
            [.., b'\n' | b'\r', b'i'] => bytes.starts_with(b"d"),
            _ => is_first && bytes.starts_with(b"id"),
        } || memchr2_iter(b'\n', b'\r', bytes)
            .any(|end| bytes[end + 1..].starts_with(b"id"));
    }
}
