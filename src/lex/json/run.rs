//! Where a run of bytes ends that a string or a number goes on with, 16 bytes at a time.

use wide::u8x16;

/// Index of the first byte from `at` on that does not go on a plain run in a string: a quote, a backslash or a control
/// character (00 to 1F); the length if there is none.
#[inline]
pub(super) fn string_run(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, specials, is_special)
}

/// Index of the first byte from `at` on that is no digit; the length if there is none.
#[inline]
pub(super) fn digit_run(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, no_digits, |byte| !byte.is_ascii_digit())
}

/// Index of the first byte from `at` on that ends a run: `ends` has a bit for each of 16 bytes that does.
#[inline(always)]
fn run(
    bytes: &[u8],
    mut at: usize,
    ends: impl Fn(&[u8; 16]) -> u32,
    ends_one: impl Fn(u8) -> bool,
) -> usize {
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = ends(block);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 16;
    }
    rest(bytes, at, ends, ends_one)
}

/// The end of a run of which fewer than 16 bytes, from `at` on, are left to look at.
#[inline(never)]
fn rest(
    bytes: &[u8],
    at: usize,
    ends: impl Fn(&[u8; 16]) -> u32,
    ends_one: impl Fn(u8) -> bool,
) -> usize {
    let Some(block) = bytes.last_chunk() else {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = rest.iter().position(|&byte| ends_one(byte));
        return found.map_or(bytes.len(), |index| at + index);
    };
    // The last 16 bytes, without those before `at`.
    let seen = 16 + at - bytes.len();
    let found = ends(block) >> seen;
    if found == 0 {
        bytes.len()
    } else {
        at + found.trailing_zeros() as usize
    }
}

/// Whether all bytes of a chunk, which may be short, go on a plain run in a string.
#[inline]
pub(crate) fn is_plain(chunk: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk())
        && chunk.len() <= 8
    {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return !has_special(u64::from(first) | u64::from(last) << 32);
    }
    string_run(chunk, 0) == chunk.len()
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// A bit for each special byte.
#[inline]
fn specials(block: &[u8; 16]) -> u32 {
    let block = u8x16::new(*block);
    // With this bit changed a quote is 20, the control characters stay below, and nothing else gets there.
    let changed = block ^ u8x16::splat(2);
    let quote_or_control = changed.min(u8x16::splat(0x20)).simd_eq(changed);
    (quote_or_control | block.simd_eq(u8x16::splat(b'\\'))).to_bitmask()
}

/// A bit for each byte that is no digit.
#[inline]
fn no_digits(block: &[u8; 16]) -> u32 {
    let value = u8x16::new(*block) - u8x16::splat(b'0');
    value.max(u8x16::splat(10)).simd_eq(value).to_bitmask()
}

/// Whether one of the bytes of a word is special.
#[inline]
const fn has_special(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // As above. A subtraction borrows from a byte only where the one before it is special.
    let quote_or_control = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !word & TOPS != 0
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
                assert_eq!(string_run(&bytes, 0), end, "{byte} at {at}");
                let word = *bytes[at / 8 * 8..].first_chunk().expect("a word");
                assert_eq!(has_special(u64::from_le_bytes(word)), is_special(byte));
                let mut digits = [b'0' + at as u8 % 10; 48];
                digits[at] = byte;
                let end = if byte.is_ascii_digit() { 48 } else { at };
                assert_eq!(digit_run(&digits, 0), end, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn a_run_begins_and_ends_anywhere() {
        for len in 0..40 {
            for from in 0..=len {
                assert_eq!(string_run(&vec![b'x'; len], from), len);
                for at in 0..len {
                    let mut bytes = vec![b'x'; len];
                    bytes[at] = b'"';
                    let end = if at < from { len } else { at };
                    assert_eq!(string_run(&bytes, from), end, "{at} from {from} of {len}");
                }
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
                assert_eq!(string_run(&bytes, 0), 1);
                assert_eq!(string_run(&[bytes, bytes].concat(), 0), 1);
                assert!(has_special(u64::from_le_bytes(bytes)));
            }
        }
    }
}
