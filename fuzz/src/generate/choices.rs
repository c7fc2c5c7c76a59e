//! Choices out of a fuzzer's bytes.

use arbitrary::Unstructured;

/// Choices, mostly one a byte. When the bytes are used up every choice is the first one, and nothing happens by chance.
pub(super) struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    /// Returns `true` if there are choices left.
    pub(super) fn go_on(&self) -> bool {
        !self.0.is_empty()
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound - 1).unwrap_or(0)
    }

    /// True once in so many times.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A seed for a generator of its own.
    pub(super) fn seed(&mut self) -> u64 {
        u64::from(self.0.arbitrary::<u32>().unwrap_or(0))
    }

    /// A few bytes as they are.
    pub(super) fn bytes(&mut self) -> &'a [u8] {
        let count = (1 + self.below(4)).min(self.0.len());
        self.0.bytes(count).unwrap_or_default()
    }

    /// Appends all bytes that are left, but for those that say how many.
    pub(super) fn rest(&mut self, mut out: Vec<u8>) -> Vec<u8> {
        while self.go_on() {
            out.extend_from_slice(self.bytes());
        }
        out
    }

    /// Now and then changes, removes, doubles or adds a byte or a few.
    pub(super) fn damage(&mut self, out: &mut Vec<u8>) {
        let times = [0, 0, 0, 0, 1, 1, 2, 4][self.below(8)];
        for _ in 0..times {
            if out.is_empty() {
                return;
            }
            let at = self.below(out.len());
            match self.below(4) {
                0 => out[at] = self.below(256) as u8,
                1 => {
                    out.remove(at);
                }
                2 => {
                    let end = out.len().min(at + 1 + self.below(40));
                    out.extend_from_within(at..end);
                }
                _ => out.insert(at, self.pick(b"[]{}\"\\;=:,.\n\r \t`>|0\0\xFE")),
            }
        }
    }
}
