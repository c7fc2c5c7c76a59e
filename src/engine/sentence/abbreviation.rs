//! Full stops that belong to a word instead of ending a sentence: abbreviations, initials, single letters.

use super::class::{BreakClass, char_before};
use super::markup::emphasis_before;
use super::scan::{is_apostrophe, space_before};
use super::trail::before_markup;
use super::words::{Endings, WordSet};

static ABBREVIATIONS: WordSet<2048> = WordSet::new(
    concat!(
        include_str!("data/abbreviations/de.txt"),
        include_str!("data/abbreviations/en.txt"),
        include_str!("data/abbreviations/es.txt"),
        include_str!("data/abbreviations/fr.txt"),
        include_str!("data/abbreviations/it.txt"),
        include_str!("data/abbreviations/pt.txt"),
        include_str!("data/abbreviations/more.txt"),
    ),
    true,
);
static ENDINGS: Endings = ABBREVIATIONS.endings();
static ALSO_WORDS: WordSet<256> = WordSet::new(include_str!("data/also-words.txt"), false);
static NEVER_FINAL: WordSet<64> = WordSet::new(include_str!("data/never-final.txt"), false);
static TITLES: WordSet<128> = WordSet::new(include_str!("data/titles.txt"), false);
/// Text before a full stop that keeps it from ending a sentence, from the weakest to the strongest hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    /// Also an ordinary word: an abbreviation only before a number.
    Word,
    /// An abbreviation, an acronym or a small letter: until a word that starts a sentence.
    Listed,
    /// A capital or a title: until a word that starts a sentence and is not a name.
    Name,
    /// Whatever follows.
    Always,
}

/// Returns the start and kind of the text that holds the full stop at `dot`; looks at a bounded number of bytes.
pub(super) fn hold(text: &[u8], dot: usize) -> Option<(usize, Hold)> {
    match text[..dot].last_chunk::<3>() {
        Some(&[before, first, second])
            if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() =>
        {
            if !ENDINGS.may_end([before, first, second]) {
                return None;
            }
        }
        _ => {
            if let Some(found) = single_letter(text, dot) {
                return Some(found);
            }
        }
    }
    let (start, elided) = token_start(text, dot)?;
    let token = &text[start..dot];
    if !ABBREVIATIONS.contains(token) {
        return None;
    }
    let hold = if NEVER_FINAL.contains(token) {
        Hold::Always
    } else if ALSO_WORDS.contains(token) && !elided {
        Hold::Word
    } else if TITLES.contains(token) {
        Hold::Name
    } else {
        Hold::Listed
    };
    Some((start, hold))
}

/// Start of the longest run of letters, full stops, hyphens and slashes before `dot`, and whether an apostrophe is before it.
/// `None` when it is longer than any abbreviation or continues with something else that is part of a word.
fn token_start(text: &[u8], dot: usize) -> Option<(usize, bool)> {
    let floor = dot.saturating_sub(ABBREVIATIONS.longest);
    let letters = text[floor..dot].iter().rev();
    let letters = letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let mut start = dot - letters;
    loop {
        if text[..start].last() == Some(&b' ') {
            return Some((start, false));
        }
        let Some(found) = char_before(text, start) else {
            return Some((start, false));
        };
        let in_token = found.class.is_letter()
            || found.class.is_mark()
            || matches!(text[start - 1], b'.' | b'-' | b'/');
        if !in_token {
            let joined = found.class == BreakClass::Numeric || is_joined(text, start);
            return (!joined).then_some((start, is_apostrophe(found.code)));
        }
        start -= found.len;
        if start < floor {
            return None;
        }
    }
}

/// Returns `true` if the byte before `at` joins what is on both sides of it to one word. An underscore at the start of a word is
/// emphasis.
fn is_joined(text: &[u8], at: usize) -> bool {
    match text[at - 1] {
        b'_' => {
            let before = text[..at - emphasis_before(text, at)].last();
            !matches!(before, None | Some(b' ' | b'\n' | b'('))
        }
        byte => matches!(
            byte,
            b'@' | b'/' | b'\\' | b'-' | b'+' | b'=' | b'&' | b'#' | b'$' | b'%'
        ),
    }
}

