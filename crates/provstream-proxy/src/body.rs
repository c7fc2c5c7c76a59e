//! Bodies of responses to clients.

use core::pin::Pin;
use core::task::{Context, Poll};
use std::io;

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use provstream_route::{Cause, Flow};
use tokio::time::Instant;

use crate::again::{Asking, NextAnswer, RepeatableRequest};
use crate::causes::causes;
use crate::inflight::Inflight;
use crate::record::RequestRecord;
use crate::recording::UpstreamBody;
use crate::shared::Ending;
use crate::unread::note_poll;
use crate::waits::{Due, Waits};

/// Most bytes in one frame to the client. The server copies a frame to a buffer, which it keeps
/// with the connection.
const MAX_FRAME: usize = 1 << 16;

/// Body of a response to the client: buffered, or streamed from the upstream.
pub(crate) enum ProxyBody {
    /// A complete body, and the record of its request until the body is sent.
    Whole(Option<Bytes>, Option<Box<BodyPath>>),
    /// A body that is sent while the upstream sends it.
    Stream(Box<Streamed>),
}

/// Path of a body from the upstream to the client.
#[expect(
    clippy::large_enum_variant,
    reason = "it is part of a body, which is in memory of its own; each further piece of memory has a processor wait"
)]
pub(crate) enum BodyPath {
    Pass(Box<RequestRecord>),
    Filter(Inflight),
}

impl BodyPath {
    fn record(&mut self) -> &mut RequestRecord {
        match self {
            Self::Pass(record) => record,
            Self::Filter(inflight) => &mut inflight.record,
        }
    }
}

/// Body that is sent to the client while the upstream sends it.
pub(crate) struct Streamed {
    upstream: Option<UpstreamBody>,
    through: BodyPath,
    /// Bytes that are sent next.
    ready: Option<Bytes>,
    /// Trailers of the upstream, sent at the end.
    trailers: Option<HeaderMap>,
    end: Option<Flow>,
    /// `true` after the server had time to send the bytes before an abort.
    is_flushed: bool,
    waits: Waits,
    ending: Ending,
    /// Repeats the request if a policy suspends the answer and the route permits it.
    again: Option<Box<RepeatableRequest>>,
    asking: Option<Asking>,
}

impl Streamed {
    pub(crate) fn new(
        upstream: UpstreamBody,
        through: BodyPath,
        waits: Waits,
        ending: Ending,
    ) -> Self {
        Self {
            upstream: Some(upstream),
            through,
            ready: None,
            trailers: None,
            end: None,
            is_flushed: false,
            waits,
            ending,
            again: None,
            asking: None,
        }
    }

    /// Sets the request to repeat after a suspension.
    pub(crate) fn with_again(mut self, again: Option<Box<RepeatableRequest>>) -> Self {
        self.again = again;
        self
    }

    /// Sets the bytes that are sent first.
    pub(crate) fn with_first(mut self, first: Vec<u8>) -> Self {
        self.ready = (!first.is_empty()).then(|| first.into());
        self
    }

    /// Aborts the body after the bytes that are sent first.
    pub(crate) fn broken_off(mut self) -> Self {
        self.upstream = None;
        self.end = Some(Flow::Reset);
        self
    }

    /// Handles a frame, an error or the end from the upstream. Afterwards `ready` may have bytes
    /// for the client.
    fn take(&mut self, frame: Option<Result<Frame<Bytes>, hyper::Error>>) {
        self.waits.comes();
        if let Some(Err(error)) = &frame {
            self.through.record().cause = Some(causes(error).into());
        }
        let flow = match (&mut self.through, frame) {
            (BodyPath::Pass(_), Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => {
                    self.ready = Some(data);
                    return;
                }
                Err(frame) => {
                    self.trailers = frame.into_trailers().ok();
                    return;
                }
            },
            (BodyPath::Filter(inflight), Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => match inflight.push_or_pass(&data) {
                    // Most pieces of a stream stay as they are: the client gets those of the upstream, and nothing is allocated.
                    None => {
                        self.ready = Some(data);
                        return;
                    }
                    Some(Flow::More) if inflight.left(&data) => {
                        self.ready = Some(data);
                        return;
                    }
                    Some(flow) => flow,
                },
                Err(frame) => {
                    let sends = inflight.sends_trailers();
                    self.trailers = frame.into_trailers().ok().filter(|_| sends);
                    return;
                }
            },
            (BodyPath::Pass(record), None) => {
                record.end = "complete";
                Flow::Done
            }
            (BodyPath::Filter(inflight), None) => inflight.finish(),
            (BodyPath::Pass(record), Some(Err(_))) => {
                record.end = Cause::UpstreamCut.as_str();
                Flow::Reset
            }
            (BodyPath::Filter(inflight), Some(Err(_))) => inflight.abort(Cause::UpstreamCut),
        };
        self.settle(flow);
    }

    fn abort(&mut self, cause: Cause) {
        let flow = match &mut self.through {
            BodyPath::Pass(record) => {
                record.end = cause.as_str();
                Flow::Reset
            }
            BodyPath::Filter(inflight) if self.asking.take().is_some() => inflight.stop(),
            BodyPath::Filter(inflight) => inflight.abort(cause),
        };
        self.settle(flow);
    }

