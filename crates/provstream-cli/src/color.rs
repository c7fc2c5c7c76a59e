//! Whether colours are wanted, by `--color` and what the environment says.

use std::io;
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};

static IS_WANTED: OnceLock<bool> = OnceLock::new();

/// Sets whether colours are wanted, for messages and output alike.
pub(crate) fn set(choice: ColorChoice) {
    choice.write_global();
}

/// Whether what goes to standard output is to have colours.
pub(crate) fn is_wanted() -> bool {
    *IS_WANTED.get_or_init(|| {
        if crate::ui::Ui::get().has_output_file {
            return ColorChoice::global() == ColorChoice::Always;
        }
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    })
}
