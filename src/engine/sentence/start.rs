//! Words that start a sentence wherever they are capitalised.

use super::class::{BreakClass, char_at};
use super::scan::{is_apostrophe, word_at};
use super::words::WordSet;

static STARTS: WordSet<1024> = WordSet::new(
    concat!(
        include_str!("data/starts/de.txt"),
        include_str!("data/starts/en.txt"),
        include_str!("data/starts/es.txt"),
        include_str!("data/starts/fr.txt"),
        include_str!("data/starts/it.txt"),
        include_str!("data/starts/pt.txt"),
    ),
    false,
);
static STARTS_OR_NAMES: WordSet<128> = WordSet::new(include_str!("data/starts/names.txt"), false);

/// Degree of certainty that a word starts a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// The word could also be a name or its particle.
    OrName,
    /// The word can only start a sentence.
    Only,
}

/// Determines whether the word at `at` starts a sentence wherever it is capitalised.
pub(super) fn start_of_sentence(text: &[u8], at: usize) -> Option<Start> {
    let first = char_at(text, at)?;
    if matches!(first.code, 0xA1 | 0xBF) {
        return Some(Start::OrName); // the inverted marks of a Spanish sentence, or of a title after an abbreviation
    }
    if first.class != BreakClass::Upper {
        return None;
    }
    let word = word_at(text, at, STARTS.longest)?;
    let follow = char_at(text, at + word.len());
    let apostrophe = follow.is_some_and(|found| is_apostrophe(found.code));
    let spaced = follow.is_none_or(|found| found.class.is_space() || found.code == u32::from(b','));
    let whole = match word {
        b"I" => spaced || apostrophe,
        b"A" | b"E" | b"O" | b"Y" => spaced,
        [_] => apostrophe,
        _ => follow.is_none_or(|found| found.code != u32::from(b'-')),
    };
    if !whole {
        None
    } else if STARTS.contains(word) {
        Some(Start::Only)
    } else {
        STARTS_OR_NAMES.contains(word).then_some(Start::OrName)
    }
}

#[cfg(test)]
mod tests {
    use super::{STARTS, STARTS_OR_NAMES};

    #[test]
    fn sure_starts_and_possible_names_are_disjoint() {
        let names = include_str!("data/starts/names.txt");
        for name in names.lines().filter(|line| !line.starts_with('#')) {
            assert!(
                STARTS_OR_NAMES.contains(name.as_bytes()) && !STARTS.contains(name.as_bytes()),
                "{name}"
            );
        }
    }
}
