//! The rules of `data/rules.txt`, which says what they mean.

use super::finding::{WordingKind, section};
use super::lexicon::{Names, Slots};

/// Slots of which one must occur.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Atom {
    pub(super) asserted: Slots,
    pub(super) denied: Slots,
    pub(super) open: Slots,
}

impl Atom {
    fn parse(text: &'static str, names: &mut Names) -> Self {
        let mut atom = Self::default();
        for name in text.split('/') {
            let mut bit = |name| 1 << names.slot(name);
            if let Some(name) = name.strip_prefix('~') {
                atom.asserted |= bit(name);
                atom.denied |= bit(name);
                atom.open |= bit(name);
            } else if let Some(name) = name.strip_prefix('?') {
                atom.open |= bit(name);
            } else if let Some(name) = name.strip_prefix('-') {
                atom.denied |= bit(name);
            } else {
                atom.asserted |= bit(name);
            }
        }
        atom
    }
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: WordingKind,
    pub(super) section: &'static str,
    /// Whether all must be in one clause, or in one sentence.
    pub(super) in_clause: bool,
    /// Whether it also counts in the answer of `ANSWER`.
    pub(super) in_answers: bool,
    pub(super) atoms: Vec<Atom>,
    /// Slots that must not occur in the window.
    pub(super) unless: Slots,
    /// Slots that must not occur in the sentence.
    pub(super) nowhere: Slots,
}

impl Rule {
    /// `None` for a line that is not a rule.
    fn parse(line: &'static str, names: &mut Names) -> Option<Self> {
        let (head, body) = line.split_once(": ")?;
        let mut head = head.split(' ');
        let kind = head.next()?.parse().ok()?;
        let section = section(head.next()?)?;
        let window = head.next()?;
        let mut rule = Self {
            kind,
            section,
            in_clause: window.starts_with("clause"),
            in_answers: window.ends_with('!'),
            atoms: Vec::new(),
            unless: 0,
            nowhere: 0,
        };
        let mut part = "";
        for word in body.split(' ') {
            match (word, part) {
                ("unless" | "nowhere", _) => part = word,
                (_, "unless") => rule.unless |= 1 << names.slot(word),
                (_, "nowhere") => rule.nowhere |= 1 << names.slot(word),
                _ => rule.atoms.push(Atom::parse(word, names)),
            }
        }
        Some(rule)
    }

    pub(super) fn parse_all(text: &'static str, names: &mut Names) -> Vec<Self> {
        text.lines()
            .filter(|line| !line.starts_with(['#', '+', '-']))
            .filter_map(|line| Self::parse(line, names))
            .collect()
    }
}
