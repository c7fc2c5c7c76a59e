//! Compact automata: which bytes may follow, and which patterns match.

use std::collections::HashMap;

use regex_automata::dfa::Automaton as _;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::minimize::{TransitionTable, minimized};

/// Set of patterns, one bit each.
pub(crate) type Patterns = u64;

/// Most patterns of one automaton.
pub(crate) const MOST_PATTERNS: usize = 64;

/// State of an [`MarkerAutomaton`]; 0 is dead.
pub(crate) type AutomatonState = u16;

/// Most memory of an automaton before equal states are merged, in bytes.
const MOST_DFA_BYTES: usize = 4 << 20;

/// Most memory of the nondeterministic automaton that it is built from, in bytes. Without this limit, repetitions of repetitions
/// would take any amount.
const MOST_NFA_BYTES: usize = 256 << 10;

/// Most memory of the sets of nondeterministic states that become its states, in bytes. Each set is read once for each class of
/// bytes, so this limits the time: with 16 times as much, a dialect of 200 bytes took 13 seconds to compile.
const MOST_STATE_SET_BYTES: usize = 512 << 10;

/// Most states before equal ones are merged. More would hardly fit into `MOST_BYTES`.
const MOST_STATES: usize = MOST_BYTES / 8;

/// Most bytes of the tables of an automaton.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// Most different sets of patterns of an automaton, which states name by one byte.
const MOST_SETS: usize = 1 << 8;

/// A deterministic automaton over bytes, anchored at the start; a match ends at the byte just read.
///
/// Unlike one of `regex-automata`, it says at each byte which patterns match up to there, and it is dead as soon as no
/// pattern can match any more.
#[derive(Clone, Debug)]
pub(crate) struct MarkerAutomaton {
    /// Class of each byte.
    classes: Box<[u8; 256]>,
    width: usize,
    /// Transitions of each state.
    rows: Box<[TransitionRow]>,
    /// Pairs of a class and the next state in which a state differs from its row.
    pairs: Box<[[AutomatonState; 2]]>,
    /// Dense rows: the next state for every class. The first row is that of the dead state.
    dense: Box<[AutomatonState]>,
    /// Indices into `sets` of the patterns that match in each state, and of those that may match later.
    known: Box<[[u8; 2]]>,
    sets: Box<[Patterns]>,
    first: Box<[bool; 256]>,
}

/// Transitions of one state: a row, and a few classes for which it differs.
#[derive(Clone, Copy, Debug)]
struct TransitionRow {
    dense: u16,
    /// Index of the first pair.
    first: u16,
    count: u16,
}

/// Most classes in which a state differs from its row.
const FEW: usize = 4;

/// Reasons for which an automaton cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildError {
    /// One of the patterns, by its index, is no regular expression of the kind that is allowed.
    Pattern(usize),
    /// A pattern matches the empty text.
    Empty,
    TooLarge,
}

impl MarkerAutomaton {
    /// First state.
    pub(crate) const START: AutomatonState = 1;

    /// Builds the automaton of some patterns.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, BuildError> {
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(MOST_DFA_BYTES))
            .determinize_size_limit(Some(MOST_STATE_SET_BYTES));
        let mut builder = dense::Builder::new();
        builder
            .configure(config)
            .thompson(thompson::Config::new().nfa_size_limit(Some(MOST_NFA_BYTES)));
        let dfa = builder.build_many(patterns).map_err(|_| {
            let is_wrong = |pattern: &String| syntax::parse(pattern).is_err();
            match patterns.iter().position(is_wrong) {
                Some(index) => BuildError::Pattern(index),
                None => BuildError::TooLarge,
            }
        })?;
        let start = Input::new("").anchored(Anchored::Yes);
        let start = dfa
            .start_state_forward(&start)
            .map_err(|_| BuildError::TooLarge)?;
        let graph = Graph::of(&dfa, start).ok_or(BuildError::TooLarge)?;
        if graph.accepts[0] != 0 {
            return Err(BuildError::Empty);
        }
        let automaton = graph.compact();
        if automaton.len() > MOST_BYTES || automaton.sets.len() > MOST_SETS {
            return Err(BuildError::TooLarge);
        }
        Ok(automaton)
    }

    /// Returns the length of the tables in bytes.
    pub(crate) fn len(&self) -> usize {
        6 * self.rows.len()
            + 4 * self.pairs.len()
            + 2 * self.dense.len()
            + 2 * self.known.len()
            + 8 * self.sets.len()
            + 512
    }

    /// Returns the state after a byte.
    #[inline]
    pub(crate) fn step(&self, state: AutomatonState, byte: u8) -> AutomatonState {
        let class = self.classes[usize::from(byte)];
        let row = self.rows[usize::from(state)];
        let first = usize::from(row.first);
        let pairs = &self.pairs[first..first + usize::from(row.count)];
        match pairs
            .iter()
            .find(|pair| pair[0] == AutomatonState::from(class))
        {
            Some(pair) => pair[1],
            None => self.dense[usize::from(row.dense) * self.width + usize::from(class)],
        }
    }

    /// Returns the patterns that match up to a state.
    #[inline]
    pub(crate) fn accepts(&self, state: AutomatonState) -> Patterns {
        self.sets[usize::from(self.known[usize::from(state)][0])]
    }

    /// Returns the patterns that may match after at least one more byte.
    #[inline]
    pub(crate) fn continues(&self, state: AutomatonState) -> Patterns {
        self.sets[usize::from(self.known[usize::from(state)][1])]
    }

    /// Returns `true` if some pattern may begin with a byte.
    #[inline]
    pub(crate) fn begins(&self, byte: u8) -> bool {
        self.first[usize::from(byte)]
    }

    /// Returns the length of the longest match at the start of `bytes`.
    pub(crate) fn longest(&self, bytes: &[u8]) -> Option<usize> {
        let mut state = Self::START;
        let mut found = None;
        for (at, &byte) in bytes.iter().enumerate() {
            state = self.step(state, byte);
            if state == 0 {
                break;
            }
            if self.accepts(state) != 0 {
                found = Some(at + 1);
            }
        }
        found
    }
}

