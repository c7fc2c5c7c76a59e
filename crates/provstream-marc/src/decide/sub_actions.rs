//! Actions of a controller's own making, each a kind of one primary action.

use std::collections::BTreeMap;

use crate::declare::errors;
use crate::terms::Action;

/// The sub-actions of a deployment by name. Each maps to exactly one primary action. Source: MARC-02 8.7.
///
/// ```
/// use provstream_marc::{Action, SubActions};
///
/// let sub_actions = SubActions::default()
///     .with("search_case_law", Action::Retrieve)?
///     .with("search_statutes", Action::Retrieve)?;
/// assert_eq!(sub_actions.get("search_statutes"), Some(Action::Retrieve));
/// assert!(sub_actions.with("search_statutes", Action::Tool).is_err());
/// # Ok::<(), provstream_marc::SubActionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubActions(BTreeMap<String, Action>);

impl SubActions {
    /// The same with one more.
    ///
    /// # Errors
    ///
    /// If the name is blank, or maps to another action already.
    pub fn with(mut self, name: impl Into<String>, action: Action) -> Result<Self, SubActionError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(SubActionErrorKind::NoName.into());
        }
        if let Some(is) = self.get(&name).filter(|&is| is != action) {
            return Err(SubActionErrorKind::Taken(name, is).into());
        }
        self.0.insert(name, action);
        Ok(self)
    }

    /// The primary action of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Action> {
        self.0.get(name).copied()
    }

    /// All sub-actions by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Action)> {
        self.0.iter().map(|(name, &action)| (name.as_str(), action))
    }
}

errors! {
    /// A sub-action that does not map to exactly one primary action. Source: MARC-02 8.7.
    SubActionError,
    /// What is wrong with a sub-action.
    SubActionErrorKind {
        /// The name is blank.
        NoName => "expected the name of a sub-action, found a blank text";
        /// The name is a kind of this action already.
        Taken(name: String, action: Action) => "expected a new name, found sub-action {name:?}, which is a kind of {action} (MARC-02 8.7)";
    }
}
