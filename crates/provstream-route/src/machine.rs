//! Rewriter or gate of a response body.

use core::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream::{GateEnd, Parser, Policy, RulePolicy};
use provstream_providers::{Channel, Format, ReadReport, StreamGate, StreamRewriter};

use crate::seen::ResponseRecorder;
use crate::settings::{Act, FilterSettings};

/// Shared time of the latest call, by which policies judge.
#[derive(Clone, Debug, Default)]
pub(crate) struct Now(Arc<(AtomicI64, AtomicU32)>);

impl Now {
    pub(crate) fn set(&self, now: Timestamp) {
        // One thread has a filter at a time.
        self.0.0.store(now.unix_seconds(), Ordering::Relaxed);
        self.0.1.store(now.subsec_nanos(), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Timestamp {
        let seconds = self.0.0.load(Ordering::Relaxed);
        let nanos = self.0.1.load(Ordering::Relaxed);
        Timestamp::from_unix(seconds, nanos).unwrap_or(Timestamp::MIN)
    }
}

/// A rewriter or a gate of a provider's response.
pub(crate) enum Machine {
    /// Stored inline instead of boxed: with many streams, each further allocation that an event
    /// touches is a cache miss.
    Strip(StreamRewriter),
    Gate(Box<dyn AnyGate>),
}

/// A gate with any policy.
pub(crate) trait AnyGate: Send + Sync {
    fn push(&mut self, bytes: &[u8], seen: &mut ResponseRecorder);
    fn finish(&mut self, seen: &mut ResponseRecorder);
    fn format(&self) -> Option<Format>;
    fn report(&self) -> &ReadReport;
    /// Number of held bytes of text.
    fn held(&self) -> usize;
    /// Length of the incomplete event in bytes.
    fn open_len(&self) -> usize;
    /// Channels that the policy ended.
    fn ended(&self) -> Vec<(Channel, GateEnd)>;
}

/// Creates the rewriter or gate for a route. Its policy judges by `now`.
pub(crate) fn machine(settings: &FilterSettings, now: &Now) -> Machine {
    let parser = Parser::builder().vocabulary(settings.vocabulary.clone());
    #[cfg(feature = "dialects")]
    let parser = match &settings.citations.dialects {
        Some(dialects) => parser.dialects(dialects.clone()),
        None => parser,
    };
    #[cfg(feature = "dialects")]
    let parser = match &settings.citations.sources {
        Some(sources) => parser.sources(Arc::clone(sources)),
        None => parser,
    };
    let parser = parser.build();
    match &settings.act {
        Act::Gate(rules) => {
            let clock = now.clone();
            let policy = RulePolicy::new(Arc::clone(rules), move || clock.get());
            let policy = match &settings.observations {
                Some(observations) => policy.with_observations(Arc::clone(observations)),
                None => policy,
            };
            let gate = match settings.format {
                Some(format) => StreamGate::new(format, parser, policy),
                None => StreamGate::detect(parser, policy),
            };
            let gate = gate
                .with_reasoning(settings.reasoning)
                .with_pass_members(settings.pass_members.clone())
                .with_max_event(settings.max_event)
                .with_max_held(settings.max_held);
            Machine::Gate(Box::new(gate))
        }
        Act::Strip => {
            let rewriter = match settings.format {
                Some(format) => StreamRewriter::new(format, parser),
                None => StreamRewriter::detect(parser),
            };
            let rewriter = rewriter
                .with_reasoning(settings.reasoning)
                .with_pass_members(settings.pass_members.clone())
                .with_max_event(settings.max_event);
            Machine::Strip(rewriter)
        }
    }
}

impl Machine {
    pub(crate) fn push(&mut self, bytes: &[u8], seen: &mut ResponseRecorder) {
        match self {
            Self::Strip(rewriter) => rewriter.push(bytes, seen),
            Self::Gate(gate) => gate.push(bytes, seen),
        }
    }

    /// Processes bytes. Returns `true` if the output is exactly `bytes`, which are then not passed
    /// to `seen`.
    pub(crate) fn push_or_pass(&mut self, bytes: &[u8], seen: &mut ResponseRecorder) -> bool {
        match self {
            Self::Strip(rewriter) => rewriter.push_or_pass(bytes, seen),
            Self::Gate(gate) => {
                gate.push(bytes, seen);
                false
            }
        }
    }

    pub(crate) fn finish(&mut self, seen: &mut ResponseRecorder) {
        match self {
            Self::Strip(rewriter) => rewriter.finish(seen),
            Self::Gate(gate) => gate.finish(seen),
        }
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match self {
            Self::Strip(rewriter) => rewriter.format(),
            Self::Gate(gate) => gate.format(),
        }
    }

    pub(crate) fn report(&self) -> &ReadReport {
        match self {
            Self::Strip(rewriter) => rewriter.report(),
            Self::Gate(gate) => gate.report(),
        }
    }

    /// Number of held bytes of text.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Strip(_) => 0,
            Self::Gate(gate) => gate.held(),
        }
    }

    /// Length of the incomplete event in bytes.
    pub(crate) fn open_len(&self) -> usize {
        match self {
            Self::Strip(rewriter) => rewriter.open_len(),
            Self::Gate(gate) => gate.open_len(),
        }
    }

    /// Channels that the policy ended.
    pub(crate) fn ended(&self) -> Vec<(Channel, GateEnd)> {
        match self {
            Self::Strip(_) => Vec::new(),
            Self::Gate(gate) => gate.ended(),
        }
    }
}

impl<P: Policy + Clone + Send + Sync> AnyGate for StreamGate<P> {
    fn push(&mut self, bytes: &[u8], seen: &mut ResponseRecorder) {
        Self::push(self, bytes, seen);
    }

    fn finish(&mut self, seen: &mut ResponseRecorder) {
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

    fn open_len(&self) -> usize {
        Self::open_len(self)
    }

    fn ended(&self) -> Vec<(Channel, GateEnd)> {
        Self::ended(self).collect()
    }
}
