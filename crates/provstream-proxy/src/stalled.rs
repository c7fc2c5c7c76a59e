//! A connection that ends when its peer reads nothing for too long.

use core::future::Future as _;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A connection whose writes may wait only for so long.
#[derive(Debug)]
pub(crate) struct Stalled<S> {
    inner: S,
    most: Duration,
    /// While a write waits.
    waits: Option<Pin<Box<Sleep>>>,
    /// Until enough was read to know the version of HTTP.
    head: Option<Pin<Box<Sleep>>>,
    /// What was read until then.
    read: usize,
    /// What was read may be the beginning of HTTP/2.
    is_preface: bool,
}

/// No request of HTTP/1.1 is shorter.
const LEAST: usize = 16;

/// What a connection of HTTP/2 begins with is as long (RFC 9113 3.4).
const PREFACE: usize = 24;

impl<S> Stalled<S> {
    pub(crate) const fn new(inner: S, most: Duration) -> Self {
        Self {
            inner,
            most,
            waits: None,
            head: None,
            read: 0,
            is_preface: false,
        }
    }

    /// The same that also ends if its peer has sent hardly anything after this time.
    pub(crate) fn with_head(mut self, most: Duration) -> Self {
        self.head = Some(Box::pin(tokio::time::sleep(most)));
        self
    }

    /// Notes whether a write waits, and ends the wait when it is too long.
    fn watch<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.waits = None;
            return poll;
        }
        let most = self.most;
        let waits = self
            .waits
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + most)));
        ready!(waits.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalled<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if let Some(head) = &mut self.head {
            if poll.is_pending() {
                ready!(head.as_mut().poll(cx));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let new = &buffer.filled()[before..];
            if self.read == 0 {
                self.is_preface = new.first() == Some(&b'P');
            }
            self.read += new.len();
            if self.read >= if self.is_preface { PREFACE } else { LEAST } {
                self.head = None;
            }
        }
        poll
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalled<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watch(cx, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.inner).poll_write_vectored(cx, bytes);
        self.watch(cx, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.watch(cx, poll)
    }
}
