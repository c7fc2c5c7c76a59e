//! What the bytes of a body go through.

use core::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream::{GateEnd, Parser, Policy};
use provstream_providers::{Channel, Format, ReadReport, StreamGate, StreamRewriter};

use crate::seen::Seen;
use crate::settings::{Act, Settings};

/// The time that a caller gave last, which policies judge by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Now(Arc<(AtomicI64, AtomicU32)>);

impl Now {
    pub(crate) fn set(&self, now: Timestamp) {
        // One thread has a filter at a time.
        self.0.0.store(now.unix_seconds(), Ordering::Relaxed);
        self.0.1.store(now.subsec_nanos(), Ordering::Relaxed);
    }

    fn get(&self) -> Timestamp {
        let seconds = self.0.0.load(Ordering::Relaxed);
        let nanos = self.0.1.load(Ordering::Relaxed);
        Timestamp::from_unix(seconds, nanos).unwrap_or(Timestamp::MIN)
    }
}

/// A rewriter or a gate of a provider's response.
pub(crate) trait Machine: Send + Sync {
    fn push(&mut self, bytes: &[u8], seen: &mut Seen);
    fn finish(&mut self, seen: &mut Seen);
    fn format(&self) -> Option<Format>;
    fn report(&self) -> &ReadReport;
    /// Bytes of text that are held back.
    fn held(&self) -> usize;
    /// The channels that a policy ended.
    fn ended(&self) -> Vec<(Channel, GateEnd)>;
}

/// What a route does with a response.
pub(crate) fn machine(settings: &Settings, now: &Now) -> Box<dyn Machine> {
    let parser = Parser::builder()
        .vocabulary(settings.vocabulary.clone())
        .build();
    match &settings.act {
        Act::Gate(rules) => {
            let now = now.clone();
            let policy = rules.as_ref().clone().policy(move || now.get());
            let gate = match settings.format {
                Some(format) => StreamGate::new(format, parser, policy),
                None => StreamGate::detect(parser, policy),
            };
            Box::new(
                gate.with_reasoning(settings.reasoning)
                    .with_max_event(settings.max_event)
                    .with_max_held(settings.max_held),
            )
        }
        Act::Strip => {
            let rewriter = match settings.format {
                Some(format) => StreamRewriter::new(format, parser),
                None => StreamRewriter::detect(parser),
            };
            Box::new(
                rewriter
                    .with_reasoning(settings.reasoning)
                    .with_max_event(settings.max_event),
            )
        }
    }
}

impl Machine for StreamRewriter {
    fn push(&mut self, bytes: &[u8], seen: &mut Seen) {
        Self::push(self, bytes, seen);
    }

    fn finish(&mut self, seen: &mut Seen) {
        Self::finish(self, seen);
    }

    fn format(&self) -> Option<Format> {
        Self::format(self)
    }

    fn report(&self) -> &ReadReport {
        Self::report(self)
    }

    fn held(&self) -> usize {
        0
    }

    fn ended(&self) -> Vec<(Channel, GateEnd)> {
        Vec::new()
    }
}

impl<P: Policy + Clone + Send + Sync> Machine for StreamGate<P> {
    fn push(&mut self, bytes: &[u8], seen: &mut Seen) {
        Self::push(self, bytes, seen);
    }

    fn finish(&mut self, seen: &mut Seen) {
        Self::finish(self, seen);
    }

    fn format(&self) -> Option<Format> {
        Self::format(self)
    }

    fn report(&self) -> &ReadReport {
        Self::report(self)
    }

    fn held(&self) -> usize {
        self.held_len()
    }

    fn ended(&self) -> Vec<(Channel, GateEnd)> {
        Self::ended(self).collect()
    }
}
