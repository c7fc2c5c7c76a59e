//! Sources that a model was given: which identifiers exist.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use crate::provenance::Class;

/// A list of the sources that a model was given, with which the identifiers of markers are compared.
///
/// The list may learn sources while a stream runs.
pub trait Sources: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Finds the source with an identifier.
    fn find(&self, id: &str) -> Option<Source<'_>>;

    /// Returns `true` if the list has every source of the answer, so that an identifier that is not in it was invented.
    fn is_complete(&self) -> bool;

    /// Returns `true` as long as nothing is known about the sources, so that markers are read as without a list.
    fn is_absent(&self) -> bool {
        false
    }

    /// Returns the number of changes so far, by which [`as_of`](Self::as_of) names the version of a list that learns.
    fn version(&self) -> usize {
        0
    }

    /// Returns the list as it was in an earlier [version](Self::version), with which copies of earlier text are compared; `None` if
    /// the list never changes.
    fn as_of(&self, version: usize) -> Option<Arc<dyn Sources>> {
        let _ = version;
        None
    }
}

/// A source of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'a> {
    /// Identifier, as a marker has it.
    pub id: &'a str,
    /// Class of the observation, if the list states one.
    pub class: Option<&'a Class>,
    /// Time of the observation, as the list has it.
    pub ts: Option<&'a str>,
    /// Title for readers.
    pub title: Option<&'a str>,
    /// Address for readers.
    pub url: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// Creates a source that has only an identifier.
    #[must_use]
    pub const fn new(id: &'a str) -> Self {
        Self {
            id,
            class: None,
            ts: None,
            title: None,
            url: None,
        }
    }
}
