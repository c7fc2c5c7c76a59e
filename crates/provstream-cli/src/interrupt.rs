//! What is put in order when the program is interrupted: a bar is cleared, an unfinished output file removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use indicatif::ProgressBar;

/// What there is to put in order.
#[derive(Debug)]
struct Loose {
    bar: Option<ProgressBar>,
    file: Option<PathBuf>,
}

static LOOSE: Mutex<Loose> = Mutex::new(Loose {
    bar: None,
    file: None,
});

/// Clears a progress bar when the program is interrupted.
pub(crate) fn clear_on_signal(bar: &ProgressBar) {
    LOOSE.lock().unwrap_or_else(PoisonError::into_inner).bar = Some(bar.clone());
    watch();
}

/// Removes a file when the program is interrupted.
pub(crate) fn remove_on_signal(file: &Path) {
    LOOSE.lock().unwrap_or_else(PoisonError::into_inner).file = Some(file.to_owned());
    watch();
}

/// The file is finished and stays.
pub(crate) fn keep() {
    LOOSE.lock().unwrap_or_else(PoisonError::into_inner).file = None;
}

/// Has a write beyond the largest size of a file (`ulimit -f`) fail, as one to a full disk does, instead of ending the program.
pub(crate) fn fail_at_file_limit() {
    os::fail_at_file_limit();
}

fn tidy() {
    let mut loose = LOOSE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bar) = loose.bar.take() {
        bar.finish_and_clear();
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    if let Some(file) = loose.file.take() {
        // The program ends in any case.
        let _ = fs::remove_file(file);
    }
}

/// Waits for signals in a thread of its own. Without a bar and a file nothing is waited for, and signals do what they
/// always do.
fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(os::watch);
}

#[cfg(unix)]
mod os {
    use std::sync::Arc;
    use std::thread;

    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    pub(super) fn fail_at_file_limit() {
        // With a handler, whatever it does, the write returns an error. Without one, the program ends as it did before.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    }

    pub(super) fn watch() {
        // Without it the bar or the file stays, which is no reason to stop.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        thread::spawn(move || {
            for signal in signals.forever() {
                super::tidy();
                // Does not return: both signals end the program.
                let _ = emulate_default_handler(signal);
            }
        });
    }
}

#[cfg(not(unix))]
mod os {
    pub(super) fn fail_at_file_limit() {}

    pub(super) fn watch() {}
}
