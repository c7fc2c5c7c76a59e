//! Guarantees of every public type.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::panic::{RefUnwindSafe, UnwindSafe};

use provstream_providers::citation::{
    Citation, CitationError, CitationErrorKind, Cited, CitedSource, CleanText, Extent, Link,
    OpenAiShape, Part, Passage, PassageUnit, Provider, SourceKind, Unit, UnitSpan, read,
};

/// Can be moved to another thread and shared between threads, survives a caught panic, and can be looked at and copied.
fn common<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + Debug + Clone + 'static>() {}

/// Can be compared.
fn value<T: PartialEq + Eq + Debug>() {}

/// Can be the key of a map.
fn key<T: Eq + Hash>() {}

/// Has an order.
fn ordered<T: Ord>() {}

/// Is copied rather than moved.
fn small<T: Copy>() {}

fn shown<T: Display>() {}

/// Can be returned as a boxed error and sent to another thread.
fn error<T: Error + Send + Sync + Clone + PartialEq + 'static>() {}

/// Applies one of the functions above to each of the types.
macro_rules! each {
    ($check:ident: $($type:ty),+ $(,)?) => {
        $($check::<$type>();)+
    };
}

#[test]
fn the_types_of_citations_keep_the_same_promises() {
    each!(common: Citation, CitationError, CitationErrorKind, Cited<'static>, CleanText<'static>, Extent, Link, OpenAiShape,
        Part, Passage, PassageUnit, Provider, CitedSource, SourceKind, Unit, UnitSpan);
    each!(value: Citation, CitationError, CitationErrorKind, Cited<'static>, Extent, Link, OpenAiShape, Part, Passage,
        PassageUnit, Provider, CitedSource, SourceKind, Unit, UnitSpan);
    each!(key: CitationErrorKind, Extent, Link, OpenAiShape, Part, Passage, PassageUnit, Provider, SourceKind, Unit, UnitSpan);
    each!(ordered: OpenAiShape, Part, PassageUnit, Provider, SourceKind, Unit);
    each!(small: CitationErrorKind, Extent, OpenAiShape, Part, Passage, PassageUnit, Provider, SourceKind, Unit, UnitSpan);
    each!(shown: CitationErrorKind, Part, Provider, Unit, UnitSpan);
    each!(error: CitationError);
    let found = read(Provider::Cohere, b"{");
    let message = found[0].as_ref().expect_err("no JSON").to_string();
    assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase));
}
