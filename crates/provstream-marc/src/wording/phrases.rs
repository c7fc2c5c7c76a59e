//! The phrases of `data/phrases.txt`, which says what a pattern means.

use std::collections::{HashMap, HashSet};

use super::finding::WordingKind;
use super::tokens::Token;

/// One of several words.
#[derive(Debug)]
pub(super) struct Words {
    whole: HashSet<&'static str>,
    /// Beginnings of words.
    stems: Vec<&'static str>,
}

impl Words {
    fn parse(text: &'static str) -> Self {
        let (stems, whole): (Vec<_>, Vec<_>) =
            text.split('|').partition(|word| word.ends_with('*'));
        Self {
            whole: whole.into_iter().collect(),
            stems: stems
                .into_iter()
                .map(|word| word.trim_end_matches('*'))
                .collect(),
        }
    }

    pub(super) fn matches(&self, token: &Token) -> bool {
        let word = token.word.as_str();
        self.whole.contains(word) || self.stems.iter().any(|stem| word.starts_with(stem))
    }
}

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Element {
    Words(Words),
    Optional(Words),
    /// `!a|b`: the next word is not one of these.
    Not(Words),
    /// `~`
    Fillers,
    /// `...`
    Any,
    /// `#`, and `##` for whole numbers as well.
    Figure {
        whole: bool,
    },
}

impl Element {
    fn parse(text: &'static str) -> Self {
        match text {
            "~" => Self::Fillers,
            "..." => Self::Any,
            "#" => Self::Figure { whole: false },
            "##" => Self::Figure { whole: true },
            _ if text.starts_with('!') => Self::Not(Words::parse(&text[1..])),
            _ => match text
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
            {
                Some(words) => Self::Optional(Words::parse(words)),
                None => Self::Words(Words::parse(text)),
            },
        }
    }
}

/// A phrase that a disclosure should do without.
#[derive(Debug)]
pub(super) struct Phrase {
    pub(super) kind: WordingKind,
    /// Whether it also counts in the answer of `ANSWER`.
    pub(super) in_answers: bool,
    pub(super) elements: Vec<Element>,
}

/// All phrases, by their first word.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    all: Vec<Phrase>,
    by_word: HashMap<&'static str, Vec<usize>>,
    /// Those that begin with a stem or a figure.
    others: Vec<usize>,
    pub(super) fillers: HashSet<String>,
    pub(super) negations: HashSet<String>,
}

impl Phrases {
    /// Lines that are not phrases or lists are examples or comments.
    pub(super) fn parse(text: &'static str) -> Self {
        let mut phrases = Self::default();
        for line in text.lines() {
            if let Some(list) = line.strip_prefix("@fillers ") {
                phrases.fillers.extend(list.split('|').map(str::to_owned));
            } else if let Some(list) = line.strip_prefix("@negations ") {
                phrases.negations.extend(list.split('|').map(str::to_owned));
            } else {
                phrases.add(line);
            }
        }
        phrases
    }

    fn add(&mut self, line: &'static str) {
        let parts = line
            .split_once(' ')
            .and_then(|(kind, rest)| Some((kind, rest.split_once(": ")?.1)));
        let Some((kind, pattern)) = parts else { return };
        let Ok(known) = kind.trim_end_matches('!').parse() else {
            return;
        };
        let index = self.all.len();
        let elements: Vec<_> = pattern.split(' ').map(Element::parse).collect();
        match elements.first() {
            Some(Element::Words(words)) if words.stems.is_empty() => {
                for word in &words.whole {
                    self.by_word.entry(word).or_default().push(index);
                }
            }
            _ => self.others.push(index),
        }
        self.all.push(Phrase {
            kind: known,
            in_answers: kind.ends_with('!'),
            elements,
        });
    }

    /// The phrases that may begin with a token.
    pub(super) fn beginning_with(&self, token: &Token) -> impl Iterator<Item = &Phrase> {
        let by_word = self.by_word.get(token.word.as_str());
        by_word
            .into_iter()
            .flatten()
            .chain(&self.others)
            .filter_map(|&index| self.all.get(index))
    }
}
