//! A text as a number, by which a copy of it is known.

/// The bytes of a text but for white space, in whatever pieces they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    len: u64,
    hash: u64,
}

impl Words {
    pub(super) fn add(&mut self, text: &[u8]) {
        for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            self.len += 1;
            // FNV-1a.
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    }
}
