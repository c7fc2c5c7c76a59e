//! The report on a deployment.

use core::fmt;

use super::verdict::{ConformanceBasis, ConformanceOutcome};
use crate::deployment::words::ConformanceClass;
use crate::draft::Draft;
use crate::violation::Level;
use provstream::settings::quoted_piece;

/// How one requirement of one class fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConformanceFinding {
    pub(super) class: ConformanceClass,
    pub(super) requirement: &'static str,
    /// 0 for the requirement as a whole.
    pub(super) item: u8,
    pub(super) level: Level,
    pub(super) title: &'static str,
    pub(super) outcome: ConformanceOutcome,
    pub(super) basis: Option<ConformanceBasis>,
    pub(super) reason: String,
}

impl ConformanceFinding {
    /// The class that asks for it.
    #[must_use]
    pub const fn class(&self) -> ConformanceClass {
        self.class
    }

    /// The requirement's number in `docs/conformance.md`, such as `M2-41`.
    #[must_use]
    pub const fn requirement(&self) -> &'static str {
        self.requirement
    }

    /// Which item of the requirement's list it is, from 1; none if the requirement has no list.
    #[must_use]
    pub const fn item(&self) -> Option<u8> {
        match self.item {
            0 => None,
            item => Some(item),
        }
    }

    /// The number with the item behind a full stop, such as `M2-178.3`, as descriptions write it.
    #[must_use]
    pub fn number(&self) -> String {
        match self.item {
            0 => self.requirement.to_owned(),
            item => format!("{}.{item}", self.requirement),
        }
    }

    /// How the requirement is worded. A permission that has a condition is worded as the condition is.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// What is asked, in a few words.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        self.title
    }

    /// How it fares.
    #[must_use]
    pub const fn outcome(&self) -> ConformanceOutcome {
        self.outcome
    }

    /// What it is met by, if it is.
    #[must_use]
    pub const fn basis(&self) -> Option<ConformanceBasis> {
        self.basis
    }

    /// How it is met, what contradicts it, or what to say to meet it; empty where the class is not claimed.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Whether a class does not conform because of it: what is described contradicts it, or it must be described and is not.
    #[must_use]
    pub const fn prevents(&self) -> bool {
        match self.outcome {
            ConformanceOutcome::NotMet => true,
            ConformanceOutcome::DocumentationMissing => matches!(self.level, Level::Must),
            ConformanceOutcome::Met | ConformanceOutcome::NotClaimed => false,
        }
    }
}

/// Writes it on one line.
impl fmt::Display for ConformanceFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            level,
            title,
            outcome,
            reason,
            ..
        } = self;
        let number = self.number();
        write!(f, "{outcome:21}  {number:9}  {:6}  {title}", level.as_str())?;
        if reason.is_empty() {
            Ok(())
        } else {
            write!(f, " ({reason})")
        }
    }
}

/// What a deployment meets of a draft, as far as its description tells. Source: MARC-02 20; MARC-01 14.
///
/// It is a claim about structure and meaning, not about accuracy, calibration, safety or suitability, and it is no better than
/// the description. Source: MARC-02 20.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ConformanceReport {
    pub(super) name: String,
    pub(super) draft: Draft,
    /// Class by class, in the order of the draft.
    pub(super) findings: Vec<ConformanceFinding>,
}

impl ConformanceReport {
    /// What this report does not say. Source: MARC-02 20.
    pub const CAVEAT: &str = "This is a claim about structure and meaning (M2-177), not about accuracy, calibration, safety \
        or suitability, and it is no better than the description that it was made from.";

    /// Whose report it is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The draft that the deployment follows.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// All requirements of all classes: class by class, each in the order of the draft.
    #[must_use]
    pub fn findings(&self) -> &[ConformanceFinding] {
        &self.findings
    }

    /// The requirements of one class.
    pub fn of(&self, class: ConformanceClass) -> impl Iterator<Item = &ConformanceFinding> {
        self.findings
            .iter()
            .filter(move |finding| finding.class == class)
    }

    /// Whether a class is claimed.
    #[must_use]
    pub fn claims(&self, class: ConformanceClass) -> bool {
        self.of(class)
            .any(|finding| finding.outcome != ConformanceOutcome::NotClaimed)
    }

    /// Whether a class is claimed and nothing prevents it.
    #[must_use]
    pub fn conforms(&self, class: ConformanceClass) -> bool {
        self.claims(class) && !self.of(class).any(ConformanceFinding::prevents)
    }

    /// Whether all classes that are claimed conform.
    #[must_use]
    pub fn is_conformant(&self) -> bool {
        !self.findings.iter().any(ConformanceFinding::prevents)
    }
}

/// Writes a table: each class with its verdict, and what it asks below it.
impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, draft, .. } = self;
        writeln!(f, "{}: MARC -{draft}", quoted_piece(name, 120))?;
        for &class in ConformanceClass::ALL {
            let verdict = if !self.claims(class) {
                "not claimed"
            } else if self.conforms(class) {
                "conforms"
            } else {
                "does not conform"
            };
            writeln!(f, "\n{}: {verdict}", class.title())?;
            if self.claims(class) {
                for finding in self.of(class) {
                    writeln!(f, "  {finding}")?;
                }
            }
        }
        write!(f, "\n{}", Self::CAVEAT)
    }
}
