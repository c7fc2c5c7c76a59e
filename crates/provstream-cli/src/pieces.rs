//! Bytes that arrive in pieces, as text.

/// Makes text of bytes that may be cut anywhere, with U+FFFD for what is not UTF-8.
///
/// The texts, one after the other, do not depend on the cuts: a character is held until it is whole.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The start of a character, and what it is joined with; empty between characters.
    held: Vec<u8>,
}

impl Pieces {
    /// Takes the next bytes and gives the text that is certain with them.
    pub(crate) fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(&str)) {
        if self.held.is_empty() {
            let whole = whole(bytes);
            emit(&bytes[..whole], &mut sink);
            self.held.extend_from_slice(&bytes[whole..]);
        } else {
            self.held.extend_from_slice(bytes);
            let whole = whole(&self.held);
            emit(&self.held[..whole], &mut sink);
            self.held.drain(..whole);
        }
    }

    /// Gives what was held at the end.
    pub(crate) fn finish(&mut self, mut sink: impl FnMut(&str)) {
        emit(&self.held, &mut sink);
        self.held.clear();
    }
}

fn emit(bytes: &[u8], sink: &mut impl FnMut(&str)) {
    if !bytes.is_empty() {
        sink(&String::from_utf8_lossy(bytes));
    }
}

/// How many of the bytes stand before a character that is cut off at their end.
fn whole(bytes: &[u8]) -> usize {
    // A character has four bytes at most, so one that is cut off starts among the last three.
    let from = bytes.len().saturating_sub(3);
    (from..bytes.len())
        .find(|&at| {
            let end = str::from_utf8(&bytes[at..]);
            end.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut text = String::new();
        let mut decoder = Pieces::default();
        for piece in pieces {
            decoder.push(piece, |piece| text.push_str(piece));
        }
        decoder.finish(|piece| text.push_str(piece));
        text
    }

    #[test]
    fn cuts_change_nothing() {
        let bytes = b"a\xc3\xa9\xe3\x81\x82\xf0\x9f\x9a\x80\xff\xe3\x81b\xf0\x9f\xf0\x9f\x9a\xc3\xc3\xa9\xed\xa0\x80\x80\xe3";
        let expected = String::from_utf8_lossy(bytes);
        for size in 1..=bytes.len() {
            assert_eq!(joined(bytes.chunks(size)), expected, "{size}");
        }
        for cut in 0..=bytes.len() {
            let (one, two) = bytes.split_at(cut);
            assert_eq!(joined([one, two]), expected, "{cut}");
        }
    }

    #[test]
    fn only_a_cut_character_is_held() {
        let mut decoder = Pieces::default();
        let mut pieces = Vec::new();
        for piece in [&b"a\xc3"[..], b"\xa9b", b"\xf0\x9f", b"\x9a", b"\x80"] {
            decoder.push(piece, |piece| pieces.push(piece.to_owned()));
        }
        assert_eq!(pieces, ["a", "éb", "🚀"]);
    }
}
