//! Columns of numbers, which grow in blocks.

/// Values of a block.
pub(super) const BLOCK: usize = 64;

/// A column of numbers.
///
/// The columns of a table grow together, so that their owner counts the rows once for all of them. A value goes into the open block,
/// which stays in the cache and always has room. After each `BLOCK` rows, the owner ends the blocks, which writes them to memory.
pub(super) struct Numbers<T> {
    written: Vec<T>,
    block: [T; BLOCK],
}

impl<T: Copy + Default> Numbers<T> {
    /// With room for so many numbers.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            written: Vec::with_capacity(room),
            block: [T::default(); BLOCK],
        }
    }

    /// Sets the number of this row, the next one.
    #[inline]
    pub(super) fn set(&mut self, row: usize, number: T) {
        self.block[row % BLOCK] = number;
    }

    /// Goes on at this row: those before have the default, and none has been set.
    pub(super) fn lead(&mut self, row: usize) {
        self.written.resize(row / BLOCK * BLOCK, T::default());
    }

    /// Writes the open block, which is full.
    pub(super) fn end_block(&mut self) {
        self.written.extend_from_slice(&self.block);
    }

    /// The numbers of so many rows.
    pub(super) fn finish(mut self, rows: usize) -> Vec<T> {
        self.written.extend_from_slice(&self.block[..rows % BLOCK]);
        trim(&mut self.written);
        self.written
    }
}

/// Where the value of each row ends in a column of what all of them consist of.
pub(super) struct Ends {
    /// After 0, where the first one starts.
    offsets: Numbers<i32>,
    /// A value would have ended beyond what an offset can count.
    overflown: bool,
}

impl Ends {
    /// With room for so many rows.
    pub(super) fn with_room(room: usize) -> Self {
        let mut offsets = Numbers::with_room(room + 1);
        offsets.written.push(0);
        Self {
            offsets,
            overflown: false,
        }
    }

    /// Ends the value of this row, the next one, before the element of this number.
    #[inline]
    pub(super) fn set(&mut self, row: usize, end: usize) {
        let end = i32::try_from(end).unwrap_or_else(|_| {
            self.overflow();
            i32::MAX
        });
        self.offsets.set(row, end);
    }

    /// Goes on at this row: those before have empty values, and none has been set.
    pub(super) fn lead(&mut self, row: usize) {
        self.offsets.written.resize(row / BLOCK * BLOCK + 1, 0);
    }

    #[cold]
    pub(super) fn overflow(&mut self) {
        self.overflown = true;
    }

    pub(super) const fn is_overflown(&self) -> bool {
        self.overflown
    }

    /// Writes the open block, which is full.
    pub(super) fn end_block(&mut self) {
        self.offsets.end_block();
    }

    /// The offsets of so many rows.
    pub(super) fn finish(self, rows: usize) -> Vec<i32> {
        self.offsets.finish(rows)
    }
}

/// Gives back room that is not needed. Room that was never used has taken no memory, so that a copy would be a waste.
pub(super) fn trim<T>(values: &mut Vec<T>) {
    if values.capacity() / 2 > values.len() {
        values.shrink_to_fit();
    }
}
