//! Writes what a gate releases, and its audit log.

use provstream::{
    Action, Event, GateEnd, GateHandler, Handler, Question, Span, TextChunk, Unannotated,
};
use provstream_providers::{ChannelPosition, GateEvent, Item, StreamHandler};

use super::account::Account;
use super::audit::{Audit, AuditFile};
use crate::failure::Failure;
use crate::input_format::InputFormat;
use crate::output::Output;
use crate::unread::Seen;

/// Takes what a gate writes and reports.
pub(super) struct Writer {
    output: Output,
    audit: Option<Audit<AuditFile>>,
    account: Account,
    /// The text is the output; otherwise the events of a provider are.
    is_text: bool,
}

impl Writer {
    pub(super) const fn new(
        output: Output,
        audit: Option<Audit<AuditFile>>,
        account: Account,
        input: InputFormat,
    ) -> Self {
        Self {
            output,
            audit,
            account,
            is_text: matches!(input, InputFormat::Raw),
        }
    }

    /// The same that also notes what was met in the events of a provider.
    pub(super) const fn seeing<'w>(&'w mut self, seen: &'w mut Seen) -> Seeing<'w> {
        Seeing { writer: self, seen }
    }

    /// What was done so far.
    pub(super) const fn account(&self) -> &Account {
        &self.account
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.output.flush()
    }

    /// Reports whether everything could be written so far.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        if let Some(error) = self.audit.as_mut().and_then(Audit::take_error) {
            let name = self.audit.as_ref().map_or("", Audit::name);
            return Err(Failure::Create(format!("the audit log {name}"), error));
        }
        self.output.check()
    }

    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.output.finish()
    }

    pub(super) fn into_output(self) -> Output {
        self.output
    }

    /// The policy ended a stream.
    pub(super) fn ended(&mut self, channel: Option<&str>, end: GateEnd) {
        let action = match end {
            GateEnd::Suspended => "suspend",
            _ => "refuse",
        };
        if let Some(audit) = &mut self.audit {
            audit.enter(channel.unwrap_or_default().to_owned());
            audit.ended(action);
        }
    }

    /// Writes to the output, unless a decision is missing in the audit log.
    fn write(&mut self, bytes: &[u8]) {
        if !self.audit.as_ref().is_some_and(Audit::has_failed) {
            self.output.text(bytes);
        }
    }
}

impl Handler for Writer {
    fn text(&mut self, text: TextChunk<'_>) {
        if self.is_text {
            self.write(text.bytes());
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.account.event(&event);
    }
}

impl GateHandler for Writer {
    fn released(&mut self, text: TextChunk<'_>) {
        if let Some(audit) = &mut self.audit {
            audit.text(text.bytes());
        }
        self.account.text(text.bytes(), true);
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        if let Some(audit) = &mut self.audit {
            audit.text(text.bytes());
        }
        self.account.text(text.bytes(), false);
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.account.decided(question, action);
        if let Some(audit) = &mut self.audit {
            audit.decided(question, action);
        }
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.account.run(what);
        if let Some(audit) = &mut self.audit {
            audit.run_begins(at, what);
        }
    }

    fn run_ends(&mut self, at: u64) {
        if let Some(audit) = &mut self.audit {
            audit.run_ends(at);
        }
    }

    fn limit(&mut self, span: Span) {
        if let Some(audit) = &mut self.audit {
            audit.limit(span);
        }
    }
}

/// A writer that notes what was met in the events of a provider.
pub(super) struct Seeing<'w> {
    writer: &'w mut Writer,
    seen: &'w mut Seen,
}

impl Handler for Seeing<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.writer.account.event(&event);
    }
}

impl StreamHandler for Seeing<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.writer.write(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.seen.text = true;
        let mut channel = position.channel.to_string();
        if position.is_reasoning {
            channel.push_str(" reasoning");
        }
        self.writer.account.enter(&channel);
        if let Some(audit) = &mut self.writer.audit {
            audit.enter(channel);
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        let writer = &mut *self.writer;
        match event {
            GateEvent::Decided(question, action) => writer.decided(question, action),
            GateEvent::Released(text) => writer.released(text),
            GateEvent::Removed(text) => writer.removed(text),
            GateEvent::RunBegins(at, what) => writer.run_begins(at, what),
            GateEvent::RunEnds(at) => writer.run_ends(at),
            GateEvent::Limit(span) => writer.limit(span),
            _ => {}
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) if notice.code().is_unread() => {
                *self.seen.notices.entry(notice.code()).or_default() += 1;
            }
            Item::Error(_) => self.seen.errors += 1,
            Item::ChannelEnd(_) => self.seen.text = true,
            Item::End => self.seen.end = true,
            _ => {}
        }
    }
}
