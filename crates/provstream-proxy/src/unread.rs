//! Streams of HTTP/2 whose clients stop reading.

use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use hyper::rt::Executor;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep};

thread_local! {
    /// Latest result of a body in the current poll: `true` if it gave a frame.
    static LATEST: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Records that a body was polled, and whether it gave a frame.
pub(crate) fn note_poll(is_frame: bool) {
    LATEST.set(Some(is_frame));
}

/// Executor for the streams of an HTTP/2 connection. Resets a stream whose client reads nothing for
/// too long.
///
/// A connection of HTTP/1.1 has [`Stalled`](crate::stalled::Stalled) for this. With HTTP/2, a client
/// can leave one stream unread while others go on, and the server does not poll a body for which
/// the client has no room, so that the body cannot end itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamExecutor {
    pub(crate) most: Duration,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, stream: F) {
        tokio::spawn(ReadStream {
            stream,
            most: self.most,
            unread: None,
        });
    }
}

pin_project! {
    /// Stream of HTTP/2 that ends when its client reads nothing for too long.
    struct ReadStream<F> {
        #[pin]
        stream: F,
        most: Duration,
        // Time-out of the latest frame, until the server asks for another one.
        unread: Option<Pin<Box<Sleep>>>,
    }
}

impl<F: Future<Output = ()>> Future for ReadStream<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let own = self.project();
        LATEST.set(None);
        if own.stream.poll(cx).is_ready() {
            return Poll::Ready(());
        }
        match LATEST.get() {
            // The server waits until the client has room for the next frame.
            Some(true) => {
                let deadline = Instant::now() + *own.most;
                match own.unread {
                    Some(unread) => unread.as_mut().reset(deadline),
                    None => *own.unread = Some(Box::pin(tokio::time::sleep_until(deadline))),
                }
            }
            Some(false) => *own.unread = None,
            None => {}
        }
        match own.unread {
            Some(unread) => unread.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}
