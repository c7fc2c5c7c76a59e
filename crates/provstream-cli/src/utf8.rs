//! Lossy decoding of UTF-8 that arrives in chunks.

/// Decodes chunks to text, with U+FFFD for bytes that are not UTF-8. Only an incomplete character at the end is retained.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf8LossyDecoder {
    /// First bytes of an incomplete character, at most three.
    incomplete: Vec<u8>,
}

impl Utf8LossyDecoder {
    /// Calls `each` with the text of a chunk.
    pub(crate) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&str)) {
        let joined;
        let mut rest = bytes;
        if !self.incomplete.is_empty() {
            self.incomplete.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.incomplete);
            rest = &joined;
        }
        let end = complete_len(rest);
        self.incomplete.extend_from_slice(&rest[end..]);
        if end > 0 {
            each(&String::from_utf8_lossy(&rest[..end]));
        }
    }

    /// Calls `each` with U+FFFD if a character is incomplete.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(&str)) {
        if !std::mem::take(&mut self.incomplete).is_empty() {
            each("\u{fffd}");
        }
    }
}

/// Measures the bytes before an incomplete character at the end, which begins in the last three
/// bytes.
fn complete_len(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    (from..bytes.len())
        .find(|&at| {
            let end = std::str::from_utf8(&bytes[at..]);
            end.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_does_not_depend_on_the_cuts() {
        let bytes = b"a\xc3\xa9\xff\xe3\x81b\xf0\x9f\x9a\x80\xf0\x9f";
        for cut in 0..=bytes.len() {
            let mut decoder = Utf8LossyDecoder::default();
            let mut text = String::new();
            for chunk in [&bytes[..cut], b"", &bytes[cut..]] {
                decoder.push(chunk, |piece| text.push_str(piece));
            }
            decoder.finish(|piece| text.push_str(piece));
            assert_eq!(text, String::from_utf8_lossy(bytes), "{cut}");
        }
    }
}
