//! Sets of words, built at compile time from the lists in `data`.

/// A set of words in an open hash table of `N` slots, `N` a power of two above the number of words.
pub(super) struct WordSet<const N: usize> {
    source: &'static str,
    /// Length of the longest word in bytes.
    pub(super) longest: usize,
    /// Offset in `source` << 8 | length; 0 where the slot is empty.
    slots: [u32; N],
}

/// Hash of a word that is not empty. Looks at a few bytes only: length, the first and the last three.
const fn hash(word: &[u8]) -> usize {
    let last = word.len() - 1;
    let first = word[0] as u32;
    let third = word[last.saturating_sub(2)] as u32;
    let tail = (word[last] as u32) << 8 | word[last.saturating_sub(1)] as u32;
    let mixed = (tail << 16 | third << 8 | first) as u64 ^ (word.len() as u64) << 32;
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl<const N: usize> WordSet<N> {
    /// The words of lists with one entry a line, where `#` starts a comment line.
    ///
    /// With `full_stops` each entry is an abbreviation: one without a final full stop is left out, the full stop is
    /// dropped, and an entry of several words (`v. u. Z.`) is an entry for each of them, since the full stops inside it end no
    /// sentence either.
    pub(super) const fn new(source: &'static str, full_stops: bool) -> Self {
        let mut set = Self {
            source,
            longest: 0,
            slots: [0; N],
        };
        let bytes = source.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && bytes[at] != b'\n' && !(full_stops && bytes[at] == b' ') {
                at += 1;
            }
            if start < at && bytes[start] == b'#' {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            } else if !full_stops {
                set.insert(start, at);
            } else if start < at && bytes[at - 1] == b'.' {
                set.insert(start, at - 1);
            }
            at += 1;
        }
        set
    }

    const fn insert(&mut self, start: usize, end: usize) {
        let word = self.source.as_bytes().split_at(end).0.split_at(start).1;
        if word.is_empty() || self.contains(word) {
            return;
        }
        if word.len() > self.longest {
            self.longest = word.len();
        }
        let mut slot = hash(word) % N;
        while self.slots[slot] != 0 {
            slot = (slot + 1) % N;
        }
        self.slots[slot] = (start as u32) << 8 | word.len() as u32;
    }

    /// The endings of the words.
    pub(super) const fn endings(&self) -> Endings {
        let mut bits = [0; 512];
        let mut slot = 0;
        while slot < N {
            let length = (self.slots[slot] & 0xFF) as usize;
            let start = (self.slots[slot] >> 8) as usize;
            let word = self.source.as_bytes().split_at(start).1.split_at(length).0;
            let mut any = 0;
            while length >= 2 && any < 32 {
                let before = if length > 2 { word[length - 3] } else { any };
                let place = Endings::place([before, word[length - 2], word[length - 1]]);
                bits[place / 64] |= 1 << (place % 64);
                any += 1;
            }
            slot += 1;
        }
        Endings { bits }
    }

    /// Number of different words.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slots.iter().filter(|&&slot| slot != 0).count()
    }

    /// Returns `true` if a word of the set starts with `prefix` and goes on. Looks at all words.
    pub(super) fn has_prefix(&self, prefix: &[u8]) -> bool {
        prefix.len() < self.longest
            && self.slots.iter().filter(|&&slot| slot != 0).any(|slot| {
                let (start, length) = ((slot >> 8) as usize, (slot & 0xFF) as usize);
                let word = &self.source.as_bytes()[start..start + length];
                word.len() > prefix.len() && word.starts_with(prefix)
            })
    }

    /// Returns `true` if the set has `word`, compared byte by byte.
    pub(super) const fn contains(&self, word: &[u8]) -> bool {
        if word.is_empty() {
            return false;
        }
        let mut slot = hash(word) % N;
        while self.slots[slot] != 0 {
            let length = (self.slots[slot] & 0xFF) as usize;
            let start = (self.slots[slot] >> 8) as usize;
            let source = self.source.as_bytes();
            if length == word.len() && same(source.split_at(start).1.split_at(length).0, word) {
                return true;
            }
            slot = (slot + 1) % N;
        }
        false
    }
}

/// A filter over the last three bytes of words of two bytes or more: what it refuses ends no word of the set.
pub(super) struct Endings {
    bits: [u64; 512],
}

impl Endings {
    const fn place(last: [u8; 3]) -> usize {
        let [first, second, third] = last;
        (first as usize & 31) << 10 | (second as usize & 31) << 5 | third as usize & 31
    }

    /// Returns `true` if a word of the set may end with `last`; of a word of two bytes the first of `last` is what is before it.
    pub(super) const fn may_end(&self, last: [u8; 3]) -> bool {
        let place = Self::place(last);
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::WordSet;

    #[test]
    fn entries_are_read_as_documented() {
        static SET: WordSet<16> = WordSet::new("# note one.\nDr.\nv. u. Z.\nD.C\nPh.D.\n", true);
        let held = [&b"Dr"[..], b"v", b"u", b"Z", b"Ph.D"];
        assert!(held.into_iter().all(|word| SET.contains(word)));
        let absent = [
            &b""[..],
            b"D.C",
            b"D",
            b"v. u. Z",
            b"one",
            b"note",
            b"D.",
            b"dr",
        ];
        assert!(!absent.into_iter().any(|word| SET.contains(word)));
        assert_eq!(SET.longest, 4);
    }

    #[test]
    fn plain_lists_keep_every_line() {
        static SET: WordSet<4> = WordSet::new("# The words\nThe\nÉ\n", false);
        assert!(SET.contains(b"The") && SET.contains("É".as_bytes()));
        assert!(!SET.contains(b"# The words") && !SET.contains(b"words"));
    }

    #[test]
    fn endings_refuse_no_word() {
        static SET: WordSet<8> = WordSet::new("Dr\nProf\nécl\n", false);
        let endings = SET.endings();
        for last in [*b"rof", *b" Dr", *b"(Dr", *b"-Dr", [0xA9, b'c', b'l']] {
            assert!(endings.may_end(last), "{last:?}");
        }
        for last in [*b"ime", *b" of", *b"oof", *b"Drs"] {
            assert!(!endings.may_end(last), "{last:?}");
        }
    }
}
