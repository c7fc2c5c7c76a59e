//! What a client is sent while nothing comes, and what it has when it does not wait any more.

use memchr::memchr2_iter;
use provstream_providers::Format;

use super::BodyFilter;

impl BodyFilter {
    /// What may be written now to keep the connection alive; the caller writes it as it is. `None` if the format has nothing
    /// for it, or no event can begin here.
    ///
    /// It is a comment with a blank line after it. If the stream has had an identifier of an event, the blank line is left out:
    /// clients that keep the identifier, as the HTML standard asks, would take it for an event without data.
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

    /// Whether the provider's marker for the end of the stream was written, and nothing is held back: a client that has read
    /// what was written has read all of the response, although the upstream has not ended it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.over.is_none() && self.seen.has_end && self.held() == 0
    }

    /// Notes whether one of these lines may have the identifier of an event: whether it begins with `id`.
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
