//! Settings of a parser: mode and limits.

use std::collections::BTreeMap;

use std::sync::Arc;

use provstream::render::MarkerRenderer;
use provstream::{Dialects, Limits as RustLimits, Mode, Sources};
use provstream_route::ResponseSourceReader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::citing;
use crate::policy::AnyPolicy;
use crate::vocabulary::Vocabulary;

/// Bounds on the memory and the results of a parser, in bytes or items of the stream; inclusive.
///
/// Raises `ValueError` for a limit that is out of range. Source: wire profile, diagnostics and limits.
#[pyclass(frozen, eq, hash, module = "provstream")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Limits(RustLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, max_annotation=None, max_assertion=None, max_annotations=None, max_pending=None, max_depth=None,
        max_pointer=None, max_record=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword argument, and all are optional"
    )]
    fn new(
        max_annotation: Option<usize>,
        max_assertion: Option<usize>,
        max_annotations: Option<usize>,
        max_pending: Option<usize>,
        max_depth: Option<usize>,
        max_pointer: Option<usize>,
        max_record: Option<usize>,
    ) -> PyResult<Self> {
        type Set = fn(RustLimits, usize) -> Result<RustLimits, provstream::LimitError>;
        let settings: [(Option<usize>, Set); 7] = [
            (max_annotation, RustLimits::with_max_annotation),
            (max_assertion, RustLimits::with_max_assertion),
            (max_annotations, RustLimits::with_max_annotations),
            (max_pending, RustLimits::with_max_pending),
            (max_depth, RustLimits::with_max_depth),
            (max_pointer, RustLimits::with_max_pointer),
            (max_record, RustLimits::with_max_record),
        ];
        let mut limits = RustLimits::default();
        for (value, set) in settings {
            if let Some(value) = value {
                limits = set(limits, value).map_err(value_error)?;
            }
        }
        Ok(Self(limits))
    }

    /// For `copy` and `pickle`.
    fn __getnewargs_ex__(&self) -> ((), BTreeMap<&'static str, usize>) {
        let values = |limits: &RustLimits| {
            [
                ("max_annotation", limits.max_annotation()),
                ("max_assertion", limits.max_assertion()),
                ("max_annotations", limits.max_annotations()),
                ("max_pending", limits.max_pending()),
                ("max_depth", limits.max_depth()),
                ("max_pointer", limits.max_pointer()),
                ("max_record", limits.max_record()),
            ]
        };
        let (given, usual) = (&self.0, RustLimits::default());
        // One that was not given may have another value in JSON.
        let in_json = given.max_pending_json() != usual.max_pending_json();
        let pairs = values(given).into_iter().zip(values(&usual));
        let is_given = |&((name, one), (_, other)): &((&str, usize), (&str, usize))| {
            one != other || in_json && name == "max_pending"
        };
        ((), pairs.filter(is_given).map(|(one, _)| one).collect())
    }

    /// Longest annotation in brackets, and longest string of an annotation in JSON, in bytes.
    #[getter]
    const fn max_annotation(&self) -> usize {
        self.0.max_annotation()
    }

    /// Longest assertion, in bytes.
    #[getter]
    const fn max_assertion(&self) -> usize {
        self.0.max_assertion()
    }

    /// Most annotations of one assertion.
    #[getter]
    const fn max_annotations(&self) -> usize {
        self.0.max_annotations()
    }

    /// Most bytes of annotations retained for an assertion that is not complete, in free text.
    #[getter]
    const fn max_pending(&self) -> usize {
        self.0.max_pending()
    }

    /// Deepest nesting of objects and arrays.
    #[getter]
    const fn max_depth(&self) -> usize {
        self.0.max_depth()
    }

    /// Longest JSON Pointer that is reported, in bytes.
    #[getter]
    const fn max_pointer(&self) -> usize {
        self.0.max_pointer()
    }

    /// Longest MARC object that is reported with its bytes, and longest record that can be removed,
    /// in bytes.
    #[getter]
    const fn max_record(&self) -> usize {
        self.0.max_record()
    }

    fn __repr__(&self) -> String {
        let limits = &self.0;
        format!(
            "Limits(max_annotation={}, max_assertion={}, max_annotations={}, max_pending={}, max_depth={}, \
             max_pointer={}, max_record={})",
            limits.max_annotation(),
            limits.max_assertion(),
            limits.max_annotations(),
            limits.max_pending(),
            limits.max_depth(),
            limits.max_pointer(),
            limits.max_record()
        )
    }
}

