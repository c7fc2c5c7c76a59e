//! Rewriters and gates of a text.

use provstream::render::MarkerRenderer;
use provstream::{Gate as RustGate, GateEnd, Rewriter as RustRewriter, Rules};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::guard::ObjectState;
use crate::input::{ChunkDecoder, ChunkKind};
use crate::offsets::{Offsets, WINDOW};
use crate::parse::PIECE;
use crate::policy::AnyPolicy;
use crate::settings::{Limits, Settings};
use crate::sink::{Replace, SinkOutput, TextSink};
use crate::time;
use crate::vocabulary::Vocabulary;

/// Rewriter or gate that writes the text.
enum TextWriter {
    Rewriter(
        Box<RustRewriter>,
        Option<Replace>,
        Option<Box<MarkerRenderer>>,
    ),
    // A copy of the rules of the gate's policy, because the gate has that borrowed while it reports.
    Gate(Box<RustGate<AnyPolicy>>, Option<Box<Rules>>),
}

impl TextWriter {
    fn push(&mut self, piece: &[u8], untrusted: bool, output: &mut SinkOutput) -> bool {
        let mut sink = TextSink {
            output,
            chunk: piece,
            whole: false,
            replace: None,
            renderer: None,
            rules: None,
        };
        match self {
            Self::Rewriter(rewriter, replace, renderer) => {
                sink.replace = replace.as_mut();
                sink.renderer = renderer.as_deref_mut();
                if untrusted {
                    rewriter.push_untrusted(piece, &mut sink);
                } else {
                    rewriter.push(piece, &mut sink);
                }
            }
            Self::Gate(gate, rules) => {
                sink.rules = rules.as_deref();
                if untrusted {
                    gate.push_untrusted(piece, &mut sink);
                } else {
                    gate.push(piece, &mut sink);
                }
            }
        }
        sink.whole
    }

    /// Ends the stream, or the text before a break.
    fn finish(&mut self, output: &mut SinkOutput, is_break: bool) {
        let mut sink = TextSink {
            output,
            chunk: b"",
            whole: false,
            replace: None,
            renderer: None,
            rules: None,
        };
        match self {
            Self::Rewriter(rewriter, replace, renderer) => {
                sink.replace = replace.as_mut();
                sink.renderer = renderer.as_deref_mut();
                if is_break {
                    rewriter.push_break(&mut sink);
                } else {
                    rewriter.finish(&mut sink);
                }
            }
            Self::Gate(gate, rules) => {
                sink.rules = rules.as_deref();
                if is_break {
                    gate.push_break(&mut sink);
                } else {
                    gate.finish(&mut sink);
                }
            }
        }
    }

    /// Removes and returns the exception of a Python callback.
    fn take_error(&mut self) -> Option<PyErr> {
        match self {
            Self::Rewriter(_, replace, _) => replace.as_mut()?.error.take(),
            Self::Gate(gate, _) => gate.policy().take_error(),
        }
    }

    fn reset(&mut self) {
        match self {
            Self::Rewriter(rewriter, _, renderer) => {
                rewriter.reset();
                if let Some(renderer) = renderer {
                    renderer.reset();
                }
            }
            Self::Gate(gate, _) => gate.reset(),
        }
    }
}

/// State of a stream that is rewritten.
struct RewriterState {
    writer: TextWriter,
    input: ChunkDecoder,
    offsets: Offsets,
    output: SinkOutput,
    /// `true` after the end of the stream. Another `finish` returns only text that an exception of
    /// a callback kept back.
    is_finished: bool,
}

impl RewriterState {
    fn new(writer: TextWriter, on_event: Option<Py<PyAny>>) -> Self {
        Self {
            writer,
            input: ChunkDecoder::default(),
            offsets: Offsets::new(WINDOW),
            output: SinkOutput::new(on_event),
            is_finished: false,
        }
    }

