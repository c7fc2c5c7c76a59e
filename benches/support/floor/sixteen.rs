//! Sixteen bytes at a time, without a branch that depends on them.

use wide::u8x16;

/// Combines `odd` over all blocks of sixteen bytes, with the first byte in the lowest bit. The last
/// block may overlap the one before; missing bytes are replaced by spaces.
#[inline(always)]
pub(crate) fn any(bytes: &[u8], odd: impl Fn(u8x16) -> u8x16) -> u32 {
    let last = bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut padded = [b' '; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded
    });
    let (blocks, _) = bytes.as_chunks();
    let found = blocks.iter().fold(odd(u8x16::new(last)), |found, block| {
        found | odd(u8x16::new(*block))
    });
    found.to_bitmask()
}

/// Finds `byte` in a block.
#[inline(always)]
pub(crate) fn eq(block: u8x16, byte: u8) -> u8x16 {
    block.simd_eq(u8x16::splat(byte))
}

/// Finds the control characters in a block.
#[inline(always)]
pub(crate) fn control(block: u8x16) -> u8x16 {
    block.min(u8x16::splat(0x1F)).simd_eq(block)
}
