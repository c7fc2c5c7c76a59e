//! Progress of reading large files, on a terminal.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Smallest input that has a progress bar, in bytes.
const MIN_LEN: u64 = 16 << 20;
/// Drawings a second.
const RATE: u8 = 10;
const TEMPLATE: &str = "{wide_bar} {percent:>3} % of {total_bytes}, {bytes_per_sec}, {eta} left";

/// `--no-progress` or `--quiet`.
static IS_DISABLED: AtomicBool = AtomicBool::new(false);
/// `-o`: nothing else is drawn on the terminal.
static HAS_OUTPUT_FILE: AtomicBool = AtomicBool::new(false);

/// Shows no bar in this run.
pub(crate) fn disable() {
    IS_DISABLED.store(true, Ordering::Relaxed);
}

/// Notes that the output is a file.
pub(crate) fn set_output_file() {
    HAS_OUTPUT_FILE.store(true, Ordering::Relaxed);
}

/// A progress bar on standard error, or nothing. The last clone clears it.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Option<Arc<ClearedBar>>);

#[derive(Debug)]
struct ClearedBar(ProgressBar);

impl Progress {
    /// Creates a bar for `bytes` bytes, if there are many and standard error can show it.
    pub(crate) fn new(bytes: u64) -> Self {
        if bytes < MIN_LEN || !is_visible() {
            return Self(None);
        }
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self(Some(Arc::new(ClearedBar(bar))))
    }

    /// Advances the bar.
    pub(crate) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.0.inc(bytes as u64);
        }
    }
}

impl Drop for ClearedBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Returns `true` if standard error is a terminal on which neither this program nor the reader of a pipe draws.
fn is_visible() -> bool {
    !IS_DISABLED.load(Ordering::Relaxed)
        && io::stderr().is_terminal()
        && (HAS_OUTPUT_FILE.load(Ordering::Relaxed)
            || !io::stdout().is_terminal() && !is_stdout_pipe())
}

#[cfg(unix)]
fn is_stdout_pipe() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let stdout = io::stdout().as_fd().try_clone_to_owned();
    let metadata = stdout.and_then(|stdout| std::fs::File::from(stdout).metadata());
    metadata
        .is_ok_and(|metadata| metadata.file_type().is_fifo() || metadata.file_type().is_socket())
}

#[cfg(not(unix))]
const fn is_stdout_pipe() -> bool {
    true
}
