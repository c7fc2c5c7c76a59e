//! Parsers, and functions for whole texts.

use std::sync::Arc;

use provstream::render::MarkerRenderer;
use provstream::{Event, Handler, Rewriter as RustRewriter, TextChunk};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::event::{Events, LocatedEvent};
use crate::guard::{ObjectState, caught};
use crate::input::{ChunkDecoder, ChunkKind};
use crate::offsets::{Offsets, WINDOW};
use crate::settings::{Limits, Settings};
use crate::vocabulary::Vocabulary;

/// Size of the pieces in which a chunk is processed, so that no event is further back than the
/// window of offsets.
pub(crate) const PIECE: usize = 1 << 16;

/// Removes the annotations in brackets from a text. JSON stays unchanged.
///
/// A text without annotations is returned unchanged. Lone surrogates become U+FFFD if anything is
/// removed.
///
/// The text is a `str`, or UTF-8 in bytes. The response of an SDK, or its members in a `dict`, is
/// returned with clean text, and so is a list of messages, in which only those with the role
/// `assistant` or `model` change. Raises `TypeError` for anything else, and `ValueError` for a
/// `dict` that is neither.
///
/// `dialects` names citation dialects whose markers are removed, too: built-in ones or TOML files. `sources` lists the sources
/// that the model was given, identifiers or dicts with an `id`: it decides whether some markers are text. `render` is a template
/// that is written in the place of each marker, for each source that it cites, with its `{n}`, `{id}`, `{title}` and `{url}`; or a
/// dict with the `template`, its `markup` (`"markdown"` or `"html"`), and what happens to identifiers that are not listed
/// (`unlisted`: `"strip"`, `"keep"` or `"mark"`).
///
/// >>> provstream.strip("It is so. [substrate.grep] Really.")
/// 'It is so. Really.'
/// >>> provstream.strip([{"role": "assistant", "content": "It is so. [substrate.grep]"}])
/// [{'role': 'assistant', 'content': 'It is so.'}]
/// >>> provstream.strip("Paris [1] is big【4:0†source】.", dialects=["numeric", "openai-file"])
/// 'Paris is big.'
/// >>> sources = [{"id": "1", "url": "https://a.example/paris"}]
/// >>> provstream.strip("Paris is big [1].", dialects=["numeric"], sources=sources, render="[{n}]({url})")
/// 'Paris is big [1](https://a.example/paris).'
#[expect(clippy::doc_markdown, reason = "the documentation is Python's")]
#[pyfunction]
#[pyo3(signature = (answer, /, *, dialects=None, sources=None, render=None))]
pub(crate) fn strip<'py>(
    answer: &Bound<'py, PyAny>,
    dialects: Option<&Bound<'py, PyAny>>,
    sources: Option<&Bound<'py, PyAny>>,
    render: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = answer.py();
    let has_citing = dialects.is_some() || sources.is_some() || render.is_some();
    match answer.cast::<PyString>() {
        Ok(text) if !has_citing => strip_text(text).map(Bound::into_any),
        Ok(_) => {
            let (_, clean) = parse(answer, "auto", None, None, dialects, sources, render)?;
            Ok(clean)
        }
        Err(_) => py
            .import("provstream._answers")?
            .call_method1("strip", (answer, dialects, sources, render)),
    }
}

fn strip_text<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    let clean = match text.to_str() {
        Ok(utf8) if utf8.len() < PIECE => caught(|| Ok(stripped(utf8)))?,
        Ok(utf8) => py.detach(|| caught(|| Ok(stripped(utf8))))?,
        Err(_) => {
            let mut bytes = Vec::new();
            let mut input = ChunkDecoder::default();
            input.with(text, &mut Offsets::new(WINDOW), |utf8, _| {
                bytes.extend_from_slice(utf8);
                Ok(())
            })?;
            bytes.extend_from_slice(input.finish());
            let utf8 = String::from_utf8_lossy(&bytes);
            caught(|| Ok(stripped(&utf8)))?
        }
    };
    Ok(clean.map_or_else(|| text.clone(), |clean| PyString::new(py, &clean)))
}

/// Returns the text without annotations, or `None` if it has none.
fn stripped(text: &str) -> Option<String> {
    match provstream::strip(text) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(clean) => Some(clean),
    }
}

