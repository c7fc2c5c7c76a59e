//! Validation of one object.

mod reader;
mod reading;
mod rules;
mod shown;
mod values;

use core::cmp::Ordering;

use self::reader::ObjectChecker;
pub(crate) use self::reading::{CheckedObject, CheckedValue};
pub(crate) use self::shown::{cut, shown, type_of};
use super::document::Document;
use super::draft::{Draft, Profile};
use super::members::{MemberSpec, members};
use super::violation::{Report, Violation, ViolationCode as Code};
use provstream::{MarcKind, MarcObject};

impl Document {
    /// Returns the kind of MARC object by its members, or `None` if they do not determine one.
    ///
    /// An object with all members that a record requires is a record; one with all members that a
    /// disclosure requires is a disclosure. Any other object is a record if it has more members
    /// specific to records (`pre_capability`, `uncertainty`, `remediability` and so on) than
    /// members specific to disclosures (`answer`, `uncertainty_source`), and a disclosure if it has
    /// fewer. With none of either, an object with `marc_version` and `selected_action` is a record.
    /// Members that the draft does not define never change the kind, and neither does
    /// `marc_version` alone. Source: MARC-02 11.
    #[must_use]
    pub fn kind(&self) -> Option<MarcKind> {
        let names: Vec<_> = self.members().map(|(name, _)| name).collect();
        kind_of(names.iter().map(|name| &**name))
    }

    /// Returns `true` if the object has two or more members that the drafts define. Such an object
    /// may still have no [`kind`](Self::kind).
    #[must_use]
    pub fn is_marc_like(&self) -> bool {
        let names: Vec<_> = self.members().map(|(name, _)| name).collect();
        is_marc_like(names.iter().map(|name| &**name))
    }

    /// Validates the object under a draft as an object of the given kind.
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

/// Returns the kind of an object with these members, as [`Document::kind`] does.
pub(crate) fn kind_of<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<MarcKind> {
    let has = |name: &str| names.clone().any(|known| known == name);
    let (core, disclosure) = (MarcKind::Core, MarcKind::Disclosure);
    let is_complete = |&kind: &MarcKind| {
        let mut required = members(kind, Draft::Draft01).filter(|member| member.is_required());
        required.all(|member| has(member.name))
    };
    if let Some(kind) = [core, disclosure].into_iter().find(is_complete) {
        return Some(kind);
    }
    let own = |kind, other| {
        let is_own = |one: &&MemberSpec| {
            has(one.name) && members(other, Draft::Draft02).all(|two| two.name != one.name)
        };
        let named = members(kind, Draft::Draft02).filter(|one| one.name != "marc_version");
        named.filter(is_own).count()
    };
    let (of_record, of_disclosure) = (own(core, disclosure), own(disclosure, core));
    match of_record.cmp(&of_disclosure) {
        Ordering::Greater if is_marc_like(names.clone()) => Some(core),
        Ordering::Less if is_marc_like(names.clone()) => Some(disclosure),
        Ordering::Equal if of_record == 0 && has("marc_version") && has("selected_action") => {
            Some(core)
        }
        _ => None,
    }
}

/// Returns `true` if two or more distinct names are defined by the drafts.
pub(crate) fn is_marc_like<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let mut first = None;
    let mut defined = names.filter(|name| {
        let mut kinds = [MarcKind::Core, MarcKind::Disclosure].into_iter();
        kinds.any(|kind| members(kind, Draft::Draft02).any(|member| member.name == *name))
    });
    defined.any(|name| *first.get_or_insert(name) != name)
}

/// Validates an object that the parser reported, as the kind that [`Document::kind`] determines.
///
/// The parser reports a kind by the first few members; this function uses all members. An object
/// without a kind is invalid, and so is one whose bytes are missing. Source: MARC-02 11.
pub fn validate(object: &MarcObject<'_>, profile: Profile) -> Report {
    let fault = match object.raw().map(Document::parse) {
        Some(Ok(document)) => match document.kind() {
            Some(kind) => return document.validate(kind, profile),
            None => {
                let message = "expected a MARC-Core record or a MARC-Disclosure object, found one whose members do not show which of the two it is";
                let mut report = Report::default();
                report.push(Violation::new(Code::UnknownKind, message));
                return report;
            }
        },
        // The parser reports objects only, so this is a matter of form.
        Some(Err(error)) => Violation::new(Code::WrongType, error.to_string()).by("RFC 8259 4"),
        None => {
            let message = "the object is longer than `max_record`, so it was not looked at";
            Violation::new(Code::LimitRecord, message)
        }
    };
    let mut report = Report::default();
    report.push(fault);
    report
}

/// Reads an object and finds all that is wrong with it.
pub(crate) fn read(document: &Document, kind: MarcKind, profile: Profile) -> CheckedObject<'_> {
    let mut reader = ObjectChecker::new(kind, profile);
    if document.is_ill_formed() {
        let message = "the object is not UTF-8 throughout".to_owned();
        reader.fault(Code::InvalidUtf8, "", message);
    }
    reader.members(document);
    reader.rules_between_members(document);
    reader.reading
}
