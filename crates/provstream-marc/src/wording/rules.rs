//! The rules of `data/rules.txt`, which says what they mean.

use super::finding::WordingKind;
use super::slots::{Names, Slots};

/// Slots of which one must occur, by [`Status`](super::reading::Status).
pub(super) type Atom = [Slots; 3];

/// `A/-B/?C/~D`: asserted, denied, open, or any of these.
fn atom(text: &'static str, names: &mut Names) -> Atom {
    let mut atom = Atom::default();
    for name in text.split('/') {
        let (name, counts) = match name.split_at_checked(1) {
            Some(("~", name)) => (name, [true; 3]),
            Some(("-", name)) => (name, [false, true, false]),
            Some(("?", name)) => (name, [false, false, true]),
            _ => (name, [true, false, false]),
        };
        let slot = names.slot(name);
        for (slots, _) in atom.iter_mut().zip(counts).filter(|(_, counts)| *counts) {
            slots.insert(slot);
        }
    }
    atom
}

/// Where the slots of a rule must occur together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    Clause,
    /// In a clause that a colon ends.
    Lead,
    Sentence,
    /// In a sentence that is the whole text.
    Text,
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: WordingKind,
    pub(super) section: &'static str,
    /// Where all of it must be.
    pub(super) window: Window,
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
        let (kind, head) = head.split_once(' ')?;
        let (section, window) = head.rsplit_once(' ')?;
        let mut rule = Self {
            kind: kind.parse().ok()?,
            section,
            window: match window.trim_end_matches('!') {
                "clause" => Window::Clause,
                "lead" => Window::Lead,
                "sentence" => Window::Sentence,
                "text" => Window::Text,
                _ => return None,
            },
            in_answers: window.ends_with('!'),
            atoms: Vec::new(),
            unless: Slots::default(),
            nowhere: Slots::default(),
        };
        let mut part = "";
        for word in body.split(' ') {
            match (word, part) {
                ("unless" | "nowhere", _) => part = word,
                (_, "unless") => rule.unless.insert(names.slot(word)),
                (_, "nowhere") => rule.nowhere.insert(names.slot(word)),
                _ => rule.atoms.push(atom(word, names)),
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
