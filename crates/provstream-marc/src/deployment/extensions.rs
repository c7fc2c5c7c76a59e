//! `[[extension]]` and `[sub_actions]`: what is private to a deployment.

use std::collections::BTreeSet;

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::{optional, term, text};
use crate::decide::SubActions;
use provstream::settings::Value;

/// A private member of records or disclosures. Source: MARC-02 11.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Has content.
    name: String,
    meaning: Option<String>,
}

impl Extension {
    pub(super) fn read_all(value: Value<'_>) -> Result<Vec<Self>, DeploymentError> {
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for table in value.tables(&["name", "meaning"])? {
            let name = table.need("name")?;
            if !seen.insert(name.string()?) {
                let detail = format!("{:?}", name.string()?);
                return Err(DeploymentError::of(Kind::Repeated, &name, detail));
            }
            all.push(Self {
                name: text(name)?,
                meaning: optional(&table, "meaning", text)?,
            });
        }
        Ok(all)
    }

    /// The name of the member.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it means, if that is said.
    #[must_use]
    pub fn meaning(&self) -> Option<&str> {
        self.meaning.as_deref()
    }
}

/// Reads the sub-actions by their names.
pub(super) fn sub_actions(value: Value<'_>) -> Result<SubActions, DeploymentError> {
    let mut all = SubActions::default();
    for (key, value) in value.free_table()?.entries() {
        // A key is there once, so the only fault left is a name without content.
        all = all
            .with(key.name(), term(value)?)
            .map_err(|error| DeploymentError::at(Kind::Empty, key.place(), error))?;
    }
    Ok(all)
}
