//! The `_meta` of the Model Context Protocol.

use super::Carrier;
use super::error::CarrierNameError;
use super::field::CarrierField;
use provstream::MarcKind;

/// The member `_meta` of an object of the Model Context Protocol: of a result, of parameters, of a content block.
///
/// | | place, for the prefix `com.example` |
/// |---|---|
/// | MARC-Core | `/_meta/com.example~1marc-core` |
/// | MARC-Disclosure | `/_meta/com.example~1marc-disclosure` |
///
/// `_meta` is made if it is missing or null. Its keys have a prefix and a name with a slash between them. The prefix is the
/// deployment's domain, labels in reverse order, so that no other extension has the same keys. Source: MCP specification,
/// revision 2025-11-25, basic, `_meta`; MARC-02 12.1.
///
/// ```
/// use provstream_marc::carry::{Carrier, McpMeta};
/// use provstream_marc::{Document, MarcKind};
///
/// let carrier = McpMeta::new("com.example")?;
/// let mut result: Document = r#"{"content": []}"#.parse()?;
/// carrier.put(&mut result, MarcKind::Disclosure, &r#"{"answer": "Which tax year?"}"#.parse()?)?;
/// assert_eq!(
///     result.to_json(),
///     r#"{"content":[],"_meta":{"com.example/marc-disclosure":{"answer":"Which tax year?"}}}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct McpMeta {
    core: String,
    disclosure: String,
}

impl McpMeta {
    /// A carrier for the keys of a domain: its labels in reverse order, full stops between them, such as `com.example`.
    ///
    /// # Errors
    ///
    /// If a label does not begin with an ASCII letter and end with a letter or digit, with letters, digits and hyphens between
    /// them; if the second label is `modelcontextprotocol` or `mcp`, whatever the letter case: such prefixes are reserved.
    pub fn new(prefix: &str) -> Result<Self, CarrierNameError> {
        if let Some(label) = prefix.split('.').find(|label| !is_label(label)) {
            return Err(CarrierNameError::Label(label.into()));
        }
        let second = prefix.split('.').nth(1).unwrap_or_default();
        if ["modelcontextprotocol", "mcp"]
            .iter()
            .any(|reserved| second.eq_ignore_ascii_case(reserved))
        {
            return Err(CarrierNameError::Reserved(prefix.into()));
        }
        Ok(Self {
            core: format!("{prefix}/marc-core"),
            disclosure: format!("{prefix}/marc-disclosure"),
        })
    }
}

fn is_label(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.ends_with(|last: char| last.is_ascii_alphanumeric())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Carrier for McpMeta {
    fn field(&self, kind: MarcKind) -> CarrierField<'_> {
        let key = match kind {
            MarcKind::Core => &self.core,
            MarcKind::Disclosure => &self.disclosure,
        };
        CarrierField::within("_meta", key)
    }
}
