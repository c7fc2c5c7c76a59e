//! Representation of grammars from which all dialects are printed: named rules over characters,
//! without recursion.

/// A set of characters: those in the ranges, or all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CharSet {
    negated: bool,
    /// Inclusive, sorted and disjoint.
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// Creates the set of the characters of a string and those in ranges.
    pub(crate) fn of(chars: &str, ranges: &[(char, char)]) -> Self {
        let single = chars.chars().map(|c| (c, c));
        let mut all: Vec<_> = single.chain(ranges.iter().copied()).collect();
        all.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::new();
        for (first, last) in all {
            match merged.last_mut() {
                Some(previous) if u32::from(first) <= u32::from(previous.1) + 1 => {
                    previous.1 = previous.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        Self {
            negated: false,
            ranges: merged,
        }
    }

    /// Creates the set of all characters except those of a string and those in ranges.
    pub(crate) fn not(chars: &str, ranges: &[(char, char)]) -> Self {
        Self {
            negated: true,
            ..Self::of(chars, ranges)
        }
    }

    pub(crate) const fn is_negated(&self) -> bool {
        self.negated
    }

    pub(crate) fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }
}

/// An expression over characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Literal(String),
    Chars(CharSet),
    Sequence(Vec<Expr>),
    /// Alternatives; never empty.
    Choice(Vec<Expr>),
    /// Repetition with a minimum and a maximum; `None` is unbounded.
    Repeat(Box<Expr>, u32, Option<u32>),
    /// Reference to the rule at this index of [`GrammarRules`], which is always an earlier one.
    Rule(usize),
}

impl Expr {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    pub(crate) fn chars(chars: &str, ranges: &[(char, char)]) -> Self {
        Self::Chars(CharSet::of(chars, ranges))
    }

    pub(crate) fn not(chars: &str, ranges: &[(char, char)]) -> Self {
        Self::Chars(CharSet::not(chars, ranges))
    }

    pub(crate) fn literals<'a>(all: impl IntoIterator<Item = &'a str>) -> Self {
        Self::choice(all.into_iter().map(Self::literal))
    }

    /// Returns a choice between expressions, or the expression itself if there is only one.
    ///
    /// # Panics
    ///
    /// If there are no expressions, which no caller passes.
    pub(crate) fn choice(all: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<_> = all.into_iter().collect();
        assert!(!all.is_empty(), "a choice has an alternative");
        if all.len() == 1 {
            all.remove(0)
        } else {
            Self::Choice(all)
        }
    }

    pub(crate) fn sequence(all: impl Into<Vec<Self>>) -> Self {
        Self::Sequence(all.into())
    }

    pub(crate) fn times(self, least: u32, most: u32) -> Self {
        Self::Repeat(Box::new(self), least, Some(most))
    }

    pub(crate) fn optional(self) -> Self {
        self.times(0, 1)
    }

    pub(crate) fn any_number(self) -> Self {
        Self::Repeat(Box::new(self), 0, None)
    }

    pub(crate) fn some(self) -> Self {
        Self::Repeat(Box::new(self), 1, None)
    }
}

/// Named rules, each of which refers to earlier ones only. The last rule is the whole language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GrammarRules(Vec<(String, Expr)>);

impl GrammarRules {
    /// Adds a rule, and returns a reference to it. Names have lower-case letters, digits and
    /// hyphens.
    pub(crate) fn add(&mut self, name: impl Into<String>, expr: Expr) -> Expr {
        let name = name.into();
        debug_assert!(self.0.iter().all(|(other, _)| *other != name), "{name}");
        self.0.push((name, expr));
        Expr::Rule(self.0.len() - 1)
    }

    pub(crate) fn all(&self) -> &[(String, Expr)] {
        &self.0
    }

    pub(crate) fn get(&self, index: usize) -> &(String, Expr) {
        &self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged() {
        let set = CharSet::of("bdc", &[('a', 'a'), ('x', 'z'), ('y', 'y')]);
        assert_eq!(set.ranges(), [('a', 'd'), ('x', 'z')]);
    }
}
