//! The bytes of annotations: which ones may be where, and how known parameters begin. Source: wire profile, bracketed encoding.

use crate::engine::block::{BLOCK, at_least, at_most, eq, load, mask};
use crate::steps;

/// The usual way to write a known parameter begins with one of these.
pub(super) const TS: &[u8] = b"ts=";
pub(super) const OBSERVATION_ID: &[u8] = b"observation-id=";

/// Letters, digits, `-` and `_`.
pub(super) const LABEL: u8 = 1;
/// [`LABEL`] and the full stop.
pub(super) const NAME: u8 = 2;
/// What a bare value may hold.
pub(super) const BARE: u8 = 4;
/// What quotes may hold without a backslash.
pub(super) const QTEXT: u8 = 8;

pub(super) static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        let label = b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let control = (b < 0x20 && b != b'\t') || b == 0x7F;
        if label {
            table[byte] |= LABEL;
        }
        if label || b == b'.' {
            table[byte] |= NAME;
        }
        if !control && b != b'[' && b != b']' && b != b';' {
            table[byte] |= BARE;
        }
        if !control && b != b'"' && b != b'\\' {
            table[byte] |= QTEXT;
        }
        byte += 1;
    }
    table
}

/// How many of the first bytes are all `wanted`.
#[inline]
pub(super) fn run(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let mut len = 0;
    while len < bytes.len() && wanted(bytes[len]) {
        len += 1;
    }
    len
}

/// How many of the first bytes, looked at by sixteens, are printable ASCII other than brackets and the semicolon; they may
/// all are in a bare value.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks();
    for (index, block) in blocks.iter().enumerate() {
        let block = load(block);
        let odd = at_most(block, 0x1F) | at_least(block, 0x7F);
        let odd = mask(odd | eq(block, b'[') | eq(block, b']') | eq(block, b';'));
        if odd != 0 {
            let len = index * BLOCK + odd.trailing_zeros() as usize;
            steps::count(len);
            return len;
        }
    }
    let len = blocks.len() * BLOCK;
    steps::count(len);
    len
}
