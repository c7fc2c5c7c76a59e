//! Values that an event borrows from the parser until the sink returns, or owns.

use core::ops::Deref;
use std::sync::Arc;

/// A value that is borrowed from the parser's stack, or owned.
///
/// It keeps events small and cheap to drop, whatever they contain, so that the compiler can inline both into the caller.
#[derive(Clone)]
pub(crate) enum MaybeOwned<'a, T> {
    Borrowed(&'a T),
    Owned(Arc<T>),
}

impl<T: Clone> MaybeOwned<'_, T> {
    pub(crate) fn owned(value: T) -> Self {
        Self::Owned(Arc::new(value))
    }

    /// Returns the value with a change.
    pub(crate) fn with(self, change: impl FnOnce(&mut T)) -> Self {
        let mut value = match self {
            Self::Borrowed(value) => Arc::new(value.clone()),
            Self::Owned(value) => value,
        };
        change(Arc::make_mut(&mut value));
        Self::Owned(value)
    }

    pub(crate) fn into_inner(self) -> T {
        match self {
            Self::Borrowed(value) => value.clone(),
            Self::Owned(value) => Arc::unwrap_or_clone(value),
        }
    }
}

impl<T> Deref for MaybeOwned<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<T: PartialEq> PartialEq for MaybeOwned<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for MaybeOwned<'_, T> {}
