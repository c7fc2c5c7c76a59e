//! The end of a run of plain bytes in a string.

/// Index of the first byte that does not go on a plain run in a string: a quote, a backslash or a control character
/// (00 to 1F); the length if there is none.
#[inline]
pub(crate) fn string_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return 8 * index + found.trailing_zeros() as usize / 8;
        }
    }
    for (index, &byte) in rest.iter().enumerate() {
        if is_special(byte) {
            return 8 * words.len() + index;
        }
    }
    bytes.len()
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// A word whose lowest set bit lies in the first special byte of `word`; 0 if there is none.
#[inline]
const fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // The subtractions borrow from a byte only where the one before it is special, so the first one is right.
    let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * b' ' as u64);
    (quote | backslash | control) & !word & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_ends_a_run_or_not() {
        for byte in 0..=u8::MAX {
            for at in 0..40 {
                let mut bytes = [b'x'; 48];
                bytes[at] = byte;
                let end = if is_special(byte) { at } else { 48 };
                assert_eq!(string_run(&bytes), end, "{byte} at {at}");
                let word = *bytes[at / 8 * 8..].first_chunk().expect("a word");
                let found = specials(u64::from_le_bytes(word));
                let expected = if is_special(byte) { at % 8 } else { 8 };
                assert_eq!(found.trailing_zeros() as usize / 8, expected);
            }
        }
    }

    #[test]
    fn the_first_of_two_counts() {
        for first in [b'"', b'\\', 0x1F] {
            for second in [0, b'"', b'\\', b'!', 0x80, 0xFF] {
                let bytes = [b'!', first, second, b' ', 0xC2, 0x80, b'#', 0x7F];
                assert_eq!(string_run(&bytes), 1);
                assert_eq!(specials(u64::from_le_bytes(bytes)).trailing_zeros() / 8, 1);
            }
        }
    }
}
