//! Nondeterministic automaton that decides if a text is in the language of a grammar, without an
//! engine.

use super::expr::{CharSet, Expr, GrammarRules};

/// An automaton over characters (Thompson's construction).
#[derive(Clone, Debug)]
pub(crate) struct CharNfa {
    states: Vec<NfaState>,
    start: usize,
}

#[derive(Clone, Debug)]
enum NfaState {
    One(char, usize),
    Set(CharSet, usize),
    /// Continues at any of these states without a character.
    Fork(Vec<usize>),
    Accept,
}

impl CharNfa {
    /// Builds the automaton of the last rule.
    pub(crate) fn new(rules: &GrammarRules) -> Self {
        let mut automaton = Self {
            states: vec![NfaState::Accept],
            start: 0,
        };
        automaton.start = automaton.build(rules, &Expr::Rule(rules.all().len() - 1), 0);
        automaton
    }

    /// Adds the states of an expression that continues at `next`, and returns the first state.
    fn build(&mut self, rules: &GrammarRules, expr: &Expr, next: usize) -> usize {
        match expr {
            Expr::Literal(text) => text
                .chars()
                .rev()
                .fold(next, |next, c| self.push(NfaState::One(c, next))),
            Expr::Chars(set) => self.push(NfaState::Set(set.clone(), next)),
            Expr::Sequence(all) => all
                .iter()
                .rev()
                .fold(next, |next, expr| self.build(rules, expr, next)),
            Expr::Choice(all) => {
                let ways = all
                    .iter()
                    .map(|expr| self.build(rules, expr, next))
                    .collect();
                self.push(NfaState::Fork(ways))
            }
            Expr::Rule(index) => self.build(rules, &rules.get(*index).1, next),
            Expr::Repeat(expr, least, most) => {
                let mut next = match most {
                    Some(most) => {
                        let mut after = next;
                        for _ in *least..*most {
                            let once = self.build(rules, expr, after);
                            after = self.push(NfaState::Fork(vec![once, next]));
                        }
                        after
                    }
                    None => {
                        let again = self.push(NfaState::Fork(Vec::new()));
                        let once = self.build(rules, expr, again);
                        self.states[again] = NfaState::Fork(vec![once, next]);
                        again
                    }
                };
                for _ in 0..*least {
                    next = self.build(rules, expr, next);
                }
                next
            }
        }
    }

    fn push(&mut self, state: NfaState) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    /// Returns `true` if the whole text is in the language. Takes time proportional to the length
    /// of the text times the number of states, at most.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let mut current = StateSet::new(self.states.len());
        let mut following = StateSet::new(self.states.len());
        self.enter(self.start, &mut current);
        for c in text.chars() {
            for &index in &current.list {
                let next = match &self.states[index] {
                    NfaState::One(wanted, next) if *wanted == c => *next,
                    NfaState::Set(set, next) if set.contains(c) => *next,
                    _ => continue,
                };
                self.enter(next, &mut following);
            }
            current.clear();
            std::mem::swap(&mut current, &mut following);
            if current.list.is_empty() {
                return false;
            }
        }
        current.seen[0]
    }

    /// Adds a state and all states reachable from it without a character.
    fn enter(&self, start: usize, states: &mut StateSet) {
        let mut open = vec![start];
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut states.seen[index], true) {
                continue;
            }
            states.list.push(index);
            if let NfaState::Fork(ways) = &self.states[index] {
                open.extend(ways);
            }
        }
    }
}

/// Set of states that is cheap to clear.
struct StateSet {
    list: Vec<usize>,
    seen: Vec<bool>,
}

impl StateSet {
    fn new(states: usize) -> Self {
        Self {
            list: Vec::new(),
            seen: vec![false; states],
        }
    }

    fn clear(&mut self) {
        for index in self.list.drain(..) {
            self.seen[index] = false;
        }
    }
}
