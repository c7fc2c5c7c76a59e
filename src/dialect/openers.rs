//! Search for bytes at which a marker, or something else, may begin.

use aho_corasick::packed::Searcher;

/// Set of bytes that can be searched for.
#[derive(Debug)]
pub(crate) struct Openers {
    /// Search of many bytes at a time; `None` if the processor has none, or there are too many bytes.
    searcher: Option<Searcher>,
    contains: Box<[bool; 256]>,
}

impl Openers {
    pub(super) fn new(contains: impl Fn(u8) -> bool) -> Self {
        let bytes = (0..=u8::MAX).filter(|&byte| contains(byte));
        let bytes: Vec<[u8; 1]> = bytes.map(|byte| [byte]).collect();
        Self {
            searcher: Searcher::new(&bytes),
            contains: Box::new(std::array::from_fn(|byte| contains(byte as u8))),
        }
    }

    /// Returns the index of the first byte of the set, or the length of `bytes`.
    pub(crate) fn find(&self, bytes: &[u8]) -> usize {
        match &self.searcher {
            Some(searcher) if bytes.len() >= searcher.minimum_len() => {
                let found = searcher.find(bytes);
                found.map_or(bytes.len(), |found| found.start())
            }
            _ => {
                let found = bytes
                    .iter()
                    .position(|&byte| self.contains[usize::from(byte)]);
                found.unwrap_or(bytes.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Openers;

    #[test]
    fn the_first_byte_of_the_set_is_found_at_every_place() {
        for set in [
            &b"["[..],
            b"[`~{<\xE3\xEF",
            &[0; 1],
            b"",
            b"abcdefghijklmnopqrstuvwxyz",
        ] {
            let openers = Openers::new(|byte| set.contains(&byte));
            for len in [0, 1, 15, 16, 17, 33, 64, 200] {
                let mut bytes = vec![b'-'; len];
                assert_eq!(openers.find(&bytes), len);
                for at in (0..len).rev() {
                    let Some(&byte) = set.get(at % set.len().max(1)) else {
                        continue;
                    };
                    bytes[at] = byte;
                    assert_eq!(openers.find(&bytes), at, "{set:?} in {len}");
                }
            }
        }
    }
}
