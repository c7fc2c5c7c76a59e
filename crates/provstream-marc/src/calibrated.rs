//! The statement that scores are fit to be shown.

use core::fmt;
use std::error::Error;

/// The statement of a deployment that its scores are calibrated for a family of tasks, and that showing them was tested for
/// misuse and overreliance. To make one is to state it; the library cannot check it.
///
/// Source: MARC-02 10.2, 10.3.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CalibratedScores {
    task_family: String,
    test: String,
}

impl CalibratedScores {
    /// States it for a family of tasks, naming the test of the presentation: a report, a ticket, a date.
    ///
    /// # Errors
    ///
    /// If one of the texts has no content.
    pub fn stated(
        task_family: impl Into<String>,
        test: impl Into<String>,
    ) -> Result<Self, EmptyStatement> {
        let (task_family, test) = (task_family.into(), test.into());
        if task_family.trim().is_empty() || test.trim().is_empty() {
            return Err(EmptyStatement);
        }
        Ok(Self { task_family, test })
    }

    /// The family of tasks that the scores are calibrated for.
    #[must_use]
    pub fn task_family(&self) -> &str {
        &self.task_family
    }

    /// What the presentation was tested by.
    #[must_use]
    pub fn test(&self) -> &str {
        &self.test
    }
}

/// A statement of calibration says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyStatement;

impl fmt::Display for EmptyStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("calibration is stated for a named family of tasks and by a named test")
    }
}

impl Error for EmptyStatement {}
