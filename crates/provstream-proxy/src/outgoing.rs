//! Bodies of requests to upstreams.

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicU8, Ordering};
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

/// Reason why a client's body ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestBodyFault {
    TooLong,
    Stalled,
    Broken,
}

/// Shared cell for the reason why a client's body ended early. hyper reports only that sending
/// failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultNote(Arc<AtomicU8>);

impl FaultNote {
    fn set(&self, fault: RequestBodyFault) {
        self.0.store(fault as u8 + 1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<RequestBodyFault> {
        let all = [
            RequestBodyFault::TooLong,
            RequestBodyFault::Stalled,
            RequestBodyFault::Broken,
        ];
        let noted = usize::from(self.0.load(Ordering::Relaxed));
        all.get(noted.checked_sub(1)?).copied()
    }
}

/// Body of a request to an upstream, with a bounded length and a timeout between frames.
///
/// One pointer: hyper keeps room for 32 requests with each connection.
pub(crate) struct Outgoing(Box<BodySource>);

enum BodySource {
    Whole(Option<Bytes>),
    Stream {
        client: Incoming,
        left: u64,
        most: Duration,
        sleep: Pin<Box<Sleep>>,
        note: FaultNote,
    },
}

impl Outgoing {
    /// Creates a body of these bytes.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Box::new(BodySource::Whole(Some(bytes.into()))))
    }

    /// Creates the body of a client's request, of at most `left` bytes, with at most `most` between
    /// two frames.
    pub(crate) fn stream(client: Incoming, left: usize, most: Duration, note: &FaultNote) -> Self {
        Self(Box::new(BodySource::Stream {
            client,
            left: left as u64,
            most,
            sleep: Box::pin(tokio::time::sleep(most)),
            note: note.clone(),
        }))
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let (client, left, most, sleep, note) = match &mut *self.0 {
            BodySource::Whole(bytes) => {
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
            BodySource::Stream {
                client,
                left,
                most,
                sleep,
                note,
            } => (client, left, *most, sleep, note),
        };
        let fault = match Pin::new(client).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let count = frame.data_ref().map_or(0, |data| data.len() as u64);
                sleep.as_mut().reset(Instant::now() + most);
                match left.checked_sub(count) {
                    Some(rest) => {
                        *left = rest;
                        return Poll::Ready(Some(Ok(frame)));
                    }
                    None => RequestBodyFault::TooLong,
                }
            }
            Poll::Ready(Some(Err(_))) => RequestBodyFault::Broken,
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending if sleep.as_mut().poll(cx).is_pending() => return Poll::Pending,
            Poll::Pending => RequestBodyFault::Stalled,
        };
        note.set(fault);
        Poll::Ready(Some(Err(io::Error::other(
            "the body of the request ended before its end",
        ))))
    }

    fn is_end_stream(&self) -> bool {
        match &*self.0 {
            BodySource::Whole(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            BodySource::Stream { client, .. } => client.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &*self.0 {
            BodySource::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            BodySource::Stream { client, .. } => client.size_hint(),
        }
    }
}