/// Settings of a parser.
#[derive(Debug)]
pub(crate) struct Settings {
    mode: Mode,
    limits: RustLimits,
    vocabulary: provstream::provenance::Vocabulary,
    hold_records: bool,
    dialects: Option<Dialects>,
    sources: Option<Arc<dyn Sources>>,
    source_reader: Option<ResponseSourceReader>,
    renderer: Option<MarkerRenderer>,
}

impl Settings {
    /// Parses keyword arguments.
    ///
    /// # Errors
    /// `ValueError` for an unknown mode.
    pub(crate) fn new(
        mode: &str,
        vocabulary: Option<&Vocabulary>,
        limits: Option<&Limits>,
        hold_records: bool,
    ) -> PyResult<Self> {
        Ok(Self {
            mode: parse_mode(mode)?,
            limits: limits.map_or_else(RustLimits::default, |limits| limits.0),
            vocabulary: vocabulary
                .map_or_else(provstream::provenance::Vocabulary::memo, |vocabulary| {
                    vocabulary.inner().clone()
                }),
            hold_records,
            dialects: None,
            sources: None,
            source_reader: None,
            renderer: None,
        })
    }

    /// Sets the dialects whose markers are read, and the sources that the model was given: a list, or the body of the request.
    ///
    /// # Errors
    /// `ValueError` for an unknown dialect, for sources without dialects or with a wrong class or time, and in a mode without free
    /// text; `TypeError` for other values; `OSError` for a file that cannot be read.
    pub(crate) fn citing(
        mut self,
        dialects: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        self.dialects = dialects.map(citing::dialects).transpose()?.flatten();
        if let Some(sources) = sources {
            let Some(dialects) = &self.dialects else {
                return Err(PyValueError::new_err(
                    "expected \"sources\" only with \"dialects\", found it without",
                ));
            };
            if let Ok(body) = sources.cast::<PyBytes>() {
                let reader = ResponseSourceReader::of_request(body.as_bytes(), dialects);
                self.sources = Some(reader.sources());
                self.source_reader = Some(reader);
            } else {
                self.sources = Some(citing::sources(sources, &self.vocabulary)?);
            }
        }
        if self.dialects.is_some() && matches!(self.mode, Mode::Json | Mode::Ndjson) {
            return Err(PyValueError::new_err(format!(
                "expected \"dialects\" with mode \"auto\" or \"text\", found it with mode \"{}\", which reads no free text",
                self.mode
            )));
        }
        Ok(self)
    }

    /// Sets what is written in the place of markers.
    ///
    /// # Errors
    /// `ValueError` without sources and for a template that is not valid, `TypeError` for other values.
    pub(crate) fn rendering(mut self, render: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(render) = render else {
            return Ok(self);
        };
        let Some(sources) = &self.sources else {
            return Err(PyValueError::new_err(
                "expected \"render\" only with \"sources\", found it without",
            ));
        };
        self.renderer = Some(citing::renderer(render, Arc::clone(sources))?);
        Ok(self)
    }

    /// Returns the reader of the sources that the response brings, once, if they count.
    pub(crate) const fn take_source_reader(&mut self) -> Option<ResponseSourceReader> {
        self.source_reader.take()
    }

    /// Returns the renderer of a text that begins, if something is written in the place of markers.
    pub(crate) fn renderer(&self) -> Option<MarkerRenderer> {
        self.renderer.clone()
    }

    /// Checks that there are sources for a policy with rules about them.
    ///
    /// # Errors
    /// `ValueError` without sources: the rules about them would never apply.
    pub(crate) fn check_policy(&self, policy: &AnyPolicy) -> PyResult<()> {
        match policy.rules() {
            Some(rules) if rules.needs_sources() && self.sources.is_none() => {
                Err(PyValueError::new_err(
                    "expected \"dialects\" and \"sources\" for a policy with the rules unknown_source or listed_source, which need a list of sources",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Creates a parser at the start of a stream.
    pub(crate) fn parser(&self) -> provstream::Parser {
        let mut parser = provstream::Parser::builder()
            .mode(self.mode)
            .limits(self.limits)
            .vocabulary(self.vocabulary.clone())
            .hold_records(self.hold_records);
        if let Some(dialects) = &self.dialects {
            parser = parser.dialects(dialects.clone());
        }
        if let Some(sources) = &self.sources {
            parser = parser.sources(Arc::clone(sources));
        }
        parser.build()
    }
}

/// Parses the name of a mode.
///
/// # Errors
/// `ValueError` for an unknown name.
pub(crate) fn parse_mode(name: &str) -> PyResult<Mode> {
    name.parse().map_err(|_| {
        PyValueError::new_err(format!(
            "expected mode \"text\", \"json\", \"ndjson\" or \"auto\", found {name:?}"
        ))
    })
}

/// Converts a library error to `ValueError`.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
