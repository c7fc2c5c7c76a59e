//! Released part of an answer, for asking the model to continue.

/// Most bytes of the answer that are retained.
const MAX_TEXT: usize = 1 << 16;

/// The text released so far, and the assertion that the policy rejected (`provenance memo 7`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    text: Vec<u8>,
    rejected: String,
    reason: &'static str,
}

impl Draft {
    pub(crate) fn write(&mut self, text: &[u8]) {
        let room = MAX_TEXT - self.text.len();
        self.text.extend_from_slice(&text[..text.len().min(room)]);
    }

    pub(crate) fn reject(&mut self, text: &str, reason: &'static str) {
        text.clone_into(&mut self.rejected);
        self.reason = reason;
    }

    /// Returns the released text without annotations, at most the first 64 KiB.
    #[must_use]
    pub fn text(&self) -> String {
        let text = &self.text[..];
        // The last character may be cut.
        let last = text
            .utf8_chunks()
            .last()
            .map_or(&[][..], |chunk| chunk.invalid());
        let is_cut = text.len() == MAX_TEXT
            && core::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        let kept = if is_cut {
            text.len() - last.len()
        } else {
            text.len()
        };
        String::from_utf8_lossy(&text[..kept]).into_owned()
    }

    /// Returns the text of the assertion that was rejected last.
    #[must_use]
    pub fn rejected(&self) -> &str {
        &self.rejected
    }

    /// Returns the disposition of the rejected assertion, such as `below-floor`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_kept_from_its_beginning_without_a_gap() {
        let mut draft = Draft::default();
        for piece in ["a".repeat(MAX_TEXT - 1), "bcd".into(), "e".into()] {
            draft.write(piece.as_bytes());
        }
        assert_eq!(draft.text().len(), MAX_TEXT);
        assert!(draft.text().ends_with("ab"));
    }

    #[test]
    fn a_long_text_ends_with_a_whole_character() {
        for (before, text) in [
            (1, "\u{e9}"),
            (2, "\u{20ac}"),
            (3, "\u{1f600}"),
            (1, "\u{1f600}"),
        ] {
            let mut draft = Draft::default();
            draft.write("a".repeat(MAX_TEXT - before).as_bytes());
            draft.write(text.as_bytes());
            assert_eq!(draft.text(), "a".repeat(MAX_TEXT - before), "{text}");
            let mut whole = Draft::default();
            whole.write("a".repeat(MAX_TEXT - text.len()).as_bytes());
            whole.write(text.as_bytes());
            assert!(whole.text().ends_with(text), "{text}");
        }
    }
}
