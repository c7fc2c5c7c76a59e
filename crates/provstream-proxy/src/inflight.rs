//! Response in flight through a filter.

use provstream::provenance::Timestamp;
use provstream_route::{BodyFilter, Cause, Draft, Flow};

use crate::blocking::run_blocking;
use crate::decode::BodyDecoder;
use crate::record::RequestRecord;

/// Most bytes of capacity that the output buffer keeps.
const MAX_KEPT: usize = 1 << 10;

/// Most bytes processed on the runtime's thread. More would delay other streams by several
/// milliseconds.
const MAX_INLINE: usize = 1 << 17;

/// Assumed ratio of decompressed to compressed bytes.
const EXPANSION: usize = 32;

/// Filter of a response with the record of its request. Dropping it before the end means that the
/// client has disconnected.
#[derive(Debug)]
pub(crate) struct Inflight {
    filter: BodyFilter,
    decoder: Option<Box<BodyDecoder>>,
    pub(crate) record: Box<RequestRecord>,
    out: Vec<u8>,
}

impl Inflight {
    pub(crate) const fn new(
        filter: BodyFilter,
        decoder: Option<Box<BodyDecoder>>,
        record: Box<RequestRecord>,
    ) -> Self {
        Self {
            filter,
            decoder,
            record,
            out: Vec::new(),
        }
    }

    /// Returns `true` if trailers of the upstream may be sent: they are not inspected, so no gate lets them pass.
    pub(crate) const fn sends_trailers(&self) -> bool {
        !self.filter.is_gate()
    }

    /// Returns the current time if the filter needs it.
    fn now(&self) -> Timestamp {
        match self.filter.is_gate() {
            true => Timestamp::now(),
            false => Timestamp::MIN,
        }
    }

    /// Returns `true` if `len` more bytes could complete an event that takes long to process.
    fn is_long(&self, len: usize) -> bool {
        let len = match self.decoder {
            Some(_) => len.saturating_mul(EXPANSION),
            None => len,
        };
        self.filter.open_len() + len > MAX_INLINE
    }

    /// Processes bytes of the upstream.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Flow {
        match self.is_long(bytes.len()) {
            true => run_blocking(|| self.push_now(bytes)),
            false => self.push_now(bytes),
        }
    }

    fn push_now(&mut self, bytes: &[u8]) -> Flow {
        let now = self.now();
        let (filter, out) = (&mut self.filter, &mut self.out);
        let flow = match &mut self.decoder {
            None => filter.push(bytes, now, out),
            Some(decoder) => {
                let mut flow = Flow::More;
                let decoded = decoder.push(bytes, |bytes| {
                    if flow == Flow::More {
                        flow = filter.push(bytes, now, out);
                    }
                });
                match decoded {
                    Ok(()) => flow,
                    Err(error) => filter.abort_decoding(cause_of(&error), now, out),
                }
            }
        };
        self.after(flow)
    }

    /// Processes bytes of the upstream. Returns `None` if they go to the client unchanged.
    pub(crate) fn push_or_pass(&mut self, bytes: &[u8]) -> Option<Flow> {
        if self.decoder.is_some() || self.is_long(bytes.len()) {
            return Some(self.push(bytes));
        }
        let now = self.now();
        match self.filter.push_or_pass(bytes, now, &mut self.out) {
            Some(flow) => Some(self.after(flow)),
            None => {
                if let Some(live) = &self.record.live {
                    live.note(&self.filter);
                }
                None
            }
        }
    }

    /// Ends the body of the upstream.
    pub(crate) fn finish(&mut self) -> Flow {
        match self.decoder.is_some() || self.is_long(0) {
            true => run_blocking(|| self.finish_now()),
            false => self.finish_now(),
        }
    }

    fn finish_now(&mut self) -> Flow {
        let now = Timestamp::now();
        let (filter, out) = (&mut self.filter, &mut self.out);
        if let Some(mut decoder) = self.decoder.take() {
            let decoded = decoder.finish(|bytes| {
                let _ = filter.push(bytes, now, out);
            });
            if let Err(error) = decoded {
                let flow = filter.abort_decoding(cause_of(&error), now, out);
                return self.after(flow);
            }
        }
        let flow = filter.finish(now, out);
        self.after(flow)
    }

    /// Returns `true` if the client has the complete response once it has everything written so
    /// far.
    pub(crate) fn has_ended(&self) -> bool {
        self.decoder.is_none() && self.out.is_empty() && self.filter.has_ended()
    }

    pub(crate) fn abort(&mut self, cause: Cause) -> Flow {
        let flow = self.filter.abort(cause, Timestamp::now(), &mut self.out);
        self.after(flow)
    }

    fn after(&mut self, flow: Flow) -> Flow {
        self.record.holds(self.filter.held());
        if let Some(live) = &self.record.live {
            live.note(&self.filter);
        }
        if !matches!(flow, Flow::More | Flow::Suspended) {
            let outcome = self.filter.outcome();
            self.record.end = match outcome.cause() {
                Some(cause) => cause.as_str(),
                None if outcome.ended().is_empty() => "complete",
                None => "policy",
            };
            self.record.outcome = Some(outcome.clone());
            if let Some(error) = self.filter.audit_error() {
                self.record.cause = Some(format!("the audit log: {error}").into());
            }
        }
        flow
    }

    /// Returns the released text and the rejected assertion, for repeating the request.
    pub(crate) fn draft(&self) -> Option<&Draft> {
        self.filter.draft()
    }

    /// Continues with another response, which is compressed or not.
    pub(crate) fn resume(&mut self, decoder: Option<Box<BodyDecoder>>) {
        self.decoder = decoder;
        self.record.reemissions += 1;
        self.filter.resume(&mut self.out);
    }

    /// Ends a suspended stream.
    pub(crate) fn stop(&mut self) -> Flow {
        let flow = self.filter.stop(&mut self.out);
        self.after(flow)
    }

    pub(crate) fn awaits_end(&self) -> bool {
        self.filter.awaits_end()
    }

    pub(crate) fn status(&self) -> Option<u16> {
        self.filter.status()
    }

    pub(crate) fn keep_alive(&mut self) -> Option<&'static [u8]> {
        let comment = self.filter.keep_alive();
        self.record.keep_alives += u64::from(comment.is_some());
        comment
    }

    /// Returns `true` if the output equals `piece`. The output is then cleared, so that the caller
    /// can send the upstream's buffer without a copy.
    pub(crate) fn left(&mut self, piece: &[u8]) -> bool {
        let is_same = self.out == piece;
        if is_same {
            match self.out.capacity() > MAX_KEPT {
                true => self.out = Vec::new(),
                false => self.out.clear(),
            }
        }
        is_same
    }

    /// Returns the output since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }
}

/// Returns the cause to report for a decompression error.
fn cause_of(error: &std::io::Error) -> Cause {
    let is_bomb = error
        .get_ref()
        .is_some_and(|inner| inner.is::<crate::decode::TooMuch>());
    match (is_bomb, error.kind()) {
        (true, _) => Cause::TooLarge,
        (false, std::io::ErrorKind::UnexpectedEof) => Cause::UpstreamCut,
        _ => Cause::NotInspected,
    }
}

impl Drop for Inflight {
    fn drop(&mut self) {
        if self.record.outcome.is_none() {
            self.filter.cancel(Timestamp::now());
            self.record.outcome = Some(self.filter.outcome().clone());
        }
    }
}
