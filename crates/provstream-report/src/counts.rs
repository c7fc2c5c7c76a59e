//! Counts at the top of a page.

use std::collections::BTreeMap;

use provstream::{DiagnosticCode, Disposition};

use crate::outcome::Outcome;

/// Counts of the decisions and annotations of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub(crate) decided: BTreeMap<(Disposition, Outcome), u64>,
    pub(crate) annotations: u64,
    pub(crate) counting: u64,
    pub(crate) runs: BTreeMap<Outcome, u64>,
    pub(crate) limits: u64,
    pub(crate) ends: BTreeMap<Outcome, u64>,
    pub(crate) after_end: u64,
    pub(crate) diagnostics: BTreeMap<DiagnosticCode, u64>,
    /// Annotations by class, and those of them that count.
    pub(crate) classes: BTreeMap<Box<str>, (u64, u64)>,
    /// Characters that are not white space, and those that no annotated assertion has.
    pub(crate) characters: (u64, u64),
}

/// Most classes in a table. An audit log may have any.
const MAX_CLASSES: usize = 64;

impl Counts {
    /// Returns the number of assertions that the gate decides about. Excludes assertions after the
    /// end that the policy sets.
    #[must_use]
    pub fn assertions(&self) -> u64 {
        self.decided.values().sum()
    }

    /// Returns the number of decided assertions with this disposition.
    #[must_use]
    pub fn disposed(&self, disposition: Disposition) -> u64 {
        let of = self
            .decided
            .iter()
            .filter(|((it, _), _)| *it == disposition);
        of.map(|(_, count)| count).sum()
    }

    /// Returns the number of decided assertions with this outcome.
    #[must_use]
    pub fn treated(&self, outcome: Outcome) -> u64 {
        let of = self.decided.iter().filter(|((_, it), _)| *it == outcome);
        of.map(|(_, count)| count).sum()
    }

    /// Returns the number of annotations of decided assertions.
    #[must_use]
    pub const fn annotations(&self) -> u64 {
        self.annotations
    }

    /// Returns the number of annotations that count towards the floor.
    #[must_use]
    pub const fn counting(&self) -> u64 {
        self.counting
    }

    /// Counts an annotation.
    pub(crate) fn annotation(&mut self, class: &str, counts: bool) {
        self.annotations += 1;
        self.counting += u64::from(counts);
        let is_full = self.classes.len() >= MAX_CLASSES && !self.classes.contains_key(class);
        let class = if is_full { "other classes" } else { class };
        let of_class = self.classes.entry(class.into()).or_default();
        of_class.0 += 1;
        of_class.1 += u64::from(counts);
    }

    /// Returns the share of the text, without white space, that no annotated assertion has; between 0 and 1. `None` if there is no
    /// text, or if it is JSON or an audit log.
    #[must_use]
    pub fn unannotated_share(&self) -> Option<f64> {
        let (all, unannotated) = self.characters;
        (all > 0).then(|| unannotated as f64 / all as f64)
    }

    /// Returns the number of runs of unannotated text with this outcome. Runs that are released
    /// unchanged are not counted.
    #[must_use]
    pub fn runs(&self, outcome: Outcome) -> u64 {
        self.runs.get(&outcome).copied().unwrap_or_default()
    }

    /// Returns the number of times that a limit forced a decision about held text.
    #[must_use]
    pub const fn limits(&self) -> u64 {
        self.limits
    }

    /// Returns the number of streams that the policy ends with this outcome.
    #[must_use]
    pub fn ended(&self, outcome: Outcome) -> u64 {
        self.ends.get(&outcome).copied().unwrap_or_default()
    }

    /// Returns the number of assertions after the end that the policy sets.
    #[must_use]
    pub const fn after_end(&self) -> u64 {
        self.after_end
    }

    /// Returns `true` if the gate withholds any text.
    #[must_use]
    pub fn withholds(&self) -> bool {
        !self.ends.is_empty()
            || self.decided.keys().any(|(_, outcome)| outcome.withholds())
            || self.runs.keys().any(|outcome| outcome.withholds())
    }

    /// Adds the counts of another part of the answer.
    pub fn add(&mut self, other: &Self) {
        fn join<K: Ord + Copy>(own: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
            for (key, count) in other {
                *own.entry(*key).or_default() += count;
            }
        }
        join(&mut self.decided, &other.decided);
        join(&mut self.runs, &other.runs);
        join(&mut self.ends, &other.ends);
        join(&mut self.diagnostics, &other.diagnostics);
        for (class, (annotations, counting)) in &other.classes {
            let own = self.classes.entry(class.clone()).or_default();
            own.0 += annotations;
            own.1 += counting;
        }
        self.characters.0 += other.characters.0;
        self.characters.1 += other.characters.1;
        self.annotations += other.annotations;
        self.counting += other.counting;
        self.limits += other.limits;
        self.after_end += other.after_end;
    }
}
