//! The words of a language by slot, from `data/words.*.txt`.

use std::collections::HashMap;

use super::slots::{Names, Special};
use super::token::Token;

/// A word of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Word<'a> {
    Whole(&'a str),
    /// The beginning of a word.
    Stem(&'a str),
    /// The end of a word.
    Tail(&'a str),
}

impl<'a> Word<'a> {
    fn parse(text: &'a str) -> Self {
        if let Some(stem) = text.strip_suffix('*') {
            Self::Stem(stem)
        } else if let Some(tail) = text.strip_prefix('*') {
            Self::Tail(tail)
        } else {
            Self::Whole(text)
        }
    }

    fn matches(self, word: &str) -> bool {
        match self {
            Self::Whole(whole) => word == whole,
            Self::Stem(stem) => word.starts_with(stem),
            Self::Tail(tail) => word.ends_with(tail),
        }
    }
}

/// An entry without its first word.
#[derive(Debug)]
struct Entry {
    slot: u8,
    rest: Vec<Word<'static>>,
}

/// Where an entry of a slot occurs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) slot: u8,
    /// The first and the last token.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether there may be any words between the first and the last: "legt ... offen".
    pub(super) is_split: bool,
}

impl Mark {
    pub(super) const fn is(self, special: Special) -> bool {
        self.slot == special as u8
    }

    /// Whether the two have words in common; what is between the parts of a phrase in two parts is not its own.
    pub(super) fn overlaps(self, other: Self) -> bool {
        let is_between = |inner: Self, outer: Self| {
            outer.is_split && outer.first < inner.first && inner.last < outer.last
        };
        let meets = self.first <= other.last && other.first <= self.last;
        meets && !is_between(self, other) && !is_between(other, self)
    }
}

/// The words of a language, by the first word of their entries.
#[derive(Debug, Default)]
pub(super) struct Lexicon(HashMap<Word<'static>, Vec<Entry>>);

impl Lexicon {
    /// Reads lines `SLOT: ENTRY | ENTRY`; any others are comments.
    pub(super) fn parse(text: &'static str, names: &mut Names) -> Self {
        let mut lexicon = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((slot, entries)) = line.split_once(": ") else {
                continue;
            };
            let slot = names.slot(slot);
            for entry in entries.split('|') {
                let mut words = entry
                    .split([' ', '-', '\''])
                    .filter(|word| !word.is_empty())
                    .map(Word::parse);
                let Some(first) = words.next() else { continue };
                let rest = words.collect();
                lexicon
                    .0
                    .entry(first)
                    .or_default()
                    .push(Entry { slot, rest });
            }
        }
        lexicon
    }

    /// Adds all entries that begin at a token.
    pub(super) fn mark(&self, tokens: &[Token], at: usize, marks: &mut Vec<Mark>) {
        let word = tokens[at].word.as_str();
        let stems = ends(word).map(|end| Word::Stem(&word[..end]));
        let tails = ends(word).map(|end| Word::Tail(&word[end..]));
        let all = [Word::Whole(word)].into_iter().chain(stems).chain(tails);
        for entry in all.filter_map(|word| self.0.get(&word)).flatten() {
            let rest = tokens.get(at + 1..=at + entry.rest.len()).unwrap_or(&[]);
            let follows = rest.len() == entry.rest.len()
                && core::iter::zip(&entry.rest, rest)
                    .all(|(word, token)| word.matches(&token.word));
            if follows {
                marks.push(Mark {
                    slot: entry.slot,
                    first: at,
                    last: at + rest.len(),
                    is_split: entry.rest.contains(&Word::Stem("")),
                });
            }
        }
    }
}

/// The places in a word after its first letter, up to its end.
fn ends(word: &str) -> impl Iterator<Item = usize> {
    word.char_indices()
        .map(|(index, _)| index)
        .skip(1)
        .chain([word.len()])
}
