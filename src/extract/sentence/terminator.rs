//! Where sentences may end: terminators and separators.

use super::class::{Class, char_at};
use crate::steps;

/// A character that may end a sentence: class `ATerm`, `STerm` or `Sep`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminator {
    pub(super) class: Class,
    pub(super) code: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Bytes searched at a time, so that a search backward costs what it skips and not what lies before it.
const WINDOW: usize = 128;

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

/// The top bit of each of eight bytes.
const TOP_BITS: u64 = 0x8080_8080_8080_8080;

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

/// The last terminator that starts in `text[..end]`.
pub(super) fn last_before(text: &[u8], mut end: usize) -> Option<Terminator> {
    while end > 0 {
        let low = end.saturating_sub(WINDOW);
        let ascii = memchr::memrchr3(b'.', b'!', b'?', &text[low..end]).map(|at| low + at);
        let wide = last_wide(text, ascii.unwrap_or(low), end);
        let found = wide.or_else(|| terminator_at(text, ascii?));
        steps::count(end - found.map_or(low, |found| found.start));
        if found.is_some() {
            return found;
        }
        end = low;
    }
    None
}

/// The first terminator that starts in `text[from..]`.
pub(super) fn first_from(text: &[u8], from: usize) -> Option<Terminator> {
    (from..text.len())
        .filter(|&at| matches!(text[at], b'.' | b'!' | b'?') || may_lead(text[at]))
        .find_map(|at| terminator_at(text, at))
}

fn terminator_at(text: &[u8], at: usize) -> Option<Terminator> {
    let found = char_at(text, at)?;
    found.class.ends().then_some(Terminator {
        class: found.class,
        code: found.code,
        start: at,
        end: at + found.len,
    })
}

/// The last terminator beyond ASCII that starts in `text[low..end]`.
fn last_wide(text: &[u8], low: usize, end: usize) -> Option<Terminator> {
    let (head, words) = text[low..end].as_rchunks::<8>();
    let all = words
        .iter()
        .fold(0, |all, word| all | u64::from_le_bytes(*word));
    if all & TOP_BITS == 0 && head.is_ascii() {
        return None;
    }
    for (place, word) in words.iter().enumerate().rev() {
        let bits = u64::from_le_bytes(*word);
        // The top bit of each byte whose two top bits are set: lead bytes, no others.
        let mut leads = bits & bits << 1 & TOP_BITS;
        while leads != 0 {
            let bit = 63 - leads.leading_zeros();
            leads ^= 1 << bit;
            let start = low + head.len() + place * 8 + bit as usize / 8;
            if may_lead(text[start])
                && let Some(found) = terminator_at(text, start)
            {
                return Some(found);
            }
        }
    }
    let starts = (low..low + head.len()).rev();
    starts
        .filter(|&start| may_lead(text[start]))
        .find_map(|start| terminator_at(text, start))
}

#[cfg(test)]
mod tests {
    use super::{first_from, last_before, may_lead};
    use crate::extract::sentence::class::class_of;

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
