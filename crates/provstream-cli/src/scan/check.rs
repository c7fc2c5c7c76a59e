//! Checks of assertions by another program.

use std::fmt;
use std::sync::Arc;

use provstream::provenance::Assertion;
use serde_json::Value;

/// Check of each assertion of an answer.
pub trait AssertionCheck: Send + Sync {
    /// Checks an assertion. Errors are up to the check; the assertion is printed either way.
    fn check(&self, assertion: &Assertion<'_>) -> CheckedAssertion;
}

/// Result of a check.
#[derive(Debug, Default)]
pub struct CheckedAssertion {
    /// Member `checks` of the assertion's line.
    pub checks: Value,
    /// Lines for people, which follow the annotations.
    pub lines: String,
}

/// Check of another program.
#[derive(Clone)]
pub(crate) struct Checks(pub(crate) Arc<dyn AssertionCheck>);

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checks")
    }
}