/// Reachable states; index 0 is the start state.
struct Graph {
    /// Class of each byte.
    classes: [u8; 256],
    table: TransitionTable,
    accepts: Vec<Patterns>,
}

impl Graph {
    /// Finds the states; `None` if there are too many.
    fn of(dfa: &dense::DFA<Vec<u32>>, start: StateID) -> Option<Self> {
        let classes = dfa.byte_classes();
        let bytes: Vec<u8> = classes
            .representatives(..=u8::MAX)
            .filter_map(|unit| unit.as_u8())
            .collect();
        let mut ids = vec![start];
        let mut known = HashMap::from([(start, 0_u32)]);
        let mut graph = Self {
            classes: core::array::from_fn(|byte| classes.get(byte as u8)),
            table: TransitionTable {
                next: Vec::new(),
                width: bytes.len(),
            },
            accepts: Vec::new(),
        };
        let mut at = 0;
        while let Some(&id) = ids.get(at) {
            if at == MOST_STATES {
                return None;
            }
            for &byte in &bytes {
                let next = dfa.next_state(id, byte);
                graph.table.next.push(*known.entry(next).or_insert_with(|| {
                    ids.push(next);
                    ids.len() as u32 - 1
                }));
            }
            let end = dfa.next_eoi_state(id);
            let matches = match dfa.is_match_state(end) {
                true => dfa.match_len(end),
                false => 0,
            };
            let patterns = (0..matches).map(|index| 1 << dfa.match_pattern(end, index).as_usize());
            graph
                .accepts
                .push(patterns.fold(0, |all: Patterns, one: Patterns| all | one));
            at += 1;
        }
        Some(graph)
    }

    /// The patterns that may match from each state on, after at least one byte.
    fn continues(&self) -> Vec<Patterns> {
        let mut found = vec![0; self.accepts.len()];
        loop {
            let mut changed = false;
            for state in (0..self.accepts.len()).rev() {
                let mut patterns: Patterns = found[state];
                let mut last = u32::MAX;
                for &next in self.table.of(state) {
                    if next != last {
                        patterns |= self.accepts[next as usize] | found[next as usize];
                        last = next;
                    }
                }
                changed |= patterns != found[state];
                found[state] = patterns;
            }
            if !changed {
                return found;
            }
        }
    }

    /// Merges states from which every byte sequence has the same result. Returns the group of each state; group 0 is the dead state.
    fn groups(&self, continues: &[Patterns]) -> (Vec<u32>, usize) {
        let mut kinds = HashMap::new();
        let results = self.accepts.iter().zip(continues);
        let kinds = results.map(|result| {
            let kind = kinds.len() as u32;
            *kinds.entry(result).or_insert(kind)
        });
        let groups = minimized(&self.table, kinds.collect());
        // Dead states get group 0, even if there are none; the start state comes first, so it gets group 1.
        let mut numbers = HashMap::new();
        let number = |(state, group): (usize, &u32)| {
            if self.accepts[state] | continues[state] == 0 {
                return 0;
            }
            let number = numbers.len() as u32 + 1;
            *numbers.entry(*group).or_insert(number)
        };
        let groups: Vec<u32> = groups.iter().enumerate().map(number).collect();
        (groups, numbers.len() + 1)
    }

