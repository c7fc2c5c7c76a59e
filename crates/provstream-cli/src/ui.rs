//! What holds for the whole run: how much is said on standard error.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use crate::stdio;

/// The settings of the run, set once by `main`.
static UI: OnceLock<Ui> = OnceLock::new();

/// How the program talks to the person who started it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ui {
    /// Notes are not printed; errors are.
    pub(crate) quiet: bool,
    /// `--no-progress` was given.
    pub(crate) no_progress: bool,
    /// The output goes to a file that the program opens, not to standard output.
    pub(crate) has_output_file: bool,
    /// The exit status is an answer of its own, so that a caller may discard the output.
    pub(crate) is_gate: bool,
}

impl Ui {
    /// Sets the settings of the run; later calls have no effect.
    pub(crate) fn set(self) {
        let _ = UI.set(self);
    }

    /// The settings of the run.
    pub(crate) fn get() -> Self {
        UI.get().copied().unwrap_or_default()
    }

    /// Whether a progress bar may be drawn: standard error is a terminal, and no other program draws the output there.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet
            && !self.no_progress
            && io::stderr().is_terminal()
            && (self.has_output_file || stdio::stdout_is_out_of_sight())
    }
}
