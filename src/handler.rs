//! Handlers of the events of a stream.

use core::fmt;
use std::borrow::Cow;

use crate::event::{BracketAnnotation, Event, JsonRecord, TextChunk};
#[cfg(feature = "dialects")]
use crate::marker::Marker;

/// Output of a rewriter in the place of an annotation or a JSON record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replacement {
    /// The original bytes, and the whitespace before them.
    Keep,
    /// Nothing: an annotation is removed with the whitespace right before it (at most 64 bytes), a JSON record alone.
    Remove,
    /// The whitespace before it, then these bytes.
    Text(Cow<'static, [u8]>),
}

impl Replacement {
    /// Creates a replacement without copying the text.
    ///
    /// ```
    /// use provstream::Replacement;
    ///
    /// assert_eq!(Replacement::from_static("(1)"), Replacement::from("(1)"));
    /// ```
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text.as_bytes()))
    }
}

/// Copies the text, so it may be borrowed from anywhere; see [`Replacement::from_static`].
impl From<&str> for Replacement {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Replacement {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text.into_bytes()))
    }
}

impl From<&[u8]> for Replacement {
    fn from(text: &[u8]) -> Self {
        Self::from(text.to_vec())
    }
}

impl From<Vec<u8>> for Replacement {
    fn from(text: Vec<u8>) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// Takes the events of a [`Parser`](crate::Parser), a [`Rewriter`](crate::Rewriter) or an adapter of [`io`](crate::io).
///
/// Every method has a default, so a handler has only the methods that it needs. What each one receives:
///
/// | method | from a parser | from a rewriter or an adapter |
/// |---|---|---|
/// | [`text`](Self::text) | text with its stream offsets, annotations taken out | the rewritten text, with its offsets in the
/// rewritten stream |
/// | [`annotation`](Self::annotation) | each bracketed annotation; the answer is ignored | each bracketed annotation; the answer is
/// written in its place |
/// | [`record`](Self::record) | each JSON record that was held back; the answer is ignored | the same; the answer is written in its
/// place |
/// | `marker` (feature `dialects`) | each marker of a citation; the answer is ignored | the same; the answer is written in its place |
/// | [`event`](Self::event) | assertions, citations, MARC objects, diagnostics | the same, with stream offsets |
/// | [`end`](Self::end) | nothing follows | nothing follows |
///
/// JSON records are reported only where the parser [holds them back](crate::ParserBuilder::hold_records); otherwise
/// JSON is text.
///
/// # Handlers and closures
///
/// `&mut T` and `Box<T>` are handlers where `T` is one, also where `T` is `dyn Handler`. `()` ignores everything, and a
/// `Vec<u8>` collects the text. Every function that takes a handler takes a closure as well, through [`IntoHandler`]. A closure
/// gets all events, text, annotations and records included, and removes annotations and records. The type of its parameter has to
/// be given: `|event: Event<'_>| ...`.
///
/// ```
/// use provstream::{BracketAnnotation, Handler, Parser, Replacement, Rewriter, TextChunk};
///
/// /// Puts a number in the place of each annotation.
/// #[derive(Default)]
/// struct Footnotes {
///     text: Vec<u8>,
///     notes: usize,
/// }
///
/// impl Handler for Footnotes {
///     fn text(&mut self, text: TextChunk<'_>) {
///         self.text.extend_from_slice(text.bytes());
///     }
///
///     fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
///         self.notes += 1;
///         Replacement::from(format!("({})", self.notes))
///     }
/// }
///
/// let mut handler = Footnotes::default();
/// let mut rewriter = Rewriter::new(Parser::new());
/// rewriter.push(b"It is so. [substrate.grep] Really.", &mut handler);
/// rewriter.finish(&mut handler);
/// assert_eq!(handler.text, b"It is so. (1) Really.");
/// ```
pub trait Handler {
    /// Takes the next piece of text. The pieces depend on the chunks.
    fn text(&mut self, text: TextChunk<'_>) {
        let _ = text;
    }

    /// Takes a bracketed annotation and decides what a rewriter writes in its place; by default nothing.
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let _ = annotation;
        Replacement::Remove
    }

    /// Takes a JSON record that was held back and decides what a rewriter writes in its place; by default nothing.
    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        let _ = record;
        Replacement::Remove
    }

    /// Takes a marker of a citation and decides what a rewriter writes in its place; by default nothing.
    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        let _ = marker;
        Replacement::Remove
    }

    /// Takes every other event: assertions, citations, MARC objects and diagnostics.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// Reports the end of the stream, after all its events. Called once for each `finish`. An
    /// adapter of [`io`](crate::io) finishes once: at the end, at the first error, or when it is
    /// dropped.
    fn end(&mut self) {}

    /// Takes any event: calls the method for its kind, and ignores what that decides.
    ///
    /// This is for code that passes events through to a handler; a handler has no need to replace it.
    #[inline]
    fn dispatch(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text(text),
            Event::Annotation(annotation) => {
                self.annotation(&annotation);
            }
            Event::Record(record) => {
                self.record(&record);
            }
            #[cfg(feature = "dialects")]
            Event::Marker(marker) => {
                self.marker(&marker);
            }
            other => self.event(other),
        }
    }

    /// Calls `source` with a closure that dispatches events to this handler.
    // A closure is passed as it is. A second closure around it would be a second caller of it, and the compiler no
    // longer makes it part of the loop that pushes: half as many instructions again for a chunk of 4 bytes.
    #[doc(hidden)]
    #[inline]
    fn feed(&mut self, source: &mut dyn FnMut(Closure<'_>)) {
        source(&mut |event| self.dispatch(event));
    }
}

