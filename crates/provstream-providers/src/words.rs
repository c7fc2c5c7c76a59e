//! Fingerprint of a text, by which a copy of the text is recognised.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// Hash of a text, in whatever pieces it comes, without white space at both ends. No piece ends within a character.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// Number of bytes other than white space.
    len: u64,
    /// Number of letters and digits.
    letters: u64,
    /// Hash of the letters and digits, in lower case.
    hash: u64,
    /// Hash of all else but white space, and of its places; of letters that are not in lower case, too.
    marks: u64,
    /// Hash of the white space between them, and of its places.
    spaces: u64,
    /// Hash of white space, after which nothing else came so far.
    open_spaces: Option<u64>,
}

impl Words {
    pub(super) fn add(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'a'..=b'z' | b'0'..=b'9' => self.add_letter(byte.into(), 1),
                b'A'..=b'Z' => {
                    self.add_mark(byte.into(), 0);
                    self.add_letter(byte.to_ascii_lowercase().into(), 1);
                }
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' => self.add_space(byte),
                0x80.. => {
                    let wide = rest.iter().take_while(|byte| !byte.is_ascii()).count();
                    self.add_wide(&text[text.len() - rest.len() - 1..][..=wide]);
                    rest = &rest[wide..];
                }
                _ => self.add_mark(byte.into(), 1),
            }
        }
    }

    /// Adds characters that are not ASCII.
    #[cold]
    fn add_wide(&mut self, text: &[u8]) {
        for character in String::from_utf8_lossy(text).chars() {
            let mut lower = character.to_lowercase();
            let (first, is_lower) = (lower.next(), lower.next().is_none());
            let len = character.len_utf8() as u64;
            match first {
                Some(first) if character.is_alphanumeric() => {
                    if !(is_lower && first == character) {
                        self.add_mark(character.into(), 0);
                    }
                    self.add_letter(first.into(), len);
                }
                _ => self.add_mark(character.into(), len),
            }
        }
    }

    #[inline]
    fn add_letter(&mut self, letter: u64, len: u64) {
        self.spaces = self.open_spaces.take().unwrap_or(self.spaces);
        self.len += len;
        self.letters += 1;
        self.hash = hashed(self.hash, letter);
    }

    fn add_mark(&mut self, mark: u64, len: u64) {
        self.spaces = self.open_spaces.take().unwrap_or(self.spaces);
        self.marks = hashed(self.marks, self.len << 32 | mark);
        self.len += len;
    }

    fn add_space(&mut self, byte: u8) {
        if self.len > 0 {
            let spaces = self.open_spaces.unwrap_or(self.spaces);
            self.open_spaces = Some(hashed(spaces, self.len << 8 | u64::from(byte)));
        }
    }

    /// Number of letters and digits.
    pub(super) const fn letters(&self) -> u64 {
        self.letters
    }

    /// Returns `true` if the texts have the same letters and digits, in whatever case.
    pub(super) const fn reads_like(&self, other: &Self) -> bool {
        self.letters == other.letters && self.hash == other.hash
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
        self.len == other.len && self.reads_like(other) && self.marks == other.marks
    }

    /// Returns `true` if the texts are equal, apart from white space at both ends.
    pub(super) const fn equals(&self, other: &Self) -> bool {
        self.is_like(other) && self.spaces == other.spaces
    }
}

/// Secret of this process, so that nobody can make up two texts with one hash.
static KEY: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);

/// Adds a number to a hash: the halves of the product with the key, which a server or a model does not know.
fn hashed(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ number) * u128::from(*KEY);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These texts have one hash by FNV-1a.
    #[test]
    fn texts_that_were_made_to_have_one_hash_are_different() {
        let words = |text: &str| {
            let mut words = Words::default();
            words.add(text.as_bytes());
            words
        };
        let (one, other) = (
            words("zqx hides here. zhbbxuv\u{4000}."),
            words("abc defgh ijkl. sweypgt\u{9A64}."),
        );
        assert!(!one.reads_like(&other));
        assert!(one.equals(&words(" zqx hides here. zhbbxuv\u{4000}.\n")));
    }
}
