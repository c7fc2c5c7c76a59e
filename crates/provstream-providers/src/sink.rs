//! Handlers of a rewritten or gated response.

use super::gate_event::GateEvent;
use super::words::Words;
use super::{Channel, Item, ReadReport};
#[cfg(feature = "dialects")]
use provstream::Marker;
use provstream::{
    Action, BracketAnnotation, Event, GateHandler, Handler, JsonRecord, Question, Replacement,
    Span, TextChunk, Unannotated,
};

/// Position of a text in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ChannelPosition {
    /// The channel.
    pub channel: Channel,
    /// The member that has the text, if it is not the usual one of its format: `refusal`, `transcript` and so on.
    /// Such a member is a separate text with separate offsets.
    pub member: Option<&'static str>,
    /// `true` outside of the channel's main text: in a member that repeats text of earlier deltas, such as
    /// `response.output_text.done`, or in [reasoning](Self::is_reasoning). Offsets count from the start of that
    /// member or of that reasoning.
    ///
    /// In a member that repeats text, the handler is asked again about each annotation and record; text, events and decisions
    /// of a gate are not reported again.
    pub is_repeated: bool,
    /// `true` in the channel's reasoning, which is a separate text that a [`StreamRewriter`](super::StreamRewriter)
    /// rewrites or a [`StreamGate`](super::StreamGate) gates. `is_repeated` is then true, too, so that handlers that
    /// skip repeated text also skip reasoning.
    ///
    /// The text, annotations and events of reasoning are reported, and so are a gate's decisions about it. Members with a
    /// whole reasoning text, such as `choices[].message.reasoning`, are different: a `StreamRewriter` asks only about the
    /// annotations and records in them, and in a stream a `StreamGate` empties them.
    pub is_reasoning: bool,
}

/// Receives the output of a [`StreamRewriter`](super::StreamRewriter), and decides what replaces annotations.
///
/// Of [`Handler`], [`text`](Handler::text) gets the rewritten text of a channel with its offsets in that text,
/// [`annotation`](Handler::annotation) and [`record`](Handler::record) decide for each annotation and record, once more for
/// each place that repeats it, and [`event`](Handler::event) gets the other events of a channel's text.
/// [`end`](Handler::end) is called once, at the end of the response.
///
/// `&mut T` and `Box<T>` are handlers where `T` is one; `()` ignores everything and removes annotations. Functions that take
/// a handler take a closure `FnMut(&[u8])` as well, which gets the rewritten bytes.
pub trait StreamHandler: Handler {
    /// Receives the next bytes of the rewritten response; never empty.
    fn bytes(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// Names the channel that the following calls of [`Handler`]'s methods are about. Called when it changes.
    fn channel(&mut self, position: ChannelPosition) {
        let _ = position;
    }

    /// Receives the data of each event, or the value of a response that is not streamed, before its text is read. An event that
    /// differs from the one before only in its text may be left out.
    fn data(&mut self, data: &[u8]) {
        let _ = data;
    }

    /// Receives a report of a [`StreamGate`](super::StreamGate) about the text of a channel.
    fn gate(&mut self, event: GateEvent<'_>) {
        let _ = event;
    }

    /// Receives each item of the response except [text](Item::Text), [reasoning](Item::Reasoning) and [tool
    /// calls](Item::ToolCall).
    fn item(&mut self, item: Item<'_>) {
        let _ = item;
    }

    /// Receives the counts of what was read, once, at the end of the response, right before [`Handler::end`]. A gate
    /// checks [`is_complete`](ReadReport::is_complete).
    fn report(&mut self, report: &ReadReport) {
        let _ = report;
    }
}

macro_rules! forward {
    () => {
        fn bytes(&mut self, bytes: &[u8]) {
            (**self).bytes(bytes);
        }

        fn channel(&mut self, position: ChannelPosition) {
            (**self).channel(position);
        }

        fn data(&mut self, data: &[u8]) {
            (**self).data(data);
        }

        fn gate(&mut self, event: GateEvent<'_>) {
            (**self).gate(event);
        }

        fn item(&mut self, item: Item<'_>) {
            (**self).item(item);
        }

        fn report(&mut self, report: &ReadReport) {
            (**self).report(report);
        }
    };
}

impl<T: StreamHandler + ?Sized> StreamHandler for &mut T {
    forward!();
}

impl<T: StreamHandler + ?Sized> StreamHandler for Box<T> {
    forward!();
}

/// Ignores everything, and has annotations and records removed.
impl StreamHandler for () {}

/// A closure that takes rewritten bytes, as a [`StreamHandler`] that has annotations and records removed.
#[derive(Clone, Copy, Debug)]
pub struct BytesFn<F>(F);

impl<F> Handler for BytesFn<F> {}

impl<F: FnMut(&[u8])> StreamHandler for BytesFn<F> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0(bytes);
    }
}

/// Conversion to a [`StreamHandler`], implemented by all handlers and by closures `FnMut(&[u8])`.
///
/// The parameter `M` is inferred, as that of [`IntoHandler`](provstream::IntoHandler) is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler of a provider's stream",
    label = "not a stream handler",
    note = "a struct is given as `&mut handler` and implements both `Handler` and `StreamHandler`",
    note = "a closure takes the rewritten bytes: `|bytes: &[u8]| ...`"
)]
pub trait IntoStreamHandler<M> {
    /// The handler.
    type Handler: StreamHandler;

