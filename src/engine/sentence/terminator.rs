//! Terminators and separators, at which sentences may end.

use super::class::{BreakClass, char_at};
use crate::engine::block::{BLOCK, at_least, eq, load, mask};
use crate::steps;

/// A character that may end a sentence: class `ATerm`, `STerm` or `Sep`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminator {
    pub(super) class: BreakClass,
    pub(super) code: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Terminator {
    /// Returns `true` if it is within a word, so that it ends no sentence.
    #[inline]
    pub(super) fn is_in_word(&self, text: &[u8]) -> bool {
        self.code < 0x80 && text.get(self.end).is_some_and(u8::is_ascii_alphanumeric)
    }
}

/// Bit n is set when 0xC0 + n is the lead byte of a terminator or separator.
const LEADS: u64 = {
    let leads = [
        0xC2u8, 0xD6, 0xD8, 0xDB, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEA, 0xEF, 0xF0,
    ];
    let mut bits = 0;
    let mut at = 0;
    while at < leads.len() {
        bits |= 1 << (leads[at] - 0xC0);
        at += 1;
    }
    bits
};

const fn may_lead(byte: u8) -> bool {
    byte >= 0xC0 && LEADS >> (byte - 0xC0) & 1 == 1
}

/// Length of `text` without the terminators and closing punctuation of ASCII at its end, which end the last sentence only.
pub(super) fn trimmed(text: &[u8]) -> usize {
    let kept = text
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b'!' | b'?' | b'"' | b'\'' | b')' | b']' | b'}'));
    let len = kept.map_or(0, |last| last + 1);
    steps::count(text.len() - len);
    len
}

/// The last terminator that starts in `text[..end]`. The search costs what it skips, not what lies before it.
pub(super) fn last_before(text: &[u8], end: usize) -> Option<Terminator> {
    let (head, blocks) = text[..end].as_rchunks();
    for (index, block) in blocks.iter().enumerate().rev() {
        let block = load(block);
        let ascii = eq(block, b'.') | eq(block, b'!') | eq(block, b'?');
        let mut places = mask(ascii | at_least(block, 0xC0));
        while places != 0 {
            let place = places.ilog2();
            places ^= 1 << place;
            let at = head.len() + index * BLOCK + place as usize;
            if let Some(found) = starting_at(text, at) {
                steps::count(end - at);
                return Some(found);
            }
        }
    }
    let found = (0..head.len()).rev().find_map(|at| starting_at(text, at));
    steps::count(end - found.map_or(0, |found| found.start));
    found
}

/// The last terminator that starts in `text[from..end]`, other than a separator.
pub(super) fn last_within(text: &[u8], from: usize, end: usize) -> Option<Terminator> {
    let found = (from..end).rev().find_map(|at| starting_at(text, at))?;
    steps::count(end - found.start);
    (found.class != BreakClass::Sep && found.end <= end).then_some(found)
}

/// The first terminator that starts in `text[from..]`.
pub(super) fn first_from(text: &[u8], from: usize) -> Option<Terminator> {
    (from..text.len()).find_map(|at| starting_at(text, at))
}

/// The terminator that starts at `at`, which lies in the text.
#[inline]
fn starting_at(text: &[u8], at: usize) -> Option<Terminator> {
    if !matches!(text[at], b'.' | b'!' | b'?') && !may_lead(text[at]) {
        return None;
    }
    let found = char_at(text, at)?;
    found.class.ends().then_some(Terminator {
        class: found.class,
        code: found.code,
        start: at,
        end: at + found.len,
    })
}

#[cfg(test)]
mod tests {
    use super::{first_from, last_before, may_lead};
    use crate::engine::sentence::class::class_of;

    #[test]
    fn every_terminator_is_found_from_both_sides() {
        let mut text = String::new();
        for char in '\0'..=char::MAX {
            let ends = class_of(char.into()).ends();
            if ends && !char.is_ascii() {
                let mut buffer = [0; 4];
                assert!(may_lead(char.encode_utf8(&mut buffer).as_bytes()[0]));
            }
            text.clear();
            text.extend(["añ", char.encode_utf8(&mut [0; 4]), "zü"]);
            let expected = ends.then_some(3);
            let found = last_before(text.as_bytes(), text.len());
            assert_eq!(found.map(|found| found.start), expected);
            let found = first_from(text.as_bytes(), 0);
            assert_eq!(found.map(|found| found.start), expected);
        }
    }

    #[test]
    fn a_search_passes_windows() {
        for gap in 0..300 {
            let text = ["。", &"x".repeat(gap)].concat();
            assert!(last_before(text.as_bytes(), text.len()).is_some_and(|found| found.start == 0));
        }
    }
}
