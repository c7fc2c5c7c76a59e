//! The Python package `provstream`, its compiled part: `provstream._native`.
//!
//! The package's Python files name what is here; `python/provstream/_native.pyi` has its types.

mod event;
mod failure;
mod guard;
mod input;
mod offsets;
mod parse;
mod place;
mod settings;
mod vocabulary;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::event::{Annotation, Assertion, Diagnostic, Located, Marc, Record};
    #[pymodule_export]
    use crate::failure::{BusyError, InternalError, OffsetError};
    #[pymodule_export]
    use crate::parse::{Parser, parse, strip};
    #[pymodule_export]
    use crate::settings::Limits;
    #[pymodule_export]
    use crate::vocabulary::Vocabulary;
}
