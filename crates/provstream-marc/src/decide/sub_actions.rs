//! Actions of a controller's own making, each a kind of one primary action.

use core::fmt;
use std::collections::BTreeMap;
use std::error::Error;

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
    /// If the name has no content, or stands for another action already.
    pub fn with(mut self, name: impl Into<String>, action: Action) -> Result<Self, SubActionError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(SubActionError::NoName);
        }
        if let Some(is) = self.get(&name).filter(|&is| is != action) {
            return Err(SubActionError::Taken { name, action: is });
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

/// A sub-action that does not map to exactly one primary action.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubActionError {
    /// The name has no content.
    NoName,
    /// The name stands for another primary action.
    Taken {
        /// The name.
        name: String,
        /// What it stands for.
        action: Action,
    },
}

impl fmt::Display for SubActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("a sub-action needs a name"),
            Self::Taken { name, action } => {
                write!(f, "sub-action {name:?} is a kind of {action} already")
            }
        }
    }
}

impl Error for SubActionError {}