/// Parses a whole text. Returns its events and the text without annotations and markers, or with `render` in their place.
#[pyfunction]
#[pyo3(signature = (text, /, *, mode="auto", vocabulary=None, limits=None, dialects=None, sources=None, render=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but the first are optional keyword arguments"
)]
pub(crate) fn parse<'py>(
    text: &Bound<'py, PyAny>,
    mode: &str,
    vocabulary: Option<&Vocabulary>,
    limits: Option<&Limits>,
    dialects: Option<&Bound<'py, PyAny>>,
    sources: Option<&Bound<'py, PyAny>>,
    render: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
    let py = text.py();
    let settings = Settings::new(mode, vocabulary, limits, false)?;
    let settings = settings.citing(dialects, sources)?.rendering(render)?;
    let mut whole = ParsedText::new(&settings);
    let mut input = ChunkDecoder::default();
    let mut offsets = Offsets::new(usize::MAX / 2);
    input.with(text, &mut offsets, |utf8, offsets| {
        let mut work = || {
            caught(|| {
                whole.push(utf8, offsets);
                Ok(())
            })
        };
        if utf8.len() < PIECE {
            work()
        } else {
            py.detach(work)
        }
    })?;
    let last = input.finish();
    caught(|| {
        whole.push(last, &mut offsets);
        whole.finish(&mut offsets);
        Ok(())
    })?;
    let events = list(py, whole.events.take_ready())?;
    let clean = match input.kind() {
        Some(ChunkKind::Bytes) => PyBytes::new(py, &whole.clean).into_any(),
        _ => PyString::new(py, &String::from_utf8_lossy(&whole.clean)).into_any(),
    };
    Ok((events, clean))
}

/// Parses a text of a response: pieces, between which something other than text comes, such as a
/// tool call.
#[pyfunction]
#[pyo3(signature = (channel, pieces, mode, vocabulary, limits, dialects=None, sources=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "most are the keyword arguments of `parse`"
)]
pub(crate) fn parse_pieces<'py>(
    py: Python<'py>,
    channel: &str,
    pieces: Vec<PyBackedStr>,
    mode: &str,
    vocabulary: Option<&Vocabulary>,
    limits: Option<&Limits>,
    dialects: Option<&Bound<'py, PyAny>>,
    sources: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let settings = Settings::new(mode, vocabulary, limits, false)?.citing(dialects, sources)?;
    let mut whole = ParsedText::new(&settings);
    let mut offsets = Offsets::new(usize::MAX / 2);
    caught(|| {
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                whole.push_break(&mut offsets);
            }
            whole.push(piece.as_bytes(), &mut offsets);
        }
        whole.finish(&mut offsets);
        Ok(())
    })?;
    list_of(py, whole.events.take_ready(), &channel.into())
}

/// Rewriter of a stream that is in memory.
struct ParsedText {
    rewriter: RustRewriter,
    renderer: Option<MarkerRenderer>,
    events: Events,
    clean: Vec<u8>,
}

impl ParsedText {
    fn new(settings: &Settings) -> Self {
        Self {
            rewriter: RustRewriter::new(settings.parser()),
            renderer: settings.renderer(),
            events: Events::default(),
            clean: Vec::new(),
        }
    }

    fn push_break(&mut self, offsets: &mut Offsets) {
        self.rewriter.push_break(&mut Collect {
            events: &mut self.events,
            clean: Some(&mut self.clean),
            renderer: self.renderer.as_mut(),
        });
        self.events.place(offsets);
    }

    fn push(&mut self, utf8: &[u8], offsets: &mut Offsets) {
        offsets.push(utf8);
        let mut collect = Collect {
            events: &mut self.events,
            clean: Some(&mut self.clean),
            renderer: self.renderer.as_mut(),
        };
        self.rewriter.push(utf8, &mut collect);
        self.events.place(offsets);
    }

    fn finish(&mut self, offsets: &mut Offsets) {
        offsets.finish();
        let mut collect = Collect {
            events: &mut self.events,
            clean: Some(&mut self.clean),
            renderer: self.renderer.as_mut(),
        };
        self.rewriter.finish(&mut collect);
        self.events.place(offsets);
    }
}

/// Handler that collects events and, if wanted, the text.
pub(crate) struct Collect<'a> {
    pub(crate) events: &'a mut Events,
    pub(crate) clean: Option<&'a mut Vec<u8>>,
    pub(crate) renderer: Option<&'a mut MarkerRenderer>,
}

impl Handler for Collect<'_> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        if let Some(clean) = &mut self.clean {
            clean.extend_from_slice(text.bytes());
        }
    }

    fn annotation(
        &mut self,
        annotation: &provstream::BracketAnnotation<'_>,
    ) -> provstream::Replacement {
        self.events.take(Event::Annotation(annotation.into_owned()));
        provstream::Replacement::Remove
    }

    fn record(&mut self, record: &provstream::JsonRecord<'_>) -> provstream::Replacement {
        self.events.take(Event::Record(record.into_owned()));
        provstream::Replacement::Remove
    }

    fn marker(&mut self, marker: &provstream::Marker<'_>) -> provstream::Replacement {
        self.events.take(Event::Marker(marker.into_owned()));
        match &mut self.renderer {
            Some(renderer) => renderer.render(marker),
            None => provstream::Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.events.take(event.into_owned());
    }
}

/// A parser of one stream, which is pushed in chunks of any size, all `str` or all bytes.
///
/// Events do not depend on chunk boundaries. Every input is accepted, and memory is bounded by the
/// limits.
///
/// One thread at a time may use it; `BusyError` is raised otherwise.
///
/// >>> parser = provstream.Parser()
/// >>> parser.push("The file has an ent"), parser.push("ry. [substrate.gr"), parser.push("ep]")
/// ([], [], [Annotation("substrate.grep")])
/// >>> parser.finish()
/// [Assertion("The file has an entry.", 0:22, classes=["substrate.grep"])]
#[pyclass(frozen, module = "provstream")]
pub(crate) struct Parser(ObjectState<ParserState>);

