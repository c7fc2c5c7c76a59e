//! Sixteen bytes at a time: one instruction compares them all.

use wide::u8x16;

/// Bytes that are looked at together.
pub(crate) const BLOCK: usize = 16;

/// For each of the bytes of a block whether something holds, the first one in the lowest bit.
pub(crate) type Mask = u32;

/// A block as a vector.
#[inline(always)]
pub(crate) fn load(block: &[u8; BLOCK]) -> u8x16 {
    u8x16::new(*block)
}

/// Compares each byte with `byte`.
#[inline(always)]
pub(crate) fn eq(vector: u8x16, byte: u8) -> u8x16 {
    vector.simd_eq(u8x16::splat(byte))
}

/// Compares each byte: at most `most`.
#[inline(always)]
pub(crate) fn at_most(vector: u8x16, most: u8) -> u8x16 {
    vector.min(u8x16::splat(most)).simd_eq(vector)
}

/// Compares each byte: at least `least`.
#[inline(always)]
pub(crate) fn at_least(vector: u8x16, least: u8) -> u8x16 {
    vector.max(u8x16::splat(least)).simd_eq(vector)
}

/// The bits of a comparison.
#[inline(always)]
pub(crate) fn mask(vector: u8x16) -> Mask {
    vector.to_bitmask()
}
