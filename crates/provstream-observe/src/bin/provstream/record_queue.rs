//! Queue of results of tools, which a thread records together.

use std::mem::take;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use provstream::provenance::Timestamp;
use provstream_cli::{RecordingDone, RequestToolResult};

/// Time for which the thread waits for further results, so that they share a transaction and its write to the disk. Few models begin to
/// answer earlier; [`RecordQueue::hurry`] ends the wait.
const GATHER: Duration = Duration::from_millis(250);
/// Most bytes of results that wait.
const MAX_WAITING: usize = 64 << 20;

/// New results of a request.
pub(super) struct RecordJob {
    pub(super) results: Vec<RequestToolResult<'static>>,
    pub(super) now: Timestamp,
    pub(super) done: RecordingDone,
}

/// Jobs that wait, with the thread that takes them.
pub(super) struct RecordQueue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<RecordJob>,
    bytes: usize,
    is_urgent: bool,
    is_closed: bool,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next jobs; `None` at the end.
    fn next(&self) -> Option<Vec<RecordJob>> {
        let mut waiting = self.waiting();
        while waiting.jobs.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let end = Instant::now() + GATHER;
        while !waiting.is_urgent && !waiting.is_closed {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        waiting.is_urgent = false;
        waiting.bytes = 0;
        Some(take(&mut waiting.jobs))
    }
}

/// Closes the queue when its thread ends, also by a panic: nobody waits for jobs that no thread takes.
struct CloseAtEnd(Arc<Shared>);

impl Drop for CloseAtEnd {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.is_closed = true;
        waiting.jobs.clear();
    }
}

impl RecordQueue {
    /// Starts the thread, which calls `record` with the jobs that it takes at a time.
    pub(super) fn start(
        mut record: impl FnMut(Vec<RecordJob>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let end = CloseAtEnd(Arc::clone(&shared));
        let thread = Builder::new().name("provstream-record".into());
        let thread = thread.spawn(move || {
            while let Some(jobs) = end.0.next() {
                record(jobs);
            }
        })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Adds a job.
    pub(super) fn push(&self, job: RecordJob) {
        let bytes: usize = job.results.iter().map(|found| found.as_json().len()).sum();
        let mut waiting = self.shared.waiting();
        if waiting.is_closed || waiting.bytes + bytes > MAX_WAITING {
            drop(waiting);
            return (job.done)(Err("too many results wait to be recorded".to_owned()));
        }
        waiting.bytes += bytes;
        waiting.jobs.push(job);
        // The thread is already awake for the jobs before.
        if waiting.jobs.len() == 1 {
            drop(waiting);
            self.shared.changed.notify_one();
        }
    }

    /// Lets the thread take the jobs at once.
    pub(super) fn hurry(&self) {
        let mut waiting = self.shared.waiting();
        if !waiting.jobs.is_empty() && !waiting.is_urgent {
            waiting.is_urgent = true;
            drop(waiting);
            self.shared.changed.notify_one();
        }
    }
}

impl Drop for RecordQueue {
    /// Waits until what is in the queue is recorded.
    fn drop(&mut self) {
        self.shared.waiting().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic was reported by the thread.
            let _ = thread.join();
        }
    }
}
