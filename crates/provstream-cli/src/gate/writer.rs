//! Writes what a gate releases, and its audit log.

use provstream::{Action, GateEnd, GateHandler, Handler, Question, Span, TextChunk, Unannotated};
use provstream_providers::ChannelPosition;
use provstream_route::{Audit, AuditFile};

use crate::failure::Failure;
use crate::gated::{GateSink, channel_name};
use crate::input_format::InputFormat;
use crate::output::Output;

/// Takes what a gate writes and reports.
pub(super) struct Writer {
    output: Output,
    audit: Option<Audit<AuditFile>>,
    /// The text is the output; otherwise the events of a provider are.
    is_text: bool,
}

impl Writer {
    pub(super) const fn new(
        output: Output,
        audit: Option<Audit<AuditFile>>,
        input: InputFormat,
    ) -> Self {
        Self {
            output,
            audit,
            is_text: matches!(input, InputFormat::Raw),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.output.finish()
    }

    pub(super) fn into_output(self) -> Output {
        self.output
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
}

impl GateHandler for Writer {
    fn released(&mut self, text: TextChunk<'_>) {
        if let Some(audit) = &mut self.audit {
            audit.text(text.bytes());
        }
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        if let Some(audit) = &mut self.audit {
            audit.text(text.bytes());
        }
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        if let Some(audit) = &mut self.audit {
            audit.decided(question, action);
        }
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
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

impl GateSink for Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }

    fn enter(&mut self, position: ChannelPosition) {
        if let Some(audit) = &mut self.audit {
            audit.enter(channel_name(position.channel, position.is_reasoning));
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.output.flush()
    }

    fn check(&mut self) -> Result<(), Failure> {
        if let Some(error) = self.audit.as_mut().and_then(Audit::take_error) {
            let name = self.audit.as_ref().map_or("", Audit::name);
            return Err(Failure::Create(format!("the audit log {name}"), error));
        }
        self.output.check()
    }

    fn ended(&mut self, channel: Option<&str>, end: GateEnd) {
        let action = match end {
            GateEnd::Suspended => "suspend",
            _ => "refuse",
        };
        if let Some(audit) = &mut self.audit {
            audit.enter(channel.unwrap_or_default().to_owned());
            audit.ended(action);
        }
    }
}
