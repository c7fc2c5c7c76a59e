//! State that only one call at a time uses, and that catches panics.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, TryLockError};

use pyo3::PyResult;

use crate::failure::{BusyError, InternalError};

/// State of a Python object.
pub(crate) struct ObjectState<T> {
    state: Mutex<T>,
    /// Name of the object in errors.
    name: &'static str,
}

impl<T> ObjectState<T> {
    pub(crate) const fn new(name: &'static str, state: T) -> Self {
        Self {
            state: Mutex::new(state),
            name,
        }
    }

    /// Calls `work` with the state. Never waits: a waiting thread would hold the GIL that the other
    /// one needs.
    ///
    /// # Errors
    /// [`BusyError`] if another call uses the state, [`InternalError`] if `work` panics or an earlier one did.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::WouldBlock) => {
                return Err(BusyError::new_err(format!(
                    "expected one call at a time, found the {} in use by another thread or by its own callback: create \
                     one for each thread",
                    self.name
                )));
            }
            Err(TryLockError::Poisoned(_)) => {
                return Err(InternalError::new_err(format!(
                    "the {} cannot be used after a panic",
                    self.name
                )));
            }
        };
        // The guard is dropped while the panic is caught outside of it, so the mutex has to be poisoned by hand.
        match catch_unwind(AssertUnwindSafe(|| work(&mut state))) {
            Ok(result) => result,
            Err(panic) => {
                drop(state);
                self.poison();
                Err(panicked(&*panic))
            }
        }
    }

    /// Calls `work` with the state for the garbage collector. Returns `None` if the state is in
    /// use: objects that are not visited stay alive.
    pub(crate) fn visit<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.state.try_lock().ok().map(|mut state| work(&mut state))
    }

    #[cold]
    fn poison(&self) {
        // The payload is never seen: it only unwinds through the lock.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _state = self.state.lock();
            std::panic::resume_unwind(Box::new(()));
        }));
    }
}

/// Calls `work` without a state, and converts a panic to an exception.
///
/// # Errors
/// Those of `work`; [`InternalError`] if it panics.
pub(crate) fn caught<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Creates the exception for a panic.
#[cold]
fn panicked(panic: &(dyn Any + Send)) -> pyo3::PyErr {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    InternalError::new_err(format!("the compiled part panicked: {message}"))
}

/// Panics in a guarded state, then uses the state again; returns the exceptions of both calls.
/// Tests that no panic leaves the package.
#[pyo3::pyfunction]
#[pyo3(name = "_panic")]
pub(crate) fn panic_on_purpose(py: pyo3::Python<'_>) -> Vec<pyo3::Py<pyo3::PyAny>> {
    let guard = ObjectState::new("test", ());
    let first = guard.with(|()| -> PyResult<()> { panic!("on purpose") });
    let then = guard.with(|()| Ok(()));
    let also = caught(|| -> PyResult<()> { panic!("on {}", "purpose") });
    let raised = [first, then, also].into_iter().filter_map(Result::err);
    raised
        .map(|error| error.into_value(py).into_any())
        .collect()
}
