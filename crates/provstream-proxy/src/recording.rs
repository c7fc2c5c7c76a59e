//! Recording of the results of tools in requests.

use std::sync::Arc;

use bytes::Bytes;
use provstream::provenance::Timestamp;
use provstream_route::{ToolResultRecorder, tool_results};
use tokio::task::JoinHandle;

use crate::log::note;

/// Recording that runs beside a request.
#[derive(Debug)]
pub(crate) struct Recording(JoinHandle<Result<u64, String>>);

impl Recording {
    /// Begins to record the results in the body of a request, in a thread for work that blocks.
    pub(crate) fn begin(recorder: &Arc<dyn ToolResultRecorder>, body: &Bytes) -> Self {
        let (recorder, body) = (Arc::clone(recorder), body.clone());
        Self(tokio::task::spawn_blocking(move || {
            let results = tool_results(&body);
            match results.is_empty() {
                true => Ok(0),
                false => recorder.record(&results, Timestamp::now()),
            }
        }))
    }

    /// Waits for the end, and returns a name of it for metrics. The request goes on in any case; an error is logged.
    pub(crate) async fn end(self, route: &str) -> &'static str {
        let error = match self.0.await {
            Ok(Ok(0)) => return "nothing_new",
            Ok(Ok(_)) => return "recorded",
            Ok(Err(error)) => error,
            Err(error) => error.to_string(),
        };
        note(&format!(
            "route {route}: the results of tools in a request are not recorded: {error}"
        ));
        "failed"
    }
}
