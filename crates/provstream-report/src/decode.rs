//! UTF-8 decoder for text that arrives in pieces.

/// Decodes bytes piece by piece, with U+FFFD for invalid UTF-8. The result equals that of
/// [`String::from_utf8_lossy`] for all bytes at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossyDecoder {
    /// Bytes of an incomplete character at the end; at most three between calls.
    start: Vec<u8>,
}

impl LossyDecoder {
    /// Decodes the next bytes, and appends them to `text`.
    pub(crate) fn push(&mut self, bytes: &[u8], text: &mut String) {
        if self.start.is_empty() {
            let rest = decode(bytes, text);
            self.start.extend_from_slice(rest);
        } else {
            let mut bytes_from_start = std::mem::take(&mut self.start);
            bytes_from_start.extend_from_slice(bytes);
            self.start = decode(&bytes_from_start, text).to_vec();
        }
    }

    /// Ends the text: appends U+FFFD for an incomplete character.
    pub(crate) fn finish(&mut self, text: &mut String) {
        if !self.start.is_empty() {
            self.start.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Decodes all complete characters, and returns the bytes of an incomplete one at the end.
fn decode<'b>(bytes: &'b [u8], text: &mut String) -> &'b [u8] {
    let mut rest = bytes;
    loop {
        let error = match str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return &[];
            }
            Err(error) => error,
        };
        let (valid, broken) = rest.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(valid));
        let Some(len) = error.error_len() else {
            return broken;
        };
        text.push(char::REPLACEMENT_CHARACTER);
        rest = &broken[len..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_have_no_effect() {
        let bytes = b"a\xc3\xa9\xe3\x81\x82\xf0\x9f\x9a\x80\xff\xe3\x81b\xf0\x9f\xf0\x9f\x9a\xc3\xc3\xa9\xed\xa0\x80\x80\xe3";
        for size in 1..=bytes.len() {
            let (mut decoder, mut text) = (LossyDecoder::default(), String::new());
            for piece in bytes.chunks(size) {
                decoder.push(piece, &mut text);
            }
            decoder.finish(&mut text);
            assert_eq!(text, String::from_utf8_lossy(bytes), "{size}");
        }
    }
}
