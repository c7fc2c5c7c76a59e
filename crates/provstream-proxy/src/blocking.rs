//! Work that takes long in an asynchronous task.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs long work in place, after moving the other tasks of this thread to another one.
pub(crate) fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
