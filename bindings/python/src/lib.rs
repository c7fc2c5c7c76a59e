//! Compiled module of the Python package `provstream`: `provstream._native`.
//!
//! The package's Python files re-export its items; `python/provstream/_native.pyi` has the types.

mod action;
mod arrow;
mod citing;
mod discipline;
mod emit;
mod empty;
mod event;
mod failure;
mod guard;
mod input;
mod marc;
mod offsets;
mod parse;
mod place;
mod policy;
mod report;
mod response_texts;
mod rewriter;
mod settings;
mod sink;
mod time;
mod toml;
mod vocabulary;
mod wire;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::action::Action;
    #[pymodule_export]
    use crate::arrow::{Column, Extracted, assertions_table, extract};
    #[pymodule_export]
    use crate::citing::request_sources;
    #[pymodule_export]
    use crate::discipline::{Discipline, Verdict};
    #[pymodule_export]
    use crate::emit::{examples, grammar, prompt, schema};
    #[pymodule_export]
    use crate::empty::Empty;
    #[pymodule_export]
    use crate::event::{
        Annotation, Assertion, Citation, Decision, Diagnostic, LimitRelease, Located, Marc, Record,
    };
    #[pymodule_export]
    use crate::failure::{BusyError, InternalError, OffsetError, WithheldError};
    #[pymodule_export]
    use crate::guard::panic_on_purpose;
    #[pymodule_export]
    use crate::marc::carry::{Carrier, marc_from_sse, marc_sse_event};
    #[pymodule_export]
    use crate::marc::deployment::Deployment;
    #[pymodule_export]
    use crate::marc::project::{marc_check_wording, marc_project, marc_show, marc_upgrade};
    #[pymodule_export]
    use crate::marc::session::PySession;
    #[pymodule_export]
    use crate::marc::{PyViolation, Sequence, marc_schema, marc_validate};
    #[pymodule_export]
    use crate::parse::{Parser, parse, parse_pieces, strip};
    #[pymodule_export]
    use crate::policy::{Policy, PyQuestion};
    #[pymodule_export]
    use crate::report::{escaped, report_page};
    #[pymodule_export]
    use crate::response_texts::response_texts;
    #[pymodule_export]
    use crate::rewriter::{Gate, Rewriter};
    #[pymodule_export]
    use crate::settings::Limits;
    #[pymodule_export]
    use crate::vocabulary::Vocabulary;
    #[pymodule_export]
    use crate::wire::{Read, Response};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;

        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add(
            "FORMATS",
            pyo3::types::PyTuple::new(module.py(), crate::wire::formats())?,
        )
    }
}