    fn push<'py>(
        &mut self,
        chunk: &Bound<'py, PyAny>,
        untrusted: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.is_finished = false;
        let Self {
            writer,
            input,
            offsets,
            output,
            ..
        } = self;
        let whole = input.with(chunk, offsets, |utf8, offsets| {
            let mut piece = |piece: &[u8], output: &mut SinkOutput| {
                offsets.push(piece);
                let whole = writer.push(piece, untrusted, output);
                output.events.place(offsets);
                whole
            };
            if utf8.len() <= PIECE {
                return Ok(piece(utf8, output));
            }
            chunk.py().detach(|| {
                for part in utf8.chunks(PIECE) {
                    if piece(part, output) {
                        output.text.extend_from_slice(part);
                    }
                }
            });
            Ok(false)
        })?;
        self.give(chunk, whole)
    }

    /// Calls the callback for events, and returns the text.
    fn give<'py>(&mut self, chunk: &Bound<'py, PyAny>, whole: bool) -> PyResult<Bound<'py, PyAny>> {
        let py = chunk.py();
        let same = whole && self.input.is_original();
        if whole && !same {
            self.output.text.extend_from_slice(self.input.last());
        }
        let kind = self.input.kind().unwrap_or(ChunkKind::Str);
        if let Err(error) = self.raise(py) {
            if same {
                let _ = self.input.with(chunk, &mut self.offsets, |utf8, _| {
                    self.output.text.extend_from_slice(utf8);
                    Ok(())
                });
            }
            return Err(error);
        }
        if same {
            return Ok(chunk.clone());
        }
        Ok(self.output.take_text(py, kind, false))
    }

    /// Raises the exception of a callback, from the push or from the delivery of events.
    fn raise(&mut self, py: Python<'_>) -> PyResult<()> {
        let raised = self.writer.take_error();
        let delivered = if self.output.events.is_empty() {
            Ok(())
        } else {
            self.output.deliver(py)
        };
        raised.map_or(delivered, Err)
    }

    fn push_break<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kind = self.input.kind().unwrap_or(ChunkKind::Str);
        self.is_finished = false;
        self.end(true);
        self.raise(py)?;
        Ok(self.output.take_text(py, kind, true))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kind = self.input.kind().unwrap_or(ChunkKind::Str);
        if !std::mem::replace(&mut self.is_finished, true) {
            self.end(false);
        }
        self.raise(py)?;
        Ok(self.output.take_text(py, kind, true))
    }

    /// Visits the callbacks for the garbage collector, since they may refer to the owner of this
    /// object.
    fn traverse(&mut self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.writer {
            TextWriter::Rewriter(_, replace, _) => {
                visit.call(replace.as_ref().map(|one| &one.function))?;
            }
            TextWriter::Gate(gate, _) => visit.call(gate.policy().function())?,
        }
        visit.call(self.output.function().as_ref())
    }

    /// Drops the callbacks, when only a reference cycle keeps this object alive.
    fn clear(&mut self) {
        self.writer = TextWriter::Rewriter(Box::default(), None, None);
        *self.output.function() = None;
    }

    /// Ends the stream, or the text before a break.
    fn end(&mut self, is_break: bool) {
        let last = self.input.finish();
        self.offsets.push(last);
        if self.writer.push(last, false, &mut self.output) {
            self.output.text.extend_from_slice(last);
        }
        if !is_break {
            self.offsets.finish();
        }
        self.writer.finish(&mut self.output, is_break);
        self.output.events.place(&mut self.offsets);
    }

    fn reset(&mut self) {
        self.is_finished = false;
        self.writer.reset();
        self.input.reset();
        self.offsets.reset();
        self.output.clear();
    }
}

/// Removes annotations from a stream, or replaces them.
///
/// `push` and `finish` return the clean text as `str` or bytes, like the chunks. `on_event` is
/// called with each event. `replace` is called with each annotation in brackets, whose position is
/// known in bytes only, and returns the replacement, or `None`. If a callback raises an exception,
/// so does the call; the next call returns the text, which is not lost.
///
/// With `dialects`, `sources` and `render`, as in `strip`, the markers of citations are removed or written anew, too.
///
/// One thread at a time may use it; `BusyError` is raised otherwise.
///
/// >>> rewriter = provstream.Rewriter(replace=lambda annotation: " (1)")
/// >>> rewriter.push("It is so. [subst"), rewriter.push("rate.grep] Really."), rewriter.finish()
/// ('It is so.', '  (1) Really.', '')
#[pyclass(frozen, module = "provstream")]
pub(crate) struct Rewriter(ObjectState<RewriterState>);

#[pymethods]
impl Rewriter {
    #[new]
    #[pyo3(signature = (*, mode="auto", vocabulary=None, limits=None, hold_records=false, replace=None, on_event=None,
        dialects=None, sources=None, render=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword argument, and all are optional"
    )]
    fn new(
        mode: &str,
        vocabulary: Option<&Vocabulary>,
        limits: Option<&Limits>,
        hold_records: bool,
        replace: Option<Py<PyAny>>,
        on_event: Option<Py<PyAny>>,
        dialects: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
        render: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings = Settings::new(mode, vocabulary, limits, hold_records)?;
        let settings = settings.citing(dialects, sources)?.rendering(render)?;
        let replace = replace.map(|function| Replace {
            function,
            error: None,
        });
        let rewriter = Box::new(RustRewriter::new(settings.parser()));
        let writer = TextWriter::Rewriter(rewriter, replace, settings.renderer().map(Box::new));
        Ok(Self(ObjectState::new(
            "rewriter",
            RewriterState::new(writer, on_event),
        )))
    }

    /// Processes the next chunk, and returns the clean text that is certain now.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push(chunk, false))
    }

    /// Processes a chunk that the model did not write: it opens neither an annotation nor a JSON
    /// value.
    #[pyo3(signature = (chunk, /))]
    fn push_untrusted<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push(chunk, true))
    }

    /// Marks a position at which something other than text comes, such as a tool call, and returns
    /// the remaining text before it.
    ///
    /// Later annotations do not apply to text before the break.
    fn push_break<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push_break(py))
    }

    /// Ends the stream and returns the rest of the text.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.finish(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .visit(|state| state.traverse(&visit))
            .unwrap_or(Ok(()))
    }

    fn __clear__(&self) {
        self.0.visit(RewriterState::clear);
    }

    /// Resets to the start of a stream, with the same settings.
    fn reset(&self) -> PyResult<()> {
        self.0.with(|state| {
            state.reset();
            Ok(())
        })
    }
}

