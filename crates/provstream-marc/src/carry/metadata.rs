//! The metadata of an API response.

use super::Carrier;
use super::field::CarrierField;
use provstream::MarcKind;

/// The member `metadata` of an API response's body, or of any other object that has one: a task status, the result of a tool,
/// an escalation.
///
/// | | place |
/// |---|---|
/// | MARC-Core | `/metadata/marc_core` |
/// | MARC-Disclosure | `/metadata/marc_disclosure` |
///
/// `metadata` is made if it is missing or null. Source: MARC-02 12.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResponseMetadata;

impl Carrier for ResponseMetadata {
    fn field(&self, kind: MarcKind) -> CarrierField<'_> {
        let key = match kind {
            MarcKind::Core => "marc_core",
            MarcKind::Disclosure => "marc_disclosure",
        };
        CarrierField::within("metadata", key)
    }
}
