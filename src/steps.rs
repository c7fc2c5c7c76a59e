//! Counter of the work for a stream: bytes looked at, copied or moved, counted where one may be met more than once.
//!
//! Only the crate's own tests count, so that they can hold the work against the length of the stream without a clock;
//! everywhere else counting is nothing at all.

#[cfg(test)]
mod tests;

/// Counts bytes that are looked at, copied or moved.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn count(_bytes: usize) {}

#[cfg(test)]
pub(crate) fn count(bytes: usize) {
    COUNTED.with(|counted| counted.set(counted.get() + bytes as u64));
}

#[cfg(test)]
std::thread_local! {
    /// Bytes counted on this thread; tests run side by side.
    static COUNTED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Counts the bytes processed while `work` runs.
#[cfg(test)]
fn counted(work: impl FnOnce()) -> u64 {
    let before = COUNTED.with(core::cell::Cell::get);
    work();
    COUNTED.with(core::cell::Cell::get) - before
}
