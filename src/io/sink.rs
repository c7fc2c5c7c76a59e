//! What is told of events while the text goes its own way.

use crate::event::{BracketAnnotation, Event, JsonRecord};
use crate::rewrite::{Replacement, RewriteSink};

/// Decides what becomes of annotations and takes the other events, while the text itself is read or written.
///
/// A closure takes all events but text, and removes annotations and records. `()` removes them and takes nothing.
///
/// ```
/// use provstream::io::EventSink;
/// use provstream::{BracketAnnotation, Replacement};
///
/// /// Puts a mark where an annotation stood.
/// struct Mark;
/// impl EventSink for Mark {
///     fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
///         Replacement::from("(*)")
///     }
/// }
/// ```
pub trait EventSink {
    /// Decides what is written in the place of an annotation; by default nothing.
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let _ = annotation;
        Replacement::Remove
    }

    /// Decides what is written in the place of a JSON record that was held back; by default nothing. There are none
    /// unless the parser was [asked](crate::ParserBuilder::hold_records) to hold them.
    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        let _ = record;
        Replacement::Remove
    }

    /// Takes every other event but text; by default it is passed over.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// The text has ended and all events were told; called once, unless the adapter is dropped before.
    fn end(&mut self) {}
}

impl<F: FnMut(Event<'_>)> EventSink for F {
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self(Event::Annotation(*annotation));
        Replacement::Remove
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self(Event::Record(*record));
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}

impl EventSink for () {}

/// Takes the rewritten text in one place and everything else in another.
pub(super) struct Split<'a, T, S> {
    /// Takes text.
    pub(super) text: T,
    /// Takes the rest.
    pub(super) sink: &'a mut S,
}

impl<T: FnMut(&[u8]), S: EventSink> RewriteSink for Split<'_, T, S> {
    fn text(&mut self, bytes: &[u8]) {
        (self.text)(bytes);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.sink.annotation(annotation)
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.sink.record(record)
    }

    fn event(&mut self, event: Event<'_>) {
        self.sink.event(event);
    }
}