    fn compact(&self) -> MarkerAutomaton {
        let continues = self.continues();
        let (groups, count) = self.groups(&continues);
        let mut rows = vec![[0_u32; 256]; count];
        let mut known = vec![[0_u8; 2]; count];
        let mut sets: Vec<Patterns> = vec![0];
        for (state, &group) in groups.iter().enumerate() {
            let group = group as usize;
            if group == 0 {
                continue;
            }
            let next = self.table.of(state);
            for (byte, &class) in self.classes.iter().enumerate() {
                rows[group][byte] = groups[next[usize::from(class)] as usize];
            }
            for (slot, set) in [self.accepts[state], continues[state]]
                .into_iter()
                .enumerate()
            {
                let index = sets
                    .iter()
                    .position(|&known| known == set)
                    .unwrap_or_else(|| {
                        sets.push(set);
                        sets.len() - 1
                    });
                // An automaton with more sets is not used.
                known[group][slot] = index as u8;
            }
        }
        let mut classes = Box::new([0_u8; 256]);
        let mut columns: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut representatives = Vec::new();
        for byte in 0..256 {
            let column: Vec<u32> = rows.iter().map(|row| row[byte]).collect();
            let number = columns.len();
            let class = *columns.entry(column).or_insert_with(|| {
                representatives.push(byte);
                number
            });
            classes[byte] = class as u8;
        }
        let transitions = Transitions::of(&rows, &representatives);
        let mut first = Box::new([false; 256]);
        for (byte, begins) in first.iter_mut().enumerate() {
            *begins = rows[1][byte] != 0;
        }
        MarkerAutomaton {
            width: representatives.len(),
            rows: transitions.rows.into(),
            pairs: transitions.pairs.into(),
            dense: transitions.dense.into(),
            known: known.into(),
            sets: sets.into(),
            classes,
            first,
        }
    }
}

/// Transitions of all states.
#[derive(Default)]
struct Transitions {
    rows: Vec<TransitionRow>,
    pairs: Vec<[AutomatonState; 2]>,
    dense: Vec<AutomatonState>,
}

impl Transitions {
    fn of(rows: &[[u32; 256]], representatives: &[usize]) -> Self {
        let width = representatives.len();
        let mut all = Self {
            dense: vec![0; width],
            ..Self::default()
        };
        for row in rows {
            if 2 * all.dense.len() + 4 * all.pairs.len() > MOST_BYTES {
                // An automaton with more is not used.
                break;
            }
            let row: Vec<AutomatonState> = representatives
                .iter()
                .map(|&byte| row[byte] as AutomatonState)
                .collect();
            let differing =
                |known: &[AutomatonState]| known.iter().zip(&row).filter(|(a, b)| a != b).count();
            let found = all
                .dense
                .chunks(width)
                .position(|known| differing(known) <= FEW);
            let dense = found.unwrap_or_else(|| {
                all.dense.extend_from_slice(&row);
                all.dense.len() / width - 1
            });
            let first = all.pairs.len();
            let known = &all.dense[dense * width..][..width];
            let differs = known
                .iter()
                .zip(&row)
                .enumerate()
                .filter(|(_, (a, b))| a != b);
            let pairs: Vec<[AutomatonState; 2]> = differs
                .map(|(class, (_, &to))| [class as AutomatonState, to])
                .collect();
            all.rows.push(TransitionRow {
                dense: dense as u16,
                first: first as u16,
                count: pairs.len() as u16,
            });
            all.pairs.extend(pairs);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns for words of `len` binary digits; pattern `n` has a 1 as digit `n`, so that each word has a set of its own.
    fn of_digits(len: usize) -> Vec<String> {
        let pattern = |place| format!("[01]{{{place}}}1[01]{{{}}}", len - place - 1);
        (0..len).map(pattern).collect()
    }

    #[test]
    fn states_have_their_own_sets_of_patterns() {
        let automaton = MarkerAutomaton::new(&of_digits(7)).expect("128 sets are few enough");
        for word in 1..1_u64 << 7 {
            let digits = (0..7).map(|place| b'0' + (word >> place & 1) as u8);
            let state = digits.fold(MarkerAutomaton::START, |state, byte| {
                automaton.step(state, byte)
            });
            assert_eq!(automaton.accepts(state), word, "{word:b}");
        }
    }

    #[test]
    fn more_sets_of_patterns_than_a_byte_can_name_are_refused() {
        assert_eq!(
            MarkerAutomaton::new(&of_digits(9)).err(),
            Some(BuildError::TooLarge)
        );
    }
}
