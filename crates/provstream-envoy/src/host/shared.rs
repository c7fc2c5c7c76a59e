//! What all streams of a configuration share.

use std::sync::Arc;

use provstream_route::Routes;

use super::meter::Meter;

/// What all streams of a configuration share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) routes: Arc<Routes>,
    pub(super) meter: Meter,
    /// Heads may be held back.
    pub(super) waits: bool,
}
