//! Changes to a copy of a text: words that are withheld or marked there, and an end.

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::HashSet;

use super::steps::{count, each};
use provstream::{Action, Spacing};

/// Most effort for copies, beyond what is allowed for each byte of the stream; further copies are emptied.
const MAX_EFFORT: u64 = 1 << 29;

/// Changes to a copy of a text.
#[derive(Debug, Default)]
pub(super) struct CopyChanges {
    /// Words with the action of the policy about each.
    words: Vec<(Box<str>, Action)>,
    /// Treatment of white space beside discarded words.
    spacing: Spacing,
    /// Length to which the copy is cut, and the refusal that is appended.
    end: Option<(usize, Option<Box<str>>)>,
    /// Number of bytes that were searched for copies, plus 16 for each decision that was looked at.
    effort: u64,
}

impl CopyChanges {
    /// Begins the changes to a copy, after this effort for earlier ones.
    pub(super) fn after(effort: u64) -> Self {
        Self {
            effort,
            ..Self::default()
        }
    }

    pub(super) const fn set_spacing(&mut self, spacing: Spacing) {
        self.spacing = spacing;
    }

    /// Returns the effort for all copies so far.
    pub(super) const fn effort(&self) -> u64 {
        self.effort
    }

    /// Returns `true` if there was too much effort, so that the copy is emptied.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.effort > MAX_EFFORT
    }

    /// Adds the effort for some decisions. Returns `true` if there was too much.
    pub(super) fn look_at(&mut self, decisions: usize) -> bool {
        const OF_DECISION: u64 = 16;
        self.search(OF_DECISION * decisions as u64)
    }

    /// Adds the effort for a search in this many bytes. Returns `true` if there was too much.
    pub(super) fn search(&mut self, bytes: u64) -> bool {
        self.effort = self.effort.saturating_add(bytes);
        if self.is_exhausted() {
            self.end(0, None);
        }
        self.is_exhausted()
    }

    /// Cuts the copy at this position, unless it is cut earlier.
    pub(super) fn end(&mut self, at: usize, refusal: Option<&str>) {
        if self.end.as_ref().is_none_or(|(end, _)| at < *end) {
            self.end = Some((at, refusal.map(Box::from)));
        }
    }

    /// Adds words about which the policy decided this action.
    pub(super) fn add(&mut self, words: &str, action: &Action) {
        self.words.push((words.into(), action.clone()));
    }

    /// Drops marks, and replacements that contain the words: the copy's own decisions have written those already.
    pub(super) fn drop_marks(&mut self) {
        self.words.retain(|(words, action)| match action {
            Action::Mark(..) => false,
            Action::Replace(by) => !by.contains(&**words),
            _ => true,
        });
    }

    /// Cuts a copy at its new end.
    pub(super) fn cut(&self, copy: &mut Vec<u8>) {
        if let Some((end, _)) = self.end {
            copy.truncate(end);
        }
    }

    /// Returns the last position up to `at` in a copy that is not within words to replace, or the start if too many of them overlap.
    pub(super) fn part_before(&self, copy: &[u8], mut at: usize) -> usize {
        const MAX_OVERLAPPING: usize = 16;
        for _ in 0..MAX_OVERLAPPING {
            let crossing = each(self.words.iter()).filter_map(|(words, _)| {
                let start = (at + 1).saturating_sub(words.len());
                let end = copy.len().min((at + words.len()).saturating_sub(1));
                count(end.saturating_sub(start));
                let found = memchr::memmem::find(copy.get(start..end)?, words.as_bytes())?;
                Some(start + found)
            });
            match crossing.min() {
                Some(before) => at = before,
                None => return at,
            }
        }
        0
    }

    /// Changes the words in a part of a copy. No occurrence of the words crosses the ends of the part; `before` is the text before it.
    pub(super) fn replace_in(&mut self, copy: &mut Vec<u8>, before: &[u8]) {
        // The longest words decide what is written for those that overlap.
        self.words.sort_by_key(|(words, _)| Reverse(words.len()));
        let is_mark = |action: &Action| matches!(action, Action::Mark(..));
        let cuts = Ranges::find(copy, &self.words, |action| !is_mark(action));
        let marks = Ranges::find(copy, &self.words, is_mark);
        if cuts.is_empty() && marks.is_empty() {
            return;
        }
        let mut out = Vec::with_capacity(copy.len());
        let (mut at, mut mark_end) = (0, None);
        while at <= copy.len() {
            count(1);
            if let Some((_, end)) = mark_end.take_if(|(until, _)| *until <= at) {
                out.extend_from_slice(end);
            }
            if let Some((word, until)) = marks.starting_at(at)
                && let Action::Mark(begin, end) = &self.words[word].1
                && !cuts.cover(at..until)
            {
                out.extend_from_slice(begin.as_bytes());
                mark_end = Some((until, end.as_bytes()));
            }
            if let Some((word, until)) = cuts.starting_at(at) {
                let crossing = marks.crossing(at + 1..until);
                at = until;
                if let Action::Replace(by) = &self.words[word].1 {
                    out.extend_from_slice(by.as_bytes());
                } else {
                    let written = if out.is_empty() { before } else { &out };
                    at += self.spacing.left_out(written, &copy[at..]);
                }
                if let Some((word, until)) = crossing
                    && let Action::Mark(begin, end) = &self.words[word].1
                {
                    let ended = mark_end.replace((until, end.as_bytes()));
                    out.extend_from_slice(ended.map_or(b"", |(_, end)| end));
                    out.extend_from_slice(begin.as_bytes());
                }
            } else {
                out.extend(copy.get(at));
                at += 1;
            }
        }
        *copy = out;
    }

    /// Appends the refusal, if there is one.
    pub(super) fn refuse(&self, copy: &mut Vec<u8>) {
        if let Some((_, Some(refusal))) = &self.end {
            copy.extend_from_slice(refusal.as_bytes());
        }
    }
}

