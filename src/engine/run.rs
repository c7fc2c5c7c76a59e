//! Plain runs: chunks that do not change the state and are only appended.

use wide::u8x16;

use super::block::{BLOCK, eq, load, mask};
use super::bytes::{
    self, BRACE, BRACKETLESS, BYTE_CLASSES, ByteClasses, MARKLESS, OPENERS, PERCENT, PRIVATE, TAG,
    TAGLESS, TEXT, TEXT_AND_JSON, WIDE,
};

/// Rule for chunks that need no scan: a chunk is only appended if all its bytes are of these
/// classes.
///
/// A byte of these classes leaves the state unchanged, except that the end of the bytes read moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Class of the bytes; 0 if every byte must be read.
    pub(super) classes: ByteClasses,
    /// Index of the buffer up to which bytes that are emitted at once can be appended.
    pub(super) emit_until: usize,
    /// Index of the buffer up to which bytes that are held or read can be appended.
    pub(super) hold_until: u32,
}

/// Maximum length of a chunk of free text that is not scanned, in bytes; scanning longer ones is
/// faster, as it compares 32 bytes at a time if the processor can.
const LONG: usize = 512;

/// Returns `true` if four bytes share one of these classes.
#[inline(always)]
pub(super) const fn all_of_four([a, b, c, d]: [u8; 4], classes: ByteClasses) -> bool {
    classes
        & BYTE_CLASSES[a as usize]
        & BYTE_CLASSES[b as usize]
        & BYTE_CLASSES[c as usize]
        & BYTE_CLASSES[d as usize]
        != 0
}

/// Returns `true` if all bytes of a chunk of at least eight are of the class of a run. Longer
/// chunks of free text are left to the state machine.
#[inline(always)]
pub(super) fn covers(class: ByteClasses, chunk: &[u8]) -> bool {
    match class {
        TEXT | TEXT_AND_JSON => chunk.len() <= LONG && is_text(chunk),
        _ => bytes::all(chunk, class),
    }
}

/// Result of a search in a chunk.
struct ChunkSearch {
    /// Some byte is among those that are searched for.
    any: bool,
    /// Some byte is no ASCII.
    non_ascii: bool,
}

/// Looks for the bytes that `find` finds in a chunk of at least eight bytes.
#[inline(always)]
fn search(chunk: &[u8], find: impl Fn(u8x16) -> u8x16) -> ChunkSearch {
    let (blocks, last): (&[[u8; BLOCK]], _) = match chunk.last_chunk() {
        Some(last) if chunk.len() > BLOCK => (chunk.as_chunks().0, *last),
        _ => (&[], short(chunk)),
    };
    let last = load(&last);
    let (mut found, mut all) = (find(last), last);
    for block in blocks {
        let block = load(block);
        found |= find(block);
        all |= block;
    }
    ChunkSearch {
        any: mask(found) != 0,
        non_ascii: mask(all) != 0,
    }
}

/// Returns `true` if a chunk of at least eight bytes has no opening byte, `{` included.
#[inline(always)]
fn is_text(chunk: &[u8]) -> bool {
    let Some(last) = chunk.last_chunk().filter(|_| chunk.len() > BLOCK) else {
        return mask(opening(load(&short(chunk)))) == 0;
    };
    let (blocks, _) = chunk.as_chunks();
    let opens = blocks.iter().fold(opening(load(last)), |opens, block| {
        opens | opening(load(block))
    });
    mask(opens) == 0
}

/// All bytes of a chunk of 8 to 16 bytes.
#[inline(always)]
fn short(chunk: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    if let (Some(first), Some(last)) = (chunk.first_chunk::<8>(), chunk.last_chunk::<8>()) {
        block[..8].copy_from_slice(first);
        block[8..].copy_from_slice(last);
    }
    block
}

/// Returns `true` if all bytes of a chunk of at least eight are of the class, one of text that begins no marker of some dialects.
#[inline(always)]
pub(super) fn is_marker_free(class: ByteClasses, chunk: &[u8]) -> bool {
    if chunk.len() > LONG {
        return false;
    }
    let ascii = search(chunk, tag_or_opening);
    if ascii.any || !(ascii.non_ascii || class == MARKLESS) {
        return !ascii.any;
    }
    let found = match class {
        TAGLESS => search(chunk, |block| eq(block, PRIVATE)),
        BRACKETLESS => search(chunk, beyond_ascii),
        _ => search(chunk, |block| beyond_ascii(block) | eq(block, PERCENT)),
    };
    !found.any
}

/// Finds the opening bytes of a block.
#[inline(always)]
fn opening(block: u8x16) -> u8x16 {
    let [bracket, tick, tilde] = OPENERS;
    eq(block, bracket) | eq(block, tick) | eq(block, tilde) | eq(block, BRACE)
}

/// Finds the opening bytes of a block, and those of tags, in as many comparisons.
#[inline(always)]
fn tag_or_opening(block: u8x16) -> u8x16 {
    let [bracket, tick, tilde] = OPENERS;
    let either = |one: u8, other: u8| eq(block | u8x16::splat(one ^ other), one | other);
    either(bracket, BRACE) | either(tilde, TAG) | eq(block, tick)
}

/// Finds the bytes of a block that begin markers and are no ASCII.
#[inline(always)]
fn beyond_ascii(block: u8x16) -> u8x16 {
    eq(block, PRIVATE) | eq(block, WIDE[0]) | eq(block, WIDE[1])
}

#[cfg(test)]
mod tests;
