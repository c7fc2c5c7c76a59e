//! Fingerprint of a text, by which a copy of the text is recognised.

/// Hash of a text, in whatever pieces it comes, without white space at both ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// Number of bytes other than white space.
    len: u64,
    /// Hash of the bytes other than white space.
    hash: u64,
    /// Hash of the white space between them, and of its places.
    spaces: u64,
    /// Hash of white space, after which nothing else came so far.
    open_spaces: Option<u64>,
}

impl Words {
    pub(super) fn add(&mut self, text: &[u8]) {
        for byte in text {
            if !byte.is_ascii_whitespace() {
                self.spaces = self.open_spaces.take().unwrap_or(self.spaces);
                self.len += 1;
                self.hash = hashed(self.hash, u64::from(*byte));
            } else if self.len > 0 {
                let spaces = self.open_spaces.unwrap_or(self.spaces);
                self.open_spaces = Some(hashed(spaces, self.len << 8 | u64::from(*byte)));
            }
        }
    }

    /// Number of bytes other than white space.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Returns the length of the beginning of `text` that is equal, apart from white space, and of the white space after
    /// it. Returns `None` if `text` begins with other words.
    pub(super) fn prefix_of(&self, text: &[u8]) -> Option<usize> {
        let mut left = self.len;
        let mut bytes = text.iter();
        let end = bytes.position(|byte| {
            let is_word = !byte.is_ascii_whitespace();
            let is_after = is_word && left == 0;
            left -= u64::from(is_word && !is_after);
            is_after
        });
        let end = end.unwrap_or(text.len());
        let mut words = Self::default();
        words.add(&text[..end]);
        words.is_like(self).then_some(end)
    }

    /// Returns `true` if the texts are equal, apart from white space.
    pub(super) const fn is_like(&self, other: &Self) -> bool {
        self.len == other.len && self.hash == other.hash
    }

    /// Returns `true` if the texts are equal, apart from white space at both ends.
    pub(super) const fn equals(&self, other: &Self) -> bool {
        self.is_like(other) && self.spaces == other.spaces
    }
}

/// Adds a number to a hash (FNV-1a).
const fn hashed(hash: u64, number: u64) -> u64 {
    (hash ^ number).wrapping_mul(0x100_0000_01B3)
}
