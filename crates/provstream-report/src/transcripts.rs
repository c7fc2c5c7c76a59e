//! Transcripts of the texts of an answer, each of which is a part of the page.

use provstream::{Action, Event, GateHandler, Handler, Question, Span, TextChunk, Unannotated};

use crate::part::TextSummary;
use crate::report::Report;
use crate::transcript::Transcript;

/// Transcribes the texts of an answer with several, such as the channels of a response. `K` names a text.
///
/// [`enter`](Self::enter) sets the text that the following calls of the gate are about.
#[derive(Debug)]
pub struct Transcripts<K> {
    report: Report,
    texts: Vec<NamedTranscript<K>>,
    /// Name of the current text; `None` where an answer repeats a text.
    entered: Option<K>,
    /// Index of the current text, once it has something.
    current: Option<usize>,
}

#[derive(Debug)]
struct NamedTranscript<K> {
    name: Option<K>,
    /// `true` if more of the same name may be another text.
    has_ended: bool,
    /// `None` once the text is closed.
    transcript: Option<Transcript>,
    part: Option<TextSummary>,
    body: Vec<u8>,
}

impl<K: Clone + Ord + ToString> Transcripts<K> {
    /// Transcripts of an answer with several texts.
    #[must_use]
    pub const fn new(report: Report) -> Self {
        Self {
            report,
            texts: Vec::new(),
            entered: None,
            current: None,
        }
    }

    /// Transcripts of an answer that is one text, shown as code if it is JSON.
    #[must_use]
    pub fn of_one_text(report: Report, is_json: bool) -> Self {
        let mut transcripts = Self::new(report);
        transcripts.open(None);
        if let (true, Some(text)) = (is_json, transcripts.texts.first_mut()) {
            text.transcript = text.transcript.take().map(Transcript::with_code);
        }
        transcripts
    }

    /// Sets the current text; `None` where an answer repeats a text.
    pub fn enter(&mut self, name: Option<K>) {
        self.entered = name;
        let is_entered =
            |text: &NamedTranscript<K>| text.name.is_some() && text.name == self.entered;
        self.current = self.texts.iter().rposition(is_entered);
        let current = self.current.map(|index| &mut self.texts[index]);
        if let Some(transcript) = current.and_then(|text| text.transcript.as_mut()) {
            transcript.resume();
        }
    }

    /// Ends texts. What follows under the same name, from a lower offset on, is another text.
    pub fn end(&mut self, is_ended: impl Fn(&K) -> bool) {
        for text in &mut self.texts {
            text.has_ended |= text.name.as_ref().is_some_and(&is_ended);
        }
    }

    /// Returns the parts of the page with their bodies, ordered by name, and the report.
    #[must_use]
    pub fn finish(mut self) -> (Report, Vec<TextSummary>, Vec<Vec<u8>>) {
        for text in &mut self.texts {
            text.close();
        }
        self.texts.sort_by(|one, other| one.name.cmp(&other.name));
        let texts = self.texts.into_iter();
        let parts = texts.filter_map(|text| Some((text.part?, text.body)));
        let (parts, bodies) = parts.unzip();
        (self.report, parts, bodies)
    }

    fn open(&mut self, name: Option<K>) {
        let title = name.as_ref().map(K::to_string);
        self.current = Some(self.texts.len());
        self.texts.push(NamedTranscript {
            name,
            has_ended: false,
            transcript: Some(self.report.transcript(title.as_deref())),
            part: None,
            body: Vec::new(),
        });
    }

    /// Returns the text that something at this offset belongs to.
    fn at(&mut self, offset: u64) -> Option<&mut NamedTranscript<K>> {
        if self.current.is_none() && self.entered.is_some() {
            self.open(self.entered.clone());
        }
        let text = &mut self.texts[self.current?];
        let position = text.transcript.as_ref().map(Transcript::position);
        if text.has_ended && position.is_some_and(|position| offset < position) {
            text.close();
            let name = text.name.clone();
            self.open(name);
        }
        Some(&mut self.texts[self.current?])
    }

    fn transcript_at(&mut self, offset: u64) -> Option<&mut Transcript> {
        self.at(offset)?.transcript.as_mut()
    }
}

impl<K> NamedTranscript<K> {
    fn close(&mut self) {
        // Writing to memory cannot fail.
        let transcript = self.transcript.take();
        self.part = transcript
            .and_then(|it| it.finish(&mut self.body).ok())
            .or(self.part.take());
    }
}

impl<K: Clone + Ord + ToString> Handler for Transcripts<K> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(transcript) = self.transcript_at(u64::MAX) {
            transcript.event(event);
        }
    }
}

impl<K: Clone + Ord + ToString> GateHandler for Transcripts<K> {
    fn released(&mut self, text: TextChunk<'_>) {
        if let Some(current) = self.at(text.span().start())
            && let Some(transcript) = &mut current.transcript
        {
            transcript.released(text);
            // Writing to memory cannot fail.
            let _ = transcript.write_to(&mut current.body);
        }
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        if let Some(transcript) = self.transcript_at(question.clean_span().start()) {
            transcript.decided(question, action);
        }
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        if let Some(transcript) = self.transcript_at(at) {
            transcript.run_begins(at, what);
        }
    }

    fn run_ends(&mut self, at: u64) {
        if let Some(transcript) = self.transcript_at(at) {
            transcript.run_ends(at);
        }
    }

    fn limit(&mut self, span: Span) {
        if let Some(transcript) = self.transcript_at(u64::MAX) {
            transcript.limit(span);
        }
    }
}
