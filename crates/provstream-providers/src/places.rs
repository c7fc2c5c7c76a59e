//! Compact log of the replaced passages of a text, a few bytes for each.

/// Maximum number of blocks: 16 KiB, for 3,000 or more passages of usual lengths.
const MAX_BLOCKS: usize = 128;

/// Blocks for which memory is taken at a time: half a KiB.
const STEP: usize = 4;

/// Bytes of passages in a block.
const BLOCK: usize = 111;

/// The passages of a text that something else, or nothing, was written for, in the order of the text.
///
/// A stream can have many of them and never need one, so they are written as differences, and the oldest are forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct ReplacementLog {
    blocks: Vec<PassageBlock>,
    /// End of the last passage.
    end: OffsetPair,
}

/// An offset in the source text, and its offset in the written text.
#[derive(Clone, Copy, Debug, Default)]
struct OffsetPair {
    text: u64,
    clean: u64,
}

/// Some passages. Of each: the units of text since the last one ended, its own, and those that were written for it.
#[derive(Clone, Debug)]
struct PassageBlock {
    /// End of the last passage before this block.
    start: OffsetPair,
    len: u8,
    bytes: [u8; BLOCK],
}

impl ReplacementLog {
    /// Records that `units` units from offset `start` of the source text were replaced by `written` units.
    pub(super) fn push(&mut self, start: u64, units: u64, written: u64) {
        let gap = start.saturating_sub(self.end.text);
        let numbers = [gap, units, written];
        let len = numbers.iter().map(|number| bytes_of(*number)).sum();
        if self.blocks.last().is_none_or(|block| block.free() < len) {
            self.add_block();
        }
        if let Some(block) = self.blocks.last_mut() {
            for number in numbers {
                block.push(number);
            }
        }
        self.end = self.end.after(gap, gap).after(units, written);
    }

    fn add_block(&mut self) {
        if self.blocks.len() == MAX_BLOCKS {
            self.blocks.drain(..MAX_BLOCKS / 2);
        }
        if self.blocks.len() == self.blocks.capacity() {
            self.blocks.reserve_exact(STEP);
        }
        self.blocks.push(PassageBlock {
            start: self.end,
            len: 0,
            bytes: [0; BLOCK],
        });
    }

    /// Returns the offset in the written text of an offset in the source text. An offset in a passage becomes the
    /// start of the passage's replacement.
    ///
    /// In forgotten passages, an offset moves to the end of the replacement, but never to a later position than the
    /// offset itself, because most annotations are removed.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        let after = self
            .blocks
            .partition_point(|block| block.start.text < offset);
        match (after.checked_sub(1), self.blocks.first()) {
            (Some(last), _) => self.blocks[last].moved(offset),
            (None, Some(first)) => first.start.clean.min(offset),
            (None, None) => offset,
        }
    }
}

impl OffsetPair {
    const fn after(self, text: u64, clean: u64) -> Self {
        Self {
            text: self.text.saturating_add(text),
            clean: self.clean.saturating_add(clean),
        }
    }
}

impl PassageBlock {
    const fn free(&self) -> usize {
        BLOCK - self.len as usize
    }

    /// Writes a number, its lowest 7 bits first; the highest bit of a byte says that more follow.
    fn push(&mut self, mut number: u64) {
        loop {
            let more = number > 0x7F;
            let byte = (number & 0x7F) as u8 | u8::from(more) << 7;
            if let Some(place) = self.bytes.get_mut(usize::from(self.len)) {
                *place = byte;
                self.len += 1;
            }
            number >>= 7;
            if !more {
                return;
            }
        }
    }

    /// Moves an offset after the start of this block, and not after that of the next one.
    fn moved(&self, offset: u64) -> u64 {
        let mut last = self.start;
        let mut rest = &self.bytes[..usize::from(self.len)];
        while !rest.is_empty() {
            let [gap, units, written] = [(); 3].map(|()| number(&mut rest));
            let start = last.after(gap, gap);
            if start.text >= offset {
                break;
            }
            let end = start.after(units, written);
            if end.text > offset {
                return start.clean;
            }
            last = end;
        }
        last.clean.saturating_add(offset - last.text)
    }
}

/// Returns the encoded length of a number: one byte for each 7 bits.
const fn bytes_of(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Reads a number and goes past it.
fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passages of the text before, each with the units written for it.
    fn passages(count: u64) -> impl Iterator<Item = (u64, u64, u64)> {
        let mut end = 0;
        (0..count).map(move |number| {
            let start = end + number * number * 37 % 300;
            let units = number * 101 % 200;
            end = start + units;
            (start, units, if number % 3 == 0 { number % 150 } else { 0 })
        })
    }

    /// What the text written has for the text before: for each unit, its offset.
    fn expected(passages: impl Iterator<Item = (u64, u64, u64)>) -> Vec<u64> {
        let mut offsets = vec![0];
        let mut clean = 0;
        for (start, units, written) in passages {
            let gap = start + 1 - offsets.len() as u64;
            offsets.extend((1..=gap).map(|unit| clean + unit));
            clean += gap;
            for unit in 1..=units {
                offsets.push(if unit == units {
                    clean + written
                } else {
                    clean
                });
            }
            clean += written;
        }
        offsets
    }

    #[test]
    fn every_offset_is_moved() {
        let mut places = ReplacementLog::default();
        for (start, units, written) in passages(500) {
            places.push(start, units, written);
        }
        assert!(places.blocks.len() > 2 * STEP);
        let expected = expected(passages(500));
        for (offset, expected) in expected.iter().enumerate() {
            assert_eq!(places.moved(offset as u64), *expected, "at {offset}");
        }
        let (last, clean) = (expected.len() as u64 - 1, expected[expected.len() - 1]);
        assert_eq!(places.moved(last + 1_000), clean + 1_000);
    }

    #[test]
    fn numbers_of_any_size_are_kept() {
        let mut places = ReplacementLog::default();
        places.push(1 << 40, u64::from(u32::MAX), 1 << 50);
        places.push(1 << 63, 1 << 62, 0);
        assert_eq!(places.moved(1 << 40), 1 << 40);
        assert_eq!(places.moved((1 << 40) + 1), 1 << 40);
        let end = (1 << 40) + u64::from(u32::MAX);
        assert_eq!(places.moved(end + 7), (1 << 40) + (1 << 50) + 7);
        assert_eq!(places.moved(1 << 63), places.moved((1 << 63) + 9));
        // Beyond what a text can have.
        places.push(u64::MAX, u64::MAX, u64::MAX);
        let _ = places.moved(u64::MAX);
    }

    #[test]
    fn memory_has_a_bound_and_the_oldest_passages_are_forgotten() {
        let mut places = ReplacementLog::default();
        let count = 20_000;
        for number in 0..count {
            places.push(number * 100 + 80, 20, 0);
        }
        assert!(places.blocks.capacity() <= MAX_BLOCKS);
        assert!(size_of::<PassageBlock>() <= 128);
        for number in [count - 3_456 / 2, count - 1] {
            assert_eq!(places.moved(number * 100 + 50), number * 80 + 50);
        }
        // An offset into text whose passages were forgotten.
        let first = places.blocks[0].start;
        assert_eq!(
            places.moved(first.text / 2),
            first.clean.min(first.text / 2)
        );
        assert_eq!(places.moved(3), 3);
    }
}
