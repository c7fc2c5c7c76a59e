//! Counts the work for an event: bytes that are examined or copied, and items of lists, where one may be examined
//! more than once.
//!
//! Only the crate's own tests count, so that they can hold the work against the length of the event without a clock;
//! everywhere else counting is nothing at all. Loops over what grows with an event go through [`each`].

#[cfg(test)]
mod events;
#[cfg(test)]
mod tests;

/// Counts steps of work.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn count(_steps: usize) {}

/// Items that count.
#[cfg(not(test))]
pub(crate) type Each<I> = I;

#[cfg(test)]
pub(crate) type Each<I> = core::iter::Inspect<I, fn(&<I as Iterator>::Item)>;

/// The items, each of which counts as one step when it is met.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn each<I: Iterator>(items: I) -> Each<I> {
    items
}

#[cfg(test)]
pub(crate) fn count(steps: usize) {
    COUNTED.with(|counted| counted.set(counted.get() + steps as u64));
}

#[cfg(test)]
pub(crate) fn each<I: Iterator>(items: I) -> Each<I> {
    items.inspect(|_| count(1))
}

#[cfg(test)]
std::thread_local! {
    /// Steps counted on this thread; tests run side by side.
    static COUNTED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// The steps counted while `work` is done.
#[cfg(test)]
fn counted(work: impl FnOnce()) -> u64 {
    let before = COUNTED.with(core::cell::Cell::get);
    work();
    COUNTED.with(core::cell::Cell::get) - before
}
