//! Beginnings of known parameters, and runs of plain bytes. Source: wire profile, bracketed encoding.

use crate::engine::block::{BLOCK, at_least, at_most, eq, load, mask};
use crate::steps;

/// Beginnings of the known parameters in common form.
pub(super) const TS: &[u8] = b"ts=";
pub(super) const OBSERVATION_ID: &[u8] = b"observation-id=";

/// Measures the run of printable ASCII without brackets and semicolons at the start, all of which
/// may be in a bare value. Bytes after the last whole block of 16 are not read.
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
