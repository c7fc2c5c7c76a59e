//! The end of a run of plain bytes in a string.

/// Index of the first byte that does not go on a plain run in a string: a quote, a backslash or a control character
/// (00 to 1F); the length if there is none.
#[inline]
pub(crate) fn string_run(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<16>();
    for (index, block) in blocks.iter().enumerate() {
        let block = u128::from_le_bytes(*block);
        let (low, high) = (specials(block as u64), specials((block >> 64) as u64));
        if low | high != 0 {
            let found = u128::from(low) | u128::from(high) << 64;
            return 16 * index + found.trailing_zeros() as usize / 8;
        }
    }
    let before = bytes.len() - rest.len();
    let found = rest.iter().position(|&byte| is_special(byte));
    found.map_or(bytes.len(), |index| before + index)
}

/// Whether all bytes of a chunk, which may be short, go on a plain run.
#[inline]
pub(crate) fn is_plain(chunk: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk())
        && chunk.len() <= 8
    {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return specials(u64::from(first) | u64::from(last) << 32) == 0;
    }
    string_run(chunk) == chunk.len()
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// A word whose lowest set bit lies in the first special byte of `word`; 0 if there is none.
#[inline]
const fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // With this bit changed a quote is 20, the control characters stay below, and nothing else gets there.
    let quote_or_control = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    // A subtraction borrows from a byte only where the one before it is special, so the first one is right.
    (quote_or_control | backslash) & !word & TOPS
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
    fn short_chunks_are_plain_or_not() {
        for len in 0..20 {
            assert!(is_plain(&vec![b'x'; len]));
            for at in 0..len {
                for (byte, plain) in [(b'"', false), (0x1F, false), (b'\\', false), (0xFF, true)] {
                    let mut chunk = vec![b'x'; len];
                    chunk[at] = byte;
                    assert_eq!(is_plain(&chunk), plain, "{byte} at {at} of {len}");
                }
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
