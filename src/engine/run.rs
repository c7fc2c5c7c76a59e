//! Runs: chunks that leave the state as it is, and are only appended.

use wide::u8x16;

use super::block::{BLOCK, eq, load, mask};
use super::bytes::{self, BRACE, KINDS, OPENERS, TEXT, TEXT_AND_JSON};

/// Rule for chunks that need no scan: if each byte of the next chunk is of these classes, the chunk is only appended.
///
/// A byte of these kinds leaves the state as it is, whatever that is: it moves the end of what was read, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// The kinds of bytes; at most one kind, none if every byte has to be looked at.
    pub(super) kinds: u8,
    /// Up to which index of the buffer bytes may be appended that are emitted at once.
    pub(super) until: usize,
    /// Up to which index other bytes may be appended: those that are held back, or that are looked at.
    pub(super) apart_until: u32,
}

/// A longer chunk of free text is scanned, which looks at 32 bytes at a time where the processor can.
const LONG: usize = 512;

/// Returns `true` if all of four bytes are of one of these kinds.
#[inline(always)]
pub(super) const fn all_of_four([a, b, c, d]: [u8; 4], kinds: u8) -> bool {
    kinds & KINDS[a as usize] & KINDS[b as usize] & KINDS[c as usize] & KINDS[d as usize] != 0
}

/// Returns `true` if all bytes of a chunk of at least eight are of the kind of a run. Long chunks of free text may be left to the
/// state machine.
#[inline(always)]
pub(super) fn covers(kind: u8, chunk: &[u8]) -> bool {
    match kind {
        TEXT | TEXT_AND_JSON => chunk.len() <= LONG && is_text(chunk),
        _ => bytes::all(chunk, kind),
    }
}

/// Returns `true` if a chunk of at least eight bytes has none that may open something; a brace counts also where it opens
/// nothing.
#[inline(always)]
fn is_text(chunk: &[u8]) -> bool {
    let Some(last) = chunk.last_chunk().filter(|_| chunk.len() > BLOCK) else {
        let mut block = [0; BLOCK];
        if let (Some(first), Some(last)) = (chunk.first_chunk::<8>(), chunk.last_chunk::<8>()) {
            block[..8].copy_from_slice(first);
            block[8..].copy_from_slice(last);
        }
        return mask(opening(&block)) == 0;
    };
    let (blocks, _) = chunk.as_chunks();
    let opens = blocks
        .iter()
        .fold(opening(last), |opens, block| opens | opening(block));
    mask(opens) == 0
}

/// Compares each byte of a block with the opening bytes.
#[inline(always)]
fn opening(block: &[u8; BLOCK]) -> u8x16 {
    let block = load(block);
    let [bracket, tick, tilde] = OPENERS;
    eq(block, bracket) | eq(block, tick) | eq(block, tilde) | eq(block, BRACE)
}

#[cfg(test)]
mod tests;
