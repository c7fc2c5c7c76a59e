//! Stack of the objects and arrays that are open.

use smallvec::SmallVec;

/// Open objects and arrays, as bits: 1 for an object, the innermost one in the lowest bit.
#[derive(Clone, Debug, Default)]
pub(super) struct Nesting {
    /// Bits of the innermost 1 to 64 levels, if any is open.
    inner: u64,
    /// Bits of the outer levels, 64 in each word.
    outer: SmallVec<[u64; 2]>,
    depth: u32,
}

impl Nesting {
    /// Returns the number of open objects and arrays.
    pub(super) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns `true` if the innermost open value is an object.
    pub(super) const fn in_object(&self) -> bool {
        self.inner & 1 != 0
    }

    pub(super) fn clear(&mut self) {
        self.inner = 0;
        self.outer.clear();
        self.depth = 0;
    }

    #[inline]
    pub(super) fn open(&mut self, object: bool) {
        if self.depth.is_multiple_of(64) && self.depth > 0 {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(object);
        self.depth += 1;
    }

    #[inline]
    pub(super) fn close(&mut self) {
        self.inner >>= 1;
        self.depth -= 1;
        if self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }

    /// Heap memory in bytes.
    pub(super) fn heap(&self) -> usize {
        if self.outer.spilled() {
            self.outer.capacity() * size_of::<u64>()
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_open_comes_back_at_any_depth() {
        let object = |depth: u32| depth % 3 == 1 || depth % 64 == 5;
        let mut nesting = Nesting::default();
        for depth in 0..300 {
            nesting.open(object(depth));
        }
        for depth in (0..300).rev() {
            assert_eq!(nesting.depth(), depth + 1);
            assert_eq!(nesting.in_object(), object(depth));
            nesting.close();
        }
        assert!(!nesting.in_object());
    }
}