    /// The handler.
    fn into_stream_handler(self) -> Self::Handler;
}

/// Marks handlers in [`IntoStreamHandler`].
#[derive(Debug)]
pub enum ByStreamHandler {}

/// Marks closures in [`IntoStreamHandler`].
#[derive(Debug)]
pub enum ByBytes {}

impl<H: StreamHandler> IntoStreamHandler<ByStreamHandler> for H {
    type Handler = H;

    fn into_stream_handler(self) -> H {
        self
    }
}

impl<F: FnMut(&[u8])> IntoStreamHandler<ByBytes> for F {
    type Handler = BytesFn<F>;

    fn into_stream_handler(self) -> BytesFn<F> {
        BytesFn(self)
    }
}

/// Collects the output of a channel's rewriter, and passes other calls to the stream's handler.
pub(super) struct OutputCollector<'s> {
    pub(super) out: &'s mut Vec<u8>,
    pub(super) handler: &'s mut dyn StreamHandler,
    pub(super) is_repeated: bool,
    /// An annotation or a record was replaced by text.
    pub(super) has_replaced: bool,
    /// Replacements in the text, if the format has offsets into it.
    pub(super) removed: Option<&'s mut super::removed::OffsetShift>,
    /// Words that a gate has decided.
    pub(super) words: Words,
    /// Ends of the blocks, if the text is joined from several.
    pub(super) seams: Option<&'s mut super::seams::Seams>,
}

impl Handler for OutputCollector<'_> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        if let Some(removed) = &mut self.removed {
            removed.wrote(text.bytes());
        }
        if let Some(seams) = &mut self.seams {
            seams.wrote(text.bytes().len(), self.out.len());
        }
        self.write(text);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let replacement = self.handler.annotation(annotation);
        let white_space = annotation.whitespace_before();
        self.replaces(
            annotation.span(),
            annotation.raw(),
            white_space,
            &replacement,
        );
        replacement
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        let replacement = self.handler.record(record);
        self.replaces(record.span(), record.raw(), 0, &replacement);
        replacement
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        let replacement = self.handler.marker(marker);
        let white_space = marker.whitespace_before();
        self.replaces(marker.span(), marker.raw(), white_space, &replacement);
        replacement
    }

    fn event(&mut self, event: Event<'_>) {
        if !self.is_repeated {
            self.handler.event(event);
        }
    }
}

impl OutputCollector<'_> {
    /// An annotation, a marker or a record is removed or replaced, with white space before it that is removed with it.
    fn replaces(&mut self, span: Span, raw: &[u8], white_space: usize, by: &Replacement) {
        self.has_replaced = true;
        if let Some(removed) = &mut self.removed {
            if removed.is_gated() {
                removed.cut(span, raw, white_space as u64);
            } else {
                removed.replaces(raw, white_space, by);
            }
        }
        self.cut(span, white_space, by);
    }

    /// Records in the ends of blocks what is removed or replaced.
    fn cut(&mut self, span: Span, white_space: usize, by: &Replacement) {
        let Some(seams) = &mut self.seams else {
            return;
        };
        let start = span.start() - white_space as u64;
        match by {
            Replacement::Text(text) if !seams.is_gated() => seams.cut(span, text.len() as u64),
            Replacement::Keep if !seams.is_gated() => {}
            _ => seams.cut(Span::new(start, span.end()), 0),
        }
    }

    #[inline]
    fn write(&mut self, text: TextChunk<'_>) {
        self.out.extend_from_slice(text.bytes());
        if !self.is_repeated {
            self.handler.text(text);
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        if !self.is_repeated {
            self.handler.gate(event);
        }
    }
}

impl GateHandler for OutputCollector<'_> {
    fn released(&mut self, text: TextChunk<'_>) {
        self.words.add(text.bytes());
        if let Some(removed) = &mut self.removed {
            removed.decided(&text, true);
        }
        if let Some(seams) = &mut self.seams {
            seams.decide(text.span().end(), Some(self.out.len()));
        }
        self.gate(GateEvent::Released(text));
        self.write(text);
    }

    fn inserted(&mut self, text: &str, at: u64) {
        if let Some(removed) = &mut self.removed {
            removed.inserted(text, at);
        }
        if let Some(seams) = &mut self.seams {
            seams.reach(self.out.len());
        }
        self.gate(GateEvent::Inserted(text, at));
        self.write(TextChunk::new(text.as_bytes(), at));
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.words.add(text.bytes());
        if let Some(removed) = &mut self.removed {
            removed.decided(&text, false);
        }
        if let Some(seams) = &mut self.seams {
            seams.decide(text.span().end(), None);
        }
        self.gate(GateEvent::Removed(text));
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.gate(GateEvent::Decided(question, action));
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.gate(GateEvent::RunBegins(at, what));
    }

    fn run_ends(&mut self, at: u64) {
        self.gate(GateEvent::RunEnds(at));
    }

    fn limit(&mut self, span: Span) {
        self.gate(GateEvent::Limit(span));
    }
}
