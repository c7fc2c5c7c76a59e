//! How much of big files has been read, shown on a terminal.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::interrupt;
use crate::stdio;
use crate::ui::Ui;

/// Files below this size are read before anyone could look at a bar.
const BIG: u64 = 16 << 20;
/// How often a second the bar is drawn at most.
const RATE: u8 = 10;
const TEMPLATE: &str = "{wide_bar} {percent:>3} % of {total_bytes}{left}";

/// A bar on standard error, or nothing. It is removed when the last clone is dropped, and when the program is interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Option<Arc<Bar>>);

#[derive(Debug)]
struct Bar(ProgressBar);

impl Progress {
    /// No bar.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// A bar for that many bytes, if they are many and a bar may be [shown](is_shown).
    pub(crate) fn of(bytes: u64) -> Self {
        if bytes < BIG || !is_shown(Ui::get()) {
            return Self::none();
        }
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("left", left));
        }
        interrupt::clear_on_signal(&bar);
        Self(Some(Arc::new(Bar(bar))))
    }

    /// Reports that further bytes have been read.
    pub(crate) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.0.inc(bytes as u64);
        }
    }
}

/// Whether a bar may be drawn: standard error is a terminal, and no other program draws the output there.
fn is_shown(ui: Ui) -> bool {
    !ui.quiet
        && !ui.no_progress
        && io::stderr().is_terminal()
        && (ui.has_output_file || stdio::stdout_is_out_of_sight())
}

/// The speed and the time that is left; nothing as long as neither is known, and once all is read.
fn left(state: &ProgressState, written: &mut dyn Write) {
    let length = state.len().unwrap_or_default();
    let left = state.eta();
    if state.pos() < length && left.as_secs() > 0 {
        let speed = indicatif::HumanBytes(state.per_sec() as u64);
        // Writing to a string cannot fail.
        let _ = write!(written, ", {speed}/s, {} left", HumanDuration(left));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_understood() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }

    #[test]
    fn small_files_have_no_bar() {
        assert!(Progress::of(BIG - 1).0.is_none());
    }
}
