//! Recording of the results of tools in requests.

use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::sync::Arc;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use provstream::provenance::Timestamp;
use provstream_route::{RequestToolResult, ToolResultRecorder};
use tokio::sync::oneshot;

use crate::log::note;
use crate::metrics::Metrics;

/// Recording that runs beside a request.
#[derive(Debug)]
pub(crate) struct Recording {
    recorder: Arc<dyn ToolResultRecorder>,
    ended: oneshot::Receiver<()>,
    is_urgent: bool,
}

/// Counts the end of a recording, and logs its error, when it is dropped.
struct RecordingEnd {
    metrics: Arc<Metrics>,
    route: Box<str>,
    end: Result<u64, String>,
}

impl Drop for RecordingEnd {
    fn drop(&mut self) {
        let end = match &self.end {
            Ok(0) => "nothing_new",
            Ok(_) => "recorded",
            Err(error) => {
                note(&format!(
                    "route {}: the results of tools in a request are not recorded: {error}",
                    self.route
                ));
                "failed"
            }
        };
        let labels = [("route", &*self.route), ("end", end)];
        self.metrics
            .count("provstream_recordings_total", &labels, 1);
    }
}

impl Recording {
    /// Begins to record the results in a request that are new.
    pub(crate) fn begin(
        recorder: &Arc<dyn ToolResultRecorder>,
        results: Vec<RequestToolResult<'_>>,
        (route, metrics): (&str, &Arc<Metrics>),
    ) -> Self {
        let (sender, ended) = oneshot::channel();
        let mut end = RecordingEnd {
            metrics: Arc::clone(metrics),
            route: route.into(),
            // A recorder that has failed drops the function without a call.
            end: Err("the recorder has failed".to_owned()),
        };
        let done = move |count| {
            end.end = count;
            drop(end);
            // The request may have ended.
            let _ = sender.send(());
        };
        recorder.record(results, Timestamp::now(), Box::new(done));
        Self {
            recorder: Arc::clone(recorder),
            ended,
            is_urgent: false,
        }
    }

    /// Waits for the end, and lets the recorder hurry.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let poll = Pin::new(&mut self.ended).poll(cx).map(drop);
        if poll.is_pending() && !self.is_urgent {
            self.is_urgent = true;
            self.recorder.hurry();
        }
        poll
    }
}

/// Body of an upstream's response. Its first frame waits until the results of tools in the request are recorded, so that citations of them
/// are checked afterwards.
#[derive(Debug)]
pub(crate) struct UpstreamBody {
    body: Incoming,
    awaited: Option<Box<AwaitedRecording>>,
}

#[derive(Debug)]
struct AwaitedRecording {
    recording: Recording,
    /// First frame, error or end of the body.
    first: Option<Option<Result<Frame<Bytes>, hyper::Error>>>,
}

impl UpstreamBody {
    /// Creates a body that waits for a recording, if there is one.
    pub(crate) fn new(body: Incoming, recording: Option<Recording>) -> Self {
        let awaited = recording.map(|recording| AwaitedRecording {
            recording,
            first: None,
        });
        Self {
            body,
            awaited: awaited.map(Box::new),
        }
    }

    /// Returns `true` if the first frame has come from the upstream and waits.
    pub(crate) fn is_held(&self) -> bool {
        let waits = self.awaited.as_ref();
        waits.is_some_and(|waits| waits.first.is_some())
    }
}

impl Body for UpstreamBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { body, awaited } = &mut *self;
        let Some(waits) = awaited else {
            return Pin::new(body).poll_frame(cx);
        };
        let first = match waits.first.take() {
            Some(first) => first,
            None => ready!(Pin::new(body).poll_frame(cx)),
        };
        if waits.recording.poll(cx).is_pending() {
            waits.first = Some(first);
            return Poll::Pending;
        }
        *awaited = None;
        Poll::Ready(first)
    }

    fn is_end_stream(&self) -> bool {
        !self.is_held() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.is_held() {
            // The rest is what comes after the frame.
            true => SizeHint::default(),
            false => self.body.size_hint(),
        }
    }
}
