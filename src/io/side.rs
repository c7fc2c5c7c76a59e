//! Events beside a text that does not wait for them.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::stream::{FusedStream, Stream};

use crate::event::{BracketAnnotation, Event, JsonRecord, OwnedEvent};
use crate::handler::{Handler, Replacement};

/// A handler that removes annotations and records, and a stream of the events that it gets.
///
/// Between them are at most `capacity` events. The handler never waits: when the stream's consumer lags, the oldest
/// events are dropped, and the next item says how many. With a capacity of 0 there is only that number.
///
/// Either may be dropped. Without the stream the handler keeps nothing. When the handler is dropped or its text has
/// ended, the stream ends after the events that it still has.
///
/// ```
/// use bytes::Bytes;
/// use futures_util::StreamExt;
/// use provstream::io::{SideItem, TextStream, side_events};
/// use provstream::{Event, Parser};
/// # use std::convert::Infallible;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Infallible> {
/// # let chunks = ["It is so. [subst", "rate.grep] Really."].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
/// # let body = futures_util::stream::iter(chunks);
/// let (sink, mut events) = side_events(256);
/// let mut text = TextStream::new(body, Parser::new(), sink); // `body`: the bytes of a response
/// while let Some(piece) = text.next().await {
///     print!("{}", String::from_utf8_lossy(&piece?));
/// }
/// while let Some(item) = events.next().await { // mostly in a task of its own
///     match item {
///         SideItem::Event(Event::Assertion(assertion)) => assert_eq!(assertion.text(), "It is so."),
///         SideItem::Lost(events) => eprintln!("{events} events are lost"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub fn side_events(capacity: usize) -> (SideSink, SideEvents) {
    let queue = Arc::new(Mutex::new(Queue {
        events: VecDeque::new(),
        capacity,
        lost: 0,
        closed: false,
        waker: None,
    }));
    (
        SideSink {
            queue: Arc::clone(&queue),
        },
        SideEvents { queue },
    )
}

/// What a [`SideEvents`] gives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SideItem {
    /// An event; never text.
    Event(OwnedEvent),
    /// So many events were dropped since the item before, at least one, and are older than the next item.
    Lost(u64),
}

/// The end of [`side_events`] that is given to an adapter.
#[derive(Debug)]
pub struct SideSink {
    queue: Arc<Mutex<Queue>>,
}

/// The stream of [`side_events`].
#[derive(Debug)]
#[must_use = "streams do nothing unless polled"]
pub struct SideEvents {
    queue: Arc<Mutex<Queue>>,
}

#[derive(Debug)]
struct Queue {
    /// At most `capacity`.
    events: VecDeque<OwnedEvent>,
    capacity: usize,
    /// How many were dropped and not reported yet, all older than `events`.
    lost: u64,
    /// Whether the handler reports nothing more.
    closed: bool,
    /// Of the consumer, if it waits.
    waker: Option<Waker>,
}

/// The queue. No change of it can be cut short by a panic, so a poisoned one is sound.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SideSink {
    fn push(&self, event: Event<'_>) {
        // Without a consumer nothing need be copied.
        if Arc::strong_count(&self.queue) == 1 {
            return;
        }
        let event = event.into_owned();
        let mut dropped = Some(event);
        let mut queue = lock(&self.queue);
        if queue.events.len() < queue.capacity {
            queue.events.extend(dropped.take());
        } else {
            queue.lost = queue.lost.saturating_add(1);
            if let Some(oldest) = queue.events.pop_front() {
                queue.events.extend(dropped.replace(oldest));
            }
        }
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Handler for SideSink {
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.push(Event::Annotation(*annotation));
        Replacement::Remove
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.push(Event::Record(*record));
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        self.push(event);
    }

    fn end(&mut self) {
        self.close();
    }
}

impl Drop for SideSink {
    fn drop(&mut self) {
        self.close();
    }
}

impl Stream for SideEvents {
    type Item = SideItem;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SideItem>> {
        let mut queue = lock(&self.queue);
        if queue.lost > 0 {
            return Poll::Ready(Some(SideItem::Lost(std::mem::take(&mut queue.lost))));
        }
        if let Some(event) = queue.events.pop_front() {
            return Poll::Ready(Some(SideItem::Event(event)));
        }
        if queue.closed {
            return Poll::Ready(None);
        }
        let before = queue.waker.replace(cx.waker().clone());
        drop(queue);
        drop(before);
        Poll::Pending
    }
}

impl FusedStream for SideEvents {
    fn is_terminated(&self) -> bool {
        let queue = lock(&self.queue);
        queue.closed && queue.lost == 0 && queue.events.is_empty()
    }
}

impl Drop for SideEvents {
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        queue.capacity = 0;
        let events = std::mem::take(&mut queue.events);
        let waker = queue.waker.take();
        drop(queue);
        drop((events, waker));
    }
}
