//! Handler for the output and events of a rewriter or gate.

use core::fmt;
use std::sync::Arc;

use provstream::provenance::Verdict;
use provstream::{Action, Event, Handler, Rules, TextChunk};
#[cfg(feature = "dialects")]
use provstream::{Marker, Replacement};
#[cfg(feature = "dialects")]
use provstream_providers::ChannelRenderer;
use provstream_providers::{
    ChannelPosition, Format, GateEvent, Item, Notice, NoticeCode, StreamHandler,
};

#[cfg(feature = "dialects")]
use crate::answer_sources::ResponseSourceReader;
use crate::audit::{Audit, AuditSink, action_name};
use crate::draft::Draft;
use crate::outcome::ResponseOutcome;
#[cfg(feature = "dialects")]
use crate::settings::CitationSettings;
use crate::shape::{Splicer, end_open};
use crate::tracker::Tracker;

/// Audit of one response, with any log.
pub(crate) type AnyAudit = Audit<Box<dyn AuditSink + Send + Sync>>;

/// Further handler that receives all events except the bytes, such as the writer of a page.
pub(crate) type Observer = Box<dyn StreamHandler + Send + Sync>;

/// Collects the output and the events of one response: bytes for the client, counts, audit lines,
/// and the state that the last events of the stream depend on.
#[repr(C)] // What most pieces of a stream need comes first.
pub(crate) struct ResponseRecorder {
    /// `true` if the rewriter's output goes to the client without further processing.
    pub(crate) is_direct: bool,
    pub(crate) observer: Option<Observer>,
    /// Released bytes since the last call.
    pub(crate) out: Vec<u8>,
    pub(crate) outcome: ResponseOutcome,
    pub(crate) audit: Option<AnyAudit>,
    pub(crate) tracker: Option<Tracker>,
    /// Renumbers the events of a further response in the same stream.
    pub(crate) splicer: Option<Splicer>,
    /// Rules that determine the names of dispositions.
    pub(crate) rules: Option<Arc<Rules>>,
    /// `true` if nothing is written after an event that was not read.
    pub(crate) is_strict: bool,
    /// `true` after an event that was not read on a route that fails closed: later output is
    /// discarded.
    pub(crate) is_blocked: bool,
    /// `true` after the provider's end marker.
    pub(crate) has_end: bool,
    /// Released text and rejected assertion, for asking the model to continue.
    pub(crate) draft: Option<Draft>,
    /// Channels with text.
    pub(crate) channels: Vec<provstream_providers::Channel>,
    #[cfg(feature = "dialects")]
    pub(crate) citing: Option<Box<Citing>>,
}

/// Reader of the sources that the response brings, and renderer of its markers.
#[cfg(feature = "dialects")]
pub(crate) struct Citing {
    pub(crate) sources: Option<Box<ResponseSourceReader>>,
    pub(crate) renderer: Option<Box<ChannelRenderer>>,
}

#[cfg(feature = "dialects")]
impl Citing {
    /// Creates both, where the route needs one of them.
    pub(crate) fn new(settings: &CitationSettings) -> Option<Box<Self>> {
        let (sources, renderer) = (settings.source_reader(), settings.renderer());
        let is_needed = sources.is_some() || renderer.is_some();
        is_needed.then(|| Box::new(Self { sources, renderer }))
    }
}

