//! Identifiers of one marker.

/// Identifiers one after the other, in memory that is used again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdText {
    text: String,
    ends: Vec<u32>,
}

impl IdText {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(crate) fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len() as u32);
    }

    pub(crate) fn push_number(&mut self, number: u32) {
        use std::fmt::Write as _;
        // Writing to a string does not fail.
        let _ = write!(self.text, "{number}");
        self.ends.push(self.text.len() as u32);
    }

    /// Drops the first `count` identifiers.
    pub(crate) fn drop_first(&mut self, count: usize) {
        let Some(&end) = count.checked_sub(1).and_then(|last| self.ends.get(last)) else {
            return;
        };
        self.text.drain(..end as usize);
        self.ends.drain(..count);
        for later in &mut self.ends {
            *later -= end;
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|index| self.get(index))
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[index] as usize]
    }

    /// Returns the heap memory in bytes.
    pub(crate) const fn heap(&self) -> usize {
        self.text.capacity() + 4 * self.ends.capacity()
    }
}
