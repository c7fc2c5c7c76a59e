//! What holds for the whole run: how much is said on standard error.

use std::sync::OnceLock;

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
}