    fn settle(&mut self, mut flow: Flow) {
        if let (Flow::Suspended, BodyPath::Filter(inflight)) = (flow, &mut self.through) {
            // Closes the connection to the upstream.
            self.upstream = None;
            let again = self.again.as_mut().zip(inflight.draft());
            self.asking = again.and_then(|(again, draft)| again.ask(draft));
            flow = match self.asking {
                Some(_) => Flow::More,
                None => inflight.stop(),
            };
        }
        if let BodyPath::Filter(inflight) = &mut self.through {
            let out = inflight.take();
            if !out.is_empty() {
                self.ready = Some(out.into());
            }
        }
        if flow != Flow::More {
            // The upstream is of no more use: this closes its connection, or ends its stream of HTTP/2.
            self.upstream = None;
            self.end = Some(flow);
        }
    }

    /// Continues with the response to the repeated request, or ends the stream without one.
    fn go_on(&mut self, answer: Option<NextAnswer>) {
        self.waits.comes();
        let BodyPath::Filter(inflight) = &mut self.through else {
            return;
        };
        if let Some(NextAnswer { body, decoder }) = answer {
            inflight.resume(decoder);
            self.upstream = Some(UpstreamBody::new(body, None));
            self.settle(Flow::More);
        } else {
            let flow = inflight.stop();
            self.settle(flow);
        }
    }

    fn keep_alive(&mut self) {
        if let BodyPath::Filter(inflight) = &mut self.through
            && let Some(comment) = inflight.keep_alive()
        {
            self.ready = Some(Bytes::from_static(comment));
        }
    }

    fn deliver(&mut self) -> Option<Frame<Bytes>> {
        let data = next_piece(&mut self.ready)?;
        let now = self.waits.goes();
        self.through.record().delivers(data.len(), now.into_std());
        // hyper does not poll the body again after the last byte of Content-Length, so the end is
        // recorded here.
        if let BodyPath::Pass(record) = &mut self.through
            && self.ready.is_none()
            && self.upstream.as_ref().is_some_and(Body::is_end_stream)
        {
            record.end = "complete";
        }
        Some(Frame::data(data))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(frame) = self.deliver() {
                return Poll::Ready(Some(Ok(frame)));
            }
            match self.end {
                Some(Flow::Done) => {
                    let trailers = self
                        .trailers
                        .take()
                        .map(|trailers| Ok(Frame::trailers(trailers)));
                    return Poll::Ready(trailers);
                }
                // An error makes hyper drop everything that it has not sent yet, even the head. So
                // `Pending` comes first, once, which lets it flush.
                Some(_) if !self.is_flushed => {
                    self.is_flushed = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(_) => {
                    let error =
                        io::Error::new(io::ErrorKind::ConnectionAborted, "the response broke off");
                    return Poll::Ready(Some(Err(error)));
                }
                None => {}
            }
            if let Some(asking) = &mut self.asking
                && let Poll::Ready(answer) = asking.as_mut().poll(cx)
            {
                self.asking = None;
                self.go_on(answer);
                continue;
            }
            let polled = match &mut self.upstream {
                None if self.asking.is_some() => Poll::Pending,
                Some(upstream) => Pin::new(upstream).poll_frame(cx),
                None => Poll::Ready(None),
            };
            match polled {
                Poll::Ready(frame) => self.take(frame),
                Poll::Pending => {
                    if self.ending.poll(cx).is_ready() {
                        self.abort(Cause::Shutdown);
                        continue;
                    }
                    if self.upstream.as_ref().is_some_and(UpstreamBody::is_held) {
                        self.waits.comes();
                    }
                    match self.waits.poll(cx) {
                        Poll::Ready(Due::End(cause)) => self.abort(cause),
                        Poll::Ready(Due::KeepAlive) => self.keep_alive(),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            }
        }
    }
}

impl Drop for Streamed {
    /// Records a complete response if the client leaves after the end of the stream, before the
    /// upstream has ended the body.
    fn drop(&mut self) {
        if self.ready.is_none()
            && self.end.is_none()
            && let BodyPath::Filter(inflight) = &mut self.through
            && inflight.has_ended()
        {
            let _ = inflight.finish();
        }
    }
}

/// Removes the next bytes for one frame, at most `MAX_FRAME`.
fn next_piece(bytes: &mut Option<Bytes>) -> Option<Bytes> {
    match bytes {
        Some(all) if all.len() > MAX_FRAME => Some(all.split_to(MAX_FRAME)),
        _ => bytes.take(),
    }
}

impl ProxyBody {
    /// Creates a complete body.
    pub(crate) fn whole(bytes: impl Into<Bytes>, through: Option<BodyPath>) -> Self {
        Self::Whole(Some(bytes.into()), through.map(Box::new))
    }
}

impl Body for ProxyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let poll = match &mut *self {
            Self::Whole(bytes, through) => {
                let piece = next_piece(bytes).filter(|piece| !piece.is_empty());
                if let (Some(through), Some(piece)) = (through.as_mut(), &piece) {
                    through
                        .record()
                        .delivers(piece.len(), Instant::now().into_std());
                }
                if bytes.is_none() {
                    *through = None;
                }
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
            Self::Stream(streamed) => streamed.poll(cx),
        };
        note_poll(matches!(poll, Poll::Ready(Some(Ok(_)))));
        poll
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes, _) => bytes.as_ref().is_none_or(Bytes::is_empty),
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes, _) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Stream(streamed) => match (&streamed.through, &streamed.upstream) {
                // The length of what passes is the upstream's.
                (BodyPath::Pass(_), Some(upstream)) => upstream.size_hint(),
                _ => SizeHint::default(),
            },
        }
    }
}
