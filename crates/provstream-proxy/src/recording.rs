//! Recording of the results of tools in requests.

use std::sync::Arc;

use provstream::provenance::Timestamp;
use provstream_route::{RequestToolResult, ToolResultRecorder};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::log::note;

/// Recording that runs beside a request; `None` if there is nothing new.
#[derive(Debug)]
pub(crate) struct Recording(Option<Begun>);

#[derive(Debug)]
struct Begun {
    recorder: Arc<dyn ToolResultRecorder>,
    end: oneshot::Receiver<Result<u64, String>>,
}

impl Recording {
    /// Begins to record the results in a request that are new.
    pub(crate) fn begin(
        recorder: &Arc<dyn ToolResultRecorder>,
        results: Vec<RequestToolResult<'_>>,
    ) -> Self {
        let new = results.into_iter().filter(|found| recorder.is_new(found));
        let new: Vec<_> = new.map(RequestToolResult::into_owned).collect();
        if new.is_empty() {
            return Self(None);
        }
        let (sender, end) = oneshot::channel();
        let done = move |count| {
            // The request may have ended.
            let _ = sender.send(count);
        };
        recorder.record(new, Timestamp::now(), Box::new(done));
        let recorder = Arc::clone(recorder);
        Self(Some(Begun { recorder, end }))
    }

    /// Waits for the end, and returns a name of it for metrics. The request goes on in any case; an error is logged.
    pub(crate) async fn end(self, route: &str) -> &'static str {
        let Some(Begun { recorder, mut end }) = self.0 else {
            return "nothing_new";
        };
        let ended = match end.try_recv() {
            Err(TryRecvError::Empty) => {
                recorder.hurry();
                end.await.ok()
            }
            ended => ended.ok(),
        };
        let error = match ended {
            Some(Ok(0)) => return "nothing_new",
            Some(Ok(_)) => return "recorded",
            Some(Err(error)) => error,
            None => "the recorder has failed".to_owned(),
        };
        note(&format!(
            "route {route}: the results of tools in a request are not recorded: {error}"
        ));
        "failed"
    }
}
