//! A row of the table of requirements.

use super::verdict::Verdict;
use crate::deployment::Deployment;
use crate::deployment::words::ConformanceClass;
use crate::draft::Draft;
use crate::violation::Level;

/// The number of a requirement, or of an item of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) requirement: &'static str,
    /// 0 for the requirement as a whole.
    pub(super) item: u8,
}

impl Number {
    /// Whether a text is this number: `M2-41`, or `M2-178.3` for an item.
    pub(super) fn is(self, text: &str) -> bool {
        match (text.strip_prefix(self.requirement), self.item) {
            (Some(""), 0) => true,
            (Some(rest), item) if item > 0 => rest
                .strip_prefix('.')
                .is_some_and(|rest| rest == item.to_string()),
            _ => false,
        }
    }
}

impl core::fmt::Display for Number {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.requirement)?;
        match self.item {
            0 => Ok(()),
            item => write!(f, ".{item}"),
        }
    }
}

/// How a requirement is judged.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// It is met where records are built with the library, by what is named; else it has to be stated.
    Records(&'static str),
    /// The same where decisions are taken with it.
    Decisions(&'static str),
    /// The same where both are done with it.
    Sessions(&'static str),
    /// As the description tells.
    Described(fn(&Deployment) -> Verdict),
    /// As the description tells if it tells something; else as the other rule has it.
    First(fn(&Deployment) -> Option<Verdict>, &'static Self),
    /// As the worst of other requirements, by their numbers in -02.
    All(&'static [Number]),
    /// Whether a class conforms.
    Class(ConformanceClass),
}

impl Rule {
    /// Whether the word of the deployment can meet it.
    pub(super) const fn can_be_stated(&self) -> bool {
        match self {
            Self::Records(_) | Self::Decisions(_) | Self::Sessions(_) => true,
            Self::First(_, rest) => rest.can_be_stated(),
            Self::Described(_) | Self::All(_) | Self::Class(_) => false,
        }
    }
}

/// A requirement of one class or more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirement {
    /// In -01 and in -02; none if the draft does not have it.
    pub(super) numbers: [Option<Number>; 2],
    pub(super) classes: &'static [ConformanceClass],
    pub(super) level: Level,
    pub(super) title: &'static str,
    pub(super) rule: Rule,
}

impl Requirement {
    /// Its number in a draft, if the draft has it.
    pub(super) const fn number(&self, draft: Draft) -> Option<Number> {
        self.numbers[draft as usize]
    }
}
