//! Columns of numbers that grow in blocks.

/// Values in a block.
pub(super) const BLOCK: usize = 64;

/// Builder of a column of numbers.
///
/// All columns of a table grow together, so the owner counts rows once for all of them. A value
/// goes into the open block, which stays in the cache and always has space. After every `BLOCK`
/// rows the owner calls `end_block`, which appends the block to the column.
pub(super) struct Numbers<T> {
    written: Vec<T>,
    block: [T; BLOCK],
}

impl<T: Copy + Default> Numbers<T> {
    /// Creates a builder with capacity for `room` numbers.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            written: Vec::with_capacity(room),
            block: [T::default(); BLOCK],
        }
    }

    /// Sets the number of the next row, `row`.
    #[inline]
    pub(super) fn set(&mut self, row: usize, number: T) {
        self.block[row % BLOCK] = number;
    }

    /// Starts the column at `row`, which is the next row: earlier rows have the default value. No
    /// number may have been set.
    pub(super) fn lead(&mut self, row: usize) {
        self.written.resize(row / BLOCK * BLOCK, T::default());
    }

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        self.written.extend_from_slice(&self.block);
    }

    /// Returns the numbers of the first `rows` rows.
    pub(super) fn finish(mut self, rows: usize) -> Vec<T> {
        self.written.extend_from_slice(&self.block[..rows % BLOCK]);
        trim(&mut self.written);
        self.written
    }
}

/// Builder of Arrow offsets: for each row, the end of its value in a column of elements.
pub(super) struct Ends {
    /// Offsets after the initial 0.
    offsets: Numbers<i32>,
    /// `true` if an offset exceeded `i32::MAX`.
    overflown: bool,
}

impl Ends {
    /// Creates a builder with capacity for `room` rows.
    pub(super) fn with_room(room: usize) -> Self {
        let mut offsets = Numbers::with_room(room + 1);
        offsets.written.push(0);
        Self {
            offsets,
            overflown: false,
        }
    }

    /// Ends the value of the next row, `row`, before the element at index `end`.
    #[inline]
    pub(super) fn set(&mut self, row: usize, end: usize) {
        let end = i32::try_from(end).unwrap_or_else(|_| {
            self.overflow();
            i32::MAX
        });
        self.offsets.set(row, end);
    }

    /// Starts the column at `row`, which is the next row: earlier rows have empty values. No offset
    /// may have been set.
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

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        self.offsets.end_block();
    }

    /// Returns the offsets of the first `rows` rows.
    pub(super) fn finish(self, rows: usize) -> Vec<i32> {
        self.offsets.finish(rows)
    }
}

/// Releases capacity if less than half is used. A smaller surplus is kept, because unused memory
/// was never touched and a copy would cost more.
pub(super) fn trim<T>(values: &mut Vec<T>) {
    if values.capacity() / 2 > values.len() {
        values.shrink_to_fit();
    }
}
