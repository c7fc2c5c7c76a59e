//! Queue of results of tools, which a thread records together.

use std::mem::take;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use provstream::provenance::{Class, Timestamp};
use provstream_cli::{RecordingDone, RequestToolResult};

/// Time for which the thread waits for further results, so that they share a transaction and its write to the disk.
/// [`RecordQueue::hurry`] ends the wait when a model begins to answer.
pub(super) const GATHER: Duration = Duration::from_secs(1);
/// Most bytes of results that wait.
const MAX_WAITING: usize = 64 << 20;

/// Result of a tool that is not known to be recorded.
pub(super) struct NewResult {
    pub(super) found: RequestToolResult<'static>,
    pub(super) class: Class,
    /// Keyed hash of the identifier of the call.
    pub(super) call: u64,
    /// Keyed hash of the class and the JSON of the result.
    pub(super) fingerprint: u64,
}

/// New results of a request.
pub(super) struct RecordJob {
    pub(super) results: Vec<NewResult>,
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
    waiting: Mutex<WaitingJobs>,
    changed: Condvar,
}

#[derive(Default)]
struct WaitingJobs {
    jobs: Vec<RecordJob>,
    bytes: usize,
    is_urgent: bool,
    is_closed: bool,
}

impl WaitingJobs {
    fn take_jobs(&mut self) -> Vec<RecordJob> {
        self.is_urgent = false;
        self.bytes = 0;
        take(&mut self.jobs)
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, WaitingJobs> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next jobs; `None` at the end.
    fn next(&self, gather: Duration) -> Option<Vec<RecordJob>> {
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
        let end = Instant::now() + gather;
        while !waiting.is_urgent && !waiting.is_closed {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(waiting.take_jobs())
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
    /// Starts the thread, which calls `record` with the jobs that come within the time `gather`, and gets the number of results that were
    /// recorded of each. If that fails, the jobs that came meanwhile fail with it, since a ledger that is locked or full is so for them: it
    /// delays each of them once.
    pub(super) fn start(
        gather: Duration,
        mut record: impl FnMut(&[RecordJob]) -> Result<Vec<u64>, String> + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let end = CloseAtEnd(Arc::clone(&shared));
        let thread = Builder::new().name("provstream-record".into());
        let thread = thread.spawn(move || {
            while let Some(mut jobs) = end.0.next(gather) {
                let recorded = record(&jobs);
                if recorded.is_err() {
                    // Before the end of any job, after which a further one may come that does not fail.
                    jobs.append(&mut end.0.waiting().take_jobs());
                }
                for (index, job) in jobs.into_iter().enumerate() {
                    (job.done)(
                        recorded
                            .as_ref()
                            .map(|all| all[index])
                            .map_err(Clone::clone),
                    );
                }
            }
        })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Adds a job.
    pub(super) fn push(&self, job: RecordJob) {
        let results = job.results.iter();
        let bytes: usize = results.map(|new| new.found.as_json().len()).sum();
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use provstream_cli::RequestFacts;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const PATIENCE: Duration = Duration::from_secs(20);

    /// Pushes a job with a result of so many bytes, which sends what it ends with.
    fn push(queue: &RecordQueue, bytes: usize, ends: &Sender<Result<u64, String>>) {
        let body = format!(
            r#"{{"messages":[{{"tool_calls":[{{"id":"c","function":{{"name":"t"}}}}]}},{{"role":"tool","tool_call_id":"c","content":"{}"}}]}}"#,
            "x".repeat(bytes)
        );
        let results = RequestFacts::of(body.as_bytes()).tool_results;
        let ends = ends.clone();
        queue.push(RecordJob {
            results: results
                .into_iter()
                .map(|found| NewResult {
                    found: found.into_owned(),
                    class: "substrate.code.read".parse().expect("a class"),
                    call: 0,
                    fingerprint: 0,
                })
                .collect(),
            now: Timestamp::now(),
            done: Box::new(move |count| ends.send(count).expect("a receiver")),
        });
    }

    /// A queue whose recorder ends each job with the number of those that it got together.
    fn start() -> RecordQueue {
        let queue = RecordQueue::start(HOUR, |jobs| Ok(vec![jobs.len() as u64; jobs.len()]));
        queue.expect("a thread")
    }

    fn next(ends: &Receiver<Result<u64, String>>) -> Result<u64, String> {
        ends.recv_timeout(PATIENCE).expect("an end")
    }

    #[test]
    fn jobs_wait_for_each_other_until_they_are_urgent() {
        let (queue, (sender, ends)) = (start(), channel());
        // Nothing waits yet, so nothing is urgent.
        queue.hurry();
        for _ in 0..3 {
            push(&queue, 9, &sender);
        }
        assert!(ends.recv_timeout(Duration::from_millis(50)).is_err());
        queue.hurry();
        assert_eq!([(); 3].map(|()| next(&ends)), [Ok(3), Ok(3), Ok(3)]);
        push(&queue, 9, &sender);
        assert!(ends.recv_timeout(Duration::from_millis(50)).is_err());
        // What waits at the end is recorded.
        drop(queue);
        assert_eq!(next(&ends), Ok(1));
    }

    #[test]
    fn as_much_waits_as_is_allowed() {
        let (queue, (sender, ends)) = (start(), channel());
        push(&queue, MAX_WAITING - 2, &sender);
        push(&queue, 0, &sender);
        let error = "too many results wait to be recorded".to_owned();
        assert_eq!(next(&ends), Err(error));
        queue.hurry();
        assert_eq!(next(&ends), Ok(1));
        push(&queue, 0, &sender);
        queue.hurry();
        assert_eq!(next(&ends), Ok(1));
    }

    #[test]
    fn jobs_fail_with_those_before_them() {
        let (sender, ends) = channel();
        let (begun, waits) = channel();
        let (fail, failed) = channel::<()>();
        let queue = RecordQueue::start(HOUR, move |jobs| {
            begun.send(jobs.len()).expect("a test");
            failed.recv_timeout(PATIENCE).expect("a test");
            Err("locked".to_owned())
        });
        let queue = queue.expect("a thread");
        push(&queue, 9, &sender);
        queue.hurry();
        assert_eq!(waits.recv_timeout(PATIENCE), Ok(1));
        push(&queue, 9, &sender);
        queue.hurry();
        fail.send(()).expect("a recorder");
        assert_eq!(
            [(); 2].map(|()| next(&ends)),
            [(); 2].map(|()| Err("locked".to_owned()))
        );
        drop((queue, fail));
        assert!(waits.recv_timeout(PATIENCE).is_err(), "not recorded again");
    }

    /// A job that is pushed when another one has failed is recorded.
    #[test]
    fn a_job_that_comes_after_a_failure_does_not_fail_with_it() {
        let mut fails = [true, false].into_iter();
        let queue = RecordQueue::start(HOUR, move |jobs| match fails.next() {
            Some(true) => Err("locked".to_owned()),
            _ => Ok(vec![1; jobs.len()]),
        });
        let queue = Arc::new(queue.expect("a thread"));
        let (sender, ends) = channel();
        let again = (Arc::clone(&queue), sender.clone());
        queue.push(RecordJob {
            results: Vec::new(),
            now: Timestamp::now(),
            done: Box::new(move |count| {
                assert_eq!(count, Err("locked".to_owned()));
                push(&again.0, 9, &again.1);
                again.0.hurry();
            }),
        });
        queue.hurry();
        assert_eq!(next(&ends), Ok(1));
    }

    /// Nobody waits for a thread that has ended.
    #[test]
    fn jobs_of_a_recorder_that_panics_end() {
        let queue = RecordQueue::start(HOUR, |_| panic!("of the test")).expect("a thread");
        let (sender, ends) = channel();
        push(&queue, 9, &sender);
        queue.hurry();
        let start = Instant::now();
        while !queue.shared.waiting().is_closed {
            assert!(start.elapsed() < PATIENCE);
            std::thread::yield_now();
        }
        push(&queue, 9, &sender);
        drop((sender, queue));
        assert_eq!(ends.iter().filter(Result::is_ok).count(), 0);
    }
}
