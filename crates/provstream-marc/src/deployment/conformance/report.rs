//! Conformance report on a deployment.

use crate::declare::values;
use core::fmt;

use super::verdict::{ConformanceBasis, ConformanceOutcome};
use crate::deployment::ConformanceClass;
use crate::draft::Draft;
use crate::violation::Level;
use provstream::settings::quoted_piece;

values! {
    /// Result for one requirement of one class.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ConformanceFinding {
        /// The class that has the requirement.
        copy pub(super) class: ConformanceClass,
        /// Identifier of the requirement in a description, such as `one-primary-source`.
        copy pub(super) id: &'static str,
        /// The section of the draft with the requirement, such as `MARC-02 8.2`.
        text pub(super) section: String,
        /// Level of the requirement's wording. A conditional permission has the level of its
        /// condition.
        copy pub(super) level: Level,
        /// The requirement in a few words.
        copy pub(super) title: &'static str,
        /// The outcome.
        copy pub(super) outcome: ConformanceOutcome,
        /// Basis on which the requirement is met, if it is met.
        copy pub(super) basis: Option<ConformanceBasis>,
        /// Basis of a met requirement, contradiction of one that is not met, or advice on a missing
        /// description. Empty if the class is not claimed.
        text pub(super) reason: String,
    }
}

impl ConformanceFinding {
    /// Returns `true` if this result prevents the class from conforming: a must-level requirement
    /// that is not met or not described.
    #[must_use]
    pub const fn prevents(&self) -> bool {
        matches!(self.level, Level::Must) && self.is_missed()
    }

    /// Returns `true` for a recommendation that is not met or not described. The class conforms all
    /// the same.
    #[must_use]
    pub const fn is_note(&self) -> bool {
        matches!(self.level, Level::Should) && self.is_missed()
    }

    const fn is_missed(&self) -> bool {
        use ConformanceOutcome::{DocumentationMissing, NotMet};
        matches!(self.outcome, NotMet | DocumentationMissing)
    }
}

/// Writes the finding on one line.
impl fmt::Display for ConformanceFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            section,
            title,
            outcome,
            ..
        } = self;
        let level = self.level.as_str();
        write!(f, "{outcome:21}  {section:12}  {level:6}  {title}")?;
        match &*self.reason {
            "" => Ok(()),
            reason => write!(f, " ({reason})"),
        }
    }
}

values! {
    /// Conformance of a deployment to a draft, judged by its description.
    ///
    /// The report is about structure and meaning, not about accuracy, calibration, safety or
    /// suitability, and is only as good as the description. Source: MARC-02 20; MARC-01 14.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct ConformanceReport {
        /// The name of the deployment.
        text pub(super) name: String,
        /// The draft that the deployment follows.
        copy pub(super) draft: Draft,
        /// All requirements of all classes: class by class, each in the order of the draft.
        list pub(super) findings: ConformanceFinding,
    }
}

impl ConformanceReport {
    /// Returns the limits of the report, with which each form of it ends. Source: MARC-02 20;
    /// MARC-01 14.
    #[must_use]
    pub fn caveat(&self) -> String {
        let section = match self.draft {
            Draft::Draft01 => "MARC-01 14",
            Draft::Draft02 => "MARC-02 20",
        };
        format!(
            "This is a claim about structure and meaning ({section}), not about accuracy, calibration, safety or suitability. \
             What is `declared` is the deployer's word, and nothing here is better than the description."
        )
    }

    /// Iterates over the findings of one class.
    pub fn of(&self, class: ConformanceClass) -> impl Iterator<Item = &ConformanceFinding> {
        self.findings
            .iter()
            .filter(move |finding| finding.class == class)
    }

    /// Returns `true` if the deployment claims the class.
    #[must_use]
    pub fn claims(&self, class: ConformanceClass) -> bool {
        self.of(class)
            .any(|finding| finding.outcome != ConformanceOutcome::NotClaimed)
    }

    /// Returns `true` if the deployment claims the class and no finding prevents conformance.
    #[must_use]
    pub fn conforms(&self, class: ConformanceClass) -> bool {
        self.claims(class) && !self.of(class).any(ConformanceFinding::prevents)
    }

    /// Counts the recommendations of a claimed class that are not met or not described.
    #[must_use]
    pub fn notes(&self, class: ConformanceClass) -> usize {
        self.of(class).filter(|finding| finding.is_note()).count()
    }

    /// Returns `true` if all claimed classes conform.
    #[must_use]
    pub fn is_conformant(&self) -> bool {
        !self.findings.iter().any(ConformanceFinding::prevents)
    }
}

/// Writes a table of the classes with their verdicts, each followed by its findings.
impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, draft, .. } = self;
        writeln!(f, "{}: MARC -{draft}", quoted_piece(name, 120))?;
        for &class in ConformanceClass::ALL {
            let verdict = match (self.claims(class), self.conforms(class)) {
                (false, _) => "not claimed",
                (true, true) => "conforms",
                (true, false) => "does not conform",
            };
            write!(f, "\n{}: {verdict}", class.title())?;
            match self.notes(class) {
                0 => writeln!(f)?,
                1 => writeln!(f, "; 1 recommendation is not met or not described")?,
                notes => writeln!(f, "; {notes} recommendations are not met or not described")?,
            }
            for finding in self.of(class).filter(|_| self.claims(class)) {
                writeln!(f, "  {finding}")?;
            }
        }
        write!(f, "\n{}", self.caveat())
    }
}
