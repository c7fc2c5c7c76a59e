//! What all checks of one object share.

use super::reading::Reading;
use super::shown::shown;
use crate::draft::{Draft, Profile};
use crate::violation::{Level, Violation, ViolationCode as Code};
use provstream::MarcKind;

/// One object that is being held against a draft.
pub(super) struct Reader<'a> {
    pub(super) kind: MarcKind,
    profile: Profile,
    pub(super) reading: Reading<'a>,
}

impl Reader<'_> {
    pub(super) fn new(kind: MarcKind, profile: Profile) -> Self {
        Self {
            kind,
            profile,
            reading: Reading::default(),
        }
    }

    pub(super) const fn draft(&self) -> Draft {
        self.profile.draft()
    }

    /// The one of two requirements that the draft has.
    pub(super) const fn by(&self, first: &'static str, second: &'static str) -> &'static str {
        match self.draft() {
            Draft::Draft01 => first,
            Draft::Draft02 => second,
        }
    }

    /// The level of what strictness decides.
    pub(super) const fn strictness(&self) -> Level {
        if self.profile.is_strict() {
            Level::Must
        } else {
            Level::Should
        }
    }

    pub(super) fn violation(
        &mut self,
        code: Code,
        level: Level,
        pointer: String,
        section: &'static str,
        message: String,
    ) {
        let violation = Violation::new(code, level, pointer, section, message);
        self.reading.report.push(violation);
    }

    pub(super) fn repeated(&mut self, pointer: String, name: &str) {
        let message = format!("{} appears more than once", shown(name));
        self.violation(
            Code::DuplicateMember,
            Level::Must,
            pointer,
            "RFC 8259 4",
            message,
        );
    }

    pub(super) fn missing(&mut self, pointer: String, name: &str, section: &'static str) {
        let message = format!("`{name}` is required and missing");
        self.violation(Code::MissingMember, Level::Must, pointer, section, message);
    }

    /// A member that the draft does not define.
    pub(super) fn unknown(&mut self, pointer: String, name: &str) {
        if name.starts_with("x_") {
            return;
        }
        let level = self.strictness();
        let scores = ["pre_capability", "uncertainty", "post_answer_confidence"];
        let (code, section, message) =
            if self.kind == MarcKind::Disclosure && scores.contains(&name) {
                let message = format!("`{name}` belongs to the record and should not be shown");
                (
                    Code::ExposedScore,
                    self.by("MARC-01 9.2", "MARC-02 10.2"),
                    message,
                )
            } else {
                let message = format!(
                    "{} is not defined by the draft; private members begin with `x_`",
                    shown(name)
                );
                (
                    Code::UnknownMember,
                    self.by("MARC-01 D.1", "MARC-02 11"),
                    message,
                )
            };
        self.violation(code, level, pointer, section, message);
    }
}