/// Ranges of a copy that have words to change: for each byte [`OTHER`], [`FURTHER`], or, where a range begins, the index of the words
/// that decide what is written, plus one.
#[derive(Default)]
struct Ranges(Vec<u32>);

/// Byte outside of all ranges.
const OTHER: u32 = 0;

/// Byte of a range, other than its first one.
const FURTHER: u32 = u32::MAX;

const fn is_first(byte: u32) -> bool {
    byte != OTHER && byte != FURTHER
}

impl Ranges {
    /// Finds all words with such an action in a copy. The longest come first.
    fn find(copy: &[u8], words: &[(Box<str>, Action)], is_meant: impl Fn(&Action) -> bool) -> Self {
        let (mut ranges, mut known) = (Self::default(), HashSet::new());
        for (index, (words, action)) in each(words.iter().enumerate()) {
            if !is_meant(action) || words.is_empty() || !known.insert(words) {
                continue;
            }
            count(copy.len());
            for start in memchr::memmem::find_iter(copy, words.as_bytes()) {
                if ranges.is_empty() {
                    ranges.0 = vec![OTHER; copy.len()];
                }
                let first = u32::try_from(index + 1).unwrap_or(FURTHER - 1);
                ranges.add(start..start + words.len(), first);
            }
        }
        ranges
    }

    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a range. If it overlaps others, all become one range, so that no part of any of them is left.
    fn add(&mut self, range: Range<usize>, first: u32) {
        let bytes = &mut self.0[range];
        count(bytes.len());
        let goes_on = bytes.first() == Some(&FURTHER);
        let known = bytes.iter().copied().find(|byte| is_first(*byte));
        bytes.fill(FURTHER);
        if !goes_on {
            bytes[0] = known.unwrap_or(first);
        }
    }

    /// Returns the words of the range that starts at this byte, and its end.
    fn starting_at(&self, at: usize) -> Option<(usize, usize)> {
        let first = self.0.get(at).filter(|byte| is_first(**byte))?;
        let further = self.0[at + 1..].iter();
        let further = further.take_while(|byte| **byte == FURTHER).count();
        Some((*first as usize - 1, at + 1 + further))
    }

    /// Returns the words and the end of the range that begins in this one and ends after it.
    fn crossing(&self, range: Range<usize>) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        count(range.len());
        let last = range.clone().rev().find_map(|at| self.starting_at(at));
        last.filter(|(_, end)| *end > range.end)
    }

    /// Returns `true` if all of a range is in others.
    fn cover(&self, range: Range<usize>) -> bool {
        let bytes = self.0.get(range);
        bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte != OTHER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, words: &[(&str, Action)]) -> String {
        let mut changes = CopyChanges::default();
        for (words, action) in words {
            changes.add(words, action);
        }
        let mut copy = text.as_bytes().to_vec();
        changes.replace_in(&mut copy, b"");
        String::from_utf8(copy).expect("UTF-8")
    }

    #[test]
    fn overlapping_words_are_changed_as_a_whole() {
        let (cut, mark) = (Action::Discard, Action::Mark("<".into(), ">".into()));
        let by = Action::Replace("(no)".into());
        for (text, words, expected) in [
            (
                "A b. C d. E",
                vec![("A b.", cut.clone()), (". C d.", cut.clone())],
                "E",
            ),
            (
                "A b. C d. E",
                vec![(". C d.", by.clone()), ("A b.", cut.clone())],
                "(no) E",
            ),
            (
                "A b. C d. E",
                vec![("A b.", by.clone()), ("b", cut.clone())],
                "(no) C d. E",
            ),
            (
                "A b. A b. E",
                vec![("A b.", cut.clone()), ("A b.", cut.clone())],
                "E",
            ),
            // Marks of what is withheld in part, as a whole, and of longer words.
            (
                "It runs. E",
                vec![("It runs.", mark.clone()), ("t runs.", cut.clone())],
                "<I> E",
            ),
            (
                "It runs. E",
                vec![("It runs.", mark.clone()), ("It runs. E", cut.clone())],
                "",
            ),
            (
                "A b. E",
                vec![("A b.", mark.clone()), ("A b. E", mark.clone())],
                "<A b. E>",
            ),
            (
                "A b.A b.",
                vec![("A b.", mark.clone()), ("A b.", mark)],
                "<A b.><A b.>",
            ),
        ] {
            assert_eq!(changed(text, &words), expected, "{text} {words:?}");
        }
    }

    #[test]
    fn a_copy_is_divided_before_words_to_change() {
        let mut changes = CopyChanges::default();
        changes.add("b. C", &Action::Discard);
        changes.add("C d.", &Action::Discard);
        let divided =
            [0, 1, 2, 3, 5, 6, 8, 9, 10].map(|at| changes.part_before(b"A b. C d. E", at));
        assert_eq!(divided, [0, 1, 2, 2, 2, 2, 2, 9, 10]);
    }
}
