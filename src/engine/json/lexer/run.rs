//! Search for the end of a run of bytes that continues a string or a number, 16 bytes at a time.

use wide::u8x16;

use crate::engine::block::{BLOCK, Mask, at_least, at_most, eq, load, mask};

/// Index of the first byte from `at` on that ends a plain run in a string: a quote, a backslash or a control
/// character (00 to 1F), or the length.
#[inline(always)]
pub(crate) fn string_run(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, specials)
}

/// Index of the first byte from `at` on that is not a digit, or the length.
#[inline(always)]
pub(super) fn digit_run(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, no_digits)
}

/// Length of the plain run in a string that `rest` starts with.
#[inline(always)]
pub(super) fn plain(rest: &[u8]) -> usize {
    run(rest, 0, specials)
}

/// Index of the first byte from `at` on that ends a run: `ends` has a bit for each byte of a block that does.
#[inline(always)]
fn run(bytes: &[u8], at: usize, ends: impl Fn(&[u8; BLOCK]) -> Mask) -> usize {
    let mut left = bytes.get(at..).unwrap_or_default();
    // Two blocks at a time after the first one: what is longer than one block is mostly longer than two.
    if let Some((block, after)) = left.split_first_chunk() {
        let found = ends(block);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        left = after;
    }
    while let Some((blocks, after)) = left.split_first_chunk::<{ 2 * BLOCK }>()
        && let ([first, second], _) = blocks.as_chunks::<BLOCK>()
    {
        let found = ends(first) | ends(second) << BLOCK;
        if found != 0 {
            return bytes.len() - left.len() + found.trailing_zeros() as usize;
        }
        left = after;
    }
    while let Some((block, after)) = left.split_first_chunk() {
        let found = ends(block);
        if found != 0 {
            return bytes.len() - left.len() + found.trailing_zeros() as usize;
        }
        left = after;
    }
    rest(bytes, bytes.len() - left.len(), ends)
}

/// The end of a run of which fewer bytes than a block are left to look at, from `at` on.
#[inline(never)]
fn rest(bytes: &[u8], at: usize, ends: impl Fn(&[u8; BLOCK]) -> Mask) -> usize {
    let left = bytes.get(at..).unwrap_or_default();
    let len = match bytes.last_chunk() {
        // The last block, some of which was looked at.
        Some(block) => (ends(block) >> (BLOCK - left.len())).trailing_zeros(),
        None => {
            let mut block = [0; BLOCK];
            block[..left.len()].copy_from_slice(left);
            ends(&block).trailing_zeros()
        }
    };
    at + (len as usize).min(left.len())
}

/// With this bit changed a quote is 20, the control characters stay below, and nothing else gets there.
const CHANGED: u8 = 2;

/// A bit for each special byte.
#[inline(always)]
fn specials(block: &[u8; BLOCK]) -> Mask {
    let block = load(block);
    let quote_or_control = at_most(block ^ u8x16::splat(CHANGED), b'"' ^ CHANGED);
    mask(quote_or_control | eq(block, b'\\'))
}

/// A bit for each byte that is not a digit.
#[inline(always)]
fn no_digits(block: &[u8; BLOCK]) -> Mask {
    mask(at_least(load(block) - u8x16::splat(b'0'), 10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bytes::{BYTE_CLASSES, STRING};

    #[test]
    fn every_byte_at_every_place_ends_a_run_or_not() {
        for byte in 0..=u8::MAX {
            for at in 0..40 {
                let mut bytes = [b'x'; 48];
                bytes[at] = byte;
                let is_plain = BYTE_CLASSES[usize::from(byte)] & STRING != 0;
                let end = if is_plain { 48 } else { at };
                assert_eq!(string_run(&bytes, 0), end, "{byte} at {at}");
                assert_eq!(plain(&bytes), end, "{byte} at {at}");
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
                    assert_eq!(
                        from + plain(&bytes[from..]),
                        end,
                        "{at} from {from} of {len}"
                    );
                }
            }
        }
    }
}