/// A closure that takes all events.
pub(crate) type Closure<'c> = &'c mut dyn FnMut(Event<'_>);

macro_rules! forward {
    () => {
        #[inline]
        fn text(&mut self, text: TextChunk<'_>) {
            (**self).text(text);
        }

        #[inline]
        fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
            (**self).annotation(annotation)
        }

        #[inline]
        fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
            (**self).record(record)
        }

        #[cfg(feature = "dialects")]
        #[inline]
        fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
            (**self).marker(marker)
        }

        #[inline]
        fn event(&mut self, event: Event<'_>) {
            (**self).event(event);
        }

        #[inline]
        fn end(&mut self) {
            (**self).end();
        }

        #[inline]
        fn dispatch(&mut self, event: Event<'_>) {
            (**self).dispatch(event);
        }

        #[inline]
        fn feed(&mut self, source: &mut dyn FnMut(Closure<'_>)) {
            (**self).feed(source);
        }
    };
}

impl<T: Handler + ?Sized> Handler for &mut T {
    forward!();
}

impl<T: Handler + ?Sized> Handler for Box<T> {
    forward!();
}

/// Ignores all events; a rewriter removes annotations and records.
impl Handler for () {}

/// Collects the text, and has a rewriter remove annotations and records.
impl Handler for Vec<u8> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        self.extend_from_slice(text.bytes());
    }
}

/// A closure as a [`Handler`]; made by [`handler_fn`].
#[derive(Clone, Copy)]
pub struct HandlerFn<F>(F);

/// Makes a handler of a closure that takes all events.
///
/// Functions that take a handler do this by themselves. It is needed where a closure has to be a [`Handler`], such as
/// in a `Box<dyn Handler>`, and the closure's parameter needs no type here.
///
/// ```
/// use provstream::{Event, Handler, Parser, handler_fn};
///
/// let mut handlers: Vec<Box<dyn Handler>> = vec![
///     Box::new(handler_fn(|event| println!("{event:?}"))),
///     Box::new(()),
/// ];
/// for handler in &mut handlers {
///     Parser::new().push(b"It is so.", handler);
/// }
/// ```
pub const fn handler_fn<F: FnMut(Event<'_>)>(closure: F) -> HandlerFn<F> {
    HandlerFn(closure)
}

impl<F: FnMut(Event<'_>)> Handler for HandlerFn<F> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        self.0(Event::Text(text));
    }

    #[inline]
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.0(Event::Annotation(*annotation));
        Replacement::Remove
    }

    #[inline]
    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.0(Event::Record(*record));
        Replacement::Remove
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.0(Event::Marker(*marker));
        Replacement::Remove
    }

    #[inline]
    fn event(&mut self, event: Event<'_>) {
        self.0(event);
    }

    #[inline]
    fn dispatch(&mut self, event: Event<'_>) {
        self.0(event);
    }

    #[inline]
    fn feed(&mut self, source: &mut dyn FnMut(Closure<'_>)) {
        source(&mut self.0);
    }
}

impl<F> fmt::Debug for HandlerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerFn").finish_non_exhaustive()
    }
}

/// Conversion into a [`Handler`], for every handler and every closure `FnMut(Event<'_>)`.
///
/// The parameter `M` is inferred. It lets one function take both, which an implementation of [`Handler`] for closures
/// cannot: it would overlap with the one for `&mut T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler of events",
    label = "not a handler",
    note = "a closure needs the type of its parameter: `|event: Event<'_>| ...`",
    note = "a struct is given as `&mut handler` and implements `Handler`"
)]
pub trait IntoHandler<M> {
    /// The handler.
    type Handler: Handler;

    /// Converts into the handler.
    fn into_handler(self) -> Self::Handler;
}

/// Marks handlers in [`IntoHandler`].
#[derive(Debug)]
pub enum ByHandler {}

/// Marks closures in [`IntoHandler`].
#[derive(Debug)]
pub enum ByClosure {}

impl<H: Handler> IntoHandler<ByHandler> for H {
    type Handler = H;

    #[inline]
    fn into_handler(self) -> H {
        self
    }
}

impl<F: FnMut(Event<'_>)> IntoHandler<ByClosure> for F {
    type Handler = HandlerFn<F>;

    #[inline]
    fn into_handler(self) -> HandlerFn<F> {
        HandlerFn(self)
    }
}

/// A handler whose text also goes to an output.
pub(crate) struct Tee<H, W> {
    pub(crate) handler: H,
    pub(crate) output: W,
}

impl<H: Handler, W: FnMut(&[u8])> Handler for Tee<H, W> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        (self.output)(text.bytes());
        self.handler.text(text);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.handler.annotation(annotation)
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.handler.record(record)
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.handler.marker(marker)
    }

    fn event(&mut self, event: Event<'_>) {
        self.handler.event(event);
    }

    fn end(&mut self) {
        self.handler.end();
    }
}
