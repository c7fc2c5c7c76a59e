//! What an event says, lent by the parser or owned.

use core::ops::Deref;
use std::sync::Arc;

/// A value that stands with the parser until the caller has seen the event, or that is owned.
///
/// Events are small and quickly dropped that way, whatever they say, so that the compiler can make both part of the caller.
#[derive(Clone)]
pub(crate) enum Lend<'a, T> {
    Lent(&'a T),
    Owned(Arc<T>),
}

impl<T: Clone> Lend<'_, T> {
    pub(crate) fn owned(value: T) -> Self {
        Self::Owned(Arc::new(value))
    }

    /// The same with something changed.
    pub(crate) fn with(self, change: impl FnOnce(&mut T)) -> Self {
        let mut value = match self {
            Self::Lent(value) => Arc::new(value.clone()),
            Self::Owned(value) => value,
        };
        change(Arc::make_mut(&mut value));
        Self::Owned(value)
    }

    pub(crate) fn into_inner(self) -> T {
        match self {
            Self::Lent(value) => value.clone(),
            Self::Owned(value) => Arc::unwrap_or_clone(value),
        }
    }
}

impl<T> Deref for Lend<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Lent(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<T: PartialEq> PartialEq for Lend<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Lend<'_, T> {}
