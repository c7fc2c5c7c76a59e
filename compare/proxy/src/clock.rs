//! Nanoseconds since the start.

use std::time::{Duration, Instant};

/// A clock that the upstream and the clients share.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that begins now.
    #[must_use]
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Nanoseconds since the clock began.
    #[must_use]
    pub fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    /// The moment of a time.
    #[must_use]
    pub fn at(self, nanoseconds: u64) -> Instant {
        self.0 + Duration::from_nanos(nanoseconds)
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
