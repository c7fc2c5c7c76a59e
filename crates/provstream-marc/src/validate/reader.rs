//! Validation of an object in one pass: its members, missing members, and rules between members.

use std::collections::HashSet;

use super::reading::{CheckedObject, CheckedValue};
use super::shown::{pointer_to, shown};
use super::values::{ValueFault, score, value, wrong_type};
use crate::document::Document;
use crate::draft::{Draft, Profile};
use crate::members::{MemberForm, MemberSpec, Presence, is_private, members};
use crate::score::{Score, Scores};
use crate::terms::Source;
use crate::violation::{Level, Violation, ViolationCode as Code};
use provstream::MarcKind;

/// Reader that validates one object against a draft.
pub(super) struct ObjectChecker<'a> {
    pub(super) kind: MarcKind,
    profile: Profile,
    pub(super) reading: CheckedObject<'a>,
}

impl<'a> ObjectChecker<'a> {
    pub(super) fn new(kind: MarcKind, profile: Profile) -> Self {
        Self {
            kind,
            profile,
            reading: CheckedObject::default(),
        }
    }

    pub(super) const fn draft(&self) -> Draft {
        self.profile.draft()
    }

    /// Reports a violation by the section of its code.
    pub(super) fn fault(&mut self, code: Code, pointer: impl Into<String>, message: String) {
        self.fault_by(code.section(self.draft()), code, pointer, message);
    }

    pub(super) fn fault_by(
        &mut self,
        section: &'static str,
        code: Code,
        pointer: impl Into<String>,
        message: String,
    ) {
        let violation = Violation::new(code, message).at(pointer).by(section);
        self.reading.report.push(violation);
    }

    /// Reports a fault of the value at `path`, with the section of the fault or of its code, otherwise
    /// with one of two sections: on the type, or on the value. Strict validation raises some codes
    /// to must-level.
    fn report(&mut self, fault: ValueFault, path: &[&str], (on_type, on_value): SectionPair) {
        let ValueFault { code, by, message } = fault;
        let section = match (by, code) {
            (Some([first, second]), _) => [first, second][self.draft() as usize],
            (None, Code::WrongType) => on_type,
            (None, _) if code.section(self.draft()).is_empty() => on_value,
            (None, _) => code.section(self.draft()),
        };
        let at = pointer_to(path);
        let mut violation = Violation::new(code, message).at(at).by(section);
        let graded = match code {
            Code::TooLong | Code::UnknownMember | Code::ExposedScore => true,
            // The schema of -01 has 1.0 only.
            Code::OtherMinor => self.draft() == Draft::Draft01,
            _ => false,
        };
        if graded && self.profile.is_strict() {
            violation.level = Level::Must;
        }
        self.reading.report.push(violation);
    }

    pub(super) fn members(&mut self, document: &'a Document) {
        let draft = self.draft();
        let mut unknown = HashSet::new();
        for (name, json) in document.members() {
            let known = members(self.kind, draft).find(|member| member.name == name);
            let is_new = match known {
                Some(member) => self.reading.meet(member.name),
                None => unknown.insert(name.clone()),
            };
            match known {
                _ if !is_new => self.repeated(&[&name]),
                Some(member) => self.member(member, json),
                None => self.unknown(&[&name]),
            }
        }
        for member in members(self.kind, draft).filter(|member| member.is_required()) {
            if !self.reading.has_met(member.name) {
                self.missing(&[member.name], member.defined_by(draft));
            }
        }
    }

    /// Reads a member that the draft defines.
    fn member(&mut self, member: &'static MemberSpec, json: &'a str) {
        let sections = (
            member.defined_by(self.draft()),
            member.value_by(self.draft()),
        );
        let judged = match member.form {
            _ if json == "null" && member.presence == Presence::Nullable => {
                Ok((CheckedValue::Null, None))
            }
            MemberForm::Scores => match Document::parse(json.as_bytes()) {
                Ok(object) => match self.scores(member, &object) {
                    Some(scores) => Ok((scores, None)),
                    None => return,
                },
                Err(_) => Err(wrong_type(member.name, "an object", json)),
            },
            _ => value(member, json, self.profile),
        };
        let fault = match judged {
            Ok((value, fault)) => {
                self.reading.add(value);
                fault
            }
            Err(fault) => Some(fault),
        };
        if let Some(fault) = fault {
            self.report(fault, &[member.name], sections);
        }
    }

    fn scores(
        &mut self,
        member: &'static MemberSpec,
        object: &Document,
    ) -> Option<CheckedValue<'a>> {
        let on_type = member.value_by(self.draft());
        let on_value = ["MARC-01 D.1", "MARC-02 8.2"][self.draft() as usize];
        let mut all = [None; Source::ALL.len()];
        let mut seen = HashSet::new();
        let mut is_sound = true;
        for (name, json) in object.members() {
            let path = [member.name, &name];
            let source = name.parse::<Source>();
            let is_new = match source {
                Ok(source) => all[source as usize].replace(Score::ZERO).is_none(),
                Err(_) => seen.insert(name.clone()),
            };
            match (source, score(&name, json)) {
                _ if !is_new => {
                    self.repeated(&path);
                    is_sound = false;
                }
                (Err(_), _) => self.unknown(&path),
                (Ok(source), Ok(score)) => all[source as usize] = Some(score),
                (Ok(_), Err(fault)) => {
                    self.report(fault, &path, (on_type, on_value));
                    is_sound = false;
                }
            }
        }
        for (name, _) in Source::NAMES
            .iter()
            .zip(all)
            .filter(|(_, score)| score.is_none())
        {
            self.missing(&[member.name, name], on_type);
        }
        let [Some(a), Some(b), Some(c), Some(d), Some(e)] = all else {
            return None;
        };
        is_sound.then_some(CheckedValue::Scores(Scores::new([a, b, c, d, e])))
    }

    fn repeated(&mut self, path: &[&str]) {
        let name = path.last().copied().unwrap_or_default();
        let message = format!("{} appears more than once", shown(name));
        self.fault(Code::DuplicateMember, pointer_to(path), message);
    }

    fn missing(&mut self, path: &[&str], section: &'static str) {
        let name = path.last().copied().unwrap_or_default();
        let message = format!("`{name}` is required and missing");
        self.fault_by(section, Code::MissingMember, pointer_to(path), message);
    }

    /// Reports a member that the draft does not define, if the profile does not allow it.
    fn unknown(&mut self, path: &[&str]) {
        let name = path.last().copied().unwrap_or_default();
        let scores = ["pre_capability", "uncertainty", "post_answer_confidence"];
        let is_strict = self.profile.is_strict();
        // The schema of -01 has no private members among the scores.
        let is_closed = is_strict && self.draft() == Draft::Draft01 && path.len() > 1;
        let fault = if name.starts_with("x_") && !is_closed || is_private(name) && !is_strict {
            return;
        } else if self.kind == MarcKind::Disclosure && scores.contains(&name) {
            let message = format!("`{name}` belongs to the record and should not be shown");
            ValueFault::new(Code::ExposedScore, message)
        } else {
            let name = shown(name);
            let message = format!(
                "{name} is not defined by the draft; private members have a prefix such as `x_`"
            );
            ValueFault::new(Code::UnknownMember, message)
        };
        self.report(fault, path, ("", ""));
    }
}

/// The sections on the type of a value and on the value itself.
type SectionPair = (&'static str, &'static str);