/// Withholds or changes assertions before anyone reads them.
///
/// `policy` is a `Policy`, or a function that takes a `Question` and returns an `Action`. Undecided
/// text is held; `push` and `finish` return released text. `on_event` is called with each event and
/// each `Decision`. `now` is the time to judge by (RFC 3339 or an aware `datetime`), by default
/// that of the clock. If the policy function raises an exception, the stream is suspended and
/// nothing more is written. With `dialects` and `sources`, as in `strip`, it also decides about sentences with markers of
/// citations, which are removed. Source: `provenance memo 7`.
///
/// >>> def decide(question):
/// ...     inferred = "unverified-inference" in question.assertion.classes
/// ...     return provstream.Action.replace("(withheld)") if inferred else provstream.Action.release()
/// >>> gate = provstream.Gate(decide)
/// >>> gate.push("It rained. It will rain. [unverified-inference] So it is.") + gate.finish()
/// 'It rained. (withheld) So it is.'
#[pyclass(frozen, module = "provstream")]
pub(crate) struct Gate(ObjectState<RewriterState>);

#[pymethods]
impl Gate {
    #[new]
    #[pyo3(signature = (policy, /, *, mode="auto", vocabulary=None, limits=None, now=None, max_held=None, on_event=None,
        dialects=None, sources=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "all but the first are optional keyword arguments"
    )]
    fn new(
        policy: &Bound<'_, PyAny>,
        mode: &str,
        vocabulary: Option<&Vocabulary>,
        limits: Option<&Limits>,
        now: Option<&Bound<'_, PyAny>>,
        max_held: Option<usize>,
        on_event: Option<Py<PyAny>>,
        dialects: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings = Settings::new(mode, vocabulary, limits, false)?;
        let settings = settings.citing(dialects, sources)?;
        let policy = AnyPolicy::new(policy, vocabulary, now.map(time::now).transpose()?)?;
        settings.check_policy(&policy)?;
        let rules = policy.rules().cloned().map(Box::new);
        let mut gate = RustGate::new(settings.parser(), policy);
        if let Some(max_held) = max_held {
            gate = gate.with_max_held(max_held);
        }
        let writer = TextWriter::Gate(Box::new(gate), rules);
        Ok(Self(ObjectState::new(
            "gate",
            RewriterState::new(writer, on_event),
        )))
    }

    /// Processes the next chunk, and returns released text.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push(chunk, false))
    }

    /// Processes a chunk that the model did not write: it opens neither an annotation nor a JSON
    /// value.
    #[pyo3(signature = (chunk, /))]
    fn push_untrusted<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push(chunk, true))
    }

    /// Marks a position at which something other than text comes, such as a tool call, and returns
    /// released text before it.
    ///
    /// Later annotations do not apply to text before the break.
    fn push_break<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.push_break(py))
    }

    /// Ends the stream, and returns the remaining released text.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.with(|state| state.finish(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .visit(|state| state.traverse(&visit))
            .unwrap_or(Ok(()))
    }

    fn __clear__(&self) {
        self.0.visit(RewriterState::clear);
    }

    /// Resets to the start of a stream, with the same settings.
    fn reset(&self) -> PyResult<()> {
        self.0.with(|state| {
            state.reset();
            Ok(())
        })
    }

    /// `suspended` or `refused` if the policy has ended the stream; `None` otherwise.
    #[getter]
    fn ended(&self) -> PyResult<Option<&'static str>> {
        self.0.with(|state| match &state.writer {
            TextWriter::Gate(gate, _) => Ok(gate.ended().map(end_name)),
            TextWriter::Rewriter(..) => Ok(None),
        })
    }

    /// Bytes of text that are held.
    #[getter]
    fn held(&self) -> PyResult<usize> {
        self.0.with(|state| match &state.writer {
            TextWriter::Gate(gate, _) => Ok(gate.held_len()),
            TextWriter::Rewriter(..) => Ok(0),
        })
    }
}

/// Returns the name of a gate's end.
pub(crate) const fn end_name(end: GateEnd) -> &'static str {
    match end {
        GateEnd::Refused => "refused",
        // Whatever else there will be, nothing more is written.
        _ => "suspended",
    }
}
