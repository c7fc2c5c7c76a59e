//! Plain runs: chunks that do not change the state and are only appended.

use wide::u8x16;

use super::block::{BLOCK, eq, load, mask};
use super::bytes::{self, BRACE, KINDS, OPENERS, TEXT, TEXT_AND_JSON};

/// Rule for chunks that need no scan: a chunk is only appended if all its bytes are of these
/// classes.
///
/// A byte of these classes leaves the state unchanged, except that the end of the bytes read moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Class of the bytes; 0 if every byte must be read.
    pub(super) kinds: u8,
    /// Index of the buffer up to which bytes that are emitted at once can be appended.
    pub(super) until: usize,
    /// Index of the buffer up to which bytes that are held or read can be appended.
    pub(super) apart_until: u32,
}

/// Maximum length of a chunk of free text that is not scanned, in bytes; scanning longer ones is
/// faster, as it compares 32 bytes at a time if the processor can.
const LONG: usize = 512;

/// Returns `true` if four bytes share one of these classes.
#[inline(always)]
pub(super) const fn all_of_four([a, b, c, d]: [u8; 4], kinds: u8) -> bool {
    kinds & KINDS[a as usize] & KINDS[b as usize] & KINDS[c as usize] & KINDS[d as usize] != 0
}

/// Returns `true` if all bytes of a chunk of at least eight are of the class of a run. Longer
/// chunks of free text are left to the state machine.
#[inline(always)]
pub(super) fn covers(kind: u8, chunk: &[u8]) -> bool {
    match kind {
        TEXT | TEXT_AND_JSON => chunk.len() <= LONG && is_text(chunk),
        _ => bytes::all(chunk, kind),
    }
}

/// Returns `true` if a chunk of at least eight bytes has no opening byte, `{` included.
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

/// Finds the opening bytes of a block.
#[inline(always)]
fn opening(block: &[u8; BLOCK]) -> u8x16 {
    let block = load(block);
    let [bracket, tick, tilde] = OPENERS;
    eq(block, bracket) | eq(block, tick) | eq(block, tilde) | eq(block, BRACE)
}

#[cfg(test)]
mod tests;
