//! Validation of one object.

mod reader;
mod reading;
mod rules;
mod shown;
mod values;

use std::collections::HashSet;

use self::reader::Reader;
pub(crate) use self::reading::{Reading, Value};
use self::shown::pointer_to;
pub(crate) use self::shown::{cut, shown};
use super::document::Document;
use super::draft::Profile;
use super::members::{Presence, members};
use super::violation::{Level, Report, Violation, ViolationCode as Code};
use provstream::{MarcKind, MarcObject};

impl Document {
    /// Which kind of MARC object it is by its members: a record if it has `marc_version`, else a disclosure if it has `answer`,
    /// `confidence_band` and `uncertainty_source`. Source: wire profile, MARC objects.
    #[must_use]
    pub fn kind(&self) -> Option<MarcKind> {
        let has = |name| self.get(name).is_some();
        if has("marc_version") {
            return Some(MarcKind::Core);
        }
        let disclosure = ["answer", "confidence_band", "uncertainty_source"];
        disclosure
            .into_iter()
            .all(has)
            .then_some(MarcKind::Disclosure)
    }

    /// Holds the object against a draft as an object of the given kind.
    ///
    /// Source: MARC-01 8, 9, D; MARC-02 9, 10, 11.
    ///
    /// ```
    /// use provstream_marc::{Document, Draft, MarcKind, Profile};
    ///
    /// let disclosure = Document::parse(br#"{
    ///     "answer": "Which tax year?", "confidence_band": "Low", "confidence_target": "direct_answer_suitability",
    ///     "uncertainty_source": "ambiguity", "recommended_next_step": "provide the tax year"}"#)?;
    /// let report = disclosure.validate(MarcKind::Disclosure, Profile::new(Draft::Draft02));
    /// assert!(!report.is_valid());
    /// assert_eq!(report.violations()[0].pointer(), "/confidence_band");
    /// # Ok::<(), provstream_marc::DocumentError>(())
    /// ```
    pub fn validate(&self, kind: MarcKind, profile: Profile) -> Report {
        read(self, kind, profile).report
    }
}

/// Validates an object that the parser reported. One whose bytes are missing is not valid: nothing of it is known.
pub fn validate(object: &MarcObject<'_>, profile: Profile) -> Report {
    let mut report = Report::default();
    let whole =
        |code, message: String| Violation::new(code, Level::Must, String::new(), "M2-9", message);
    match object.raw().map(Document::parse) {
        Some(Ok(document)) => return document.validate(object.kind(), profile),
        // The parser reports objects only, so this is a matter of form.
        Some(Err(error)) => report.push(whole(Code::WrongType, error.to_string())),
        None => report.push(whole(
            Code::LimitRecord,
            "the object is longer than `max_record`, so it was not looked at".into(),
        )),
    }
    report
}

/// Reads an object and finds all that is wrong with it.
pub(crate) fn read(document: &Document, kind: MarcKind, profile: Profile) -> Reading<'_> {
    let mut reader = Reader::new(kind, profile);
    if document.is_ill_formed() {
        reader.violation(
            Code::InvalidUtf8,
            Level::Must,
            String::new(),
            "M2-9",
            "the object is not UTF-8 throughout".into(),
        );
    }
    reader.members(document);
    reader.rules_between_members(document);
    reader.reading
}

impl<'a> Reader<'a> {
    fn members(&mut self, document: &'a Document) {
        let mut seen = HashSet::new();
        for (name, value) in document.members() {
            let known = members(self.kind, self.draft()).find(|member| member.name == name);
            let pointer = pointer_to(&[&name]);
            let repeated = !seen.insert(name.clone());
            match known {
                _ if repeated => {
                    self.reading.take_back(&name);
                    self.repeated(pointer, &name);
                }
                Some(member) => self.member(member, pointer, value),
                None => self.unknown(pointer, &name),
            }
        }
        for member in members(self.kind, self.draft()) {
            if member.presence == Presence::Required && !seen.contains(member.name) {
                let requirement = member.defined_by(self.draft()).unwrap_or_default();
                self.missing(pointer_to(&[member.name]), member.name, requirement);
            }
        }
    }
}
