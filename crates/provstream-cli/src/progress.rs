//! How much of a big file has been read, shown on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Files below this size are read before anyone could look at a bar.
const BIG: u64 = 16 << 20;
/// How often a second the bar is drawn at most.
const RATE: u8 = 10;
const TEMPLATE: &str = "{wide_bar} {percent:>3} % of {total_bytes}, {bytes_per_sec}, {eta} left";

/// A bar on standard error if that is a terminal, else nothing. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// No bar.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// A bar for a file of that many bytes, if it is big.
    pub(crate) fn of(bytes: u64) -> Self {
        if bytes < BIG {
            return Self::none();
        }
        // indicatif itself draws nothing where standard error is no terminal.
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// Tells that further bytes have been read.
    pub(crate) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
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
    fn only_big_files_have_a_bar() {
        assert!(Progress::of(BIG - 1).0.is_none());
        assert!(Progress::of(BIG).0.is_some());
    }
}
