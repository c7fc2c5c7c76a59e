//! Deadlines of a response body.

use core::future::Future as _;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use provstream_route::Cause;
use tokio::time::{Instant, Sleep};

/// Task that a timer will wake. Most polls of a body are for data and come from the same task as
/// the preceding poll: a timer that already wakes this task and has not fired need not be polled
/// again.
#[derive(Debug, Default)]
pub(crate) struct Armed(Option<Waker>);

impl Armed {
    /// Returns `true` if the timer wakes the task of `cx`.
    pub(crate) fn is_for(&self, cx: &Context<'_>) -> bool {
        let waker = self.0.as_ref();
        waker.is_some_and(|waker| waker.will_wake(cx.waker()))
    }

    /// Records that the timer wakes the task of `cx`.
    pub(crate) fn arm(&mut self, cx: &Context<'_>) {
        if !self.is_for(cx) {
            self.0 = Some(cx.waker().clone());
        }
    }
}

/// Deadlines of a response body.
pub(crate) struct Waits {
    idle: Duration,
    keep_alive: Duration,
    /// Latest end of the response.
    total: Instant,
    /// Time of the latest data from the upstream.
    came: Instant,
    /// Time of the latest data to the client.
    went: Instant,
    /// `true` if data has just come from the upstream and none was sent since.
    is_new: bool,
    sleep: Pin<Box<Sleep>>,
    armed: Armed,
}

/// Deadline that has passed.
pub(crate) enum Due {
    End(Cause),
    KeepAlive,
}

impl Waits {
    pub(crate) fn new(idle: Duration, keep_alive: Duration, total: Instant) -> Self {
        let now = Instant::now();
        let first = total.min(now + idle).min(now + keep_alive);
        Self {
            idle,
            keep_alive,
            total,
            came: now,
            went: now,
            is_new: false,
            sleep: Box::pin(tokio::time::sleep_until(first)),
            armed: Armed::default(),
        }
    }

    /// Polls for the next deadline that passes.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        self.is_new = false;
        if self.armed.is_for(cx) && !self.sleep.is_elapsed() {
            return Poll::Pending;
        }
        loop {
            if self.sleep.as_mut().poll(cx).is_pending() {
                self.armed.arm(cx);
                return Poll::Pending;
            }
            let now = Instant::now();
            if now >= self.total {
                return Poll::Ready(Due::End(Cause::TotalTimeout));
            }
            if now >= self.came + self.idle {
                return Poll::Ready(Due::End(Cause::IdleTimeout));
            }
            let is_due = now >= self.went + self.keep_alive;
            if is_due {
                self.went = now;
            }
            // Deadlines move on without the timer, which is set anew only when it goes off.
            let keep_alive = self.went + self.keep_alive;
            let next = self.total.min(self.came + self.idle).min(keep_alive);
            self.sleep.as_mut().reset(next);
            // The timer that is set anew wakes nobody before it is polled.
            self.armed = Armed::default();
            if is_due {
                return Poll::Ready(Due::KeepAlive);
            }
        }
    }

    /// Waits for the deadline that ends the response, before the client has a body.
    pub(crate) async fn end(&mut self) -> Cause {
        core::future::poll_fn(|cx| {
            loop {
                match self.poll(cx) {
                    Poll::Ready(Due::End(cause)) => return Poll::Ready(cause),
                    Poll::Ready(Due::KeepAlive) => {}
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }

    /// Records data from the upstream.
    pub(crate) fn comes(&mut self) {
        self.came = Instant::now();
        self.is_new = true;
    }

    /// Records data to the client, and returns the time. Data that has just come from the upstream
    /// has the same time, so that the clock is read once for both.
    pub(crate) fn goes(&mut self) -> Instant {
        self.went = match self.is_new {
            true => self.came,
            false => Instant::now(),
        };
        self.went
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments are due again and again, and the end at last, for a task that is polled for data in between.
    #[tokio::test]
    async fn what_is_due_wakes_a_task_that_was_polled_before() {
        let ms = Duration::from_millis;
        let total = Instant::now() + ms(60_000);
        let mut waits = Waits::new(ms(300), ms(40), total);
        let began = Instant::now();
        let mut comments = 0;
        let mut polls = 0;
        let cause = core::future::poll_fn(|cx| {
            polls += 1;
            if polls < 5 {
                // As the body does after each piece of data.
                waits.comes();
                waits.goes();
                cx.waker().wake_by_ref();
            }
            loop {
                match waits.poll(cx) {
                    Poll::Ready(Due::End(cause)) => return Poll::Ready(cause),
                    Poll::Ready(Due::KeepAlive) => comments += 1,
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
        assert_eq!(cause, Cause::IdleTimeout);
        assert!((1..=7).contains(&comments), "{comments}");
        assert!(began.elapsed() >= ms(300));
    }

    /// A body may be polled by one task and then by another.
    #[tokio::test]
    async fn another_task_is_woken() {
        let ms = Duration::from_millis;
        let total = Instant::now() + ms(60_000);
        let mut waits = Waits::new(ms(60), ms(60_000), total);
        let pending = core::future::poll_fn(|cx| Poll::Ready(waits.poll(cx).is_pending()));
        assert!(pending.await);
        let ended = tokio::spawn(async move { waits.end().await });
        assert_eq!(ended.await.ok(), Some(Cause::IdleTimeout));
    }
}