/// A letter before `dot` that is alone, or ends a chain of single letters and full stops (`U.S.`, `J.-P.`, `p.m.`).
fn single_letter(text: &[u8], dot: usize) -> Option<(usize, Hold)> {
    let letter = char_before(text, dot).filter(|found| found.class.is_letter())?;
    let start = dot - letter.len;
    let alone = if letter.class == BreakClass::Upper {
        Hold::Name
    } else {
        Hold::Listed
    };
    let Some(before) = char_before(text, start) else {
        return Some((start, alone));
    };
    match text[start - 1] {
        b'.' => {
            let first = char_before(text, start - 1).filter(|found| found.class.is_letter())?;
            let first_start = start - 1 - first.len;
            let one = char_before(text, first_start)
                .is_none_or(|found| !found.class.is_letter() && found.class != BreakClass::Numeric);
            let hold = if NEVER_FINAL.contains(&text[first_start..dot]) {
                Hold::Always
            } else {
                Hold::Listed
            };
            one.then_some((start, hold))
        }
        b'-' => text[..start - 1].ends_with(b".").then_some((start, alone)),
        _ if is_apostrophe(before.code) => {
            (letter.class == BreakClass::Upper).then_some((start, alone))
        }
        _ if is_joined(text, start) => None,
        b' ' if announces(text, start, dot) => Some((start, Hold::Always)),
        _ if before.class.is_letter()
            || before.class.is_mark()
            || before.class == BreakClass::Numeric =>
        {
            None
        }
        _ => Some((start, alone)),
    }
}

/// Returns `true` if the letter in `start..dot` is the second half of an abbreviation that announces what follows, as in `z. B.`
fn announces(text: &[u8], start: usize, dot: usize) -> bool {
    let Some(before) = text[..start].strip_suffix(b" ") else {
        return false;
    };
    let [.., first, b'.'] = text[..before_markup(text, before.len())] else {
        return false;
    };
    let [second] = text[start..dot] else {
        return false;
    };
    NEVER_FINAL.contains(&[first, b'.', second])
}

/// Returns `true` if the text before `at`, white space skipped, ends with a full stop that an abbreviation holds.
pub(super) fn precedes(text: &[u8], at: usize) -> bool {
    let end = space_before(text, at).end;
    text[..end].ends_with(b".") && hold(text, end - 1).is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ABBREVIATIONS, ALSO_WORDS, Hold, NEVER_FINAL, TITLES, hold};

    const FILES: [(&str, usize, &str); 7] = [
        ("de", 241, include_str!("data/abbreviations/de.txt")),
        ("en", 151, include_str!("data/abbreviations/en.txt")),
        ("es", 164, include_str!("data/abbreviations/es.txt")),
        ("fr", 82, include_str!("data/abbreviations/fr.txt")),
        ("it", 45, include_str!("data/abbreviations/it.txt")),
        ("pt", 172, include_str!("data/abbreviations/pt.txt")),
        ("more", 0, include_str!("data/abbreviations/more.txt")),
    ];

    #[test]
    fn the_set_holds_the_files() {
        let mut words = BTreeSet::new();
        for (name, entries, file) in FILES {
            let lines = || file.lines().filter(|line| !line.starts_with('#'));
            assert!(name == "more" || lines().count() == entries, "{name}");
            for line in lines() {
                words.extend(line.split(' ').filter_map(|word| word.strip_suffix('.')));
            }
        }
        assert!(
            words
                .iter()
                .all(|word| ABBREVIATIONS.contains(word.as_bytes()))
        );
        assert_eq!(ABBREVIATIONS.len(), words.len());
    }

    #[test]
    fn every_entry_of_the_lists_holds() {
        for (name, _, file) in FILES {
            for line in file
                .lines()
                .filter(|line| line.ends_with('.') && !line.starts_with('#'))
            {
                for text in [
                    line.to_owned(),
                    format!("so ({line}"),
                    format!("l’{line}"),
                    format!("“{line}"),
                ] {
                    assert!(
                        hold(text.as_bytes(), text.len() - 1).is_some(),
                        "{name}: {text}"
                    );
                }
                for text in [format!("x{line}"), format!("5{line}"), format!("a_{line}")] {
                    let found = hold(text.as_bytes(), text.len() - 1);
                    assert!(
                        found.is_none() || line.contains(['.', ' ', '-']),
                        "{name}: {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn lists_about_abbreviations_have_no_dead_entry() {
        for (set, expected) in [
            (&include_str!("data/titles.txt"), Hold::Name),
            (&include_str!("data/never-final.txt"), Hold::Always),
            (&include_str!("data/also-words.txt"), Hold::Word),
        ] {
            for line in set.lines().filter(|line| !line.starts_with('#')) {
                // After an elision, where no entry is an ordinary word.
                let before = if expected == Hold::Name { "l'" } else { "see " };
                let text = format!("{before}{line}.");
                let found = hold(text.as_bytes(), text.len() - 1).map(|found| found.1);
                assert_eq!(found, Some(expected), "{line}");
            }
        }
        assert!(TITLES.len() + NEVER_FINAL.len() + ALSO_WORDS.len() < ABBREVIATIONS.len());
    }
}
