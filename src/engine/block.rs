//! Comparisons of sixteen bytes with one instruction.

use wide::u8x16;

/// Number of bytes compared at a time.
pub(crate) const BLOCK: usize = 16;

/// Result of a comparison: a bit for each byte of a block, the first byte in the lowest bit.
pub(crate) type Mask = u32;

/// Loads a block into a vector.
#[inline(always)]
pub(crate) fn load(block: &[u8; BLOCK]) -> u8x16 {
    u8x16::new(*block)
}

/// Finds the bytes equal to `byte`.
#[inline(always)]
pub(crate) fn eq(vector: u8x16, byte: u8) -> u8x16 {
    vector.simd_eq(u8x16::splat(byte))
}

/// Finds the bytes that are at most `most`.
#[inline(always)]
pub(crate) fn at_most(vector: u8x16, most: u8) -> u8x16 {
    vector.min(u8x16::splat(most)).simd_eq(vector)
}

/// Finds the bytes that are at least `least`.
#[inline(always)]
pub(crate) fn at_least(vector: u8x16, least: u8) -> u8x16 {
    vector.max(u8x16::splat(least)).simd_eq(vector)
}

/// Converts the result of a comparison to bits.
#[inline(always)]
pub(crate) fn mask(vector: u8x16) -> Mask {
    vector.to_bitmask()
}
