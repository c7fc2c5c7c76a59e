//! Local rules that depart from the order of the draft.

use core::fmt;
use std::error::Error;

use crate::terms::Action;

/// Another action than the order selects, and the condition of the local policy that asks for it.
///
/// Source: MARC-02 8.8, 9.4.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deviation {
    action: Action,
    /// Has content.
    condition: String,
}

impl Deviation {
    /// An action under a documented condition, such as `tax questions are never answered without a source`.
    ///
    /// # Errors
    ///
    /// If the condition has no content.
    pub fn new(action: Action, condition: impl Into<String>) -> Result<Self, DeviationError> {
        let condition = condition.into();
        if condition.trim().is_empty() {
            return Err(DeviationError);
        }
        Ok(Self { action, condition })
    }

    /// The action instead.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// The condition.
    #[must_use]
    pub fn condition(&self) -> &str {
        &self.condition
    }
}

/// `ABSTAIN: tax questions are never answered without a source`
impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.condition)
    }
}

/// A deviation has no documented condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviationError;

impl fmt::Display for DeviationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a deviation needs the condition of the local policy behind it")
    }
}

impl Error for DeviationError {}
