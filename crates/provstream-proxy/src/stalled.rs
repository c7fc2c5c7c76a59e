//! Connection that times out when its peer stops reading.

use core::future::Future as _;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// Connection with a timeout for blocked writes.
#[derive(Debug)]
pub(crate) struct Stalled<S> {
    inner: S,
    most: Duration,
    /// Timeout of the blocked write, if one is blocked.
    waits: Option<Pin<Box<Sleep>>>,
    /// Timeout for the first bytes, until enough are read to determine the HTTP version.
    head: Option<Pin<Box<Sleep>>>,
    /// Number of bytes read before then.
    read: usize,
    /// `true` if the first bytes may be the beginning of the HTTP/2 preface.
    is_preface: bool,
}

/// First bytes of a connection of HTTP/2 (RFC 9113 3.4).
pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Length of the shortest HTTP/1.1 request.
const MIN_REQUEST: usize = 16;

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

    /// Sets the timeout for the first bytes of the peer.
    pub(crate) fn with_head(mut self, most: Duration) -> Self {
        self.head = Some(Box::pin(tokio::time::sleep(most)));
        self
    }

    /// Starts the timeout when a write blocks, and fails the write when it is over.
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
            if self.read
                >= if self.is_preface {
                    PREFACE.len()
                } else {
                    MIN_REQUEST
                }
            {
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