struct ParserState {
    parser: provstream::Parser,
    input: ChunkDecoder,
    offsets: Offsets,
    events: Events,
}

impl ParserState {
    fn push(&mut self, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        let Self {
            parser,
            input,
            offsets,
            events,
        } = self;
        let py = chunk.py();
        input.with(chunk, offsets, |utf8, offsets| {
            if utf8.len() < PIECE {
                push_piece(parser, offsets, events, utf8);
            } else {
                py.detach(|| {
                    for piece in utf8.chunks(PIECE) {
                        push_piece(parser, offsets, events, piece);
                    }
                });
            }
            Ok(())
        })
    }

    /// Returns the ready events as a list.
    #[inline]
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if self.events.is_empty() {
            return Ok(PyList::empty(py));
        }
        list(py, self.events.take_ready())
    }

    fn push_break(&mut self) {
        let last = self.input.finish();
        push_piece(&mut self.parser, &mut self.offsets, &mut self.events, last);
        self.parser.push_break(&mut Collect {
            events: &mut self.events,
            clean: None,
            renderer: None,
        });
        self.events.place(&mut self.offsets);
    }

    fn finish(&mut self) {
        let last = self.input.finish();
        push_piece(&mut self.parser, &mut self.offsets, &mut self.events, last);
        self.offsets.finish();
        self.parser.finish(&mut Collect {
            events: &mut self.events,
            clean: None,
            renderer: None,
        });
        self.events.place(&mut self.offsets);
    }
}

#[inline]
fn push_piece(
    parser: &mut provstream::Parser,
    offsets: &mut Offsets,
    events: &mut Events,
    piece: &[u8],
) {
    offsets.push(piece);
    parser.push(
        piece,
        &mut Collect {
            events,
            clean: None,
            renderer: None,
        },
    );
    events.place(offsets);
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (*, mode="auto", vocabulary=None, limits=None, hold_records=false, dialects=None, sources=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword argument, and all are optional"
    )]
    fn new(
        mode: &str,
        vocabulary: Option<&Vocabulary>,
        limits: Option<&Limits>,
        hold_records: bool,
        dialects: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings = Settings::new(mode, vocabulary, limits, hold_records)?;
        let settings = settings.citing(dialects, sources)?;
        Ok(Self(ObjectState::new(
            "parser",
            ParserState {
                parser: settings.parser(),
                input: ChunkDecoder::default(),
                offsets: Offsets::new(WINDOW),
                events: Events::default(),
            },
        )))
    }

    /// Processes the next chunk, and returns the events that are certain now. Text is not an event.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.0.with(|state| {
            state.push(chunk)?;
            state.take(chunk.py())
        })
    }

    /// Processes a chunk that the model did not write, such as tool output: it opens neither an
    /// annotation nor a JSON value.
    #[pyo3(signature = (chunk, /))]
    fn push_untrusted<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        self.0.with(|state| {
            let ParserState {
                parser,
                input,
                offsets,
                events,
            } = state;
            input.with(chunk, offsets, |utf8, offsets| {
                for piece in utf8.chunks(PIECE) {
                    offsets.push(piece);
                    parser.push_untrusted(
                        piece,
                        &mut Collect {
                            events,
                            clean: None,
                            renderer: None,
                        },
                    );
                    events.place(offsets);
                }
                Ok(())
            })?;
            state.take(chunk.py())
        })
    }

    /// Marks a position at which something other than text comes, such as a tool call, and returns
    /// the events that are complete with it.
    ///
    /// Later annotations do not apply to text before the break.
    fn push_break<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.0.with(|state| {
            state.push_break();
            state.take(py)
        })
    }

    /// Ends the stream, and returns the remaining events.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.0.with(|state| {
            state.finish();
            state.take(py)
        })
    }

    /// Resets to the start of a stream, with the same settings.
    fn reset(&self) -> PyResult<()> {
        self.0.with(|state| {
            state.parser.reset();
            state.input.reset();
            state.offsets.reset();
            state.events.clear();
            Ok(())
        })
    }

    /// Bytes of UTF-8 processed so far.
    #[getter]
    fn position(&self) -> PyResult<u64> {
        self.0.with(|state| Ok(state.parser.position()))
    }

    /// Bytes that can still become part of an annotation.
    #[getter]
    fn buffered(&self) -> PyResult<usize> {
        self.0.with(|state| Ok(state.parser.buffered_len()))
    }
}

/// Builds a list of events.
pub(crate) fn list(
    py: Python<'_>,
    found: impl IntoIterator<Item = LocatedEvent>,
) -> PyResult<Bound<'_, PyList>> {
    list_of(py, found, &Arc::from(""))
}

/// Converts events of one channel to a list.
fn list_of<'py>(
    py: Python<'py>,
    found: impl IntoIterator<Item = LocatedEvent>,
    channel: &Arc<str>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for found in found {
        list.append(found.into_object(py, channel)?)?;
    }
    Ok(list)
}