impl fmt::Debug for ResponseRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseRecorder")
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl ResponseRecorder {
    pub(crate) fn new() -> Self {
        Self {
            is_direct: false,
            observer: None,
            out: Vec::new(),
            outcome: ResponseOutcome::default(),
            audit: None,
            tracker: None,
            splicer: None,
            rules: None,
            is_strict: false,
            is_blocked: false,
            has_end: false,
            draft: None,
            channels: Vec::new(),
            #[cfg(feature = "dialects")]
            citing: None,
        }
    }

    /// Returns `true` if a write to the audit log failed.
    pub(crate) fn has_audit_failed(&self) -> bool {
        self.audit.as_ref().is_some_and(Audit::has_failed)
    }

    fn notice(&mut self, notice: Notice) {
        // What a gate withholds beside the events of a text has no annotation of it.
        let is_emptied = matches!(
            notice.code(),
            NoticeCode::WithheldData | NoticeCode::UnreadMember
        );
        let is_beside = self.rules.is_some() && is_emptied;
        if self.is_strict && notice.code().is_unread() && !is_beside {
            self.is_blocked = true;
        }
    }

    /// Passes the output from offset `from` on to the tracker.
    fn track(&mut self, from: usize) {
        if let Some(tracker) = &mut self.tracker {
            tracker.push(&self.out[from..]);
        }
    }

    /// Prepares for another response of this format, with events of at most `most` bytes. Ends the
    /// open blocks of the stream.
    pub(crate) fn join(&mut self, format: Format, most: usize) {
        let Some(tracker) = &self.tracker else {
            return;
        };
        let before = self.out.len();
        self.out.extend(end_open(format, tracker));
        self.track(before);
        let tracker = self.tracker.as_ref();
        self.splicer = tracker.and_then(|tracker| Splicer::after(tracker, format, most));
    }

    /// Records an event of a gate.
    fn decide(&mut self, event: &GateEvent<'_>) {
        if let Some(audit) = &mut self.audit {
            audit.push(event);
        }
        let outcome = &mut self.outcome;
        match event {
            GateEvent::Decided(question, action) => {
                let disposition = match (question.verdict(), &self.rules) {
                    (Some(verdict), Some(rules)) => rules.disposition(question, verdict).as_str(),
                    _ => "",
                };
                if let (Some(draft), Action::Suspend) = (&mut self.draft, action) {
                    draft.reject(question.assertion().text(), disposition);
                }
                let key = (disposition, action_name(action));
                *outcome.decisions.entry(key).or_default() += 1;
                let checked = question.verdict().map_or(&[][..], Verdict::outcomes);
                for found in checked {
                    *outcome.observations.entry(*found).or_default() += 1;
                }
            }
            GateEvent::Inserted(text, _) => {
                if let Some(draft) = &mut self.draft {
                    draft.write(text.as_bytes());
                }
            }
            GateEvent::Released(text) => {
                if let Some(draft) = &mut self.draft {
                    draft.write(text.bytes());
                }
                outcome.released += text.bytes().len() as u64;
            }
            GateEvent::Removed(text) => outcome.removed += text.bytes().len() as u64,
            _ => {}
        }
    }
}

impl Handler for ResponseRecorder {
    fn text(&mut self, text: TextChunk<'_>) {
        // What is not written any more is not text of the response.
        if let (Some(observer), false) = (&mut self.observer, self.is_blocked) {
            observer.text(text);
        }
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        let citing = self.citing.as_mut();
        match citing.and_then(|citing| citing.renderer.as_mut()) {
            Some(renderer) => renderer.render(marker),
            None => Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = &event
            && assertion.is_annotated()
        {
            self.outcome.assertions += 1;
            for class in assertion.classes() {
                *self.outcome.classes.entry(class.clone()).or_default() += 1;
            }
        }
        #[cfg(feature = "dialects")]
        if let Event::Citation(citation) = &event {
            self.outcome.assertions += 1;
            self.outcome.citations.get_or_insert_default().add(citation);
        }
        if let Some(observer) = &mut self.observer {
            observer.event(event);
        }
    }

    fn end(&mut self) {
        if let Some(mut splicer) = self.splicer.take() {
            let before = self.out.len();
            splicer.finish(&mut self.out);
            self.track(before);
        }
    }
}

impl StreamHandler for ResponseRecorder {
    fn bytes(&mut self, bytes: &[u8]) {
        if self.is_direct && self.out.capacity() == 0 {
            // One event in memory of its own.
            self.out = bytes.to_vec();
            return;
        }
        if self.is_blocked || self.has_audit_failed() {
            return;
        }
        let before = self.out.len();
        match &mut self.splicer {
            Some(splicer) => splicer.push(bytes, &mut self.out),
            None => self.out.extend_from_slice(bytes),
        }
        self.track(before);
    }

    #[cfg(feature = "dialects")]
    fn data(&mut self, data: &[u8]) {
        let citing = self.citing.as_mut();
        if let Some(sources) = citing.and_then(|citing| citing.sources.as_mut()) {
            sources.event(data);
        }
    }

    fn channel(&mut self, position: ChannelPosition) {
        #[cfg(feature = "dialects")]
        if let Some(citing) = &mut self.citing
            && let Some(renderer) = &mut citing.renderer
        {
            renderer.channel(position);
        }
        if let Some(audit) = &mut self.audit {
            let reasoning = if position.is_reasoning {
                " reasoning"
            } else {
                ""
            };
            audit.enter(format!("{}{reasoning}", position.channel));
        }
        if !position.is_reasoning
            && !self.channels.contains(&position.channel)
            && self.channels.len() < provstream_providers::MAX_CHANNELS
        {
            self.channels.push(position.channel);
        }
        if let Some(observer) = &mut self.observer {
            observer.channel(position);
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        self.decide(&event);
        if let Some(observer) = &mut self.observer {
            observer.gate(event);
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match &item {
            Item::Error(_) => self.outcome.errors += 1,
            Item::End => self.has_end = true,
            Item::Notice(notice) => self.notice(*notice),
            _ => {}
        }
        if let Some(observer) = &mut self.observer {
            observer.item(item);
        }
    }
}
