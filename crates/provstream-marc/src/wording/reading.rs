//! What a sentence says: which slots it has, asserted or denied, by clause.

use super::lexicon::{Lexicon, Mark};
use super::slots::{Slots, Special};
use super::token::{Gap, Token};

/// Whether a mark is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Asserted,
    Denied,
    /// It is asked, or a condition.
    Open,
}

/// What occurs in a clause or sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occurs {
    /// By [`Status`].
    pub(super) by_status: [Slots; 3],
    pub(super) any: Slots,
}

impl Occurs {
    fn add(&mut self, slot: u8, status: Status) {
        self.any.insert(slot);
        self.by_status[status as usize].insert(slot);
    }
}

/// A sentence with its marks.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// By token.
    clause: Vec<usize>,
    /// The clauses that a colon ends, in order.
    leads: Vec<usize>,
    pub(super) marks: Vec<(Mark, Status)>,
    /// By clause.
    pub(super) clauses: Vec<Occurs>,
    pub(super) sentence: Occurs,
}

impl Reading {
    pub(super) fn new(tokens: &[Token], lexicons: &[Lexicon; 2]) -> Self {
        let marks = marks(tokens, lexicons);
        let mut reading = Self {
            clause: clauses(tokens, &marks),
            ..Self::default()
        };
        reading.leads = core::iter::zip(&reading.clause, tokens.iter().skip(1))
            .filter(|(_, next)| next.gap == Gap::Colon)
            .map(|(&clause, _)| clause)
            .collect();
        let count = reading.clause.last().map_or(0, |last| last + 1);
        reading.clauses = vec![Occurs::default(); count];
        let scopes = Scopes::new(tokens, &reading.clause, &marks);
        for mark in marks {
            let status = scopes.status(mark);
            reading.clauses[reading.clause[mark.first]].add(mark.slot, status);
            reading.sentence.add(mark.slot, status);
            reading.marks.push((mark, status));
        }
        reading
    }

    pub(super) fn clause(&self, mark: Mark) -> usize {
        self.clause[mark.first]
    }

    /// Whether a colon ends a clause, or is in it before a few words only.
    pub(super) fn leads(&self, clause: usize) -> bool {
        self.leads.binary_search(&clause).is_ok()
    }
}

/// The marks by the lexicon of the language that the sentence is in; by both if that is not clear.
fn marks(tokens: &[Token], lexicons: &[Lexicon; 2]) -> Vec<Mark> {
    let [english, german] = [0, 1].map(|language| {
        let mut marks = Vec::new();
        for at in (0..tokens.len()).filter(|&at| !tokens[at].quoted) {
            lexicons[language].mark(tokens, at, &mut marks);
        }
        let words = marks.iter().filter(|mark| mark.is(Special::Function));
        (words.count(), marks)
    });
    let mut marks = match english.0.cmp(&german.0) {
        core::cmp::Ordering::Greater => english.1,
        core::cmp::Ordering::Less => german.1,
        core::cmp::Ordering::Equal => [english.1, german.1].concat(),
    };
    let mut skipped = vec![false; tokens.len()];
    for mark in marks.iter().filter(|mark| mark.is(Special::Skip)) {
        skipped[mark.first..=mark.last].fill(true);
    }
    marks.retain(|mark| !(mark.first..=mark.last).all(|at| skipped[at]));
    for (at, token) in tokens.iter().enumerate() {
        let slot = match (token.is_score, token.is_whole) {
            (true, _) => Special::Figure as u8,
            (_, true) => Special::Number as u8,
            _ => continue,
        };
        marks.push(Mark {
            slot,
            first: at,
            last: at,
            is_split: false,
        });
    }
    marks
}

/// The clause of each token.
fn clauses(tokens: &[Token], marks: &[Mark]) -> Vec<usize> {
    let mut breaks = vec![false; tokens.len()];
    for mark in marks.iter().filter(|mark| mark.is(Special::Break)) {
        breaks[mark.first] = true;
    }
    let mut clause = 0;
    (0..tokens.len())
        .map(|at| {
            let ends = match tokens[at].gap {
                Gap::None => breaks[at],
                Gap::Comma => !is_list(&tokens[at..]),
                Gap::Colon => tokens.len() - at > 4 && !tokens[at].is_score && !tokens[at].is_whole,
                Gap::Dash => !tokens[at].is_score,
                Gap::End => true,
            };
            if at > 0 && ends {
                clause += 1;
            }
            clause
        })
        .collect()
}

/// Whether what follows a comma goes on with a list: "accurate, calibrated or safe".
fn is_list(tokens: &[Token]) -> bool {
    let rest = tokens.iter().skip(1);
    let len = 1 + rest.take_while(|token| token.gap == Gap::None).count();
    let joins =
        |token: &Token| matches!(&*token.word, "or" | "oder" | "nor" | "noch" | "and" | "und");
    let listed = len <= 6 && tokens[1..len].iter().any(joins);
    listed || len <= 2 && tokens.get(len).is_some_and(|next| next.gap == Gap::Comma)
}

/// How far a denial such as "without" reaches, in words.
const NEAR: usize = 4;

/// How far denials reach.
struct Scopes {
    /// By token: how many denials reach it.
    denials: Vec<usize>,
    /// By token: how many denials that reach backwards begin there.
    around_at: Vec<usize>,
    /// By token: whether something before it in its clause leaves it open.
    open: Vec<bool>,
}

impl Scopes {
    fn new(tokens: &[Token], clause: &[usize], marks: &[Mark]) -> Self {
        let len = clause.len();
        let [mut neg, mut near, mut around] = [vec![0; len], vec![0; len], vec![0; len]];
        let mut open = vec![false; len];
        for mark in marks {
            let at = mark.first;
            neg[at] |= usize::from(mark.is(Special::Neg));
            near[at] |= usize::from(mark.is(Special::NegNear));
            around[at] |= usize::from(mark.is(Special::NegAround));
            open[at] |= mark.is(Special::Open);
        }
        let mut scopes = Self {
            denials: vec![0; len],
            around_at: around,
            open: vec![false; len],
        };
        // What goes on with "that" is a part of its clause that denials after it do not leave.
        let begins = |at: usize| {
            at == 0
                || clause[at] != clause[at - 1]
                || matches!(&*tokens[at].word, "that" | "dass" | "ob")
        };
        let (mut before, mut start) = (0, 0);
        for at in 0..=len {
            if at == len || begins(at) {
                let reaching: usize = scopes.around_at[start..at].iter().sum();
                for denials in &mut scopes.denials[start..at] {
                    *denials += reaching;
                }
                let goes_on = at < len && at > 0 && clause[at] == clause[at - 1];
                before = if goes_on { before + reaching } else { 0 };
                start = at;
            }
            if at == len {
                break;
            }
            let within = at > 0 && clause[at] == clause[at - 1];
            if within {
                before += neg[at - 1];
                scopes.open[at] = scopes.open[at - 1] || open[at - 1];
            }
            let near = (at.saturating_sub(NEAR)..at)
                .filter(|&it| near[it] == 1 && clause[it] == clause[at])
                .count();
            scopes.denials[at] += before + near;
        }
        scopes
    }

    fn status(&self, mark: Mark) -> Status {
        let own: usize = self.around_at[mark.first..=mark.last].iter().sum();
        if self.open[mark.first] {
            Status::Open
        } else if self.denials[mark.first].saturating_sub(own) % 2 == 1 {
            Status::Denied
        } else {
            Status::Asserted
        }
    }
}
